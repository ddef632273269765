//! The `morabase` command.
fn main() {}
