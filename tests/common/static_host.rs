//! A host that sends files, with or without parts of them.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// What a host does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ranges {
    /// Sends the parts that are asked for.
    Sent,
    /// Sends whole files always.
    Ignored,
}

/// A host of the files in a folder, until the test ends.
#[derive(Debug)]
pub(crate) struct StaticHost(SocketAddr);

impl StaticHost {
    pub(crate) fn start(folder: &Path, ranges: Ranges) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let folder: Arc<PathBuf> = Arc::new(folder.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = Arc::clone(&folder);
                // A client that goes away is no failure of the test.
                thread::spawn(move || drop(answer(&stream, &folder, ranges)));
            }
        });
        Self(address)
    }

    /// The address of the folder.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.0)
    }
}

fn answer(mut stream: &TcpStream, folder: &Path, ranges: Ranges) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut range = None;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        if name.eq_ignore_ascii_case("range") {
            range = Some(value.trim().to_owned());
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().trim_start_matches('/');
    let (head, body) = match (fs::read(folder.join(path)), range.filter(|_| ranges == Ranges::Sent)) {
        (Err(_), _) => ("404 Not Found\r\n".to_owned(), Vec::new()),
        (Ok(bytes), None) => ("200 OK\r\n".to_owned(), bytes),
        (Ok(bytes), Some(range)) => part(&bytes, &range),
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {head}Content-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(&body)
}

/// The part of a file that `bytes=FIRST-LAST` asks for.
fn part(bytes: &[u8], range: &str) -> (String, Vec<u8>) {
    let ends = range.strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let ends = ends.and_then(|(first, last)| Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?)));
    let total = bytes.len();
    match ends {
        Some((first, last)) if first <= last && first < total => {
            let last = last.min(total - 1);
            let head = format!("206 Partial Content\r\nContent-Range: bytes {first}-{last}/{total}\r\n");
            (head, bytes[first..=last].to_vec())
        }
        _ => (format!("416 Range Not Satisfiable\r\nContent-Range: bytes */{total}\r\n"), Vec::new()),
    }
}
