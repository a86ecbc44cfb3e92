"""Document 002: nodes of alpha-beta (Table 1), MCTS against itself (Table 2) and against alpha-beta (Table 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nimdesk.experiments.plan import MatchPart, Plan, PlayerPart, SearchPart, new_plan
from nimdesk.experiments.published.figures import BuiltIn, Figure, Quantity

_SOURCE = "Document 002, W. Alam, M. Pacey and J. Nguyen, “MNK Game” (2022)"
_PLAIN, _ORDERED = "Without ordering", "With ordering"
# Columns of Table 1: size, k, nodes without and with the heuristic ordering.
_NODES = ((3, 2, 165, 26), (3, 3, 18_297, 536), (4, 2, 813, 47), (4, 3, 1_024_394, 4_242))
_IMPOSSIBLE_26 = (
    "No search with a full window at the root can have it: after a first move that wins, each of the other eight needs "
    "three nodes to be refuted, and 18 + 8 × 3 = 42."
)


def _board(m: int, n: int, k: int) -> str:
    return f"mnk:{m},{n},{k}"


def _nodes_plan() -> Plan:
    players = {
        _PLAIN: PlayerPart(agent="alphabeta-002-plain"),
        _ORDERED: PlayerPart(agent="alphabeta-002", options={"depth": None}),
    }
    both = [_PLAIN, _ORDERED]
    return new_plan(
        "002-table-1",
        players,
        title="Document 002, Table 1: nodes of alpha-beta",
        truth_nodes=0,
        searches=[
            SearchPart(players=both, positions=[_board(size, size, k) for size, k, *_ in _NODES], repeats=1),
            SearchPart(players=both, positions=[_board(4, 4, 4)], repeats=1, node_limit=20_000_000),
        ],
    )


def _node_figures() -> tuple[Figure, ...]:
    figures = []
    for size, k, plain, ordered in _NODES:
        board = _board(size, size, k)
        figures.append(Figure((_PLAIN, board), "nodes", f"{plain:,}", plain, plain))
        note = _IMPOSSIBLE_26 if ordered == 26 else ""
        figures.append(Figure((_ORDERED, board), "nodes", f"{ordered:,}", ordered, ordered, note=note))
    for name in (_PLAIN, _ORDERED):
        figures.append(
            Figure((name, _board(4, 4, 4)), "nodes", "too long to run", note="Ours stops at 20 million nodes.")
        )
    return tuple(figures)


TABLE_1 = BuiltIn(
    name="002-table-1",
    title="Alpha-beta: nodes with and without move ordering",
    about="Alpha-beta to the end of the game on square boards, cells row by row and cells with most occupied "
    "neighbours first.",
    source=f"{_SOURCE}, Table 1.",
    minutes=0.1,
    make_plan=_nodes_plan,
    figures=_node_figures(),
    choices=("Every node is counted, the root and the leaves too; a node is left at a value ≥ β or ≤ α.",),
    findings=(
        "165 and 18,297 come out exactly, so the search without ordering is the one described. The same search has 814 "
        "nodes where 813 is printed, and 947,128 for 1,024,394.",
        "The column with ordering does not come out of the search described: tests/benchmarks/bench_document_002.py "
        "lists the variants that were tried in vain.",
    ),
)

_MANY, _FEW = "MCTS 500", "MCTS 5"
_BOARDS_2 = (_board(3, 3, 3), _board(4, 4, 3), _board(5, 5, 4))
# Table 2: wins of player 1 and of player 2 in percent, and who they are.
_TABLE_2 = ((_MANY, _MANY, 60, 40), (_FEW, _MANY, 45, 55), (_MANY, _FEW, 85, 15))


def _quantities(first: int, draws: int | None, second: int) -> Iterator[tuple[Quantity, int]]:
    yield "first wins", first
    if draws is not None:
        yield "draws", draws
    yield "second wins", second


def _mcts_plan() -> Plan:
    players = {
        _MANY: PlayerPart(agent="uct-002"),
        _FEW: PlayerPart(agent="uct-002", options={"iterations": 5}),
    }
    return new_plan(
        "002-table-2",
        players,
        title="Document 002, Table 2: MCTS against itself",
        matches=[
            MatchPart(players=[_MANY, _MANY], positions=list(_BOARDS_2), games=1_000, swap=False),
            MatchPart(players=[_FEW, _MANY], positions=list(_BOARDS_2), games=1_000),
        ],
    )


TABLE_2 = BuiltIn(
    name="002-table-2",
    title="MCTS against MCTS: 500 and 5 iterations",
    about="How much the number of iterations matters: 500 against 500, 5 against 500 and 500 against 5, 1,000 games "
    "each.",
    source=f"{_SOURCE}, Table 2.",
    minutes=0.5,
    make_plan=_mcts_plan,
    figures=tuple(
        Figure((first, second, board), quantity, f"{percent} %", percent / 100, percent / 100)
        for board in _BOARDS_2
        for first, second, first_percent, second_percent in _TABLE_2
        for quantity, percent in _quantities(first_percent, None, second_percent)
    ),
    choices=(
        "The table names neither the board nor the number of games, and has no ties; here three boards are played, and "
        "each is compared with the same figures.",
        "The exploration constant is not said; here it is √2.",
    ),
    findings=(
        "On none of the three boards does MCTS with 5 iterations come near 45 % against 500: 0.1 %, 12.9 % and 7.5 % "
        "were measured in 1,000 games each.",
    ),
)


class _Row(NamedTuple):
    """A row of Table 3: the board, the first player, and percentages."""

    m: int
    n: int
    k: int
    first: str
    second: str
    first_wins: int
    second_wins: int
    ties: int


_MCTS, _AB, _AB_4 = "MCTS", "AB", "AB*"
_TABLE_3 = (
    _Row(3, 3, 3, _MCTS, _AB, 82, 18, 0),
    _Row(3, 4, 3, _MCTS, _AB, 59, 41, 0),
    _Row(4, 4, 3, _MCTS, _AB, 40, 60, 0),
    _Row(4, 4, 4, _MCTS, _AB, 41, 1, 57),
    _Row(5, 4, 3, _MCTS, _AB, 37, 63, 0),
    _Row(5, 4, 4, _MCTS, _AB, 64, 14, 22),
    _Row(5, 5, 3, _MCTS, _AB, 34, 66, 0),
    _Row(5, 5, 4, _MCTS, _AB, 53, 40, 7),
    _Row(5, 5, 5, _MCTS, _AB, 13, 0, 87),
    _Row(6, 6, 3, _MCTS, _AB, 28, 72, 0),
    _Row(6, 6, 4, _MCTS, _AB, 28, 71, 0),
    _Row(6, 6, 5, _MCTS, _AB_4, 30, 28, 42),
    _Row(7, 7, 3, _MCTS, _AB, 23, 77, 0),
    _Row(3, 3, 3, _AB, _MCTS, 30, 70, 0),
    _Row(3, 4, 3, _AB, _MCTS, 76, 24, 0),
    _Row(4, 4, 3, _AB, _MCTS, 79, 21, 0),
    _Row(4, 4, 4, _AB, _MCTS, 4, 63, 33),
    _Row(5, 4, 3, _AB, _MCTS, 88, 12, 0),
    _Row(5, 4, 4, _AB, _MCTS, 10, 80, 10),
    _Row(5, 5, 3, _AB, _MCTS, 82, 18, 0),
    _Row(5, 5, 4, _AB, _MCTS, 23, 74, 3),
    _Row(5, 5, 5, _AB, _MCTS, 0, 23, 77),
    _Row(6, 6, 3, _AB, _MCTS, 90, 10, 0),
    _Row(6, 6, 4, _AB, _MCTS, 47, 52, 1),
    _Row(6, 6, 5, _AB_4, _MCTS, 9, 55, 36),
    _Row(7, 7, 3, _AB, _MCTS, 94, 6, 0),
)
_NEVER_LOSES = (
    "Cannot be right for the search described: playing out every line against it shows that alpha-beta six moves deep "
    "never loses at tic-tac-toe."
)


def _matches_plan() -> Plan:
    players = {
        _MCTS: PlayerPart(agent="uct-002"),
        _AB: PlayerPart(agent="alphabeta-002"),
        _AB_4: PlayerPart(agent="alphabeta-002-depth-4"),
    }
    matches = [
        MatchPart(players=[row.first, row.second], positions=[_board(row.m, row.n, row.k)], games=100, swap=False)
        for row in _TABLE_3
    ]
    return new_plan("002-table-3", players, title="Document 002, Table 3: AB against MCTS", matches=matches)


def _match_figures(row: _Row) -> tuple[Figure, ...]:
    where = (row.first, row.second, _board(row.m, row.n, row.k))
    tic_tac_toe = (row.m, row.n, row.k) == (3, 3, 3)
    mcts_wins = "first wins" if row.first == _MCTS else "second wins"
    return tuple(
        Figure(
            where,
            quantity,
            f"{percent} %",
            percent / 100,
            percent / 100,
            note=_NEVER_LOSES if tic_tac_toe and quantity == mcts_wins else "",
        )
        for quantity, percent in _quantities(row.first_wins, row.ties, row.second_wins)
    )


TABLE_3 = BuiltIn(
    name="002-table-3",
    title="MCTS against alpha-beta on thirteen boards",
    about="MCTS with 500 iterations against alpha-beta six moves deep (AB*: four), boards from 3 × 3 to 7 × 7, in both "
    "orders, 100 games a row.",
    source=f"{_SOURCE}, Table 3.",
    minutes=1,
    make_plan=_matches_plan,
    figures=tuple(figure for row in _TABLE_3 for figure in _match_figures(row)),
    choices=(
        "What a position at the depth limit is worth is not said; here it counts as a draw.",
        "The number of games a row is not said; its percentages are taken as they are, and 100 games are played here.",
        "m × n is read as m columns and n rows; the boards that are not square are the same the other way round.",
        "Alpha-beta leaves nothing to chance, so each position is searched once, and the time it took then is counted "
        "each time the position comes up.",
    ),
    findings=(
        "Both rows of tic-tac-toe are printed without a single tie, and with MCTS winning most games; the alpha-beta "
        "described never loses there, whatever its opponent plays. The published program must have searched otherwise.",
        "Of the document's conclusions, mostly ties with k = 5 holds here, and so does that alpha-beta beats MCTS on "
        "boards larger than 5 × 5 even when MCTS moves first, but for 6 × 6 with k = 3; that MCTS outperforms "
        "alpha-beta at tic-tac-toe does not hold: all games with MCTS first are ties.",
    ),
)
