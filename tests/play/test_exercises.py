"""Exercises: what was missed is asked again, in every view of the board, further and further apart."""

import errno
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nimdesk.disk.provenance import made_here
from nimdesk.errors import RecordError
from nimdesk.games import AnyPosition, kit_of, parse_position, solver_for
from nimdesk.games.truth import Truth
from nimdesk.limit import Limit
from nimdesk.play.exercises import (
    MAX_EXERCISES,
    SPACING_S,
    VERSION,
    Exercise,
    answered,
    askable,
    change_box,
    due,
    exercises_of,
    fresh,
    load_exercises,
    merged,
    question,
    save_exercises,
)
from nimdesk.play.review import reviewer

MISSED = Exercise(position="nim:3,4,5 1-2 3-5", best=["2-3"], line=["2-3", "1-1", "2-1"], played="2-4", exact=True)


def proven(position: AnyPosition) -> Truth:
    solver = solver_for(position)
    solver.start(position)
    assert solver.advance(Limit())
    return solver.truth()


@pytest.mark.parametrize(
    "text",
    [
        "nim:1,3,5:max2 3-1",
        "nim:2,3,4:misere 1-1 3-2",
        "mnk:3,3,3 a1 b3",
        "mnk:4,3,3 a1 d3 b2",
        "mnk:5,4,4:gravity a1 b1",
    ],
)
def test_every_view_of_a_position_is_worth_the_same_move_for_move(text: str) -> None:
    position = parse_position(text)
    truth = proven(position)
    exercise = Exercise(position=text, best=[move.text for move in truth.best_moves])
    views = kit_of(position).views
    assert views is not None
    number = len(views(position.game))
    seen = set()
    for asked in range(number):
        turned = question(replace(exercise, asked=asked))
        seen.add(turned.position.text)
        there = proven(turned.position)
        assert there.value is truth.value
        assert set(turned.best) == set(there.best_moves)
    assert len(seen) == number


def test_it_is_asked_as_it_was_at_first_and_its_line_turns_along() -> None:
    first = question(MISSED)
    assert first.position.text == MISSED.position
    turned = question(replace(MISSED, asked=1))
    assert turned.position.text == "nim:5,4,3 3-2 1-5"
    assert [move.text for move in turned.line] == ["2-3", "3-1", "2-1"]
    position = turned.position
    for move in turned.line:
        position = position.play(move)
    assert position.outcome is not None


@given(st.lists(st.booleans(), max_size=20))
@settings(max_examples=50)
def test_right_answers_move_it_away_and_a_wrong_one_brings_it_back(answers: list[bool]) -> None:
    exercise, now = MISSED, 1_000_000.0
    in_a_row = 0
    for right in answers:
        exercise = answered(exercise, right, now)
        in_a_row = in_a_row + 1 if right else 0
        wait = exercise.due_s - now
        assert wait == SPACING_S[min(in_a_row, len(SPACING_S) - 1)]
        assert due([exercise], now) == ()
        now = exercise.due_s
        assert due([exercise], now) == (exercise,)
    assert exercise.asked == len(answers)


def test_what_a_review_finds_becomes_exercises_in_the_order_of_the_game() -> None:
    last = parse_position("mnk:3,3,3 b2 a2 a1 c3 a3 b1 c1")
    positions = [last.game.start()]
    for move in last.moves:
        positions.append(positions[-1].play(move))
    found = reviewer(200, exact_s=60).moves(positions, [(move, "") for move in last.moves])
    exercises = exercises_of(positions, found, 5.0)
    assert [(each.position, each.played) for each in exercises] == [
        ("mnk:3,3,3 b2", "a2"),
        ("mnk:3,3,3 b2 a2 a1 c3", "a3"),
        ("mnk:3,3,3 b2 a2 a1 c3 a3", "b1"),
    ]
    for each in exercises:
        position = parse_position(each.position)
        assert set(each.best) == {move.text for move in proven(position).best_moves}
        assert each.due_s == 5


def test_a_position_that_is_in_the_box_keeps_its_times() -> None:
    known = answered(MISSED, True, 100.0)
    other = replace(MISSED, position="nim:3,4,5", best=["1-2"], line=[])
    assert merged([known], [MISSED, other]) == (known, other)


def test_a_shared_file_comes_back_and_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "learn.nimexercises.json"
    save_exercises([fresh(answered(MISSED, True, 100.0))], path, made=made_here())
    assert load_exercises(path) == (MISSED,)
    assert json.loads(path.read_text())["made"]["python"] == made_here().python


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"position": "nim:999"}, "in exercise 1"),
        ({"position": "nim:3,4,5 1-2 3-5 2-4 1-1"}, "in exercise 1"),
        ({"best": ["2-9"]}, "in exercise 1"),
        ({"best": []}, "best"),
        ({"line": ["2-3", "2-3"]}, "in exercise 1"),
        ({"due_s": -1}, "due_s"),
        ({"more": 1}, "more"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(change: dict[str, object], words: str, tmp_path: Path) -> None:
    path = tmp_path / "learn.json"
    save_exercises([MISSED], path)
    document = json.loads(path.read_text())
    document["exercises"][0].update(change)
    path.write_text(json.dumps(document))
    with pytest.raises(RecordError, match=r"learn\.json") as refused:
        load_exercises(path)
    assert words in str(refused.value)


def test_a_box_that_cannot_be_looked_for_is_told_of_when_something_is_put_into_it(tmp_path: Path) -> None:
    far = tmp_path / f"{'x' * 300}.json"  # as one in a folder of another user
    assert change_box(far, lambda box: box) == ()
    with pytest.raises(RecordError, match=r"the name is too long\.$"):
        change_box(far, lambda _box: [MISSED])


OF_ANOTHER_GAME = replace(MISSED, position="a-game-of-a-package:3 1", best=["1"], line=[])


def test_exercises_of_games_that_are_not_known_now_stay_in_the_box_and_are_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "exercises.json"
    save_exercises([OF_ANOTHER_GAME, MISSED], path)
    box = change_box(path, lambda box: [*box, replace(MISSED, position="nim:3,4,5", best=["1-2"], line=[])])
    assert [each.position for each in box] == ["a-game-of-a-package:3 1", MISSED.position, "nim:3,4,5"]
    assert askable(box) == box[1:]
    assert change_box(path, lambda box: box) == box
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": "nimdesk-exercises", "version": 1}'])
def test_a_damaged_box_is_kept_under_another_name(damage: bytes, tmp_path: Path) -> None:
    path = tmp_path / "exercises.json"
    path.write_bytes(damage)
    with pytest.raises(RecordError, match=r"it was kept as “exercises\.broken-1\.json”\.$"):
        change_box(path, lambda box: [*box, MISSED])
    assert (tmp_path / "exercises.broken-1.json").read_bytes() == damage
    assert change_box(path, lambda box: [*box, MISSED]) == (MISSED,)


def test_a_box_of_a_newer_version_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "exercises.json"
    newer = json.dumps({"format": "nimdesk-exercises", "version": VERSION + 1, "more": []})
    path.write_text(newer)
    with pytest.raises(RecordError, match="made by a newer nimdesk"):
        change_box(path, lambda box: [*box, MISSED])
    assert path.read_text() == newer
    assert list(tmp_path.iterdir()) == [path]


def test_a_box_that_cannot_be_read_now_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "exercises.json"
    save_exercises([MISSED], path)

    def refuse(self: Path, *_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(RecordError, match=r"cannot be opened: too many open files\.$"):
            change_box(path, lambda _box: [])
    assert change_box(path, lambda box: box) == (MISSED,)
    assert list(tmp_path.iterdir()) == [path]


def test_no_box_is_written_that_could_not_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "exercises.json"
    save_exercises([MISSED], path)
    long = [replace(MISSED, position=f"nim:{number}", sentence="x" * 4000) for number in range(MAX_EXERCISES)]
    with pytest.raises(RecordError, match="larger than 16 MB"):
        save_exercises(long, path)
    assert load_exercises(path) == (MISSED,)
    many = [replace(MISSED, position=f"nim:{number}", best=["1-1"] * 150) for number in range(MAX_EXERCISES)]
    save_exercises(many, path)
    assert change_box(path, lambda box: box) == tuple(many), "without line breaks it is small enough"


def test_a_missed_win_by_threats_becomes_an_exercise_to_find_it(tmp_path: Path) -> None:
    position = parse_position("mnk:9,9,5 d5 d6 e5 a1 f5 c2")
    after = position.play(position.parse_move("a9"))
    (missed,) = reviewer(50, exact_s=0).moves([position, after], [(after.moves[-1], "Human")])
    (made,) = exercises_of([*([position] * position.ply), position], [replace(missed, ply=position.ply + 1)], 0)
    assert (made.find, made.best, made.line) == ("fours", ["c5"], [move.text for move in missed.line])
    save_exercises([made], tmp_path / "box.json")
    assert load_exercises(tmp_path / "box.json") == (made,)
    assert json.loads((tmp_path / "box.json").read_text())["version"] == 3
    save_exercises([MISSED], tmp_path / "plain.json")
    assert json.loads((tmp_path / "plain.json").read_text())["version"] == 1, "older programs still read it"


def test_a_missed_parry_becomes_an_exercise_to_parry(tmp_path: Path) -> None:
    position = parse_position("mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9")
    after = position.play(position.parse_move("a8"))
    (found,) = reviewer(50, exact_s=0).moves([position, after], [(after.moves[-1], "Human")])
    (made,) = exercises_of([*([position] * position.ply), position], [replace(found, ply=position.ply + 1)], 0)
    assert (made.find, sorted(made.best), made.line[0]) == ("parry", ["c5", "g5"], made.best[0])
    save_exercises([made], tmp_path / "box.json")
    assert load_exercises(tmp_path / "box.json") == (made,)
    assert json.loads((tmp_path / "box.json").read_text())["version"] == VERSION
