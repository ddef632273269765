from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
import threading

import pytest

import morabase
from morabase import BuildProgress, Tablebase


def test_a_build_is_watched_and_says_what_it_built(tmp_path: pathlib.Path) -> None:
    seen: list[BuildProgress] = []
    built = morabase.build(tmp_path / "new", max_cows=7, rules="plain", threads=2, progress=seen.append)
    assert [pair.class_name for pair in built] == ["3-3", "4-3"]
    assert [pair.longest for pair in built][0] == 16
    done = [progress for progress in seen if progress.stage == "done"]
    assert [(progress.class_name, progress.pairs_done, progress.pairs) for progress in done] == [
        ("3-3", 1, 2),
        ("4-3", 2, 2),
    ]
    assert done[-1].entries_done == done[-1].entries == sum(pair.entries for pair in built)
    assert all(progress.seconds > 0 for progress in seen)
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "new").glob("*.mora")}
    assert sorted(sizes) == ["3-3.mora", "3-4.mora", "4-3.mora"]
    assert sum(pair.bytes for pair in built) == sum(sizes.values())
    # Nothing is left to do.
    assert morabase.build(tmp_path / "new", max_cows=7, rules="plain", recheck=True) == []


def test_a_class_brings_what_it_depends_on(tmp_path: pathlib.Path) -> None:
    built = morabase.build(tmp_path, class_name="3-4", rules=morabase.Rules("plain"))
    assert [pair.class_name for pair in built] == ["3-3", "4-3"]
    with Tablebase(tmp_path) as tables:
        assert tables.classes == ["3-3", "4-3", "3-4"]


def test_a_whole_small_game_is_built_and_answers_from_the_empty_board(tmp_path: pathlib.Path) -> None:
    rules = morabase.Rules("gar", cows=3)
    built = morabase.build(tmp_path, game=True, layers="2", rules=rules)
    assert [pair.class_name for pair in built][-1] == "0-0+3-3"
    # Every second layer has gone again.
    assert not (tmp_path / "2-3+1-0.mora").exists()
    tables = morabase.Tablebase(tmp_path)
    assert tables.probe(morabase.Position.start(rules)).value == "won"
    assert morabase.build(tmp_path, game=True, layers="2", rules=rules) == []


def test_layers_are_for_whole_games(tmp_path: pathlib.Path) -> None:
    with pytest.raises(morabase.ArgumentError, match="game=True"):
        morabase.build(tmp_path, max_cows=6, layers="2")
    with pytest.raises(morabase.ArgumentError, match="layers"):
        morabase.build(tmp_path, game=True, layers="4")
    with pytest.raises(morabase.ArgumentError, match="game=True"):
        morabase.build(tmp_path, max_cows=6, game=True)


def test_any_number_of_threads_gives_the_same_bytes(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    morabase.build(tmp_path, max_cows=7, rules="plain", threads=1)
    names = sorted(table.name for table in plain.iterdir())
    assert names == ["3-3.mora", "3-4.mora", "4-3.mora"] == sorted(table.name for table in tmp_path.iterdir())
    for name in names:
        assert (tmp_path / name).read_bytes() == (plain / name).read_bytes()


def test_impossible_wishes_are_refused(tmp_path: pathlib.Path, plain: pathlib.Path) -> None:
    with pytest.raises(morabase.ArgumentError, match="expected one of"):
        morabase.build(tmp_path)
    with pytest.raises(morabase.ArgumentError, match="expected one of"):
        morabase.build(tmp_path, 7, class_name="4-3")
    with pytest.raises(morabase.ArgumentError, match="6 to 24"):
        morabase.build(tmp_path, 5)
    with pytest.raises(morabase.ClassError):
        morabase.build(tmp_path, class_name="10-3", rules="nine-mens-morris")
    with pytest.raises(morabase.MissingTableError, match="only=True"):
        morabase.build(tmp_path, class_name="4-3", only=True)
    with pytest.raises(morabase.BuildError, match="memory"):
        morabase.build(tmp_path, 6, memory=1)
    with pytest.raises(morabase.ArgumentTypeError, match="function"):
        morabase.build(tmp_path, 6, progress=7)  # type: ignore[arg-type]
    with pytest.raises(morabase.ArgumentError, match="threads"):
        morabase.build(tmp_path, 6, threads=5_000)
    with pytest.raises(morabase.RulesDifferError, match="other rules"):
        morabase.build(plain, 6, rules="gar")
    with pytest.raises(morabase.PathError, match="found a file"):
        morabase.build(__file__, 6)
    assert list(tmp_path.glob("*.mora")) == []


def test_a_damaged_table_is_not_built_upon(plain: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "3-3.mora").write_bytes((plain / "3-3.mora").read_bytes()[:1000])
    with pytest.raises(morabase.CorruptTableError, match="remove the file") as caught:
        morabase.build(tmp_path, max_cows=7, rules="plain")
    assert caught.value.filename == str(tmp_path / "3-3.mora")


def test_what_the_callback_raises_stops_the_build(tmp_path: pathlib.Path) -> None:
    class Enough(Exception):
        pass

    calls = []

    def watch(progress: BuildProgress) -> None:
        calls.append(progress)
        raise Enough

    with pytest.raises(Enough):
        morabase.build(tmp_path, max_cows=14, rules="plain", progress=watch)
    assert len(calls) == 1
    assert list(tmp_path.glob("*.tmp")) == []
    with Tablebase(tmp_path) as tables:
        for name in tables.classes:
            tables.check_file(name)
        assert "12-12" not in tables.classes and "7-7" not in tables.classes


def test_other_threads_run_while_tables_are_built(tmp_path: pathlib.Path) -> None:
    results: list[object] = []
    worker = threading.Thread(target=lambda: results.append(morabase.build(tmp_path, max_cows=7, rules="plain")))
    worker.start()
    turns = 0
    while worker.is_alive():
        worker.join(timeout=0.001)
        turns += 1
    assert len(results) == 1 and turns > 10


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_control_c_ends_a_build_in_order(tmp_path: pathlib.Path) -> None:
    program = (
        "import signal, sys, morabase\n"
        # Where the tests run in the background, the signal is ignored by inheritance.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def watch(progress): print(progress.stage, flush=True)\n"
        "try: morabase.build(sys.argv[1], max_cows=16, rules='plain', threads=1, progress=watch)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        child.send_signal(signal.SIGINT)
        try:
            out, _ = child.communicate(timeout=120)
        finally:
            child.kill()
    assert out.splitlines()[-1] == "interrupted" and child.returncode == 0
    assert list(tmp_path.glob("*.tmp")) == []
    # The same call goes on from there.
    morabase.build(tmp_path, max_cows=7, rules="plain")
    with Tablebase(tmp_path) as tables:
        assert tables.meta("3-3").full.lost == 451_040
