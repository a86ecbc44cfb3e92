"""Random positions of every game, small enough for the oracle, and random players with varied options."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from oracle import LOSS, WIN, Known, known

from nimdesk.agents import CATALOGUE, PUBLISHED, Agent, make_agent
from nimdesk.games import AnyPosition

Options = Mapping[str, object]


def _nim(chance: random.Random) -> str:
    while True:
        piles = [chance.randint(1, 9) for _ in range(chance.choice((1, 1, 2, 3, 3, 4)))]
        if len(piles) == 1:
            piles = [chance.randint(2, 24)]
        if sum(piles) <= 24:
            break
    most = f":max{chance.randint(1, 5)}" if chance.random() < 0.5 else ""
    return f"nim:{','.join(map(str, piles))}{most}{':misere' if chance.random() < 0.4 else ''}"


_RULES = ("{1,2}", "{1,3,4}", "{2,3}", "{1,2,3,5}", "0.77", "0.07", "0.137", "0.6", "0.007", "4.3", "4.07", "0.345")


def _take(chance: random.Random) -> str:
    parts = []
    for _ in range(chance.choice((1, 1, 2))):
        rule = chance.choice((*_RULES, "wythoff", _octal(chance)))
        count = 2 if rule == "wythoff" else chance.choice((1, 1, 2))
        parts.append((rule, [chance.randint(2, 9 if len(parts) == 0 else 5) for _ in range(count)]))
    text = "+".join(f"{rule}:{','.join(map(str, heaps))}" for rule, heaps in parts)
    return f"take:{text}{':misere' if chance.random() < 0.4 else ''}"


def _octal(chance: random.Random) -> str:
    """A code with one digit at least that no set of takes has, as its notation would be another one."""
    while True:
        digits = "".join(str(chance.randrange(8)) for _ in range(chance.randint(1, 3))).rstrip("0")
        code = f"{chance.choice('004')}.{digits or 0}"
        if set(code) - set(".03"):
            return code


def _mnk(chance: random.Random) -> str:
    m, n = chance.choice(((3, 3), (3, 3), (4, 3), (3, 4), (4, 4), (5, 4), (5, 5), (2, 5), (7, 1), (6, 3), (9, 9)))
    k = 5 if m == 9 else chance.randint(2 if m * n < 12 else 3, min(4, max(m, n)))
    return f"mnk:{m},{n},{k}"


def _gravity(chance: random.Random) -> str:
    m, n, k = chance.choice(((7, 6, 4), (7, 6, 4), (4, 4, 3), (4, 4, 4), (5, 4, 3), (5, 4, 4), (6, 5, 4), (3, 5, 3)))
    return f"mnk:{m},{n},{k}:gravity"


def _kayles(chance: random.Random) -> str:
    return f"kayles:{','.join(str(chance.randint(1, 6)) for _ in range(chance.choice((1, 2, 2, 3))))}"


KINDS: dict[str, Callable[[random.Random], str]] = {
    "nim": _nim,
    "mnk": _mnk,
    "gravity": _gravity,
    "take": _take,
    "kayles": _kayles,
}
"""The games, by the kinds that the tests go through one after the other."""
COMPILED = frozenset({"nim", "mnk", "gravity"})
"""Those whose rules are compiled."""


TELLING: tuple[Callable[[Known], bool], ...] = (
    lambda at: at.worth.value == LOSS and len(at.quickest) < len(at.moves),
    lambda at: at.worth.value == WIN and at.quickest < at.best,
    lambda at: bool(at.at_once) and at.at_once < at.best,
    lambda at: at.best < frozenset(at.moves),
    lambda at: True,
)
"""Positions about which something false can be said: their moves differ in distance, or in value."""
_TRIES = 25


def random_position(chance: random.Random, kind: str, number: int) -> str:
    """The notation of a position in which at least two moves are left, telling in the way that its number asks for.

    Boards are filled without an end, so that they are lost as often as they are won.
    """
    wanted, found = TELLING[number % len(TELLING)], list[Known]()
    while len(found) < _TRIES:
        here = known(KINDS[kind](chance))
        if kind in ("mnk", "gravity"):
            here = _filled(chance, here, chance.randint(3, 9 if kind == "mnk" else 11))
        else:
            for _ in range(chance.choice((0, 0, 1, 2))):
                here = here if len(here.steps) < 2 else here.after(chance.choice(sorted(here.steps)))
        if len(here.steps) > 1 and not here.over:
            found.append(here)
            if wanted(here):
                break
    return found[-1].text


def _filled(chance: random.Random, here: Known, empty: int) -> Known:
    """The board with marks at random until so many cells are empty, or the game ends and cannot be kept from it."""
    rules, board, moves = here.solved.rules, here.board, list[str]()
    while rules.ended(board) is None and len(rules.cells) - len(moves) > empty:  # type: ignore[attr-defined]
        steps = list(rules.steps(board))
        chance.shuffle(steps)
        step = next((each for each in steps if rules.ended(each.board) is None), steps[0])
        board = step.board
        moves.append(step.text)
    return known(" ".join([here.text, *moves]))


def _iterations(chance: random.Random, kernel: bool) -> int:
    """Few and many alike; a game without compiled rules is searched in Python."""
    return int(10 ** chance.uniform(0, 3.5 if kernel else 2.2))


def _mcts(chance: random.Random, kernel: bool) -> dict[str, object]:
    return {
        "iterations": _iterations(chance, kernel),
        "exploration": chance.choice((0.0, 0.3, 0.7, 1.4)),
        **{name: chance.random() < 0.7 for name in ("merge", "order")},
        "stop_at_proof": chance.random() < 0.5,
        "prove": chance.random() < 0.9,
    }


def _uct(chance: random.Random, kernel: bool) -> dict[str, object]:
    return {"iterations": _iterations(chance, kernel), "final": chance.choice(("visits", "mean", "secure"))}


def _variants(chance: random.Random, kernel: bool) -> dict[str, object]:
    return {**_uct(chance, kernel), "rewards": chance.choice(("one", "two")), "growth": chance.choice(("one", "all"))}


def _flat(chance: random.Random, kernel: bool) -> dict[str, object]:
    return {"playouts": chance.randint(1, 50 if kernel else 5)}


def _perfect(chance: random.Random, _kernel: bool) -> dict[str, object]:
    lost = chance.choice(("longest", "longest", "random", "first"))
    return {"when_won": chance.choice(("quickest", "quickest", "first")), "when_lost": lost}


def _alphabeta(chance: random.Random, _kernel: bool) -> dict[str, object]:
    return {"depth": chance.choice((1, 2, 3, 4, 6, None)), "ordering": chance.choice(("neighbours", "none"))}


def _deepening(chance: random.Random, kernel: bool) -> dict[str, object]:
    return {"nodes": int(10 ** chance.uniform(0.5, 5 if kernel else 3.2)), "depth": chance.choice((1, 3, None, None))}


_MORE_MCTS = 3
OPTIONS: dict[str, Callable[[random.Random, bool], dict[str, object]]] = {
    "mcts": _mcts,
    "uct": _uct,
    "variants": _variants,
    "flat": _flat,
    "flat-perfect": _flat,
    "perfect": _perfect,
    "alphabeta": _alphabeta,
    "deepening": _deepening,
    "minimax": lambda chance, kernel: {"max_nodes": 2_000_000 if kernel else 5_000},
}


def random_agents(chance: random.Random, position: AnyPosition, kernel: bool) -> list[Agent]:
    """Every agent of the catalogue and every published player that plays this position, with options by chance.

    The search that proves most by its options has them several times. Seeds are fixed.
    """
    names = [*CATALOGUE, *["mcts"] * _MORE_MCTS]
    agents = [make_agent(name, OPTIONS.get(name, _none)(chance, kernel)) for name in names]
    # Published flat searches have more playouts than all others together, and say nothing of worth.
    agents += [each.agent for each in PUBLISHED.values() if not each.agent.traits.per_move]
    plays = [each for each in agents if each.plays(position)]
    return [each.with_seed(chance.getrandbits(63)) if each.draws else each for each in plays]


def _none(_chance: random.Random, _kernel: bool) -> dict[str, Any]:
    return {}


def random_start(chance: random.Random, kind: str, _number: int) -> str:
    """The notation of a game that the oracle knows from its first move on."""
    if kind == "mnk":
        m, n = chance.choice(((3, 3), (3, 3), (4, 2), (2, 4), (9, 1), (3, 2)))
        return f"mnk:{m},{n},{chance.randint(2, 3)}"
    if kind == "gravity":
        m, n = chance.choice(((3, 3), (4, 3), (3, 4), (5, 2), (2, 5)))
        return f"mnk:{m},{n},3:gravity"
    while True:
        text = KINDS[kind](chance)
        if len(known(text).steps) > 1:
            return text


def random_players(chance: random.Random, position: AnyPosition, kernel: bool) -> tuple[Agent | None, Agent | None]:
    """Who plays a game that is looked at afterwards; None is a person who moves at random."""
    names = ["random", "uct", "mcts", "mcts", "level1", "level3", "level5", "level6", "perfect", "solver", "deepening"]
    agents: list[Agent | None] = [None]
    for name in names:
        options = OPTIONS.get(name, _none)(chance, kernel)
        agents.append(make_agent(name, options).with_seed(chance.getrandbits(63)))
    playing = [each for each in agents if each is None or each.plays(position)]
    return chance.choice(playing), chance.choice(playing)
