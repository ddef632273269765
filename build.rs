//! Lists the shipped table files under `tables/`, so that the library can carry them.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// The shipped set: all classes of up to 8 cows together. Whatever else a user has built into `tables/` stays out of the
/// program, and building it does not make the next compilation start anew.
const SHIPPED: [&str; 6] = ["3-3", "3-4", "4-3", "3-5", "4-4", "5-3"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("tables");
    let mut list = String::from("&[\n");
    for class in SHIPPED {
        let name = format!("{class}.mora");
        let file = folder.join(&name);
        // Only files that exist: one that does not would always count as changed.
        if file.is_file() {
            println!("cargo::rerun-if-changed=tables/{name}");
            // The path is taken when the library is compiled, so that a checkout may be moved together with its target directory.
            writeln!(
                list,
                "    ({name:?}, include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/tables/{name}\"))),"
            )?;
        }
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("shipped.rs"), list)?;
    Ok(())
}
