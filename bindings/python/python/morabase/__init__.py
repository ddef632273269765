"""Exact values for Morabaraba, from the empty board to the end, as `chess.syzygy` has them for chess endgames.

>>> import morabase
>>> with morabase.Tablebase() as tables:  # the tables inside the package; Tablebase("/data/gar") for your own
...     tables.probe("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4")
<Probe 4-4, won in 9 plies>

`Tablebase` answers, `Position` and `Turn` are the game, `Rules` its options, `build` makes tables. All exceptions derive from
`Error`. A call that does not fit a signature raises the `TypeError` that Python raises for any function.
"""

from collections.abc import Sequence as _Sequence

from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    BuildError,
    ClassError,
    ClosedError,
    CorruptTableError,
    Error,
    IllegalTurnError,
    MissingTableError,
    NotationError,
    PathError,
    PlacingPhaseError,
    PositionError,
    RulesDifferError,
    RulesError,
)
from ._many import ManyProbes
from ._morabase import (
    BuildProgress,
    BuiltPair,
    Counts,
    ExactValue,
    Line,
    Outcome,
    Position,
    Probe,
    RankedTurn,
    Rules,
    TableMeta,
    Tablebase,
    Turn,
    __version__,
    bitboard,
    build,
    points,
    presets,
)
from ._verdict import Verdict

for _error in list(globals().values()):
    # They are this package's, wherever they are written down.
    if isinstance(_error, type) and issubclass(_error, (Error, ManyProbes, Verdict)):
        _error.__module__ = __name__
del _error

_Sequence.register(Line)

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BuildError",
    "BuildProgress",
    "BuiltPair",
    "ClassError",
    "ClosedError",
    "CorruptTableError",
    "Counts",
    "Error",
    "ExactValue",
    "IllegalTurnError",
    "Line",
    "ManyProbes",
    "MissingTableError",
    "NotationError",
    "Outcome",
    "PathError",
    "PlacingPhaseError",
    "Position",
    "PositionError",
    "Probe",
    "RankedTurn",
    "Rules",
    "RulesDifferError",
    "RulesError",
    "TableMeta",
    "Tablebase",
    "Turn",
    "Verdict",
    "__version__",
    "bitboard",
    "build",
    "points",
    "presets",
]
