from __future__ import annotations

import pathlib
import pickle
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

import morabase
from conftest import FOUR_FOUR, needed
from morabase import Position, Tablebase, Verdict
from morabase._morabase import _restore_value


def test_a_probe_gives_the_published_value(tables: Tablebase) -> None:
    probe = tables.probe(FOUR_FOUR)
    assert (probe.wdl, probe.dtc, probe.verdict, probe.class_name) == (1, 9, Verdict.WON, "4-4")
    assert str(probe) == str(probe.exact) == "won in 9 plies"
    assert probe.value == probe.verdict == probe.exact.value == "won"
    assert probe.outcome is None
    assert not probe.counter_matters and not probe.restriction_matters
    assert tables.probe(Position(FOUR_FOUR)) == probe
    assert tables.probe_wdl(FOUR_FOUR) == tables.get_wdl(FOUR_FOUR) == 1
    assert tables.get(FOUR_FOUR) == probe


def test_turns_come_best_first(tables: Tablebase) -> None:
    turns = tables.turns(FOUR_FOUR)
    assert str(turns[0].turn) == "d6-b6"
    assert [turn.wdl for turn in turns] == [1] + [0] * (len(turns) - 1)
    assert sorted((turn.exact for turn in turns), reverse=True) == [turn.exact for turn in turns]
    assert tables.best_turn(FOUR_FOUR) == turns[0]
    best = turns[0]
    assert best.dtc == 9 and best.reply.dtc == 8 and best.reply == tables.probe(best.after)
    assert best.after == Position(FOUR_FOUR).apply(best.turn) == Position(FOUR_FOUR).apply(best)
    assert tables.best_turn("W:Wa7,d7:Bb6,d6,c5") is None
    assert tables.turns("W:Wa7,d7:Bb6,d6,c5") == []


def test_a_line_leads_to_the_end_it_names(tables: Tablebase) -> None:
    line = tables.line(FOUR_FOUR)
    assert line.start == tables.probe(FOUR_FOUR)
    assert line.outcome is not None and line.outcome.winner == "first"
    assert len(line) == len(line.turns) == len(list(line)) == len(str(line).split())
    assert line[0] == line.turns[0] and line[-1] == line.turns[-1]
    with pytest.raises(IndexError):
        line[len(line)]
    position = Position(FOUR_FOUR)
    for step in line:
        position = position.apply(step.turn)
        assert position == step.after
    assert position.outcome() == line.outcome
    drawn = next(turn for turn in tables.turns(FOUR_FOUR) if turn.wdl == 0)
    assert tables.line(drawn.after).outcome is None and len(tables.line(drawn.after)) == 0


def test_a_line_is_a_sequence(tables: Tablebase) -> None:
    line = tables.line(FOUR_FOUR)
    turns = list(line)
    assert isinstance(line, Sequence)
    for part in (slice(None), slice(1, 4), slice(-3, None), slice(None, None, -2), slice(5, 2), slice(-100, 1 << 100)):
        assert line[part] == turns[part] and type(line[part]) is list
    assert list(reversed(line)) == turns[::-1]
    assert turns[3] in line and FOUR_FOUR not in line
    assert line.index(turns[3]) == line.index(turns[3], 2, 4) == line.index(turns[3], -len(turns)) == 3
    assert line.count(turns[3]) == 1 and line.count(None) == 0
    for bounds in ((4,), (0, 3)):
        with pytest.raises(ValueError):
            line.index(turns[3], *bounds)
    for beyond in (len(line), -len(line) - 1, 1 << 100, -1 << 100):
        with pytest.raises(IndexError):
            line[beyond]
    with pytest.raises(TypeError):
        line["first"]  # type: ignore[call-overload]
    with pytest.raises(ValueError):
        line[::0]


def test_a_draw_of_the_counter_is_told_apart(tables: Tablebase) -> None:
    text = "W:Wa7,g4,b4:Bd1,a4,d6,c5"
    at_zero = tables.probe(text)
    assert str(at_zero) == str(tables.probe(f"{text}:C15")) == "won in 5 plies"
    late = tables.probe(f"{text}:C16")
    assert (late.wdl, late.dtc, late.verdict) == (0, None, Verdict.CURSED_WIN)
    assert late.counter_matters and late.at_zero == at_zero.exact
    assert str(late) == "cursed-win"


def test_answers_are_pickled(tables: Tablebase) -> None:
    texts = [FOUR_FOUR, "W:Wd7,g4,d1:Ba7,g7,a1,b2:C12", "W:Wa7,d7:Bb6,d6,c5", "W:Wa7,d7,g7:Bb6,d6,c5:H3,3"]
    answers = [answer for answer in map(tables.get, texts) if answer is not None]
    assert len({answer.class_name for answer in answers}) > 2 and any(answer.outcome for answer in answers)
    for probe in answers:
        for answer in (probe, probe.exact, probe.verdict, probe.outcome):
            assert pickle.loads(pickle.dumps(answer)) == answer


def test_values_without_plies_are_pickled_and_ordered(tables: Tablebase) -> None:
    winning, losing = _restore_value(1, None), _restore_value(-1, None)
    for value, text in ((winning, "won"), (losing, "lost")):
        assert (str(value), value.dtc) == (text, None)
        assert pickle.loads(pickle.dumps(value)) == value
    won = tables.probe(FOUR_FOUR).exact
    assert losing < _restore_value(0, None) < winning < won


def test_a_missing_table_is_named_with_its_hands(tables: Tablebase) -> None:
    position = Position("B:Wd6,b4:Bd7:H10,11")
    assert position.class_name == "1-2+11-10"
    with pytest.raises(morabase.MissingTableError) as caught:
        tables.turns(position)
    assert caught.value.class_name == "2-2+10-10"


def test_values_and_verdicts_are_ordered(tables: Tablebase) -> None:
    won, drawn = tables.turns(FOUR_FOUR)[0].exact, tables.turns(FOUR_FOUR)[-1].exact
    lost = tables.turns(FOUR_FOUR)[0].reply.exact
    assert won > drawn > lost and lost.wdl == -1
    order = [Verdict.LOST, Verdict.BLESSED_LOSS, Verdict.DRAWN, Verdict.CURSED_WIN, Verdict.WON]
    assert sorted(reversed(order)) == order
    assert [verdict.wdl for verdict in order] == [-1, 0, 0, 0, 1]
    assert [verdict.value for verdict in order] == ["lost", "blessed-loss", "drawn", "cursed-win", "won"]
    assert list(Verdict) == order and Verdict("won") is Verdict.WON
    assert str(Verdict.WON) == f"{Verdict.WON}" == "won" and {"won": 1}[Verdict.WON] == 1
    with pytest.raises(ValueError):
        Verdict("wonn")
    assert Verdict.WON > "drawn" and "drawn" < Verdict.WON and not Verdict.LOST >= "blessed-loss"
    with pytest.raises(ValueError):
        Verdict.WON < "drawn or so"


def test_a_type_checker_refuses_a_value_that_there_is_not(tmp_path: pathlib.Path) -> None:
    api = needed("mypy.api")
    code = "import morabase\nprobe = morabase.Tablebase().probe('')\nprint(probe.value == {!r}, probe.verdict.value == {!r})\n"
    for name, errors in (("won", 0), ("wonn", 2)):
        file = tmp_path / f"{name}.py"
        file.write_text(code.format(name, name))
        out, _, _ = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(file)])
        assert out.count("Non-overlapping equality check") == errors, out


def test_the_tables_inside_the_package_are_of_up_to_eight_cows(tables: Tablebase) -> None:
    assert tables.classes == ["3-3", "4-3", "3-4", "4-4", "5-3", "3-5"]
    assert tables.complete_up_to == 8
    assert tables.rules == morabase.Rules("gar") and tables.faults == {}
    for name in tables.classes:
        tables.check_file(name)
        assert tables.meta(name).file is None


def test_a_head_gives_the_published_counts(plain: pathlib.Path) -> None:
    with Tablebase(plain) as tables:
        meta = tables.meta("3-3")
        assert (meta.full.won, meta.full.drawn, meta.full.lost) == (2_240_880, 0, 451_040)
        assert meta.full.total == 2_691_920
        assert meta.histogram[1] == (1, 1_250_352, 0) and meta.histogram[16] == (16, 0, 24)
        assert meta.longest == 16 == len(meta.histogram) - 1
        assert meta.rules.name == "plain" and meta.class_name == "3-3"
        assert meta.file == plain / "3-3.mora" and meta.bytes == meta.file.stat().st_size
        assert tables.meta("4-3").full.drawn == 9_451_724
        assert tables.meta("4-3").canonical.total < tables.meta("4-3").entries < tables.meta("4-3").full.total


@pytest.mark.parametrize("mmap", [True, False])
def test_directories_answer_before_the_tables_inside(plain: pathlib.Path, tmp_path: pathlib.Path, mmap: bool) -> None:
    with Tablebase([tmp_path, str(plain)], mmap=mmap) as tables:
        assert tables.rules.name == "plain" and tables.classes == ["3-3", "4-3", "3-4"]
        assert tables.probe("W:Wa7,d7,b4:Bc5,e3,f2").wdl == 1
    # Who names a directory is not answered from elsewhere without a word.
    with pytest.raises(morabase.PathError, match="found none") as refused:
        Tablebase(tmp_path)
    assert refused.value.filename == str(tmp_path)
    with Tablebase(tmp_path, shipped=False) as tables:
        assert tables.classes == [] and tables.complete_up_to is None
    with pytest.raises(morabase.ArgumentError, match="no tables of the rules plain to open: those inside the package are gar"):
        Tablebase(rules="plain")
    with pytest.raises(morabase.ArgumentError, match="no tables to open"):
        Tablebase(shipped=False)


def test_what_is_missing_gives_the_default(tables: Tablebase) -> None:
    missing = "W:Wa7,d7,g7,b6,f4:Bb2,d2,f2,c5"
    assert tables.get(missing) is None and tables.get_wdl(missing) is None
    assert tables.get(missing, 17) == tables.get_wdl(Position.start(), 17) == 17


def test_a_closed_tablebase_says_so() -> None:
    with Tablebase() as tables:
        assert tables.probe_wdl(FOUR_FOUR) == 1
    assert "closed" in repr(tables)
    tables.close()
    for ask in (tables.probe, tables.probe_cached, tables.turns, tables.line, tables.get, tables.get_wdl):
        with pytest.raises(morabase.ClosedError):
            ask(FOUR_FOUR)
    with pytest.raises(morabase.ClosedError):
        tables.probe_many([7], [7 << 8])
    with pytest.raises(ValueError):
        tables.classes
    with pytest.raises(morabase.ClosedError):
        tables.preload("3-3")
    with pytest.raises(morabase.ClosedError):
        with tables:
            pytest.fail("a closed tablebase was entered")


def test_cached_answers_come_from_memory_alone(tables: Tablebase, plain: pathlib.Path) -> None:
    assert tables.probe_cached(FOUR_FOUR) == tables.probe_cached(Position(FOUR_FOUR)) == tables.probe(FOUR_FOUR)
    tables.preload("4-4")
    with pytest.raises(morabase.MissingTableError):
        tables.probe_cached("W:Wa7,d7,g7,b6,f4:Bb2,d2,f2,c5")
    position = "W:Wa7,d7,b4:Bc5,e3,f2"
    with Tablebase(plain) as mapped:
        assert mapped.probe_cached(position) is None
        mapped.preload("3-3")
        assert mapped.probe_cached(position) == mapped.probe(position)
    with Tablebase(plain, mmap=False) as positioned:
        positioned.preload("3-3")
        assert positioned.probe_cached(position) is None


def test_the_package_says_its_version() -> None:
    manifest = (pathlib.Path(__file__).parents[1] / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    assert found is not None and morabase.__version__ == found[1]


def test_many_threads_ask_one_tablebase(tables: Tablebase) -> None:
    positions = [ranked.after for first in tables.turns(FOUR_FOUR) for ranked in tables.turns(first.after)]
    alone = [tables.probe(position) for position in positions]
    with ThreadPoolExecutor(max_workers=8) as pool:
        for _ in range(5):
            assert list(pool.map(tables.probe, positions)) == alone


def test_closing_while_others_ask_harms_nobody() -> None:
    tables = Tablebase()

    def ask(_: int) -> bool:
        try:
            return tables.probe(FOUR_FOUR).dtc == 9
        except morabase.ClosedError:
            return True

    with ThreadPoolExecutor(max_workers=4) as pool:
        asked = [pool.submit(ask, at) for at in range(200)]
        tables.close()
        assert all(future.result() for future in asked)
