//! All integration tests as one program: linked once, run side by side, and what one module solves or builds is there for the others.
//! Each file of this directory is a module, and its name picks its tests: `cargo test table_format::`.

mod common;

mod architecture;
mod fuzz_corpus;
mod game_rules;
mod probe_witnesses;
mod solver_facts;
mod table_format;

#[cfg(feature = "shipped")]
mod library;

// Against the reference solver.
#[cfg(feature = "reference")]
mod placing;
#[cfg(feature = "reference")]
mod reference;
#[cfg(feature = "reference")]
mod reference_game;
#[cfg(feature = "reference")]
mod reference_witnesses;

// With the program itself.
#[cfg(feature = "cli")]
mod build_game;
#[cfg(feature = "cli")]
mod build_job;
#[cfg(feature = "cli")]
mod cli_basic;
#[cfg(feature = "cli")]
mod cli_solve_reference;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod cli_tables;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod convert;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod engine;
#[cfg(all(unix, feature = "cli", feature = "shipped"))]
mod help_texts;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod manifest;
#[cfg(all(feature = "cli", feature = "serve", feature = "shipped"))]
mod pages;
#[cfg(feature = "cli")]
mod placing_probe;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod player;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod readme;
#[cfg(all(unix, feature = "cli", feature = "shipped"))]
mod resources;
#[cfg(all(feature = "cli", feature = "serve", feature = "shipped"))]
mod serve;
#[cfg(all(feature = "cli", feature = "shipped"))]
mod shipped;
#[cfg(all(feature = "cli", feature = "serve", feature = "shipped"))]
mod static_site;

#[test]
fn every_file_of_tests_is_a_module_here() {
    let listed = include_str!("main.rs");
    for name in common::files::names(concat!(env!("CARGO_MANIFEST_DIR"), "/tests").as_ref()) {
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(
                listed.contains(&format!("\nmod {module};\n")),
                "tests/{name} is not run: name it in tests/main.rs"
            );
        }
    }
}
