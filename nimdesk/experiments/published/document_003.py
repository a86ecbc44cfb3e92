"""Document 003: tournaments of six players of the misère game of 21."""

from __future__ import annotations

from nimdesk.experiments.plan import MatchPart, Plan, PlayerPart, new_plan
from nimdesk.experiments.published.figures import BuiltIn, Figure

_GAMES = 500
_21, _22 = "nim:21:max3:misere", "nim:22:max3:misere"
_RANDOM, _PERFECT, _FLAT, _FLAT_PERFECT, _MCTS, _VALUE = (
    "Random",
    "Perfect",
    "Monte Carlo",
    "Monte Carlo, perfect opponent",
    "MCTS",
    "Value",
)
# First player, second player, position, games that the first and the second player won, in the order of the document.
_RUNS = (
    (_RANDOM, _RANDOM, _21, 47, 53),
    (_RANDOM, _PERFECT, _21, 0, 100),
    (_PERFECT, _RANDOM, _21, 99, 1),
    (_PERFECT, _PERFECT, _21, 0, 100),
    (_PERFECT, _PERFECT, _22, 100, 0),
    (_FLAT, _FLAT, _21, 3, 1),
    (_RANDOM, _FLAT, _21, 1, 9),
    (_FLAT, _RANDOM, _21, 9, 1),
    (_PERFECT, _FLAT, _21, 10, 0),
    (_FLAT, _PERFECT, _21, 0, 10),
    (_RANDOM, _FLAT_PERFECT, _21, 0, 10),
    (_FLAT_PERFECT, _RANDOM, _21, 10, 0),
    (_PERFECT, _FLAT_PERFECT, _21, 0, 10),
    (_FLAT_PERFECT, _PERFECT, _21, 0, 10),
    (_RANDOM, _MCTS, _21, 0, 10),
    (_MCTS, _RANDOM, _21, 10, 0),
    (_MCTS, _MCTS, _21, 5, 5),
    (_PERFECT, _MCTS, _21, 9, 1),
    (_MCTS, _PERFECT, _21, 0, 10),
    (_FLAT, _MCTS, _21, 0, 10),
    (_MCTS, _FLAT, _21, 10, 0),
    (_FLAT_PERFECT, _MCTS, _21, 9, 1),
    (_MCTS, _FLAT_PERFECT, _21, 0, 10),
    (_RANDOM, _VALUE, _21, 0, 20),
    (_PERFECT, _VALUE, _21, 0, 10),
    (_VALUE, _PERFECT, _21, 0, 10),
)
_THEORY = "21 is lost for who moves first, so that against a perfect second player there is no other result."


def _plan() -> Plan:
    players = {
        _RANDOM: PlayerPart(agent="random"),
        _PERFECT: PlayerPart(agent="perfect-003"),
        _FLAT: PlayerPart(agent="flat-003"),
        _FLAT_PERFECT: PlayerPart(agent="flat-perfect-003"),
        _MCTS: PlayerPart(agent="uct-003"),
        _VALUE: PlayerPart(agent="value-table-003"),
    }
    return new_plan(
        "003-tournaments",
        players,
        title="Document 003: tournaments",
        matches=[
            MatchPart(players=[first, second], positions=[position], games=_GAMES, swap=False)
            for first, second, position, _won, _lost in _RUNS
        ],
    )


def _figure(first: str, second: str, position: str, won: int, lost: int) -> Figure:
    games = won + lost
    certain = position == _21 and second in (_PERFECT, _VALUE)
    note = _THEORY if certain else ""
    return Figure(
        (first, second, position), "first wins", f"{won} of {games}", won / games, won / games, games, note=note
    )


TOURNAMENTS = BuiltIn(
    name="003-tournaments",
    title="Six players of the misère game of 21",
    about="Random, perfect, Monte Carlo with and without a perfect opponent, MCTS and the value table: all pairs and "
    "orders that the document ran, one pile of 21, take 1–3, who takes the last one loses. 500 games each, where the "
    "document has 4 to 100.",
    source="Document 003, “Solving the game of Nim using Monte Carlo / Monte Carlo Tree Search”, cells In [8] to "
    "In [182].",
    minutes=0.5,
    make_plan=_plan,
    figures=tuple(_figure(*run) for run in _RUNS),
    choices=(
        "Random against Value was run twice with 10 games; both are counted as one run of 20.",
        "The single games of In [6], In [7] and In [239] are not tournaments, and are left out.",
    ),
)
