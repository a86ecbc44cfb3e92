"""Games of other programs come in and go out again: the same positions, the same bytes, or a sentence with a place."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimdesk.agents import make_agent
from nimdesk.disk.paths import GAMES
from nimdesk.errors import NimdeskError, RecordError
from nimdesk.figures.boards import position_text
from nimdesk.formats import (
    FORMATS,
    Asked,
    Reading,
    Record,
    format_for,
    read_bytes,
    read_file,
    read_position,
    write_file,
)
from nimdesk.games import AnyPosition, Game, parse_game, parse_position
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human
from nimdesk.play.exchange import game_from, read_games, record_of, write_games

FORM = {each.name: each for each in FORMATS}
PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,456\n9,7,4500\n8,9,60\npbrain-one.exe\nTwo\n-1\n"
TREE = (
    "(;GM[4]FF[4]SZ[15]PB[Ann]PW[Bob]C[A \\] lesson];B[hh]C[centre];W[ii]"
    "(;B[hi]C[main];W[jj])(;B[jh]LB[hh:1]N[other];W[gg](;B[gi])(;B[hj])))"
)


def read(text: str, name: str = "game", asked: Asked | None = None) -> Reading:
    return read_bytes(text.encode(), Path(name), asked)


def test_a_start_knows_the_endings_of_all_formats_without_loading_them() -> None:
    assert sorted(GAMES) == sorted(ending for each in FORMATS for ending in each.endings)


def positions(reading: Reading) -> list[str]:
    return [record.position.text for record in reading.records]


def written(reading: Reading, name: str) -> str:
    return FORM[name].write(reading.records).text


# What a file of each format means


def test_piskvork_counts_columns_and_rows_from_1_at_the_top_left() -> None:
    (record,) = read(PSQ).records
    assert record.position.text == "mnk:15,15,5 h8 i9 h7"
    assert [node.elapsed_ms for node in record.main_line] == [456, 4500, 60]
    assert record.names == ("pbrain-one.exe", "Two")


def test_piskvork_plays_on_boards_of_20_by_20() -> None:
    text = "Piskvorky 20x20, 0:0, 0\n1,1,0\n20,20,0\n1,20,0\n-1\n"
    reading = read(text)
    assert positions(reading) == ["mnk:20,20,5 a20 t1 a1"]
    assert written(reading, "psq") == text


def test_a_game_that_goes_on_after_six_in_a_row_is_one_of_exactly_five() -> None:
    first, second = [(4, 1), (5, 1), (6, 1), (1, 1), (2, 1), (3, 1)], [(1, 20), (3, 20), (5, 20), (7, 20), (9, 20)]
    moves = [*(move for pair in zip(first, second, strict=False) for move in pair), first[-1]]
    six = "Piskvorky 20x20, 0:0, 0\n" + "".join(f"{column},{row},0\n" for column, row in moves)
    (ended,) = read(six + "-1\n").records
    assert (ended.position.game.text, ended.position.outcome is None) == ("mnk:20,20,5", False)
    (goes_on,) = read(six + "11,20,0\n-1\n").records
    assert (goes_on.position.game.text, goes_on.position.outcome) == ("mnk:20,20,5:exact", None)
    (asked,) = read(six + "-1\n", asked=Asked(parse_game("mnk:20,20,5:exact"))).records
    assert asked.position.outcome is None


def test_where_the_second_player_began_the_names_change_places() -> None:
    (record,) = read(PSQ.replace("11:11, 0", "11:11, 1")).records
    assert record.names == ("Two", "pbrain-one.exe")


def test_gomotur_counts_from_0_on_a_board_of_20() -> None:
    record = read("one\ntwo\n9,9,100\n10,9,50\n-1\n", "a.rec", Asked(parse_game("mnk:15,15,5"))).records[0]
    assert (record.position.text, record.names) == ("mnk:15,15,5 j6 k6", ("one", "two"))


def test_sgf_has_variations_comments_and_names() -> None:
    (record,) = read(TREE).records
    assert record.position.text == "mnk:15,15,5 h8 i7 h7 j6"
    assert (record.variations, record.names) == (2, ("Ann", "Bob"))
    assert [node.comment for node in record.nodes] == ["A ] lesson", "centre", "", "main", "", "other", "", "", ""]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("(;GM[4]SZ[15];B[h8];W[i9])", "mnk:15,15,5 h8 i9"),
        ("(;GM[4]SZ[15]AB[hh][gg]AW[ii][jj])", "mnk:15,15,5 h8 i7 g9 j6"),
        ("(;GM[4]SZ[15]PB[a]PW[b];W[hh];B[ii])", "mnk:15,15,5 h8 i7"),
        ("(;GM[4]SZ[9:7]B[aa]W[bb]B[ig])", "mnk:9,7,5 a7 b6 i1"),
        (" (\n;GM[4]\nSZ[15]\n;Black[hh]\n;White[ii]) and more", "mnk:15,15,5 h8 i7"),
    ],
)
def test_sgf_of_several_programs_is_understood(text: str, position: str) -> None:
    assert positions(read(text)) == [position]


def test_openings_are_distances_from_the_middle_to_the_right_and_down() -> None:
    reading = read("0,0, 1,0, 1,3\r\n-2,-1, 3,-3\r\n")
    assert positions(reading) == ["mnk:15,15,5 h8 i8 i5", "mnk:15,15,5 f9 k11"]
    assert reading.told == ("Openings do not say how large the board is; they were put on mnk:15,15,5.",)


@pytest.mark.parametrize(
    ("text", "asked", "first", "said"),
    [
        ("4453\n1234 -2\n", Asked(), "mnk:7,6,4:gravity d1 d2 e1 c1", "from 1: no 0 occurs"),
        ("4453\n0\n", Asked(), "mnk:7,6,4:gravity e1 e2 f1 d1", "from 0: a 0 occurs"),
        ("4453\n", Asked(columns_from=0), "mnk:7,6,4:gravity e1 e2 f1 d1", "from 0: as asked"),
        ("887\n", Asked(parse_game("mnk:9,5,4:gravity")), "mnk:9,5,4:gravity h1 h2 g1", "from 1"),
    ],
)
def test_columns_count_from_1_unless_a_0_occurs_or_it_is_asked_for(
    text: str, asked: Asked, first: str, said: str
) -> None:
    reading = read(text, asked=asked)
    assert positions(reading)[0] == first
    assert said in " ".join(reading.told)


def test_a_value_beside_the_columns_is_kept() -> None:
    assert [record.score for record in read("4453 2\n1234 -2\n55\n").records] == [2, -2, None]


GOMOKU = parse_game("mnk:15,15,5")
FOUR = parse_game("mnk:7,6,4:gravity")


@pytest.mark.parametrize(
    ("text", "game", "position"),
    [
        ("4453", None, "mnk:7,6,4:gravity d1 d2 e1 c1"),
        ("mnk:9,6,4:gravity 445", None, "mnk:9,6,4:gravity d1 d2 e1"),
        ("4 4 5", FOUR, "mnk:7,6,4:gravity d1 d2 e1"),
        ("ddec", FOUR, "mnk:7,6,4:gravity d1 d2 e1 c1"),
        ("4", FOUR, "mnk:7,6,4:gravity d1"),
        ("mnk:15,15,5 h8i9j10", None, "mnk:15,15,5 h8 i9 j10"),
        ("h8, i9; j10", GOMOKU, "mnk:15,15,5 h8 i9 j10"),
        ("h8-i9-j10", GOMOKU, "mnk:15,15,5 h8 i9 j10"),
        ("1. h8 i9 2. j10", GOMOKU, "mnk:15,15,5 h8 i9 j10"),
        ("[[8, 8], [9, 7]]", GOMOKU, "mnk:15,15,5 h8 i9"),
        ("(0,0) (14,14)", GOMOKU, "mnk:15,15,5 a15 o1"),
        ("0,0 -1,2", GOMOKU, "mnk:15,15,5 h8 g6"),
        ("nim:3,4,5 1-2,3-5", None, "nim:3,4,5 1-2 3-5"),
        ("nim:3,4,5 1-2 3-5", GOMOKU, "nim:3,4,5 1-2 3-5"),
    ],
)
def test_a_position_may_be_written_as_other_programs_do(text: str, game: Game | None, position: str) -> None:
    assert read_position(text, Asked(game))[0].text == position


def test_what_such_a_text_leaves_open_is_said() -> None:
    assert read_position("4453")[1] == "The columns were counted from 1: no 0 occurs."
    assert "from the top, counted from 0: a 0 occurs" in read_position("(0,0)", Asked(GOMOKU))[1]
    assert read_position("mnk:7,6,4:gravity d1 d2")[1] == "", "nimdesk's own notation leaves nothing open"


@pytest.mark.parametrize("text", ["mnk:3,3,3 x9", "nim:-3", "mnk:3,3,3 a1 a1", "", "hello", "h8i9", "8888888"])
def test_what_is_no_position_stays_one_sentence(text: str) -> None:
    with pytest.raises(NimdeskError):
        read_position(text)


# Files of random games, and again


@st.composite
def gomoku(draw: st.DrawFn) -> AnyPosition:
    return _random_position(random.Random(draw(st.integers(0, 10**9))), "mnk:15,15,5")


def _random_position(chance: random.Random, game: str, most: int = 40) -> AnyPosition:
    position = parse_game(game).start()
    for _ in range(chance.randint(1, most)):
        if position.outcome is not None:
            break
        position = position.play(chance.choice(position.legal_moves))
    return position


@pytest.mark.parametrize("name", ["psq", "sgf", "openings", "positions", "columns"])
def test_files_go_out_and_come_in_as_the_same_positions_and_bytes(name: str, tmp_path: Path) -> None:
    chance, path = random.Random(name), tmp_path / f"x{FORM[name].ending}"
    game = "mnk:7,6,4:gravity" if name == "columns" else "mnk:15,15,5"
    for _ in range(50):
        position = _random_position(chance, game)
        asked = Asked(position.game) if name == "openings" else None
        record = game_from(record_of_position(position)).last_position
        assert record == position
        write_file([record_of_position(position)], path, FORM[name])
        first = path.read_bytes()
        again = read_file(path, asked, FORM[name])
        assert positions(again) == [position.text]
        write_file(again.records, path, FORM[name])
        assert path.read_bytes() == first


def record_of_position(position: AnyPosition) -> Record:
    """The record of a position, by the format that is nimdesk's own notation."""
    return read(position.text, "x.txt").records[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.psq", PSQ),
        ("a.psq", PSQ.replace("\n", "\r\n")),
        ("a.psq", PSQ.removesuffix("pbrain-one.exe\nTwo\n-1\n")),
        ("a.psq", "Piskvorky 15x15, 7:0, 1\n8,8,456\n0"),
        ("a.psq", "Piskvorky 15x15, 11:11, 0\n8,8,1\nA\nB\n-1\n0,Freestyle15_1\n"),
        ("a.psq", "Piskvorky 15x15, 11:11, 0\n8,8\n9,9\n-1"),
        ("o.txt", "0,0, 1,0, 1,3\r\n-2,-1, 3,-3\r\n"),
        ("o.txt", "0,0,1,0,1,3\n0,0, 1,1\n"),
        ("c.txt", "4453 2\n1234 -2\n55"),
        ("c.txt", "0123\r\n4\r\n"),
    ],
)
def test_a_file_that_is_only_read_and_written_keeps_its_bytes(name: str, text: str) -> None:
    reading = read(text, name)
    form = format_for(Path(name), text)
    assert form is not None
    assert form.write(reading.records).text == text


def test_sgf_comes_back_as_it_was_written() -> None:
    once = written(read(TREE), "sgf")
    assert written(read(once), "sgf") == once
    assert "LB[hh:1]" in once, "what nimdesk has no use for is kept"


@given(gomoku())
def test_a_game_goes_by_way_of_every_format_and_is_the_same(position: AnyPosition) -> None:
    reading = read(position.text, "x.txt")
    for name in ("psq", "sgf", "openings", "positions"):
        reading = read_bytes(written(reading, name).encode(), Path(f"x.{name}"), Asked(position.game), FORM[name])
    assert positions(reading) == [position.text]


# In games of nimdesk


def test_variations_comments_times_and_names_become_those_of_a_game(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(TREE)
    (tmp_path / "a.psq").write_text(PSQ)
    games = read_games(tmp_path / "a.sgf")
    (game,) = games.games
    assert game.last_position.text == "mnk:15,15,5 h8 i7 h7 j6"
    assert [node.ply.comment for node in game.root.walk() if node.ply] == (
        ["A ] lesson\n\ncentre", "", "main", "", "other", "", "", ""]
    )
    assert games.told == ("What was said of the empty board stands at the first move.",)
    (other,) = read_games(tmp_path / "a.psq").games
    assert [(ply.by, ply.elapsed_s) for ply in other.plies] == [
        ("pbrain-one.exe", 0.456),
        ("Two", 4.5),
        ("pbrain-one.exe", 0.06),
    ]
    write_games([other], tmp_path / "b.psq", FORM["psq"])
    assert (tmp_path / "b.psq").read_text() == PSQ, "also what nimdesk has no use for"
    write_games([game], tmp_path / "c.nimdesk", None)
    assert record_of(read_games(tmp_path / "c.nimdesk").games[0]).nodes == record_of(game).nodes


def test_the_searches_behind_moves_become_comments_and_labels(tmp_path: Path) -> None:
    game = GameInProgress(parse_position("mnk:9,9,5"), (Human(), Human()))
    searcher = make_agent("uct", {"iterations": 500, "seed": 7}).new_searcher()
    searcher.start(game.position, 7)
    searcher.advance(Limit(iterations=500))
    found = searcher.snapshot()
    best = max(found.moves, key=lambda stats: stats.visits)
    game.play(best.move, by="MCTS", snapshot=found)
    write_games([game], tmp_path / "a.sgf", FORM["sgf"])
    root, played = read_file(tmp_path / "a.sgf").records[0].nodes
    first, second, *_ = played.comment.splitlines()
    assert first == "uct: 500 simulations, seed 7."
    assert second.startswith(f"{best.move.text}: {best.visits:,} visits, expected score {best.mean_value:.3f}")
    ((name, labels),) = root.others
    assert (name, len(labels)) == ("LB", 10)
    share = round(100 * best.visits / sum(stats.visits for stats in found.moves))
    assert labels[0].endswith(f":{share}")


def test_what_a_format_has_no_place_for_is_said() -> None:
    assert FORM["psq"].write(read(TREE).records).told == (
        "2 variations were left out: a game of Piskvork has the main line alone.",
        "A game of Piskvork has no place for comments, which were left out.",
    )
    with pytest.raises(RecordError, match=r"Tic-tac-toe cannot be written as a file in SGF, which holds five in a row"):
        written(read("mnk:3,3,3 b2", "x.txt"), "sgf")


# Files that are refused


REFUSED = [
    (
        "a.psq",
        "Piskvorky 15x15, 11:11, 0\n8,8,1\n8,8,2\n",
        "line 3, column 1: in move 2: the move h8 is not legal",
    ),
    ("a.psq", "Piskvorky 15x15, 11:11, 0\n8,8,1\n8,x,2\n", "line 3, column 1: a move is written as column,row"),
    (
        "a.psq",
        "Piskvorky 15x15, 11:11, 0\n16,8,1\n",
        "line 2, column 1: 16,8 is not on the board, whose columns are",
    ),
    ("a.psq", "Piskvorky 99x15, 11:11, 0\n16,8,1\n", "line 1, column 11: the number of columns (m) is 99; it may be"),
    ("a.sgf", "(;GM[4]SZ[15];B[hh];B[ii])", "line 1, column 23: Black moves twice"),
    ("a.sgf", "(;GM[4]SZ[15]\n;B[hh];W[hh])", "line 2, column 10: in move 2: the move h8 is not legal here"),
    ("a.sgf", "(;GM[4]SZ[15]\n;B[hh", "line 2, column 3: in the property B: its value is not closed by “]”"),
    ("a.sgf", "(;GM[4]SZ[15];B[hh]", "line 1, column 20: its end is missing"),
    ("a.sgf", "(;GM[4]SZ[15];B[hh];W[])", "line 1, column 23: “” is a pass, which five in a row does not know"),
    ("a.sgf", "(;GM[4]SZ[15];B[hh];W[tt])", "line 1, column 23: “tt” is a pass, which five in a row does not know"),
    ("a.sgf", "(;GM[4]SZ[15];B[hh];W[h-8])", "line 1, column 23: “h-8” is no point, such as hh or h8"),
    ("a.sgf", "(;GM[1]SZ[19];B[pd])", "line 1, column 6: GM[1] is Go; five in a row is GM[4]"),
    ("a.sgf", "(;GM[4]SZ[15]AB[hh][ii][jj])", "line 1, column 14: 3 black and 0 white stones are set up here"),
    ("a.txt", "0,0, 1,0\n0,0, 1,0, 1\n", "line 2, column 11: an opening has two numbers for each move"),
    (
        "a.txt",
        "0,0, 1,0\n0,0, 1,0-7,8\n0,0\n",
        "line 2, column 9: a comma must stand between two numbers; here is",
    ),
    ("a.txt", "44\n48\n44\n", "line 2, column 2: there is no column 8 in mnk:7,6,4:gravity; here they are 1 to 7"),
    ("a.txt", "44\n4444444\n", "line 2, column 7: in move 7: the move d6 is not legal here: column d is full"),
    ("a.txt", "mnk:3,3,3 a1\nmnk:3,3,3 a1 a1\n", "line 2, column 14: in move 2: the move a1 is not legal here"),
    ("a.rec", "one\ntwo\nthree\n", "line 1, column 1: a game of Gomotur begins with two names"),
]


@pytest.mark.parametrize(("name", "text", "where"), REFUSED)
def test_a_refusal_names_the_file_the_line_and_the_column(name: str, text: str, where: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RecordError, match=re.escape(f"“{name}” is not read, {where}")):
        read_games(path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(" * 20_000, "variations are nested too deeply"),
        ("(;GM[4]SZ[15]C[" + "a\\]" * 1_000_000, "its value is not closed"),
        ("4453\n" * 30_000, "no file has more than 20,000 positions"),
        ("4" * 200_000, "no position takes more than 100,000 letters"),
        ("Piskvorky 15x15, 1:1, 0\n" + "8,8,8\n" * 11_000, "no game has so many moves"),
        (("0,0" + ", 0,0" * 19_000 + "\n") * 150, "no game has so many moves"),
    ],
    ids=["deep", "open", "many", "long", "moves", "openings"],
)
def test_a_file_that_is_made_to_take_long_is_refused_soon(text: str, what: str) -> None:
    with pytest.raises(RecordError, match=what):
        read(text, "x.sgf" if text.startswith("(") else "x.txt")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "“x.psq” is a PNG picture, not a game; nimdesk reads games of Piskvork (.psq, .rec)"),
        (b"%PDF-1.7", "“x.psq” is a PDF document, not a game"),
        (b"PK\x03\x04\0", "“x.psq” is a ZIP archive"),
        (b"abc\0def", "“x.psq” is no text, not a game"),
        (b" \n", "“x.psq” is empty"),
    ],
)
def test_a_file_that_is_no_game_is_told_as_what_it_is(data: bytes, what: str) -> None:
    with pytest.raises(RecordError, match=re.escape(what)):
        read_bytes(data, Path("x.psq"))


@given(st.sampled_from([PSQ, TREE, "0,0, 1,0\n", "4453 2\n", "mnk:3,3,3 b2\n"]), st.integers(0, 10**9))
def test_a_spoiled_file_is_read_or_refused_in_one_sentence(good: str, seed: int) -> None:
    chance, data = random.Random(seed), bytearray(good.encode())
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data) + 1)
        data[place : place + chance.randint(0, 3)] = chance.choice([b"", b"[", b"]", b"(", b";", b",9", b"\n", b"\xff"])
    refused = ""
    try:
        read_bytes(bytes(data), Path("x.txt"))
    except RecordError as error:
        refused = str(error)
    assert refused.endswith((".", "?")) or not refused
    assert "\n" not in refused


# The board as text


def test_a_board_can_be_sent_as_text() -> None:
    assert position_text(parse_position("mnk:3,3,3 b2 a1")) == (
        "3 . . .\n2 . X .\n1 O . .\n  a b c\nX to move\nmnk:3,3,3 b2 a1\n"
    )
    assert position_text(parse_position("nim:3,4,5 1-2")) == "1 |\n2 ||||\n3 |||||\nSecond to move\nnim:3,4,5 1-2\n"
