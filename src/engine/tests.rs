//! The engine on what is known: table values, proved ends, limits.
