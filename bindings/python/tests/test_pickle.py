from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import morabase
from morabase import Tablebase

POSITIONS = ["W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", "B:Wa7,d7,g1:Bb6,d6,c5:C7", "W:Wa7,d7,g7:Bb6,d6,c5,f4:S"]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_all_answers_are_pickled_and_copied() -> None:
    with Tablebase() as tables:
        for text in POSITIONS:
            turns, line = tables.turns(text), tables.line(text)
            answers = [tables.probe(text), *turns, line, tables.meta("4-3"), tables.meta("4-3").full]
            for answer in answers:
                assert pickled(answer) == copy.copy(answer) == copy.deepcopy(answer) == answer
            assert [str(turn) for turn in pickled(turns)] == [str(turn) for turn in turns]
            again = pickled(line)
            assert (again.start, again.turns, again.outcome) == (line.start, line.turns, line.outcome)
        meta = pickled(tables.meta("4-3"))
        assert (meta.rules, meta.class_name, meta.file) == (morabase.Rules(), "4-3", None)
        assert (meta.entries, meta.histogram, meta.longest) == (
            tables.meta("4-3").entries,
            tables.meta("4-3").histogram,
            tables.meta("4-3").longest,
        )


def test_what_a_build_tells_is_pickled(tmp_path: Path) -> None:
    told: list[morabase.BuildProgress] = []
    built = morabase.build(tmp_path, max_cows=6, rules="plain", progress=told.append)
    assert pickled(built) == built and told
    for progress in told:
        assert repr(pickled(progress)) == repr(progress)
        assert pickled(progress).seconds == progress.seconds


def test_a_tablebase_is_opened_again_wherever_it_is_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    morabase.build(tmp_path / "tables", max_cows=6, rules="plain")
    monkeypatch.chdir(tmp_path)
    tables = Tablebase("tables", shipped=False, mmap=False)
    pickle_of_it = pickle.dumps(tables)
    os.chdir(tmp_path / "elsewhere")
    again = pickle.loads(pickle_of_it)
    assert again.rules == tables.rules == morabase.Rules("plain")
    assert again.classes == tables.classes == ["3-3"]
    assert again.probe("W:Wa7,d7,g1:Bb6,d6,c5") == tables.probe("W:Wa7,d7,g1:Bb6,d6,c5")
    tables.close()
    with pytest.raises(morabase.ClosedError):
        pickle.dumps(tables)
    assert again.classes == ["3-3"], "each is closed by itself"


def test_a_pool_maps_a_method_over_positions() -> None:
    with Tablebase() as tables, multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(tables.turns, POSITIONS) == [tables.turns(position) for position in POSITIONS]
        assert pool.map(tables.line, POSITIONS) == [tables.line(position) for position in POSITIONS]
