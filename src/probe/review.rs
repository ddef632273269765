//! Reviews a game turn by turn against the tables: what each turn was worth, what was best, and what was thrown away.

use crate::game::{Position, Record, RecordError, Side, Turn};
use crate::space::Class;
use crate::value::{Value, Wdl};

use super::answer::{RankedTurn, Verdict, before};
use super::error::ProbeError;
use super::tablebase::Tablebase;

/// A turn of a game, and what the tables say about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReviewedTurn {
    /// The turn as it was played. Only the last turn of a game may lack a shot that it requires.
    pub turn: Turn,
    /// Who made it.
    pub side: Side,
    /// The position after it.
    pub after: Position,
    /// What it was worth to the side that made it, counted as in [`RankedTurn::value`]; none if a table is missing.
    pub value: Option<Value>,
    /// The same, with draws that the draw counter makes told apart.
    pub verdict: Option<Verdict>,
    /// The best turn available; none if a table is missing.
    pub best: Option<RankedTurn>,
    /// The class whose table was missing, if one was. The other tables may still have given the turn's value.
    pub missing: Option<Class>,
}

impl ReviewedTurn {
    /// The result that the side had before the turn but has lost: [`Wdl::Won`] if a win was thrown away, [`Wdl::Drawn`]
    /// if a draw was. None if nothing was, or if tables do not tell.
    pub fn thrown_away(&self) -> Option<Wdl> {
        let had = self.best?.value.wdl();
        (self.value?.wdl() < had).then_some(had)
    }

    /// The best turn, if it was worth more than the one played: a better result, or the same win sooner or loss later.
    pub fn better(&self) -> Option<RankedTurn> {
        let value = self.value?;
        self.best.filter(|best| (best.value, Some(best.verdict)) > (value, self.verdict))
    }
}

/// Why a game cannot be reviewed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// A turn that cannot have been played.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Tables that are present cannot answer.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

debug_is_display!(ReviewError);

impl Tablebase {
    /// Reviews a game from `start`, turn by turn. If a table is missing, the turn says so, and the review goes on.
    ///
    #[cfg_attr(feature = "shipped", doc = "```")]
    #[cfg_attr(not(feature = "shipped"), doc = "```no_run")]
    /// use morabase::{Position, Record, Tablebase, Wdl};
    ///
    /// let tables = Tablebase::shipped()?;
    /// let start = Position::from_notation("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", tables.rules())?;
    /// let record: Record = "d6-b6 g4-g7 f4-f2".parse()?;
    /// let turns = tables.review(&start, &record)?;
    /// assert_eq!(turns[0].thrown_away(), None);
    /// assert_eq!(turns[2].thrown_away(), Some(Wdl::Won));
    /// assert_eq!(turns[2].best.map(|best| best.turn.to_string()).as_deref(), Some("f4-e4"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ReviewError`] with the first turn that the rules forbid, or if a table that is present cannot answer.
    pub fn review(&self, start: &Position, record: &Record) -> Result<Vec<ReviewedTurn>, ReviewError> {
        let positions = record.positions(start, self.rules())?;
        let steps = positions.iter().zip(&positions[1..]).zip(&record.turns);
        steps.map(|((at, after), &turn)| Ok(review(self, turn, at, after)?)).collect()
    }
}

/// What the tables said to one question: an answer, or the class of a missing table.
fn known<T>(answer: Result<T, ProbeError>) -> Result<Result<T, Class>, ProbeError> {
    match answer {
        Ok(answer) => Ok(Ok(answer)),
        Err(ProbeError::MissingTable { class, .. } | ProbeError::Unreachable { class, .. }) => Ok(Err(class)),
        Err(error) => Err(error),
    }
}

/// Reviews one turn that leads from one position to another.
fn review(tables: &Tablebase, turn: Turn, at: &Position, after: &Position) -> Result<ReviewedTurn, ProbeError> {
    let mut reviewed =
        ReviewedTurn { turn, side: at.to_move, after: *after, value: None, verdict: None, best: None, missing: None };
    match known(tables.turns(at))? {
        Ok(turns) => {
            // A last turn without its shot is worth as much as with its best shot.
            let is_it = |ranked: &&RankedTurn| {
                ranked.turn.step == turn.step && (after.shot_pending || ranked.turn.shot == turn.shot)
            };
            let played = turns.iter().find(is_it);
            reviewed.value = played.map(|played| played.value);
            reviewed.verdict = played.map(|played| played.verdict);
            reviewed.best = turns.first().copied();
        }
        Err(class) => {
            reviewed.missing = Some(class);
            if !after.shot_pending
                && let Ok(reply) = known(tables.probe(after))?
            {
                let counted = at.is_moving_phase();
                let [value, at_zero] = [reply.value, reply.at_zero].map(|value| worth(value, turn, counted));
                reviewed.value = Some(value);
                reviewed.verdict = Some(Verdict::new(value, at_zero));
            }
        }
    }
    Ok(reviewed)
}

/// What a turn is worth to the side that makes it, from the value of the position after it.
fn worth(after: Value, turn: Turn, counted: bool) -> Value {
    let value = before(after, turn.shoots());
    if counted { value } else { Value::uncounted(value.wdl()) }
}
