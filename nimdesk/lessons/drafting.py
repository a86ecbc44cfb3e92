"""Lessons that are made here: of a game's review, with what was missed as questions; and written by a person."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from nimdesk.agents import Agent
from nimdesk.disk.atomic import set_aside
from nimdesk.disk.documents import DocumentFaultError
from nimdesk.disk.paths import make_private
from nimdesk.errors import LessonError
from nimdesk.games.base import describe_turn
from nimdesk.lessons.files import lesson_bytes, lesson_from
from nimdesk.lessons.model import FORMAT, VERSION, AgentPart, ChoiceTask, Lesson, MoveTask, Show, Step, Task
from nimdesk.play.game import GameInProgress
from nimdesk.play.move_review import Mark, MoveReview
from nimdesk.play.record import write_document
from nimdesk.play.review import findings

_MOST_QUESTIONS = 30
_SEARCHES = "mcts"
"""Who searches beside the questions, where a person wants to see why."""


def part_of(agent: Agent, seed: int = 1) -> AgentPart:
    """The agent as a step of a lesson names it: the step says how far it searches, the machine with how much memory."""
    options = {name: value for name, value in agent.character.items() if name != agent.traits.memory}
    return AgentPart(agent=agent.name, options=options, seed=seed)


def lesson_of_review(game: GameInProgress, moves: Sequence[MoveReview]) -> Lesson:
    """The review of a game as a lesson: what was missed is asked, position by position.

    A move is judged by the truth where all is proven; elsewhere a person chooses between what was played and what the
    search found better.
    """
    last = game.last_position
    told = "\n\n".join(findings(last, moves))
    start = Show(position=last.text, agents=[AgentPart(agent=_SEARCHES)])
    first = Step(title="The game", text=f"{describe_turn(last)}.\n\n{told}", show=start)
    missed = sorted((each for each in moves if each.mark is not Mark.NONE and each.best), key=lambda each: each.ply)
    steps = [_step(game, each) for each in missed[:_MOST_QUESTIONS]]
    return Lesson(
        title=f"{game.game.title}: what was missed",
        about="Which moves gave something away in this game, and what was better?",
        minutes=max(1, 2 * len(steps)),
        steps=[first, *steps],
    )


def _step(game: GameInProgress, move: MoveReview) -> Step:
    side = game.game.side_name(move.side)
    return Step(
        title=f"Move {move.ply}, {side}",
        text=f"{side} played {move.move.text} here, and gave something away. What was better?",
        show=Show(position=game.position_at(move.ply - 1).text, truth="after"),
        task=_task(move),
        right=move.sentence,
    )


def _task(move: MoveReview) -> Task:
    if move.exact and move.complete:
        return MoveTask()
    choices = sorted([move.move.text, move.best[0].text])
    return ChoiceTask(choices=choices, right=choices.index(move.best[0].text) + 1)


# A lesson that a person writes


class Draft:
    """A lesson being written, as plain JSON: it need not be right yet. It is on the disk after each change.

    Several windows may write the same one. ``problem`` says in one sentence why a file was set aside, or "".
    """

    def __init__(self, path: Path) -> None:
        self.path, self.problem = path, ""
        self.plain = new_plain()
        self._kept: bytes | None = None
        """What was on the disk when this window read or wrote it last."""
        self.refresh()

    def refresh(self) -> bool:
        """Take what another window has written since; whether there was anything."""
        try:
            found = self._on_disk()
            if found is None or found == self._kept:
                return False
            self.plain, self._kept = parsed_draft(found), found
            return True
        except (OSError, DocumentFaultError) as error:
            self.problem = f"The lesson that was being written cannot be read: {error}."
            with suppress(OSError):
                self.problem += f" It was kept as “{set_aside(self.path).name}”."
            return False

    def _on_disk(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    def keep(self) -> str:
        """Keep it on the disk; ``LessonError`` where that cannot be done.

        What another window has written meanwhile is set aside, and the sentence says where it is; else "".
        """
        data, told = msgspec.json.encode(self.plain), ""
        if data == self._kept:
            return told
        with suppress(OSError, ValueError):  # the writing says what is wrong
            make_private(self.path.parent)
            if self._on_disk() not in (None, self._kept):
                aside = set_aside(self.path, "other").name
                told = f"Another window has changed this lesson, too; what it wrote is “{aside}” in the data folder."
        write_document(self.path, data, "lesson", LessonError, follow=False)
        self._kept = data
        return told

    @property
    def steps(self) -> list[dict[str, Any]]:
        """Its steps; change them in place."""
        steps: list[dict[str, Any]] = self.plain["steps"]
        return steps

    def take(self, lesson: Lesson) -> None:
        """Go on with this lesson."""
        self.plain = msgspec.json.decode(lesson_bytes(lesson))

    def checked(self) -> tuple[Lesson | None, str]:
        """The lesson, or what is wrong with it yet, as a sentence."""
        try:
            return lesson_from(msgspec.json.encode(self.plain)), ""
        except DocumentFaultError as fault:
            words = str(fault)
            return None, f"{words[:1].upper()}{words[1:]}."


def new_plain() -> dict[str, Any]:
    """A lesson without steps."""
    return {"format": FORMAT, "version": VERSION, "title": "My lesson", "about": "", "minutes": 10, "steps": []}


def parsed_draft(data: bytes) -> dict[str, Any]:
    """A draft that was kept; ``DocumentFaultError`` for anything else."""
    try:
        found = msgspec.json.decode(data)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested too deeply
        found = None
    steps = found.get("steps") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(steps, list) or not all(map(_is_step, steps)):
        raise DocumentFaultError("it is no lesson")
    return found


def _is_step(step: Any) -> bool:
    """Whether each value is of a kind that the editor can show; what it says may be wrong yet."""
    if not isinstance(step, dict):
        return False
    agents = step.get("show", {}).get("agents", []) if isinstance(step.get("show", {}), dict) else None
    parts = all(isinstance(value, dict if name in ("show", "task") else str) for name, value in step.items())
    return parts and isinstance(agents, list) and all(isinstance(each, dict) for each in agents)
