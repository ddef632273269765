"""Whatever is passed, a clear exception of this package comes back, and never a crash."""

from __future__ import annotations

import contextlib
import errno
import pathlib
import pickle
import shutil
from typing import Any, Callable

import numpy as np
import pytest

import morabase
from morabase import Position, Rules, Tablebase, Turn

#: Two cows in hand against none, as no game gives them.
OUT_OF_TURN = "W:Wa7,d7,g7:Bb6,d6,c5:H2,0"

CASES: list[tuple[Callable[[Tablebase], object], type[Exception], type[Exception], str]] = [
    # Texts
    (lambda t: Position("nonsense"), morabase.NotationError, ValueError, "short form"),
    (lambda t: Position(""), morabase.NotationError, ValueError, "position"),
    (lambda t: Position("W:Wa7,z9:Bb6"), morabase.NotationError, ValueError, "z9"),
    (lambda t: Position("O*****@*/O*****@*/**@***O@ w m s"), morabase.NotationError, ValueError, "17 fields"),
    (
        lambda t: Position("O*****@*/O*****@*/**@***O@ w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes"),
        morabase.NotationError,
        ValueError,
        "FEN field 5",
    ),
    (lambda t: Position("\ud800"), morabase.NotationError, ValueError, "Unicode"),
    (lambda t: Position("W:Wa7:Ba7"), morabase.PositionError, ValueError, "both players"),
    (lambda t: Position("W:Wa7:Bd7:H12,0"), morabase.PositionError, ValueError, "at most 12"),
    (lambda t: Position("W:Wa7:Bd7:H9,0", "nine-mens-morris"), morabase.PositionError, ValueError, "at most 9"),
    (lambda t: Position("W:Wa7,d7:Bb6,d6,c5:S"), morabase.PositionError, ValueError, "shot"),
    (lambda t: Turn("d2+d3"), morabase.NotationError, ValueError, "no point"),
    (lambda t: Turn(""), morabase.NotationError, ValueError, "turn"),
    (lambda t: Position.start().apply("d2-d3"), morabase.IllegalTurnError, ValueError, "hand"),
    (lambda t: Position.from_record("d6 d6"), morabase.IllegalTurnError, ValueError, "turn 2"),
    (lambda t: Position.from_record("d6 z9"), morabase.NotationError, ValueError, "no point"),
    (lambda t: morabase.bitboard("a7 d2-d3"), morabase.NotationError, ValueError, "name of a point"),
    (lambda t: morabase.bitboard("a7 a7"), morabase.NotationError, ValueError, "twice"),
    (lambda t: morabase.bitboard(1 << 24), morabase.ArgumentError, ValueError, "0xffffff"),
    (lambda t: morabase.points(-1), morabase.ArgumentError, ValueError, "0xffffff"),
    (lambda t: Position.moving(7, 7), morabase.PositionError, ValueError, "both players"),
    (lambda t: Position.moving(0xFFFFFF, 0), morabase.PositionError, ValueError, "24 cows"),
    (lambda t: Position.moving(7, 56, "white"), morabase.ArgumentError, ValueError, "to_move"),  # type: ignore[arg-type]
    (lambda t: Position.moving(7, 56, counter=1 << 16), morabase.ArgumentError, ValueError, "counter"),
    (lambda t: Position.moving(7, 56).notation("other"), morabase.ArgumentError, ValueError, "form"),  # type: ignore[arg-type]
    (lambda t: Position.moving(7, 56).fen(dialect="x"), morabase.ArgumentError, ValueError, "dialect"),  # type: ignore[arg-type]
    # Rules and classes
    (lambda t: Rules("chess"), morabase.RulesError, ValueError, "chess"),
    (lambda t: Rules("morabaraba;cows=12"), morabase.RulesError, ValueError, "rule text"),
    (lambda t: Rules(cows=99), morabase.RulesError, ValueError, "3 to 12"),
    (lambda t: Rules(cows=1 << 70), morabase.ArgumentError, ValueError, "2\\*\\*64"),
    (lambda t: Rules(board="chess"), morabase.ArgumentError, ValueError, "board"),
    (lambda t: Rules(counter="always:0"), morabase.RulesError, ValueError, "counter"),
    (lambda t: t.meta("four-three"), morabase.ClassError, ValueError, "four-three"),
    (lambda t: t.meta("2-3"), morabase.ClassError, ValueError, "3 to 12"),
    (lambda t: t.meta("12-12"), morabase.MissingTableError, KeyError, "12-12.mora"),
    (lambda t: t.check_file("12-12"), morabase.MissingTableError, LookupError, "12-12.mora"),
    # Probing
    (lambda t: t.probe("W:Wa7,d7,g7,b6,f4:Bb2,d2,f2,c5"), morabase.MissingTableError, KeyError, "5-4"),
    (lambda t: t.probe(Position.start()), morabase.MissingTableError, KeyError, "0-0\\+12-12.mora"),
    (lambda t: t.probe(OUT_OF_TURN), morabase.PlacingPhaseError, KeyError, "no game with 12 cows"),
    (lambda t: t.line(OUT_OF_TURN), morabase.PlacingPhaseError, morabase.MissingTableError, "3-3\\+2-0"),
    (lambda t: t.probe("W:Wa7"), morabase.NotationError, ValueError, "text ends"),
    # Types
    (lambda t: t.probe(17), morabase.ArgumentTypeError, TypeError, "found int"),  # type: ignore[arg-type]
    (lambda t: t.turns(None), morabase.ArgumentTypeError, TypeError, "NoneType"),  # type: ignore[arg-type]
    (lambda t: t.meta(43), morabase.ArgumentTypeError, TypeError, "a text"),  # type: ignore[arg-type]
    (lambda t: Position(7), morabase.ArgumentTypeError, TypeError, "a text"),  # type: ignore[arg-type]
    (lambda t: Position("W:Wa7:Bd7", 7), morabase.ArgumentTypeError, TypeError, "preset"),  # type: ignore[arg-type]
    (lambda t: Position.start().apply(7), morabase.ArgumentTypeError, TypeError, "Turn"),  # type: ignore[arg-type]
    (lambda t: morabase.bitboard(1.5), morabase.ArgumentTypeError, TypeError, "float"),  # type: ignore[arg-type]
    (lambda t: morabase.bitboard([1]), morabase.ArgumentTypeError, TypeError, "a text"),  # type: ignore[list-item]
    (lambda t: Rules(cows="many"), morabase.ArgumentTypeError, TypeError, "whole number"),  # type: ignore[arg-type]
    (lambda t: Tablebase(17), morabase.ArgumentTypeError, TypeError, "path"),  # type: ignore[arg-type]
    (lambda t: Tablebase([17]), morabase.ArgumentTypeError, TypeError, "path"),  # type: ignore[list-item]
    (lambda t: Tablebase(b"/tables"), morabase.ArgumentTypeError, TypeError, "found bytes"),  # type: ignore[arg-type]
    (lambda t: Tablebase(bytearray(b"/tables")), morabase.ArgumentTypeError, TypeError, "found bytearray"),  # type: ignore[arg-type]
    (lambda t: Tablebase([b"/tables"]), morabase.ArgumentTypeError, TypeError, "found bytes"),  # type: ignore[list-item]
    (lambda t: t.probe_cached(17), morabase.ArgumentTypeError, TypeError, "found int"),  # type: ignore[arg-type]
    (lambda t: t.probe_cached(OUT_OF_TURN), morabase.PlacingPhaseError, KeyError, "no game"),
    (lambda t: t.preload("12-12"), morabase.MissingTableError, KeyError, "12-12.mora"),
    (lambda t: t.preload("2-3"), morabase.ClassError, ValueError, "3 to 12"),
    # Directories
    (lambda t: Tablebase("/there/is/nothing/here"), morabase.PathError, OSError, "found nothing"),
    (lambda t: Tablebase(__file__), morabase.PathError, OSError, "found a file"),
    (lambda t: Tablebase([pathlib.Path("/there/is/nothing/here")]), morabase.PathError, OSError, "nothing"),
]


@pytest.mark.parametrize(("call", "ours", "builtin", "says"), CASES)
def test_bad_input_is_refused_with_its_exception(
    tables: Tablebase, call: Callable[[Tablebase], object], ours: type[Exception], builtin: type[Exception], says: str
) -> None:
    with pytest.raises(ours, match=says) as caught:
        call(tables)
    assert type(caught.value) is ours
    assert isinstance(caught.value, morabase.Error) and isinstance(caught.value, builtin)


@pytest.mark.parametrize("odd", [None, 7, -1, 1.5, "x", b"x", "", [], {}, object(), "\0", "W" * 100_000, 1 << 200])
def test_odd_arguments_raise_and_never_crash(tables: Tablebase, odd: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: Position(odd),
        lambda: Turn(odd),
        lambda: Rules(odd),
        lambda: Position.from_record(odd, odd, odd),
        lambda: Position.moving(odd, odd, odd, counter=odd),
        lambda: Position.start().apply(odd),
        lambda: tables.probe(odd),
        lambda: tables.turns(odd),
        lambda: tables.line(odd),
        lambda: tables.meta(odd),
        lambda: tables.probe_many(odd, odd, errors=odd, threads=odd),
        lambda: morabase.build("unused", odd, class_name=odd, rules=odd, threads=odd, memory=odd, progress=odd),
        lambda: morabase._morabase._restore_position(odd),
    ]
    for call in calls:
        with pytest.raises((morabase.Error, TypeError)):
            call()
    assert not pathlib.Path("unused").exists()
    # Nothing at all, or an empty list of directories, is no mistake.
    with contextlib.nullcontext() if odd in (None, [], {}) else pytest.raises(morabase.Error):
        Tablebase(odd)


def test_exceptions_carry_what_a_program_wants(tables: Tablebase, plain: pathlib.Path) -> None:
    with pytest.raises(morabase.MissingTableError) as missing:
        tables.probe("W:Wa7,d7,g7,b6,f4:Bb2,d2,f2,c5")
    assert missing.value.class_name == "5-4"
    assert str(missing.value).startswith("there is no table")
    with pytest.raises(morabase.PathError) as path:
        Tablebase("/there/is/nothing/here")
    assert path.value.filename == "/there/is/nothing/here"
    with pytest.raises(morabase.RulesDifferError) as rules:
        Tablebase(plain, rules="gar")
    assert rules.value.expected == Rules("gar").text and rules.value.found == Rules("plain").text
    assert rules.value.filename is not None and rules.value.filename.endswith(".mora")


def test_a_path_error_has_the_number_of_its_cause(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    calls: list[tuple[Callable[[], object], pathlib.Path, int]] = [
        (lambda: Tablebase(tmp_path / "nothing"), tmp_path / "nothing", errno.ENOENT),
        (lambda: Tablebase(file), file, errno.ENOTDIR),
        (lambda: morabase.build(file, max_cows=6), file, errno.ENOTDIR),
    ]
    for call, path, number in calls:
        with pytest.raises(morabase.PathError) as caught:
            call()
        assert (caught.value.filename, caught.value.errno) == (str(path), number)
        assert not isinstance(caught.value, (FileNotFoundError, NotADirectoryError))
        assert str(caught.value).startswith(str(path))
        # Workers hand their exceptions over as pickles.
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is morabase.PathError and str(again) == str(caught.value)
        assert (again.filename, again.errno) == (caught.value.filename, caught.value.errno)


def test_tables_of_two_rules_are_not_mixed(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    morabase.build(tmp_path, max_cows=6, rules="arcade")
    with pytest.raises(morabase.RulesDifferError):
        Tablebase([plain, tmp_path])


def test_a_damaged_head_is_a_fault_of_its_class_alone(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shutil.copytree(plain, tmp_path, dirs_exist_ok=True)
    (tmp_path / "4-3.mora").write_bytes(b"not a table")
    with Tablebase(tmp_path) as tables:
        assert list(tables.faults) == ["4-3"]
        assert isinstance(tables.faults["4-3"], morabase.CorruptTableError)
        assert tables.probe_wdl("W:Wa7,d7,b4:Bc5,e3,f2") == 1
        with pytest.raises(morabase.CorruptTableError) as caught:
            tables.probe("W:Wa7,d7,b4,f6:Bc5,e3,f2")
        assert caught.value.filename == str(tmp_path / "4-3.mora")


@pytest.mark.parametrize("mmap", [True, False])
def test_damaged_values_raise_and_others_answer(plain: pathlib.Path, tmp_path: pathlib.Path, mmap: bool) -> None:
    shutil.copytree(plain, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "3-3.mora"
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 200] = bytes(200)
    file.write_bytes(content)
    random = np.random.default_rng(1)
    shuffled = np.uint32(1) << random.permuted(np.tile(np.arange(24, dtype=np.uint32), (20_000, 1)), axis=1)
    own, opponent = (shuffled[:, at : at + 3].sum(axis=1, dtype=np.uint32) for at in (0, 3))
    with Tablebase(tmp_path, mmap=mmap) as tables, Tablebase(plain) as sound:
        with pytest.raises(morabase.CorruptTableError):
            tables.check_file("3-3")
        with pytest.raises(morabase.CorruptTableError, match="entry") as caught:
            tables.probe_many(own, opponent)
        assert caught.value.index is not None
        with pytest.raises(morabase.CorruptTableError):
            tables.probe(Position.moving(int(own[caught.value.index]), int(opponent[caught.value.index])))
        masked = tables.probe_many(own, opponent, errors="mask")
        assert isinstance(masked.wdl, np.ma.MaskedArray)
        assert 0 < masked.wdl.count() < len(own)
        assert (masked.wdl == sound.probe_many(own, opponent).wdl).all()


def test_every_exception_derives_from_one_base() -> None:
    for name in morabase.__all__:
        value = getattr(morabase, name)
        if name.endswith("Error"):
            assert issubclass(value, morabase.Error) and value.__module__ == "morabase"
