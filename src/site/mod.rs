//! A folder for any static host: the page, the probe as WebAssembly, and tables that the page reads by HTTP ranges
//! (feature `serve`).
//!
//! A [`Site`] is planned from table sets and then written. Its files appear only when they are complete, with
//! `site.json` last, so a host never shows half of it; a killed run is completed by the next, which copies only what is
//! missing; and files that are not a site's own are never replaced. The page's questions are answered by
//! [`service`](crate::service), as by a server.
//!
//! ```no_run
//! use morabase::OpenOptions;
//! use morabase::manifest::Progress;
//! use morabase::serve::TableSets;
//! use morabase::site::{Options, Site};
//!
//! let sets = TableSets::open(&["/data/gar".into()], &OpenOptions { shipped: true, ..OpenOptions::default() })?;
//! let site = Site::plan(&sets, &Progress::default())?;
//! site.write("/srv/www/mora".as_ref(), &Options::default(), &Progress::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod files;
mod folder;
mod page;
mod plan;

pub use error::SiteError;
pub use folder::{Options, Written};
pub use plan::Site;
