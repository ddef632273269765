//! The program as a server, and a client that speaks HTTP by hand: what a test wants to send no library would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use super::cli::morabase;

/// Longer than anything takes that works.
const LONG: Duration = Duration::from_secs(60);

/// A running server, which ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts the program on the tables of these directories, on a port that the system chooses.
    pub(crate) fn start(tables: &[&Path], arguments: &[&str]) -> Self {
        let mut command = morabase(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        for directory in tables {
            command.arg("--tables").arg(directory);
        }
        Self::run(command)
    }

    /// Starts the program in this directory, with no tables named.
    pub(crate) fn start_in(directory: &Path) -> Self {
        let mut command = morabase(&["serve", "--listen", "127.0.0.1:0"]);
        command.current_dir(directory);
        Self::run(command)
    }

    fn run(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.unwrap_or_else(|| panic!("{command:?} says {line:?}")).to_owned();
        Self { child, address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Sends a request with these lines in its head and reads the answer to its end.
    pub(crate) fn send(&self, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Reply {
        let mut stream = self.connect();
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n").into_bytes();
        for line in lines {
            request.extend_from_slice(format!("{line}\r\n").as_bytes());
        }
        if !body.is_empty() {
            request.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        request.extend_from_slice(b"\r\n");
        request.extend_from_slice(body);
        // A server that refuses a body may close before it has read all of it.
        let _ = stream.write_all(&request);
        Reply::read(&mut stream)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Reply {
        self.send("POST", path, &[], body)
    }

    /// Asks the server to stop.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// How the server has ended, and what it had to say.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let mut text = String::new();
        let mut stderr: ChildStderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap(), text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads what a server sends until it closes.
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        if let Err(error) = stream.read_to_end(&mut bytes) {
            // Closed with a part of the request unread.
            assert!(!bytes.is_empty(), "{error}");
        }
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Self { status, head, body: bytes[end + 4..].to_vec() };
        if reply.header("transfer-encoding").is_some_and(|coding| coding == "chunked") {
            reply.body = joined(&reply.body);
        }
        reply
    }

    /// The value of a line of the head.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The chunks of a body without their lengths. The last must be empty: without it the answer was broken off.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n").expect("the answer was broken off");
        let length = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&chunks[end + 2..end + 2 + length]);
        chunks = &chunks[end + 4 + length..];
    }
}
