//! The committed header is what cbindgen makes of the source.

use std::path::Path;
use std::{env, fs};

/// Modules with items for C, in the order of the header.
const MODULES: [&str; 6] = ["error", "types", "tables", "ask", "play", "notation"];

const COMMAND: &str = "MORABASE_RENEW_HEADER=1 cargo test -p morabase-c header";

/// The header without the sections on safety, which tell readers of Rust what those of C know.
fn for_c(header: &str) -> String {
    let mut parts = header.split(" *\n * # Safety\n");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.extend(part.find(" */\n").map(|end| &part[end..]));
    }
    kept
}

/// The header as every C since C89 reads it: comments between signs, and no comma behind the last name of an enum.
fn for_old_c(header: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in header.lines() {
        let line = match line.split_once(" // ") {
            Some((directive, comment)) if directive.starts_with('#') => format!("{directive} /* {comment} */"),
            _ => line.to_owned(),
        };
        if line.starts_with('}')
            && let Some(last) = lines.last_mut().filter(|last| last.ends_with(','))
        {
            last.pop();
        }
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_header_is_clean_under_every_standard() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::TempDir::new().unwrap();
    let source = folder.path().join("header.c");
    fs::write(&source, "#include <morabase.h>\nint main(void) { return 0; }\n").unwrap();
    if !crate::common::have(&[&crate::common::compiler(&source)]) {
        return;
    }
    for standard in ["c89", "c99", "c11", "c17"] {
        let mut command = std::process::Command::new(crate::common::compiler(&source));
        command.arg(format!("-std={standard}")).args([
            "-pedantic",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ]);
        crate::common::succeed(command.arg(root.join("include")).arg(&source));
    }
}

#[test]
fn the_header_is_what_the_source_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut builder = cbindgen::Builder::new().with_config(cbindgen::Config::from_root_or_default(root));
    for module in MODULES {
        builder = builder.with_src(root.join(format!("src/{module}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = for_old_c(&for_c(&String::from_utf8(made).unwrap()));
    let file = root.join("include/morabase.h");
    if env::var_os("MORABASE_RENEW_HEADER").is_some() {
        fs::write(&file, &made).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(made == committed, "include/morabase.h is out of date; renew it with\n  {COMMAND}");
}

/// What stands above the declaration of a function.
fn comment_of<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let declaration = header.lines().find(|line| !line.starts_with(" *") && line.contains(&format!("{name}(")))?;
    header.split(declaration).next()?.rsplit("/**").next()
}

#[test]
fn every_function_is_in_the_header_with_its_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(root.join("include/morabase.h")).unwrap();
    let mut functions = 0;
    for module in fs::read_dir(root.join("src")).unwrap() {
        let source = fs::read_to_string(module.unwrap().path()).unwrap();
        for after in source.split("extern \"C\" fn ").skip(1).filter(|after| after.starts_with("morabase_")) {
            let name = after.split('(').next().unwrap();
            let comment = comment_of(&header, name).unwrap_or_else(|| panic!("{name} is missing"));
            let signature = after.split('{').next().unwrap();
            let returns_status = signature.contains("-> MorabaseStatus");
            assert_eq!(comment.contains("@return"), returns_status, "{name}");
            for parameter in signature.split('(').nth(1).unwrap().split(", ").filter(|_| returns_status) {
                let parameter = parameter.trim().split(':').next().unwrap().trim();
                assert!(
                    parameter.is_empty() || comment.contains(&format!("@param {parameter} ")),
                    "{name}: {parameter}"
                );
            }
            functions += 1;
        }
    }
    assert!(functions >= 20, "{functions}");
}
