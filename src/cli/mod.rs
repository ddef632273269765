//! The command line's subcommands, one file each.

pub mod solve_reference;
