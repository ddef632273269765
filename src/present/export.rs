//! Entries of a table as lines, in JSON or as comma-separated values with the same columns.

use std::io::{self, Write};

use serde::Serialize;

use crate::board::Symmetry;
use crate::game::{Position, Side};
use crate::space::{Entry, Space};
use crate::value::{Value, Wdl};

use super::words::dtc;

/// An entry of a table: a position up to symmetry, with its value at counter zero and with no turn barred.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EntryJson<'a> {
    /// The class, such as `4-3`.
    pub class: &'a str,
    /// The number of the entry: its place in a raw file.
    pub entry: u64,
    /// The position in short form, the first player to move.
    pub position: String,
    /// The cows of the side to move, one bit per point.
    pub mover: u32,
    /// The cows of the other side.
    pub waiting: u32,
    /// `won`, `drawn` or `lost`, for the side to move.
    pub value: &'static str,
    /// The same as 1, 0 or -1.
    pub wdl: i8,
    /// Plies to the next shot or the end; null for a draw, and with cows in hand.
    pub dtc: Option<u16>,
    /// How many placements of the cows are images of this position.
    pub placements: usize,
    /// Whether an earlier entry is an image of this one.
    pub twin: bool,
}

impl<'a> EntryJson<'a> {
    /// The names of the columns, in the order of the keys.
    pub const COLUMNS: &'static str = "class,entry,position,mover,waiting,value,wdl,dtc,placements,twin";

    /// An entry of a class, which `class` names, with its value; `fixing` are the symmetries that fix the mover's set
    /// of its block. `None` if there is no such entry.
    pub fn new(space: Space, class: &'a str, entry: Entry, value: Value, fixing: &[Symmetry]) -> Option<Self> {
        let (mover, waiting) = space.position(entry)?;
        let hands = [space.class().mover_hand(), space.class().waiting_hand()];
        let mut fixing_both = 0;
        let mut twin = false;
        for symmetry in fixing {
            let image = symmetry.apply(waiting);
            fixing_both += usize::from(image == waiting);
            // Ranks grow with the bits.
            twin |= image < waiting;
        }
        Some(Self {
            class,
            entry: space.number(entry),
            position: Position { hands, ..Position::moving([mover, waiting], Side::First) }.to_string(),
            mover: mover.bits(),
            waiting: waiting.bits(),
            value: value.wdl().name(),
            wdl: match value.wdl() {
                Wdl::Won => 1,
                Wdl::Drawn => 0,
                Wdl::Lost => -1,
            },
            dtc: dtc(value),
            placements: space.board().group().order() / fixing_both.max(1),
            twin,
        })
    }

    /// Writes the entry as a line of JSON.
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// Writes the entry as a line of comma-separated values under [`COLUMNS`](Self::COLUMNS).
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { class, entry, position, mover, waiting, value, wdl, dtc, placements, twin } = self;
        let dtc = dtc.map(|plies| plies.to_string()).unwrap_or_default();
        // The commas of a position are the only characters that require quoting.
        write!(out, "{class},{entry},\"{position}\",{mover},{waiting},")?;
        writeln!(out, "{value},{wdl},{dtc},{placements},{twin}")
    }
}
