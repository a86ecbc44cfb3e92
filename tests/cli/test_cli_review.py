"""``nimdesk review``: every figure printed is that of the review itself."""

import json
from pathlib import Path

import pytest
from calling import Nimdesk

from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.exercises import load_exercises
from nimdesk.play.record import save_game
from nimdesk.play.review import reviewer


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "game.nimdesk"
    save_game(GameInProgress(parse_position("nim:3,4,5 1-2 3-5 2-4 1-1"), (Human(), Human())), path)
    return path


def test_its_json_is_the_review(nimdesk: Nimdesk, saved: Path, tmp_path: Path) -> None:
    learn = tmp_path / "learn.json"
    result = nimdesk("review", str(saved), "--iterations", "200", "--json", "--exercises", str(learn))
    document = json.loads(result.out)
    last = parse_position("nim:3,4,5 1-2 3-5 2-4 1-1")
    positions = [last.game.start()]
    for move in last.moves:
        positions.append(positions[-1].play(move))
    own = sorted(reviewer(200).moves(positions, [(move, "") for move in last.moves]), key=lambda each: each.ply)
    assert [(m["ply"], m["move"], m["before"], m["after"], m["mark"], m["sentence"]) for m in document["moves"]] == [
        (each.ply, each.move.text, each.before, each.after, each.mark.value, each.sentence) for each in own
    ]
    assert document["turning_point"] == 3
    assert [each.position for each in load_exercises(learn)] == ["nim:3,4,5 1-2 3-5"]


def test_a_report_is_a_file_to_hand_on(nimdesk: Nimdesk, saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    result = nimdesk("review", str(saved), "--budget", "200", "--report", str(path))
    assert result.err.splitlines() == [str(path)]
    assert path.read_bytes().startswith(b"%PDF-")


def test_a_person_reads_which_move_decided_it(nimdesk: Nimdesk, saved: Path) -> None:
    result = nimdesk("review", str(saved), "--iterations", "200")
    assert result.code == 0
    assert "2-4 threw away the win: take 3 from pile 2 kept it." in result.out
    assert "The game was decided at move 3, 2-4." in result.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--budget", "0"), "Budget"),
        (("--budget", ""), "whole number from 1"),
        (("--exact-s", "-1"), "-1"),
        (("--seed", "x"), "x"),
        (("--exercises", "nowhere/at/all.json"), "is not a folder"),
        (("--report", "nowhere/report.pdf"), "is not a folder"),
        (("--report", "report.html"), "name it “report.pdf”, not “report.html”"),
    ],
)
def test_a_bad_number_or_file_is_one_sentence(
    nimdesk: Nimdesk, saved: Path, arguments: tuple[str, str], words: str
) -> None:
    result = nimdesk("review", str(saved), *arguments)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert len(result.err.splitlines()) == 1


def test_a_game_without_moves_has_nothing_to_review(nimdesk: Nimdesk, tmp_path: Path) -> None:
    path = tmp_path / "empty.nimdesk"
    save_game(GameInProgress(parse_position("nim:3"), (Human(), Human())), path)
    result = nimdesk("review", str(path))
    assert (result.code, result.err) == (
        2,
        "nimdesk: There is nothing to review in “empty.nimdesk”: no move was played.\n",
    )
