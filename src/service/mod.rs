//! What all interfaces that answer requests have in common (feature `service`): from a path and a query to a status and
//! a JSON text.
//!
//! A request such as `/v1/probe?position=…&rules=gar` is read into a [`Question`] about one of several [`TableSets`],
//! and answered with the objects of [`present`](crate::present), or a [`Refusal`] says what was expected. This module
//! knows no sockets, threads or clocks: [`serve`](../serve/index.html) wraps it for HTTP, and a page on a static host
//! runs it as WebAssembly, so both give the same answers. `docs/http.md` describes the requests.
//!
//! A [`StaticSite`] is for that page: it knows the tables of a [`SiteIndex`] by name, length and hash, and says which
//! ranges of which files a question needs and does not have yet.
//!
#![cfg_attr(feature = "shipped", doc = "```")]
#![cfg_attr(not(feature = "shipped"), doc = "```no_run")]
//! use morabase::Tablebase;
//! use morabase::service::{Question, TableSets};
//!
//! let sets = TableSets::from_iter([Tablebase::shipped()?]);
//! let question = Question::read(&sets, "/v1/probe", "position=W:Wd6,d7,f4,f6:Bb4,d3,g1,g4").expect("a position");
//! let answer = question.answer().expect("a table that is there");
//! assert!(answer.text.contains(r#""value":"won","dtc":9,"#));
//!
//! let refusal = Question::read(&sets, "/v1/probe", "position=nonsense").map(drop).unwrap_err();
//! assert_eq!(refusal.status(), 400);
//! # Ok::<(), morabase::ProbeError>(())
//! ```

mod answers;
mod caching;
mod index;
mod ranged;
mod refusal;
mod request;
mod sets;
mod static_site;

pub use answers::{Answer, Question};
pub use caching::{Caching, Tag};
pub use index::{IndexedLongest, IndexedSet, IndexedTable, SiteIndex};
pub use ranged::{BLOCK, FileNeeds};
pub use refusal::Refusal;
pub use sets::{TableSet, TableSets};
pub use static_site::{SiteReply, StaticSite, StaticSiteError};

#[cfg(feature = "serve")]
pub(crate) use answers::no_page;
#[cfg(feature = "serve")]
pub(crate) use request::Parameters;
