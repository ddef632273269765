"""`Verdict`, an enum that compares with its names."""

from __future__ import annotations

from enum import Enum
from typing import Literal

_ORDER = ("lost", "blessed-loss", "drawn", "cursed-win", "won")


class Verdict(str, Enum):
    """Won, drawn or lost, with the draws told apart that only the draw counter makes.

    A member equals its name, so `verdict == "won"` does what it says. Verdicts compare, better is greater.

    >>> Verdict.WON == "won", Verdict("cursed-win") > Verdict.DRAWN
    (True, True)
    """

    _value_: Literal["lost", "blessed-loss", "drawn", "cursed-win", "won"]

    #: The side to move loses.
    LOST = "lost"
    #: Lost with the counter at zero, but the counter runs out first: a draw.
    BLESSED_LOSS = "blessed-loss"
    #: Drawn, wherever the counter stands.
    DRAWN = "drawn"
    #: Won with the counter at zero, but the counter runs out first: a draw.
    CURSED_WIN = "cursed-win"
    #: The side to move wins.
    WON = "won"

    @property
    def wdl(self) -> Literal[1, 0, -1]:
        """1 for won, 0 for the draws, -1 for lost."""
        return 1 if self is Verdict.WON else -1 if self is Verdict.LOST else 0

    def __str__(self) -> str:
        return str(self.value)

    def __lt__(self, other: str) -> bool:
        return _rank(self) < _rank(other)

    def __le__(self, other: str) -> bool:
        return _rank(self) <= _rank(other)

    def __gt__(self, other: str) -> bool:
        return _rank(self) > _rank(other)

    def __ge__(self, other: str) -> bool:
        return _rank(self) >= _rank(other)


def _rank(verdict: str) -> int:
    """The place of a verdict or of its name; raises `ValueError` for any other."""
    return _ORDER.index(Verdict(verdict).value)
