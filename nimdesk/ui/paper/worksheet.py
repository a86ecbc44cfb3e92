"""A lesson on paper: a worksheet with room for the answers, or the key with the right ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPen, QPolygonF

from nimdesk.figures.measure import MEASURES, Unit
from nimdesk.games.base import describe_turn
from nimdesk.lessons import Lesson
from nimdesk.lessons.computing import axes_of
from nimdesk.lessons.judging import LETTERS, Key, switches_of
from nimdesk.lessons.model import (
    AgentPart,
    ChoiceTask,
    CurveTask,
    FaultTask,
    MoveTask,
    NumberTask,
    OptionTask,
    ProveTask,
    Shown,
    TextTask,
    WhichTask,
)
from nimdesk.ui.look.theme import PRINTED
from nimdesk.ui.paper.document import Box, fits, heading, pdf, rules, stacked, words
from nimdesk.ui.paper.report import LEFT, RIGHT, board_beside

_AXES, _EDGE = 210.0, 46.0


def worksheet_file(lesson: Lesson, keys: Sequence[Key] = ()) -> bytes:
    """The worksheet of a lesson as PDF; with the ``keys`` of its steps, the answer key."""
    kind = "answer key" if keys else "worksheet"
    return pdf(f"{lesson.title}: {kind}", lambda: _boxes(lesson, keys))


def _boxes(lesson: Lesson, keys: Sequence[Key]) -> list[Box]:
    boxes = [words(lesson.title, size=24, bold=True), words(lesson.about, markdown=True)]
    if not keys:
        boxes.append(words("Name:  ____________________________      Date:  ______________"))
    for number in range(1, len(lesson.steps) + 1):
        boxes += step_boxes(lesson, number, keys[number - 1] if keys else None)
    return boxes


def step_boxes(lesson: Lesson, number: int, key: Key | None) -> list[Box]:
    """A step with room for the answer, or with its key, in which one that asks nothing has no place."""
    shown = lesson.at(number)
    if key is not None and shown.step.task is None:
        return []
    title = heading(f"{number}. {shown.step.title}".removesuffix(" "))
    text = words(shown.step.text, markdown=True)
    before = lesson.at(number - 1) if number > 1 else None
    wide, narrow = _room(shown, key)
    if before is None or before.agents != shown.agents:
        narrow = [*_agents(shown), *narrow]
    # A board that was there is drawn again where it is the question.
    on_board = isinstance(shown.step.task, (MoveTask, ProveTask))
    if before is None or before.position != shown.position or on_board:
        turn = words(f"{describe_turn(shown.position)}.", RIGHT, bold=True)
        below = [board_beside(shown.position, (), [turn, *narrow]), *wide]
    else:
        below = [*narrow, *wide]
    parts = [title, text, *below]
    return [stacked(parts)] if fits(parts) else [stacked([title, text]), *below]


def _agents(shown: Shown) -> list[Box]:
    """Who searches, by letter; one in disguise shows nothing but its kind."""
    lines = [f"{letter}: {_agent(part)}" for letter, part in zip(LETTERS, shown.agents, strict=False)]
    return [words("\n".join(lines), RIGHT, size=11.5)] if lines and shown.show.page == "laboratory" else []


def _agent(part: AgentPart) -> str:
    agent = part.make()
    options = () if part.disguised else agent.words(agent.character)
    return ", ".join([agent.info.title, *options, f"seed {part.seed}"])


def _room(shown: Shown, key: Key | None) -> tuple[list[Box], list[Box]]:
    """The room for the answer, or the right one: what takes the whole width, and what stands beside the board."""
    task = shown.step.task
    wide, narrow = [], []
    match task:
        case ChoiceTask():
            narrow.append(words("\n".join(f"☐  {each}" for each in task.choices), RIGHT))
        case WhichTask(of="agents"):
            letters = LETTERS[: len(shown.agents)]
            narrow.append(words("     ".join(f"☐  {letter}" for letter in letters), RIGHT))
        case OptionTask():
            fields = shown.agents[task.agent - 1].make().info.fields
            titles = [field.title for field in fields if field.name in task.options]
            narrow.append(words("\n".join(f"{title}:  ____________" for title in titles), RIGHT))
        case FaultTask():
            titles = [title for _, title in switches_of(shown, task.agent)]
            narrow.append(words("\n".join(f"☐  {title}" for title in titles), RIGHT))
        case CurveTask():
            wide.append(_axes(task, shown, key))
        case TextTask() if key is None:
            wide.append(rules(task.lines))
        case ProveTask() if key is None:
            narrow.append(_written("The moves:", 3))
        case MoveTask() | WhichTask() if key is None:
            narrow.append(_written("The move:", 1))
        case NumberTask() if key is None:
            narrow.append(_written("The number:", 1))
        case _:
            pass
    if key is not None:
        said = [words(f"Answer: {key.words}", RIGHT, bold=True)] if key.words else []
        narrow += [*said, words(shown.step.right, RIGHT, markdown=True)]
    return wide, narrow


def _written(about: str, lines: int) -> Box:
    return stacked([words(about, RIGHT), rules(lines, RIGHT)])


def _axes(task: CurveTask, shown: Shown, key: Key | None) -> Box:
    """Axes to draw on, or with the curve that was measured."""
    unit = MEASURES[task.measure].unit
    (low, high), top = axes_of(task, shown)
    place = QRectF(_EDGE, 8, LEFT + RIGHT - _EDGE - 60, _AXES - 50)

    def across(x: float) -> float:
        part = (x - low) / (high - low) if task.option else math.log(max(x, 1.0)) / math.log(high)
        return place.left() + place.width() * part

    def paint(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(QGuiApplication.font())
        font.setPixelSize(11)
        painter.setFont(font)
        ticks = [low + (high - low) * step / 4 for step in range(5)] if task.option else _decades(high)
        for part in range(5):
            y = place.bottom() - place.height() * part / 4
            painter.setPen(QPen(PRINTED.color("grid"), 0.8))
            painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))
            painter.setPen(PRINTED.color("text"))
            share = unit is Unit.SHARE
            painter.drawText(
                QRectF(0, y - 10, _EDGE - 6, 20),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                f"{part / 4:.0%}" if share else f"{top * part / 4:,.4g}",
            )
        for tick in ticks:
            x = across(tick)
            painter.setPen(QPen(PRINTED.color("grid"), 0.8))
            painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()))
            painter.setPen(PRINTED.color("text"))
            painter.drawText(QRectF(x - 40, place.bottom() + 3, 80, 16), Qt.AlignmentFlag.AlignCenter, f"{tick:,.6g}")
        painter.setPen(QPen(PRINTED.color("text"), 1.0))
        painter.drawRect(place)
        name = task.option or "simulations"
        about = QRectF(place.left(), place.bottom() + 19, place.width(), 18)
        painter.drawText(about, Qt.AlignmentFlag.AlignCenter, f"{MEASURES[task.measure].words}, over {name}")
        if key is not None and key.curve:
            painter.setPen(QPen(PRINTED.color("accent"), 2.0))
            heights = [(across(x), place.bottom() - place.height() * min(max(y / top, 0.0), 1.0)) for x, y in key.curve]
            painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in heights]))

    return Box(_AXES, paint)


def _decades(high: float) -> list[float]:
    """1, 10, 100, ... up to ``high``, and that."""
    found = [10.0**power for power in range(int(math.log10(max(high, 1.0))) + 1)]
    return found if high < 1.5 * found[-1] else [*found, high]
