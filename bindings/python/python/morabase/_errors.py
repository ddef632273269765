"""What this package raises. Every class derives from `Error`, and from the built-in exception that it is a case of."""

from __future__ import annotations

from typing import Any, Optional


class Error(Exception):
    """The base of all exceptions of this package."""

    # KeyError and OSError print their arguments in ways of their own.
    def __str__(self) -> str:
        return Exception.__str__(self)


class ArgumentError(Error, ValueError):
    """An argument has a value that cannot be meant."""

    #: In `probe_many`: the place of the first entry at fault, in the flattened arrays.
    index: Optional[int] = None


class ArgumentTypeError(Error, TypeError):
    """An argument has a wrong type, such as an array of floats for bitboards."""


class NotationError(Error, ValueError):
    """A text is not a position, turn, record or point."""


class PositionError(Error, ValueError):
    """A position cannot occur under the rules: too many cows, two on one point, a shot where no line stands."""

    #: In `probe_many`: the place of the first entry at fault, in the flattened arrays.
    index: Optional[int] = None


class IllegalTurnError(Error, ValueError):
    """The rules do not allow this turn here."""


class RulesError(Error, ValueError):
    """There are no rules of this name, or the options do not go together."""


class RulesDifferError(Error, ValueError):
    """A table has other rules than those before it or those asked for."""

    #: The table's file.
    filename: Optional[str] = None
    #: The canonical text of the rules that were expected.
    expected: Optional[str] = None
    #: The canonical text of the rules in the file.
    found: Optional[str] = None


class ClassError(Error, ValueError):
    """A text is no class of positions, such as `4-3`, or the rules have none with so many cows."""


class MissingTableError(Error, KeyError):
    """The table that is needed is not there."""

    #: The class whose table is missing.
    class_name: Optional[str] = None
    #: In `probe_many`: the place of the first entry at fault, in the flattened arrays.
    index: Optional[int] = None


class PlacingPhaseError(MissingTableError):
    """There are cows in hand, and no game leads to so many on the board and in hand: no table has the position."""


class CorruptTableError(Error):
    """A table is damaged, or tables contradict each other."""

    #: The table's file, where one is at fault.
    filename: Optional[str] = None
    #: In `probe_many`: the place of the first entry at fault, in the flattened arrays.
    index: Optional[int] = None


class PathError(Error, OSError):
    """A directory is not there or is something else, or the system refused to read or write.

    `filename` is the path, and `errno` the number of the module `errno` where it is known: `ENOENT` if nothing is there, `ENOTDIR`
    for what is no directory. It is never one of the subclasses that `OSError` picks by that number, such as `FileNotFoundError`.
    """

    #: In `probe_many`: the place of the first entry at fault, in the flattened arrays.
    index: Optional[int] = None

    # OSError keeps these two elsewhere, and what pickles it does not look there.
    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.args, {**self.__dict__, "errno": self.errno, "filename": self.filename})


def _remade(kind: type[PathError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> PathError:
    error = kind(*arguments)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


class ClosedError(Error, ValueError):
    """The tablebase has been closed."""


class BuildError(Error):
    """A build was refused or failed."""
