"""Lessons and answers as files, and how answers are judged: against theory, brute force, and searches made here."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nimdesk import cli
from nimdesk.agents import make_agent
from nimdesk.disk.documents import DocumentFaultError
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import LessonError, StoppedError
from nimdesk.games import parse_position
from nimdesk.lessons import (
    AnswerFile,
    Lesson,
    StepAnswer,
    Verdict,
    judge,
    lesson_bytes,
    load_lesson,
    read_answers,
    shipped_lessons,
)
from nimdesk.lessons.files import find_lesson, json_schema, lesson_from
from nimdesk.lessons.judging import key_of
from nimdesk.limit import Limit

NIM = {"position": "nim:3,4,5", "agents": [{"agent": "uct"}]}


def document(*tasks: dict[str, Any], **changed: Any) -> bytes:
    steps = [{"text": "Look.", "show": NIM, "task": task} for task in tasks] or [{"text": "Look.", "show": NIM}]
    return json.dumps(
        {"format": "nimdesk-lesson", "version": 1, "title": "Nim", "about": "Who wins?", "steps": steps, **changed}
    ).encode()


def lesson(*tasks: dict[str, Any], **changed: Any) -> Lesson:
    return lesson_from(document(*tasks, **changed))


def right(task: dict[str, Any], answer: Any) -> bool | None:
    return judge(lesson(task).at(1), answer).right


def test_a_lesson_survives_its_file() -> None:
    made = lesson({"kind": "which", "of": "moves", "iterations": 100}, locked=["truth"], minutes=5)
    assert lesson_from(lesson_bytes(made)) == made


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((resources_dir() / "lesson.schema.json").read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(json_schema()))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (document(title=1), "in “title”: expected text, got whole number"),
        (document({"kind": "guess"}), "in step 1, in “task.kind”: invalid value 'guess'"),
        (document(steps=[{"text": "a", "show": {**NIM, "position": "nim:x"}}]), "in step 1: “x” in “nim:x”"),
        (document(steps=[{"text": "a", "show": {**NIM, "agents": [{"agent": "utc"}]}}]), "did you mean uct?"),
        (document({"kind": "curve", "iterations": 9, "measure": "mean"}), "in step 1: it needs a move"),
        (document({"kind": "number", "number": "right", "agent": 2}), "in step 1: it asks about agent 2, of 1"),
        (
            document({"kind": "number", "number": "right", "iterations": 10**7}),
            "takes more than 30,000,000 simulations",
        ),
        (
            document({"kind": "curve", "iterations": 9, "option": "exploration", "low": 1, "high": 1}),
            "goes from 1 to 1; the second must be larger",
        ),
        (
            document({"kind": "curve", "iterations": 9, "option": "memory_mb", "low": 64, "high": 65}),
            "must be a whole number",
        ),
        (
            document({"kind": "option", "options": ["iterations"], "iterations": 9}),
            "has no option “iterations” to ask about",
        ),
        (document({"kind": "fault"}), "must differ from the default in one switch"),
        (document({"kind": "prove"}), "whose “page” is “play”"),
        (document()[:-20], "its end is missing"),
    ],
)
def test_a_bad_lesson_is_told_in_one_sentence_with_the_place(tmp_path: Path, data: bytes, complaint: str) -> None:
    path = tmp_path / "bad.nimdesk-lesson"
    path.write_bytes(data)
    with pytest.raises(LessonError) as error:
        load_lesson(path)
    assert "bad.nimdesk-lesson" in str(error.value)
    assert complaint in str(error.value)


@pytest.mark.parametrize(("judged", "answers"), [("kept", {"1-2"}), ("distance", {"1-2"}), ("value", {"1-2"})])
def test_a_move_is_judged_as_the_theory_of_nim_has_it(judged: str, answers: set[str]) -> None:
    # 3 ^ 4 ^ 5 = 2: only taking 2 from the first pile leaves a nim-sum of 0.
    moves = {move.text for move in parse_position("nim:3,4,5").legal_moves}
    assert {move for move in moves if right({"kind": "move", "judged": judged}, move)} == answers


def test_games_and_positions_are_those_that_brute_force_counts() -> None:
    met: set[tuple[tuple[int, ...], bool]] = set()

    def ends(piles: tuple[int, ...], first: bool = True) -> int:
        met.add((piles, first))
        after = [(*piles[:at], left, *piles[at + 1 :]) for at, pile in enumerate(piles) for left in range(pile)]
        return sum(ends(each, not first) for each in after) if after else 1

    count = {"position": "nim:1,2,3", "agents": [{"agent": "uct"}]}
    made = lesson(
        steps=[{"text": "", "show": count, "task": {"kind": "number", "number": n}} for n in ("games", "positions")]
    )
    assert judge(made.at(1), ends((1, 2, 3))).right
    assert judge(made.at(2), len(met)).right
    assert not judge(made.at(2), len(met) - 1).right


def test_a_predicted_number_is_that_of_the_search_with_its_seed() -> None:
    searcher = make_agent("uct").unlimited().new_searcher()
    searcher.start(parse_position("nim:3,4,5"), 1)
    searcher.advance(Limit(iterations=300))
    visits = next(each.visits for each in searcher.snapshot().moves if each.move.text == "1-2")
    task = {"kind": "number", "number": "visits", "move": "1-2", "iterations": 300, "factor": 2}
    assert [right(task, visits * factor) for factor in (1, 2, 0.5, 2.1, 0.4)] == [True, True, True, False, False]


def test_a_drawn_curve_is_compared_with_the_measured_one() -> None:
    task = {"kind": "curve", "iterations": 1000, "within": 0.05}
    curve = key_of(lesson(task).at(1)).curve
    assert right(task, [list(point) for point in curve])
    far = judge(lesson(task).at(1), [[1, 1.0], [1000, 1.0]])
    assert not far.right
    assert far.curve == curve


@pytest.mark.parametrize(
    ("task", "answer", "complaint"),
    [
        ({"kind": "number", "number": "moves"}, 10**400, "which is a number"),
        ({"kind": "curve", "iterations": 9}, [[1, 10**400], [9, 1]], "two or more points"),
        ({"kind": "number", "number": "mean", "move": "3-5", "iterations": 1}, 0.5, "3-5 has no mean yet"),
        ({"kind": "curve", "measure": "mean", "move": "3-5", "iterations": 1}, [[1, 1], [2, 1]], "there is no "),
    ],
)
def test_numbers_that_are_none_are_told_in_a_sentence(task: dict[str, Any], answer: Any, complaint: str) -> None:
    with pytest.raises(LessonError, match=complaint):
        right(task, answer)


def test_more_games_than_numbers_tell_apart_are_told_in_a_sentence() -> None:
    show = {**NIM, "position": "nim:127:max3"}
    made = lesson(steps=[{"text": "a", "show": show, "task": {"kind": "number", "number": "games"}}])
    with pytest.raises(LessonError, match="more games than can be counted"):
        judge(made.at(1), 5)


def test_a_judgement_that_is_stopped_ends_before_the_position_is_solved() -> None:
    stop = threading.Event()
    stop.set()
    made = lesson(steps=[{"text": "a", "show": {**NIM, "position": "mnk:3,3,3"}, "task": {"kind": "move"}}])
    with pytest.raises(StoppedError):
        judge(made.at(1), "b2", stop)


def test_options_are_right_when_the_condition_holds_for_so_many_seeds() -> None:
    task = {"kind": "option", "options": ["exploration"], "iterations": 500, "seeds": 10, "least": 10}
    assert not right(task, {"exploration": 0.7})
    proven = {"kind": "option", "options": ["prove"], "holds": "proven", "iterations": 500, "seeds": 5, "least": 5}
    show = {"position": "nim:3,4,5", "agents": [{"agent": "mcts", "options": {"prove": False}}]}
    made = lesson(steps=[{"text": "", "show": show, "task": proven}])
    assert judge(made.at(1), {"prove": True}).right
    assert not judge(made.at(1), {"prove": False}).right
    with pytest.raises(LessonError, match="values of prove"):
        judge(made.at(1), {"exploration": 1.0})


def test_an_agent_that_does_not_sample_is_judged_by_its_nodes() -> None:
    # Document 002 has 18,297 nodes for the same search, and so has nimdesk.
    agent = {"agent": "alphabeta", "options": {"depth": None, "ordering": "none"}}
    show = {"position": "mnk:3,3,3", "agents": [agent]}

    def verdict(nodes: int) -> Verdict:
        task = {"kind": "option", "options": ["ordering"], "holds": "proven", "iterations": nodes, "seeds": 1}
        return judge(lesson(steps=[{"text": "", "show": show, "task": task}]).at(1), {})

    assert [verdict(nodes).right for nodes in (18_000, 19_000)] == [False, True]
    assert verdict(18_000).said == "With these options it is not so."


def test_a_fault_is_found_by_its_switch_and_a_game_is_won_by_playing_it() -> None:
    show = {"agents": [{"agent": "variants", "options": {"backup": "root"}}], "position": "nim:1,2"}
    steps = [
        {"text": "", "show": show, "task": {"kind": "fault"}},
        {"text": "", "show": {"page": "play"}, "task": {"kind": "prove"}},
    ]
    made = lesson(steps=steps)
    assert [judge(made.at(1), name).right for name in ("backup", "growth")] == [True, False]
    assert judge(made.at(2), ["2-1", "1-1", "2-1"]).right
    assert not judge(made.at(2), ["2-2", "1-1"]).right
    with pytest.raises(LessonError, match="a game that is over"):
        judge(made.at(2), ["2-1"])


def test_answers_are_on_the_disk_after_each_step_and_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path))
    made = lesson({"kind": "move"}, {"kind": "text"})
    kept = AnswerFile(made)
    kept.keep(kept.answers.with_answer(StepAnswer(step=1, answer="1-2", right=True, attempts=2, seconds=3.5)))
    again = AnswerFile(made)
    assert again.answers == kept.answers == read_answers(kept.path)
    kept.path.write_bytes(b"{}")
    broken = AnswerFile(made)
    assert "cannot be opened" in broken.problem
    assert not broken.answers.answers
    assert len(list(kept.path.parent.iterdir())) == 1  # set aside, not lost


def test_answers_of_a_newer_nimdesk_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path))
    made = lesson({"kind": "text"})
    kept = AnswerFile(made)
    kept.keep(kept.answers.with_answer(StepAnswer(step=1, answer="Because.")))
    newer = kept.path.read_bytes().replace(b'"version": 1', b'"version": 2')
    kept.path.write_bytes(newer)
    found = AnswerFile(made)
    assert "made by a newer nimdesk" in found.problem
    assert "It stays as it is" in found.problem
    found.keep(found.answers.with_answer(StepAnswer(step=1, answer="Else.")))
    assert found.answers.of(1) is not None
    assert [each.read_bytes() for each in kept.path.parent.iterdir()] == [newer]


def test_a_text_is_for_a_person_to_judge() -> None:
    assert right({"kind": "text"}, "Because.") is None
    with pytest.raises(LessonError):
        right({"kind": "text"}, 5)
    with pytest.raises(DocumentFaultError):
        lesson_from(msgspec.json.encode({"format": "nimdesk-lesson", "version": 2}))


def test_the_command_lists_the_lessons_and_how_far_they_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path))
    kept = AnswerFile(shipped_lessons()[0])
    kept.keep(msgspec.structs.replace(kept.answers, at=4))
    AnswerFile(shipped_lessons()[1]).path.write_bytes(b"{}")
    assert cli.run(["lessons", "--json"], lambda *_, **__: 0, lambda *_: []) == 0
    said = capsys.readouterr()
    listed = json.loads(said.out)["lessons"]
    assert "it was kept as “" in said.err
    assert [each["number"] for each in listed] == list(range(1, len(listed) + 1))
    assert (listed[0]["done"], Path(listed[0]["file"]).exists()) == (3, True)
    assert find_lesson("1") == find_lesson("game-tree") == shipped_lessons()[0]
    with pytest.raises(LessonError, match="did you mean"):
        find_lesson("gametree")
