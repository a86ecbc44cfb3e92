"""How an answer is judged: by the truth of the position, and by searches that are made for it."""

from __future__ import annotations

import threading
from typing import Any

import msgspec
import numpy as np

from nimdesk.agents import make_agent
from nimdesk.errors import LessonError, NimdeskError, OptionError
from nimdesk.figures.measure import MEASURES
from nimdesk.games import Move
from nimdesk.games.base import describe_move
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import kept_sentence, result_words
from nimdesk.lessons.computing import (
    curve_of,
    each_seed,
    is_optimal,
    mean_measure,
    number_of,
    regret_of,
    searched,
    truth_of,
)
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
    is_prediction,
)

LETTERS = "ABCD"
Points = tuple[tuple[float, float], ...]
Stop = threading.Event | None


class Verdict(msgspec.Struct, frozen=True):
    """Whether an answer is right, None where only a person can tell; and what is so of it, as a sentence.

    Of a prediction it tells what came; elsewhere a person may try again, so it does not tell the right answer.
    ``curve`` is what was to be drawn.
    """

    right: bool | None
    said: str
    curve: Points = ()


class Key(msgspec.Struct, frozen=True):
    """The right answer in words; of a curve, also its points."""

    words: str
    curve: Points = ()


def judge(shown: Shown, answer: Any, stop: Stop = None) -> Verdict:
    """The verdict on an answer to the question of a step.

    An answer is plain JSON: the text of a move, of a choice the number, of "which" a letter or a move, a number, the
    points of a curve, options with their values, the name of the wrong switch, the moves of a game, or a text.
    ``LessonError`` for one that is none to this question. The same answer gives the same verdict on every machine.
    Loads kernels: not on the UI thread. ``StoppedError`` once ``stop`` is set.
    """
    match shown.step.task:
        case MoveTask() as task:
            return _move(task, shown, _legal(answer, shown), stop)
        case ChoiceTask() as task:
            return Verdict(_whole(answer, len(task.choices)) == task.right, "")
        case WhichTask() as task:
            return _which(task, shown, answer, stop)
        case NumberTask() as task:
            return _number(task, shown, _real(answer), stop)
        case CurveTask() as task:
            return _curve(task, shown, answer, stop)
        case OptionTask() as task:
            return _option(task, shown, answer, stop)
        case FaultTask() as task:
            return Verdict(answer == _fault(task, shown)[0], "")
        case ProveTask():
            return _prove(shown, answer, stop)
        case TextTask():
            if not isinstance(answer, str):
                raise _no_answer("a text")
            return Verdict(None, "")
    raise LessonError("This step asks nothing.")


def key_of(shown: Shown, stop: Stop = None) -> Key:
    """The right answer to the question of a step, worked out as ``judge`` does; "" for a step that asks nothing."""
    match shown.step.task:
        case MoveTask() as task:
            return Key(" or ".join(move.text for move in _right_moves(task, shown, stop)) or "no move")
        case ChoiceTask() as task:
            return Key(task.choices[task.right - 1])
        case WhichTask() as task:
            return Key(" or ".join(_leaders(task, shown, stop)[0]))
        case NumberTask() as task:
            return Key(_told(number_of(task, shown, stop)) + _tolerance(task))
        case CurveTask() as task:
            curve = _points(*curve_of(task, shown, stop))
            return Key(f"from {curve[0][1]:.2f} to {curve[-1][1]:.2f}", curve)
        case OptionTask() as task:
            return Key(_wanted(task))
        case FaultTask() as task:
            return Key(_fault(task, shown)[1])
        case ProveTask():
            truth = truth_of(shown, stop)
            return Key(f"a game that {result_words(truth.value, truth.distance)}")
        case TextTask() as task:
            return Key(task.answer)
    return Key("")


# The kinds of questions


def _move(task: MoveTask, shown: Shown, move: Move, stop: Stop) -> Verdict:
    right, truth = move in _right_moves(task, shown, stop), truth_of(shown, stop)
    known = truth.of(move)
    worth = f"{move.text} {result_words(known.value, known.distance)}."
    return Verdict(right, kept_sentence(truth, known) if right and task.judged == "kept" else worth)


def _right_moves(task: MoveTask, shown: Shown, stop: Stop) -> tuple[Move, ...]:
    truth = truth_of(shown, stop)
    if task.judged == "kept":
        return truth.best_moves
    if task.judged == "distance":
        return truth.quickest_moves
    return tuple(each.move for each in truth.moves if each.value is Value(task.value))


def _which(task: WhichTask, shown: Shown, answer: Any, stop: Stop) -> Verdict:
    named = [LETTERS[place] for place in range(len(shown.agents))]
    if task.of == "moves":
        named = [move.text for move in shown.position.legal_moves]
    if answer not in named:
        raise _no_answer(f"one of {', '.join(named)}")
    leaders, said = _leaders(task, shown, stop)
    return Verdict(answer in leaders, said)


def _leaders(task: WhichTask, shown: Shown, stop: Stop) -> tuple[list[str], str]:
    """Which come out ahead, and by what numbers, as a sentence."""
    if task.of == "moves":
        snapshot = searched(shown.agents[0], shown, task.iterations, stop)
        best = snapshot.best_move
        text = "" if best is None else best.text
        return [text], f"After {task.iterations:,} simulations it would {'' if best is None else describe_move(best)}."
    values = [mean_measure(task.measure, each, shown, task.iterations, task.seeds, stop) for each in shown.agents]
    best_value = max(values) if task.wanted == "most" else min(values)
    letters = [LETTERS[place] for place, value in enumerate(values) if np.isclose(value, best_value)]
    told = ", ".join(f"{LETTERS[place]} has {value:.2f}" for place, value in enumerate(values))
    measure = MEASURES[task.measure].words
    return letters, f"The {measure} after {task.iterations:,} simulations, on average: {told}."


def _number(task: NumberTask, shown: Shown, answer: float, stop: Stop) -> Verdict:
    number = number_of(task, shown, stop)
    low, high = number / task.factor - task.within, number * task.factor + task.within
    # A number that a person has rounded is not wrong by the last bit of the machine's.
    right = bool(low <= answer <= high or np.isclose(answer, number))
    if right or is_prediction(task):
        return Verdict(right, f"It is {_told(number)}; you said {_told(answer)}.")
    return Verdict(right, f"It is {'more' if number > answer else 'less'} than {_told(answer)}.")


def _curve(task: CurveTask, shown: Shown, answer: Any, stop: Stop) -> Verdict:
    try:
        drawn = np.array(sorted(answer), np.float64)
        if drawn.ndim != 2 or drawn.shape[1] != 2 or len(drawn) < 2 or not np.isfinite(drawn).all():
            raise ValueError
    except (TypeError, ValueError, OverflowError):  # a whole number may be larger than any float
        raise _no_answer("two or more points, each with two numbers") from None
    at, values = curve_of(task, shown, stop)
    x, places = (drawn[:, 0], at) if task.option else (np.log(np.maximum(drawn[:, 0], 1)), np.log(at))
    off = float(np.nanmean(np.abs(np.interp(places, x, drawn[:, 1]) - values)))
    said = f"Your curve is {off:.2f} away from what was measured, on average; up to {task.within:g} counts as right."
    return Verdict(off <= task.within, said, _points(at, values))


def _option(task: OptionTask, shown: Shown, answer: Any, stop: Stop) -> Verdict:
    part = shown.agents[task.agent - 1]
    if not isinstance(answer, dict) or not set(answer) <= set(task.options):
        raise _no_answer(f"values of {', '.join(task.options)}")
    try:
        part.make(answer)
    except OptionError as error:
        raise LessonError(str(error)) from None
    changed = AgentPart(agent=part.agent, options={**part.options, **answer}, seed=part.seed)
    searches = each_seed(changed, shown, task.iterations, task.seeds, stop)
    if task.holds == "regret":
        regret = regret_of(searches, truth_of(shown, stop))
        return Verdict(regret <= task.below, f"The mean regret is {regret:.2f}; wanted is at most {task.below:g}.")
    if task.holds == "proven":
        count = sum(each.proven is not None for each in searches)
    else:
        truth = truth_of(shown, stop)
        count = sum(is_optimal(each.best_move, truth) for each in searches)
    said = f"With {count} of {task.seeds} seeds it is so; wanted are {task.least}."
    if task.seeds == 1:
        said = "With these options it is so." if count else "With these options it is not so."
    return Verdict(count >= task.least, said)


def _wanted(task: OptionTask) -> str:
    what = {"optimal": "plays an optimal move", "proven": "has proven the position", "regret": "gives little away"}
    held = (
        f"at most {task.below:g} on average" if task.holds == "regret" else f"with {task.least} of {task.seeds} seeds"
    )
    return f"{', '.join(task.options)} so that it {what[task.holds]} after {task.iterations:,} simulations, {held}"


def _fault(task: FaultTask, shown: Shown) -> tuple[str, str]:
    """The name of the only option that is not at its default, and its title."""
    agent = shown.agents[task.agent - 1].make()
    name = next(iter(agent.character))
    return name, next(field.title for field in agent.info.fields if field.name == name)


def switches_of(shown: Shown, number: int) -> list[tuple[str, str]]:
    """The options of an agent of the step that may be the fault, by name and title."""
    agent = make_agent(shown.agents[number - 1].agent)
    left_out = {*agent.traits.limits, agent.traits.seed, agent.traits.memory}
    return [(field.name, field.title) for field in agent.info.fields if field.name not in left_out]


def _prove(shown: Shown, answer: Any, stop: Stop) -> Verdict:
    start = position = shown.position
    if not isinstance(answer, list) or not all(isinstance(text, str) for text in answer):
        raise _no_answer("a list of moves")
    try:
        for text in answer:
            position = position.play(position.parse_move(text))
    except NimdeskError as error:
        raise LessonError(str(error)) from None
    if position.outcome is None:
        raise _no_answer("a game that is over")
    wanted = truth_of(shown, stop).value
    reached = position.outcome.score(start.turn)
    return Verdict(wanted.score is not None and reached >= wanted.score, _ended(reached, wanted))


def _ended(reached: float, wanted: Value) -> str:
    side = {1.0: "won", 0.5: "drew", 0.0: "lost"}[reached]
    return f"You {side}; the position is proven to be a {wanted.value}."


# Answers as they come from a file


def _no_answer(wanted: str) -> LessonError:
    return LessonError(f"That is no answer to this question, which is {wanted}.")


def _legal(answer: Any, shown: Shown) -> Move:
    if not isinstance(answer, str):
        raise _no_answer("a move")
    try:
        return shown.position.parse_move(answer)
    except NimdeskError as error:
        raise LessonError(str(error)) from None


def _whole(answer: Any, most: int) -> int:
    if not isinstance(answer, int) or isinstance(answer, bool) or not 1 <= answer <= most:
        raise _no_answer(f"a whole number from 1 to {most}")
    return answer


def _real(answer: Any) -> float:
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        raise _no_answer("a number")
    try:
        return float(answer)
    except OverflowError:
        raise _no_answer("a number") from None


def _told(number: float) -> str:
    return f"{number:,.0f}" if number == round(number) else f"{number:,.4g}"


def _tolerance(task: NumberTask) -> str:
    parts = [f"within a factor of {task.factor:g}"] * (task.factor > 1) + [f"within {task.within:g}"] * (
        task.within > 0
    )
    return f" (right {' and '.join(parts)})" if parts else ""


def _points(x: Any, y: Any) -> Points:
    return tuple((float(a), float(b)) for a, b in zip(x, y, strict=True) if np.isfinite(b))
