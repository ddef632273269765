from __future__ import annotations

import copy
import pickle

import pytest

import morabase
from morabase import Position, Turn

SHORT = "W:Wa4,d6,d5:Ba7,g4,b4,c4:C19"
FEN = "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 19 32 ids:nodes"
OLD_FEN = "O*****@*/O*****@*/**@***O@ w m s 3 0 4 0 0 0 0 0 0 0 0 19 32"


def test_every_text_format_names_the_same_position() -> None:
    ring = Position("W:WE8,A2,R2:BE1,E4,A8,R8:C19")
    assert Position(SHORT) == Position(FEN) == Position(OLD_FEN) == ring
    assert hash(Position(SHORT)) == hash(Position(FEN))
    assert Position(SHORT) != Position("W:Wa4,d6,d5:Ba7,g4,b4,c4")


def test_texts_are_written_and_read_back() -> None:
    position = Position(SHORT)
    assert position.notation("gar") == "W:WE8,A2,R2:BE1,E4,A8,R8:C19"
    assert position.fen(move_number=32) == FEN
    assert position.fen(dialect="old", move_number=32) == OLD_FEN
    for text in (str(position), position.notation("gar"), position.fen(), position.fen(dialect="old")):
        assert Position(text) == position
    assert eval(repr(position)) == position


def test_fields_say_what_the_text_says() -> None:
    position = Position("B:Wa7,d7,g7:Bb6,d6,c5:H0,1:C0")
    assert (position.first, position.second) == (0b111, 1 << 8 | 1 << 9 | 1 << 16)
    assert (position.own, position.opponent) == (position.second, position.first)
    assert (position.to_move, position.hands, position.counter, position.shot_pending) == ("second", (0, 1), 0, False)
    assert position.class_name == "3-3+1-0"
    assert Position(SHORT).class_name == "3-4"
    assert Position("W:Wa7,d7,g7:Bb6,d6,c5:S").shot_pending


def test_moving_takes_bitboards_and_names() -> None:
    text = "B:Wb6,d6,c5:Ba7,d7,g7:C3"
    own, opponent = 0b111, 1 << 8 | 1 << 9 | 1 << 16
    assert Position.moving(own, opponent, "second", counter=3) == Position(text)
    assert Position.moving("a7 d7 g7", "A1,A2,R1", "second", counter=3) == Position(text)
    assert Position.moving(["a7", "d7", "g7"], ("b6", "d6", "c5"), "second", counter=3) == Position(text)


def test_bitboards_and_names_are_inverse() -> None:
    assert morabase.points(0b111) == ["a7", "d7", "g7"]
    assert morabase.bitboard("E1 E2 E3") == 0b111
    assert morabase.bitboard("") == 0
    for at in range(24):
        assert morabase.bitboard(morabase.points(1 << at)) == 1 << at
    assert morabase.bitboard(morabase.points(0xFFFFFF)) == 0xFFFFFF


def test_a_record_leads_to_its_position() -> None:
    position = Position.from_record("1. d6 d7 2. b4 a4 3. b6 g7 4. b2xa4")
    assert str(position) == "B:Wb6,d6,b2,b4:Bd7,g7:H8,9"
    free = morabase.points(0xFFFFFF & ~position.first & ~position.second)
    # With a7 a line is complete, and d6 is the only cow that stands in none.
    assert sorted(map(str, position.turns())) == sorted("a7xd6" if point == "a7" else point for point in free)
    assert position.outcome() is None
    assert Position.from_record("a4", start=position) == position.apply("a4")


def test_turns_are_those_of_the_rules() -> None:
    assert sorted(map(str, Position.start().turns())) == sorted(morabase.points(0xFFFFFF))
    barred = Position("W:Wd1,a4,a7,g7:Bb6,d6,c5,f4", "nine-mens-morris").turns("nine-mens-morris")
    assert Turn("a7-b6") not in barred
    position = Position("W:Wd6,d7,f4,f6:Bb4,d3,g1,g4")
    for turn in position.turns():
        assert position.apply(turn) == position.apply(str(turn))


def test_a_turn_says_what_it_does() -> None:
    turn = Turn("E6-A6xR1")
    assert (turn.kind, turn.origin, turn.target, turn.shot) == ("move", "d1", "d2", "c5")
    assert (str(turn), turn.notation("gar")) == ("d1-d2xc5", "E6-A6xR1")
    assert (Turn("d2").kind, Turn("d2").origin, Turn("d2").target, Turn("d2").shot) == ("place", None, "d2", None)
    assert (Turn("xa7").kind, Turn("xa7").target, Turn("xa7").shot) == ("shoot", None, "a7")
    assert turn == eval(repr(turn)) and hash(turn) == hash(Turn("d1-d2xc5"))


def test_the_end_of_a_game_names_winner_and_reason() -> None:
    outcome = Position("W:Wa7,d7:Bb6,d6,c5").outcome()
    assert outcome is not None and (outcome.winner, outcome.reason) == ("second", "too-few-cows")
    drawn = Position("W:Wa4,d6,d5:Ba7,g4,b4,c4:C20").outcome()
    assert drawn is not None and (drawn.winner, drawn.reason) == (None, "counter")
    assert Position("W:Wa4,d6,d5:Ba7,g4,b4,c4:C20").outcome("plain") is None


def test_a_line_made_leaves_its_restriction() -> None:
    # d2 goes to d1: it leaves the line b2 d2 f2 and completes a1 d1 g1.
    before = Position("W:Wb2,d2,f2,a1,g1:Ba7,d7,g4,c5")
    after = before.apply("d2-d1xa7")
    assert after.restrictions == (("d2", "d1"), None)
    assert ":LWd2-d1" in str(after)
    assert before.apply("d2-d1xa7", "plain").restrictions == (None, None)


@pytest.mark.parametrize("text", [SHORT, "B:Wa7,d7,g7:Bb6,d6,c5:H0,1", "W:Wa7,d7,g7:Bb6,d6,c5:S"])
def test_positions_are_copied_and_pickled(text: str) -> None:
    position = Position(text)
    for other in (pickle.loads(pickle.dumps(position)), copy.copy(position), copy.deepcopy(position)):
        assert other == position


def test_pickles_keep_restrictions_turns_and_rules() -> None:
    after = Position("W:Wb2,d2,f2,a1,g1:Ba7,d7,g4,c5").apply("d2-d1xa7")
    for value in (after, Turn("d1-d2xc5"), morabase.Rules("gar", counter="none")):
        assert pickle.loads(pickle.dumps(value)) == value


def test_rules_are_presets_texts_and_options() -> None:
    assert list(morabase.presets()) == ["gar", "gar-10", "wikipedia", "arcade", "plain", "nine-mens-morris"]
    gar = morabase.Rules()
    assert (gar.name, gar.board, gar.cows) == ("gar", "morabaraba", 12)
    assert (gar.counter, gar.no_remake, gar.full_board) == ("when-three:20", "same-cow", "blocked-loses")
    assert f"{gar.fingerprint:016x}" == "283ccf5972aa2c0b"
    assert morabase.Rules(gar.text) == gar == morabase.Rules(gar)
    assert morabase.Rules("gar", counter="when-three:10") == morabase.Rules("gar-10")
    own = morabase.Rules("plain", no_remake="same-line")
    assert own.name == own.text and own != morabase.Rules("plain")
    assert Position("W:Wa7,d7,g7:Bb6,d6,c5", own) == Position("W:Wa7,d7,g7:Bb6,d6,c5", own.text)


def test_a_position_is_drawn_in_text_and_as_an_image() -> None:
    position = Position("W:Wa7,d7,g7:Bb6,d6,c5")
    drawn = position.draw()
    assert drawn.startswith("7  O-----------O-----------O\n") and drawn.count("@") == 3
    assert "/" not in position.draw("nine-mens-morris")
    svg = position._repr_svg_()
    assert svg == position.svg() and svg.startswith("<svg ") and svg.count("<circle ") == 24
