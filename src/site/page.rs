//! The files of the page, as served by a static host.

use crate::serve::{INDEX, PAGE_FILES};

use super::files::SiteFile;

/// Tells the page that it has no server.
const MARK: &str = "<meta name=\"morabase-source\" content=\"static\">\n";

/// The program that answers, and the module that calls it.
const PROGRAM: [(&str, &[u8]); 2] =
    [("morabase.wasm", include_bytes!("morabase.wasm")), ("static.js", include_bytes!("static.js"))];

/// What the page's worker caches from a server, for use without a network.
const KEPT_OF_A_SERVER: &str = "'v1/rules'";

/// The same for a static host.
const KEPT_OF_A_HOST: &str = "'morabase.wasm', 'site.json', 'static.js'";

/// All files except tables and `site.json`.
pub(super) fn files() -> Vec<SiteFile> {
    let index = INDEX.text.replacen("<head>\n", &format!("<head>\n{MARK}"), 1);
    let page = PAGE_FILES.iter().map(|file| match file.name {
        "sw.js" => SiteFile::of_bytes(file.name, file.text.replace(KEPT_OF_A_SERVER, KEPT_OF_A_HOST).into_bytes()),
        name => SiteFile::of_bytes(name, file.text.as_bytes()),
    });
    let program = PROGRAM.into_iter().map(|(name, bytes)| SiteFile::of_bytes(name, bytes));
    [SiteFile::of_bytes(INDEX.name, index.into_bytes())].into_iter().chain(page).chain(program).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_told_that_no_server_is_beside_it_and_keeps_what_answers_instead() {
        assert_eq!(INDEX.text.matches("<head>\n").count(), 1);
        assert!(
            PAGE_FILES
                .iter()
                .any(|file| file.text.contains("'morabase-source'") || file.text.contains("morabase-source"))
        );
        let worker = PAGE_FILES.iter().find(|file| file.name == "sw.js").unwrap();
        assert_eq!(worker.text.matches(KEPT_OF_A_SERVER).count(), 1);
    }
}
