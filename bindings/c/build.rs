//! Gives the shared library the name that programs linked against it look for.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // As in the Makefile. The number rises with any change that breaks compiled programs.
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos" | "ios") => println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmorabase.0.dylib"),
        Ok("windows") | Err(_) => {}
        Ok(_) => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmorabase.so.0"),
    }
}
