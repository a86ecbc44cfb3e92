"""``nimdesk convert`` and ``match --openings``: games from the files of one program to those of another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calling import Nimdesk

from nimdesk.experiments.store import Store
from nimdesk.formats import read_file
from nimdesk.play.exercises import load_exercises
from nimdesk.play.record import load_game

PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,456\n9,7,4500\n8,9,60\none\ntwo\n-1\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.psq").write_text(PSQ)
    (tmp_path / "four.txt").write_text("4453 2\n1234 -2\n")
    (tmp_path / "o.txt").write_text("0,0, 1,0\n-2,-1, 3,-3\n")
    return tmp_path


def test_a_game_goes_to_another_format_and_back(nimdesk: Nimdesk, here: Path) -> None:
    assert nimdesk("convert", "a.psq", "a.nimdesk").out == "Wrote 1 game to a.nimdesk.\n"
    assert load_game(here / "a.nimdesk").last_position.text == "mnk:15,15,5 h8 i9 h7"
    assert nimdesk("convert", "a.nimdesk", "b.psq").code == 0
    assert (here / "b.psq").read_text() == PSQ.replace("11:11", "0:0")
    result = nimdesk("convert", "a.psq", "a.sgf")
    assert result.err == "A file in SGF has no place for times, which were left out.\n"


def test_many_games_go_to_one_file_or_to_a_folder_of_files(nimdesk: Nimdesk, here: Path) -> None:
    assert nimdesk("convert", "four.txt", "games/").out == "Wrote 2 games to 2 files in games.\n"
    assert sorted(path.name for path in (here / "games").iterdir()) == ["four-1.nimdesk", "four-2.nimdesk"]
    assert nimdesk("convert", "games/four-1.nimdesk", "games/four-2.nimdesk", "b.txt", "--to", "columns").code == 0
    assert (here / "b.txt").read_text() == "4453\n1234\n"
    result = nimdesk("convert", "four.txt", "games/")
    assert (result.code, "is already there" in result.err) == (2, True), "nothing in a folder is replaced"


def test_a_list_stays_a_list_of_its_kind_and_every_answer_says_how_it_was_read(nimdesk: Nimdesk, here: Path) -> None:
    result = nimdesk("convert", "four.txt", "again.txt")
    assert (here / "again.txt").read_text() == "4453 2\n1234 -2\n"
    assert result.err == "The columns were counted from 1: no 0 occurs.\n"
    document = json.loads(nimdesk("convert", "four.txt", "p.txt", "--to", "positions", "--json").out)
    assert document["games"] == 2
    assert (here / "p.txt").read_text().splitlines()[0] == "mnk:7,6,4:gravity d1 d2 e1 c1"
    assert nimdesk("convert", "o.txt", "o.sgf", "--game", "mnk:19,19,5").err == ""
    assert read_file(here / "o.sgf").records[0].position.text == "mnk:19,19,5 j10 k10"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a.psq", "a.psq"], "would write over “a.psq”, which is read"),
        (["four.txt", "b.psq"], "A game of Piskvork is one game, and here are 2; give a folder in its place."),
        (["four.txt", "b.sgf"], "Connect Four cannot be written as a file in SGF, which holds five in a row"),
        (["a.psq", "b.xyz"], "The name “b.xyz” does not say which format is meant; say one of: nimdesk, psq,"),
        (["a.psq", "b", "--to", "sfg"], "There is no format “sfg”; did you mean sgf?"),
        (["a.psq", "b.sgf", "--columns-from", "2"], "--columns-from is 0 or 1, not “2”."),
        (
            ["four.txt", "b.txt", "--columns-from", "0", "--game", "mnk:5,5,4:gravity"],
            "line 1, column 3: there is",
        ),
        (["none.psq", "b.sgf"], "“none.psq” cannot be opened: there is no such file or folder."),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_leaves_no_file(
    nimdesk: Nimdesk, here: Path, arguments: list[str], sentence: str
) -> None:
    before = sorted(path.name for path in here.iterdir())
    result = nimdesk("convert", *arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert sentence in result.err
    assert sorted(path.name for path in here.iterdir()) == before
    assert (here / "a.psq").read_text() == PSQ


def test_positions_with_values_are_a_set_of_exercises_once_they_are_solved(nimdesk: Nimdesk, here: Path) -> None:
    lines = ["1212121 0", "2252576253462244111563365343671351441 -1", "12121 -1", "121212 3"]
    (here / "set.txt").write_text("\n".join(lines))
    result = nimdesk("convert", "set.txt", "set.nimexercises.json")
    assert result.code == 0, result.err
    exercises = load_exercises(here / "set.nimexercises.json")
    assert exercises[-1].position == "mnk:7,6,4:gravity a1 b1 a2 b2 a3 b3"
    assert exercises[-1].best[0] == "a4", "the move that wins at once comes first"
    assert result.out == "Wrote 2 exercises to set.nimexercises.json.\n"
    assert "2 have no wrong move, or no move, and were left out." in result.err, "in the first the game is over"
    assert "In 1 the value beside the position is not what the solver proves" in result.err


def test_a_match_begins_from_each_opening_of_a_file(nimdesk: Nimdesk, here: Path) -> None:
    (here / "o.txt").write_text("0,0, 1,0\n-1,-1, 1,-1\n0,0, 1,0\n")
    words = ["match", "random", "random", "--openings", "o.txt", "--position", "mnk:3,3,3", "--games", "1"]
    assert nimdesk(*words, "--out", "m.db").code == 0
    with Store.open_to_read(here / "m.db") as store:
        (part,) = store.plan.matches
        assert part.positions == ["mnk:3,3,3 b2 c2", "mnk:3,3,3 a3 c3"], "each once"


def test_a_position_of_another_program_is_searched(nimdesk: Nimdesk) -> None:
    result = nimdesk("analyse", "4453", "--agent", "random", "--json")
    assert json.loads(result.out)["position"] == "mnk:7,6,4:gravity d1 d2 e1 c1"
    assert result.err == "The columns were counted from 1: no 0 occurs.\n"


def test_a_game_of_another_program_is_reviewed(nimdesk: Nimdesk) -> None:
    result = nimdesk("review", "a.psq", "--iterations", "50", "--exact-s", "0", "--json")
    assert [(each["move"], each["by"]) for each in json.loads(result.out)["moves"]] == [
        ("h8", "one"),
        ("i9", "two"),
        ("h7", "one"),
    ]
