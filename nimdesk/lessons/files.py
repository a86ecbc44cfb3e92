"""Files of lessons: read and checked as a whole, written, and those that come with nimdesk."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from nimdesk.agents import Agent
from nimdesk.disk.documents import DocumentFaultError, check_header, check_size, clause, parsed, schema_of
from nimdesk.disk.paths import LESSONS, resources_dir
from nimdesk.errors import LessonError, NimdeskError, suggestion
from nimdesk.figures.measure import MEASURES, MoveMeasure
from nimdesk.lessons.model import (
    FORMAT,
    MOST_WORK,
    VERSION,
    ChoiceTask,
    CurveTask,
    FaultTask,
    Lesson,
    NumberTask,
    OptionTask,
    ProveTask,
    Shown,
    Task,
    WhichTask,
)
from nimdesk.play.record import read_document, write_document

LESSON_SUFFIX, ANSWERS_SUFFIX = LESSONS, ".nimdesk-answers"
_WHAT = "lesson"
_NEED_MOVE = ("visits", "mean", "bound")


def load_lesson(path: Path) -> Lesson:
    """The lesson in a file; ``LessonError`` with one sentence that says what is wrong, and in which step."""
    return read_document(path, lesson_from, FORMAT, _WHAT, LessonError)


def lesson_from(data: bytes) -> Lesson:
    """The lesson in these bytes, checked; ``DocumentFaultError`` where it is none."""
    check_header(data, FORMAT, VERSION, _WHAT)
    lesson = parsed(data, Lesson, {"steps": "step"})
    for number in range(1, len(lesson.steps) + 1):
        try:
            _check(lesson.at(number))
        except NimdeskError as error:
            raise DocumentFaultError(f"in step {number}: {clause(error)}") from None
    return lesson


def lesson_bytes(lesson: Lesson) -> bytes:
    """The lesson as its file has it."""
    # Its format and version are defaults, which are left out elsewhere.
    plain = {"format": FORMAT, "version": VERSION, **msgspec.to_builtins(lesson)}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def save_lesson(lesson: Lesson, path: Path) -> None:
    """Write the lesson, whole or not at all; ``LessonError`` where that cannot be done, or it could not be read."""
    data = lesson_bytes(lesson)
    try:
        check_size(data, FORMAT, _WHAT)
        lesson_from(data)
    except DocumentFaultError as fault:
        raise LessonError(f"The lesson cannot be saved to “{path}”: {fault}.") from None
    write_document(path, data, _WHAT, LessonError)


def digest_of(lesson: Lesson) -> str:
    """What tells this lesson from a changed one: answers name it."""
    return sha256(msgspec.json.encode(lesson, order="deterministic")).hexdigest()[:16]


def json_schema() -> dict[str, object]:
    """The JSON schema of a lesson, published as ``resources/lesson.schema.json``."""
    return schema_of(Lesson, "A lesson of nimdesk")


@lru_cache(maxsize=1)
def shipped_files() -> tuple[Path, ...]:
    """The files of the lessons that come with nimdesk, in their order."""
    return tuple(sorted((resources_dir() / "lessons").glob(f"*{LESSON_SUFFIX}")))


@lru_cache(maxsize=1)
def shipped_lessons() -> tuple[Lesson, ...]:
    """The lessons that come with nimdesk, in their order."""
    return tuple(load_lesson(path) for path in shipped_files())


def find_lesson(word: str) -> Lesson:
    """A lesson that comes with nimdesk, by its number or its name; ``LessonError`` if there is none."""
    names = [path.name.removesuffix(LESSON_SUFFIX) for path in shipped_files()]
    for name, lesson in zip(names, shipped_lessons(), strict=True):
        if word in (str(lesson.number), name, name.partition("-")[2]):
            return lesson
    raise LessonError(f"There is no lesson “{word}”; {suggestion(word, names)}")


# What types cannot say of a step


def _check(shown: Shown) -> None:
    show, position, task = shown.show, shown.position, shown.step.task
    agents = [part.make() for part in shown.agents]
    if show.page == "laboratory" and not agents:
        raise LessonError("It needs agents, of this step or of one before it.")
    if show.page == "play" and position.outcome is not None:
        raise LessonError("The game is over in its position.")
    for part, agent in zip(shown.agents, agents, strict=True):
        if not agent.plays(position):
            raise LessonError(f"The agent “{part.agent}” cannot play {position.text}.")
    if task is not None:
        _check_task(task, shown, agents)


def _check_task(task: Task, shown: Shown, agents: list[Agent]) -> None:
    if shown.position.outcome is not None:
        raise LessonError("It asks about a position in which the game is over.")
    if isinstance(task, ChoiceTask) and task.right > len(task.choices):
        raise LessonError(f"Its right answer is number {task.right}, of {len(task.choices)}.")
    asked = task.agent if isinstance(task, (NumberTask, CurveTask, OptionTask, FaultTask)) else 0
    if asked > len(agents) and not (isinstance(task, NumberTask) and task.number in COUNTED):
        raise LessonError(f"It asks about agent {asked}, of {len(agents)}.")
    if isinstance(task, (NumberTask, CurveTask)):
        wants = task.number in _NEED_MOVE if isinstance(task, NumberTask) else _of_moves(task)
        if wants != bool(task.move):
            raise LessonError("It needs a move." if wants else "It asks about a search, and names a move.")
        if task.move:
            shown.position.parse_move(task.move)
    if isinstance(task, WhichTask) and task.of == "agents" and len(agents) < 2:
        raise LessonError("It asks which of several agents, and there is one.")
    if isinstance(task, OptionTask):
        if task.least > task.seeds:
            raise LessonError(f"It wants {task.least} of {task.seeds} seeds.")
        for name in task.options:
            _check_option(name, agents[task.agent - 1])
    if isinstance(task, CurveTask) and task.option:
        part = shown.agents[task.agent - 1]
        _check_option(task.option, agents[task.agent - 1])
        if task.low >= task.high:
            raise LessonError(f"Its curve goes from {task.low:g} to {task.high:g}; the second must be larger.")
        for value in option_values(task):
            part.make({task.option: value})
    if isinstance(task, FaultTask):
        faulty = agents[task.agent - 1]
        if len(faulty.character) != 1 or faulty.traits.memory in faulty.character:
            raise LessonError(f"Agent {task.agent} must differ from the default in one switch, which is the fault.")
    if isinstance(task, ProveTask) and shown.show.page != "play":
        raise LessonError("It asks for a game, whose “page” is “play”.")
    if work_of(task, len(agents)) > MOST_WORK:
        raise LessonError(f"It takes more than {MOST_WORK:,} simulations to judge; ask for fewer iterations or seeds.")


COUNTED = ("moves", "games", "positions")
"""The numbers that no search tells."""
CURVE_VALUES = 13
"""At so many values of an option is a curve over it worked out."""


def option_values(task: CurveTask) -> list[float]:
    """The values of its option over which a curve is worked out."""
    values: list[float] = np.linspace(task.low, task.high, CURVE_VALUES).tolist()
    return values


def work_of(task: Task, agents: int) -> int:
    """How many simulations it takes to judge an answer, at most."""
    if isinstance(task, WhichTask):
        return task.iterations * task.seeds * (agents if task.of == "agents" else 1)
    if isinstance(task, CurveTask):
        return task.iterations * task.seeds * (CURVE_VALUES if task.option else 1)
    if isinstance(task, NumberTask):
        return task.iterations * (task.seeds if task.number == "right" else 1)
    if isinstance(task, OptionTask):
        return task.iterations * task.seeds
    return 0


def _of_moves(task: CurveTask) -> bool:
    return isinstance(MEASURES[task.measure], MoveMeasure)


def _check_option(name: str, agent: Agent) -> None:
    set_by_task = {*agent.traits.limits, agent.traits.seed}
    names = [field.name for field in agent.info.fields if field.name not in set_by_task]
    if name not in names:
        raise LessonError(f"The agent “{agent.name}” has no option “{name}” to ask about; {suggestion(name, names)}")
