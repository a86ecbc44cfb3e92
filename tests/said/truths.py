"""What solvers and theory say: the truth of a position, of every move, as JSON, printed, and in sentences."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterable
from contextlib import redirect_stdout

from judge import Judge
from oracle import Known, known
from sentences import About, judge_text

from nimdesk.agents import make_agent
from nimdesk.cli.analyse import analyse, solve, truth_json
from nimdesk.games import AnyPosition, parse_position, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import kept_sentence, thrown_sentence, truth_sentence
from nimdesk.limit import Limit

_SOLVED = re.compile(r"(\S+) +(win|draw|loss|unknown) +(\d+|–) *")
_ANALYSED = re.compile(r"(\S+) +.*?\b(win|draw|loss)(?: in (\d+))?(?: .*)?")
_LONGEST = 90
"""The notation of a longer position is printed in two lines."""


def proven(position: AnyPosition, nodes: int | None = None) -> Truth:
    """What the solver finds, or what it has found after so many positions."""
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit(nodes=nodes))
    return solver.truth()


def judge_truths(text: str, chance: random.Random, judge: Judge) -> None:
    """What is known at some moments of a proof and at its end, and what is printed of it."""
    position, at = parse_position(text), known(text)
    for nodes in (chance.randint(1, 40), None):
        judge.where = f"solver, {nodes or 'all'} nodes"
        truth = proven(position, nodes)
        judge_truth(judge, at, truth)
        judge_moves(judge, at, truth)
    judge.check("truth: complete", truth.complete, "", at)
    if len(text) <= _LONGEST:
        judge_printed(judge, at, position)


def about_truth(truth: Truth, move: str = "") -> About:
    """What whoever has this truth can know."""
    return About(move, truth.complete, truth.distance is not None)


def judge_truth(judge: Judge, at: Known, truth: Truth) -> None:
    """The truth as JSON, and its two sentences."""
    told = json.loads(json.dumps(truth_json(truth)))
    judge.value("truth: position", at, known_value(told["value"]), told["distance"])
    for each in told["moves"]:
        judge.value("truth: move", at, known_value(each["value"]), each["distance"], of=each["move"])
    judge_text(judge, at, truth_sentence(truth), about_truth(truth))
    judge_text(judge, at, truth.explanation, about_truth(truth))
    best, quickest = ({move.text for move in moves} for moves in (truth.best_moves, truth.quickest_moves))
    judge.check("truth: best moves", best == at.best if truth.complete else best <= at.best, best, at)
    judge.check("truth: quickest moves", quickest <= at.quickest, quickest, at)
    if truth.complete and truth.distance is not None:
        judge.check("truth: all quickest moves", quickest == at.quickest, quickest, at)
    for one, other in truth.pairs:
        judge_pair(judge, at, one.text, other.text)


def judge_pair(judge: Judge, at: Known, one: str, other: str) -> None:
    """Two cells of which the other side takes one when the side to move takes the other: then that does not win."""
    for played, answer in ((one, other), (other, one)):
        after = at.after(played)
        judge.check("truth: pair", not after.over and after.moves[answer].value != "loss", f"{played} {answer}", at)


def known_value(value: str) -> str | None:
    """The value, or None where it is unknown."""
    return None if value == Value.UNKNOWN.value else value


def judge_moves(judge: Judge, at: Known, truth: Truth) -> None:
    """What is said of each move as if it had been played."""
    for each in truth.moves:
        about = about_truth(truth, each.move.text)
        judge_text(judge, at, kept_sentence(truth, each), about)
        if Value.UNKNOWN not in (truth.value, each.value) and each.value is not truth.value:
            judge_text(judge, at, thrown_sentence(truth, each), about)


def judge_printed(judge: Judge, at: Known, position: AnyPosition) -> None:
    """What ``nimdesk solve`` and ``nimdesk analyse`` print."""
    judge.where = "solve, printed"
    lines = printed(lambda: solve(position, 60.0, as_json=False))
    head = next(number for number, line in enumerate(lines) if line.startswith("Move "))
    rows, rest = _rows(_SOLVED, lines[head + 1 :])
    judge.check("printed: turn", lines[0] == f"{at.text}: {at.side} to move", lines[0], at)
    has_distances = all(plies is not None for _, value, plies in rows if value != "draw")
    judge_text(judge, at, " ".join(line.strip() for line in lines[1:head]), About(exact=has_distances))
    _judge_rows(judge, at, rows)
    judge.check("printed: all moves", {move for move, _, _ in rows} == set(at.moves), rows, at)
    words = " ".join(line.strip() for line in rest)
    explanation, found, value = words.rpartition("value: ")
    judge.check("printed: value", bool(found), words, at)
    judge_text(judge, at, explanation.strip(), About(exact=has_distances))
    shown = re.match(r"(win|draw|loss)(?: in (\d+))? ·", value)
    judge.value("printed: value", at, *(shown.groups() if shown and not shown[2] else (shown[1], int(shown[2]))))  # type: ignore[index]
    judge.where = "analyse mcts, printed"
    agent = make_agent("mcts", {"iterations": 60, "seed": 5})
    lines = printed(lambda: analyse(position, agent, as_json=False, csv=None))
    _judge_rows(judge, at, _rows(_ANALYSED, lines[2:])[0])


def printed(act: object) -> list[str]:
    """The lines that it prints."""
    assert callable(act)
    out = io.StringIO()
    with redirect_stdout(out):
        act()
    return out.getvalue().splitlines()


Row = tuple[str, str, int | None]


def _rows(row: re.Pattern[str], lines: Iterable[str]) -> tuple[list[Row], list[str]]:
    """The rows of moves with what is proven of them, and all other lines."""
    rows, rest = list[Row](), list[str]()
    for line in lines:
        found = row.fullmatch(line)
        if found is None:
            rest.append(line)
        else:
            rows.append((found[1], found[2], int(found[3]) if (found[3] or "–") != "–" else None))
    return rows, rest


def _judge_rows(judge: Judge, at: Known, rows: list[Row]) -> None:
    for move, value, plies in rows:
        judge.value("printed: move", at, known_value(value), plies if value != "draw" else None, of=move)
