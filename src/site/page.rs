//! The files of the page, as a static host sends them.
