//! Exact values for Morabaraba, from the empty board to the end of the game: rules, solver, tables and probe.
//!
//! For every position of a [`Class`] (positions with the same numbers of cows), a table says whether it is won, drawn
//! or lost, and with empty hands also in how many plies the next shot or the end comes. This crate builds such tables,
//! checks them and answers from them. The command `morabase` is a thin layer over it.
//!
//! # Asking
//!
//! Open a [`Tablebase`], make a [`Position`], and [`probe`](Tablebase::probe) it. The crate contains the tables of up
//! to 8 cows in total under the default rules, so this works before you build anything:
//!
#![cfg_attr(feature = "shipped", doc = "```")]
#![cfg_attr(not(feature = "shipped"), doc = "```no_run")]
//! use morabase::{OpenOptions, Plies, Position, Tablebase, Value};
//!
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path();
//! // The directory first, then the tables inside the crate for what it lacks.
//! let options = OpenOptions { shipped: true, ..OpenOptions::default() };
//! let tables = Tablebase::open_with([directory], &options)?;
//!
//! let position = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", tables.rules())?;
//! assert_eq!(tables.probe(&position)?.value, Value::Won(Plies(9)));
//! let best = tables.best_turn(&position)?;
//! assert_eq!(best.map(|best| best.turn.to_string()).as_deref(), Some("d6-b6"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Playing by the rules alone
//!
//! ```
//! use morabase::{Position, Preset, Record};
//!
//! let rules = Preset::Wikipedia.rules();
//! let record: Record = "d6 d7 b4 a4 b6 g7 b2xa4".parse()?;
//! let positions = record.positions(&Position::start(&rules), &rules)?;
//! let last = positions[positions.len() - 1];
//! assert_eq!(last.to_string(), "B:Wb6,d6,b2,b4:Bd7,g7:H8,9");
//! assert_eq!(last.turns(&rules).len(), 18);
//! assert_eq!(last.outcome(&rules), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Building
//!
//! ```
//! use morabase::build::{Build, Job, Request, Target};
//! use morabase::{Class, Preset, Tablebase};
//!
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path();
//! let request = Request::new(&Preset::Plain.rules(), directory, Target::MaxCows(6));
//! let built = Build::begin(&request)?.run(&Job::default(), &())?;
//! assert_eq!(built[0].class, Class::moving(3, 3)?);
//!
//! let tables = Tablebase::open([directory])?;
//! assert_eq!(tables.meta(Class::moving(3, 3)?)?.full.lost, 451_040);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | |
//! |---|---|
//! | [`rules`] | [`RuleSet`]: options, presets, fingerprint |
//! | [`game`] | [`Position`], [`Turn`], legal turns, outcomes, notation, perft |
//! | [`probe`] | [`Tablebase`]: values, ranked turns, best lines |
//! | [`engine`] | a player: perfect inside the tables; outside, a search that cuts off at them |
//! | [`build`] | builds the tables of a request in a directory |
//! | [`manifest`] | the files of a set with lengths and SHA-256, for comparison with another set |
//! | [`verify`] | checks every claim of a table again |
//! | [`raw`] | converts tables to plain bytes and back |
//! | [`threads`] | the threads that do the work |
#![cfg_attr(
    feature = "present",
    doc = "| [`present`] | what every face says: JSON objects, words, the board in text |"
)]
#![cfg_attr(feature = "service", doc = "| [`service`] | from the path and query of a request to a JSON answer |")]
#![cfg_attr(feature = "serve", doc = "| [`serve`] | the same over HTTP |")]
#![cfg_attr(feature = "serve", doc = "| [`site`] | the same as a folder for a static host |")]
//! | [`board`], [`space`], [`lookahead`], [`solve`], [`table`], [`store`] | the parts of the above |
#![cfg_attr(feature = "reference", doc = "| [`mod@reference`] | a slow second solver, the oracle of the tests |")]
//!
//! The types that most programs need are re-exported here. A module of the source knows only the modules before it;
//! `docs/ARCHITECTURE.md` shows which.
//!
//! # Features
//!
//! | feature | default | |
//! |---|---|---|
//! | `cli` | yes | the command `morabase` and its dependencies, including `reference`; library users can leave it out |
//! | `present` | with `cli` | the module `present`, which needs `serde` and `serde_json` |
//! | `reference` | with `cli` | the slow second solver and its bit sets; the tests and `solve-reference` need it |
//! | `service` | with `serve` | the module `service`, which answers requests without a network, and `present` |
//! | `serve` | yes | the module `serve`, a server over HTTP, and its dependencies; with `cli` the subcommand `serve` |
//! | `shipped` | yes | the tables of up to 8 cows inside the compiled program |

// The page's Rust code is compiled and run with the tests.
#[cfg(all(doctest, feature = "shipped"))]
#[doc = include_str!("../docs/rust.md")]
struct RustPage;

/// Makes `Debug` print errors as `Display` does: `main` shows an error that it returns by its `Debug`, and so does
/// `unwrap`.
macro_rules! debug_is_display {
    ($($error:ty),+ $(,)?) => {$(
        impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )+};
}

mod alphabet;
pub mod board;
pub mod build;
pub mod engine;
pub mod game;
pub mod lookahead;
pub mod manifest;

mod pages;
#[cfg(feature = "present")]
pub mod present;
pub mod probe;
mod random;
pub mod raw;
#[cfg(feature = "reference")]
pub mod reference;
pub mod rules;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "serve")]
pub mod site;
pub mod solve;
pub mod space;
pub mod store;
pub mod table;
#[cfg(test)]
mod testing;
pub mod threads;
mod token;
mod value;
pub mod verify;

pub use alphabet::Alphabet;
pub use board::{Board, BoardKind, Point, PointSet};
pub use game::{
    Fen, FenDialect, IllegalTurn, InForm, NotationError, Outcome, PointForm, Position, PositionError, Reason, Record,
    RecordError, Remake, Side, Step, Turn,
};
pub use probe::{
    Line, LineEnd, OpenOptions, Probe, ProbeError, RankedTurn, ReviewError, ReviewedTurn, Tablebase, Verdict,
};
pub use rules::{Counter, CounterScope, FullBoard, NoRemake, Preset, RuleError, RuleSet};
pub use space::{Class, ClassError, Successors};
pub use value::{Plies, Value, Wdl};
