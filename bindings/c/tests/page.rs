//! The programs on the page for C compile, and print what it says.

use std::fs;

use crate::common::Linkage::Static;
use crate::common::{compile, compiler, have, printed, root};

/// Blocks of the page with their language, in order.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap_or((block, ""))).collect()
}

#[test]
fn programs_on_the_page_print_what_it_says() {
    let page = fs::read_to_string(root().join("../../docs/c.md")).unwrap().replace("\r\n", "\n");
    let blocks = blocks(&page);
    let programs: Vec<_> = blocks.windows(2).filter(|pair| pair[0].0 == "c").collect();
    assert_eq!(programs.len(), blocks.iter().filter(|block| block.0 == "c").count());
    assert!(programs.len() >= 4, "{}", programs.len());
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("page.c");
    if !have(&[&compiler(&source)]) {
        return;
    }
    for pair in programs {
        let (program, (language, shown)) = (pair[0].1, pair[1]);
        assert_eq!(language, "text", "no output follows\n{program}");
        fs::write(&source, program).unwrap();
        assert_eq!(printed(compile(&source, Static).command()).trim_end(), shown, "{program}");
    }
}

#[test]
fn the_page_names_every_status() {
    let page = fs::read_to_string(root().join("../../docs/c.md")).unwrap();
    let header = fs::read_to_string(root().join("include/morabase.h")).unwrap();
    let names = header
        .split_whitespace()
        .filter(|word| word.starts_with("MORABASE_ERROR_") && *word != "MORABASE_ERROR_TEXT_SIZE");
    let codes: Vec<_> =
        names.filter(|word| word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')).collect();
    assert!(codes.len() >= 14, "{codes:?}");
    for code in codes {
        assert!(page.contains(&format!("| `{code}` |")), "{code}");
    }
    // And what it says of functions, the header has.
    for call in page.split("`morabase_").skip(1).filter_map(|rest| rest.split_once("()`").map(|it| it.0)) {
        if call.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            assert!(header.contains(&format!("morabase_{call}(")), "{call}");
        }
    }
}
