//! The files of the page, embedded in the program, and how they are sent.

use std::fmt::Write;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};

use crate::service::Tag;

use super::replies::{is_known, not_changed, put};

/// A file of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageFile {
    /// Its name, which is also its address relative to the page.
    pub name: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// The page itself. The server inserts a title and a list of turns between its marks; unchanged, it is a page for a
/// static host.
pub const INDEX: PageFile =
    PageFile { name: "index.html", media: "text/html; charset=utf-8", text: include_str!("page/index.html") };

macro_rules! files {
    ($($name:literal: $media:literal,)*) => {
        [$(PageFile { name: $name, media: $media, text: include_str!(concat!("page/", $name)) },)*]
    };
}

/// All parts of the page except [`INDEX`].
pub const PAGE_FILES: [PageFile; 24] = files! {
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "manifest.webmanifest": "application/manifest+json",
    "sw.js": "text/javascript; charset=utf-8",
    "address.js": "text/javascript; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "ask.js": "text/javascript; charset=utf-8",
    "board.js": "text/javascript; charset=utf-8",
    "classes.js": "text/javascript; charset=utf-8",
    "compare.js": "text/javascript; charset=utf-8",
    "dom.js": "text/javascript; charset=utf-8",
    "explorer.js": "text/javascript; charset=utf-8",
    "histogram.js": "text/javascript; charset=utf-8",
    "images.js": "text/javascript; charset=utf-8",
    "notation.js": "text/javascript; charset=utf-8",
    "position.js": "text/javascript; charset=utf-8",
    "record.js": "text/javascript; charset=utf-8",
    "records.js": "text/javascript; charset=utf-8",
    "setup.js": "text/javascript; charset=utf-8",
    "source.js": "text/javascript; charset=utf-8",
    "status.js": "text/javascript; charset=utf-8",
    "texts.js": "text/javascript; charset=utf-8",
    "turns.js": "text/javascript; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
};

/// Allows only content from this server, and no embedding in other pages.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; \
     worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Sends a file.
pub(super) async fn send(State(file): State<PageFile>, headers: HeaderMap) -> Response {
    sent(file.media, file.text.to_owned(), &headers)
}

/// A text that browsers revalidate each time, and only receive again if it has changed.
pub(super) fn sent(media: &'static str, text: String, headers: &HeaderMap) -> Response {
    let tag = Tag::of_text(&text);
    let mut response = if is_known(&tag, headers) { not_changed(&tag) } else { text.into_response() };
    put(&tag, &mut response);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

/// The page with these texts between its marks: the content of its head, and what is shown without scripts.
pub(super) fn index(head: &str, plain: &str) -> String {
    let mut page = String::new();
    let mut rest = INDEX.text;
    for (name, text) in [("head", head), ("plain", plain)] {
        let (begin, end) = (format!("<!--{name}-->\n"), format!("<!--/{name}-->\n"));
        if let (Some(from), Some(to)) = (rest.find(&begin), rest.find(&end)) {
            // Writing to a string cannot fail.
            let _ = write!(page, "{}{text}", &rest[..from]);
            rest = &rest[to + end.len()..];
        }
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_page_is_sent_and_kept_for_going_on_without_a_network() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/serve/page");
        let there = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let sent: BTreeSet<String> =
            PAGE_FILES.iter().map(|file| file.name.to_owned()).chain([INDEX.name.to_owned()]).collect();
        assert_eq!(there.collect::<BTreeSet<_>>(), sent);
        let worker = PAGE_FILES.iter().find(|file| file.name == "sw.js").unwrap().text;
        for file in PAGE_FILES.iter().filter(|file| file.name != "sw.js") {
            assert!(worker.contains(&format!("'{}'", file.name)), "{} is not kept", file.name);
        }
    }

    #[test]
    fn all_of_the_page_is_small() {
        let bytes: usize = PAGE_FILES.iter().map(|file| file.text.len()).sum();
        assert!(bytes + INDEX.text.len() <= 150 * 1024, "{bytes} bytes");
    }

    #[test]
    fn what_the_server_says_stands_between_the_marks() {
        let page = index("<title>x</title>\n", "<p>y</p>\n");
        assert!(page.contains("<title>x</title>\n") && page.contains("<p>y</p>\n") && !page.contains("<!--"), "{page}");
        assert_eq!(page.matches("<title>").count(), 1);
    }
}
