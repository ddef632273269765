//! A server for exact values over HTTP (feature `serve`): the command line's answers for browsers and programs that
//! send requests.
//!
//! [`TableSets`] are the tables of several rule sets, kept in sync with their directories. A [`Server`] listens on one
//! address and answers within its [`Limits`] until it is told to stop. The objects are those of
//! [`present`](crate::present), so the command line and the server give the same answers; `docs/http.md` describes the
//! interface, `docs/serve.md` how to run it.
//!
//! ```no_run
//! use morabase::OpenOptions;
//! use morabase::serve::{Limits, Server, TableSets};
//! use morabase::table::Access;
//!
//! // Read piece by piece: a table that is cut short must not end the server.
//! let options = OpenOptions { access: Access::Positioned, ..OpenOptions::default() };
//! let sets = TableSets::open(&["/data/gar".into(), "/data/plain".into()], &options)?;
//! let server = Server::bind(sets, "127.0.0.1:8030".parse()?, Limits::default())?;
//! server.run(|notice| eprintln!("{notice}"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod app;
mod batch;
mod connections;
mod error;
mod files;
mod limits;
mod metrics;
mod openapi;
mod page;
mod patient;
mod questions;
mod replies;
mod router;
mod server;
mod sets;
mod workers;

pub use error::ServeError;
pub use files::{INDEX, PAGE_FILES, PageFile};
pub use limits::Limits;
pub use server::{Notice, Server};
pub use sets::TableSets;
