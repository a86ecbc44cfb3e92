"""Document 002: nodes of alpha-beta (Table 1), MCTS against itself (Table 2) and against alpha-beta (Table 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.published.figures import BuiltIn, Figure, Quantity, measured, setting
from nimdesk.experiments.searches import SearchPart
from nimdesk.experiments.statistics import wilson

_SOURCE = "Document 002, W. Alam, M. Pacey and J. Nguyen, “MNK Game” (2022)"
_PLAIN, _ORDERED = "Without ordering", "With ordering"
# Columns of Table 1: size, k, nodes without and with the heuristic ordering, and these as a part of those.
_NODES = (
    (3, 2, 165, 26, 0.1575),
    (3, 3, 18_297, 536, 0.0293),
    (4, 2, 813, 47, 0.0578),
    (4, 3, 1_024_394, 4_242, 0.0041),
)
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
    for size, k, plain, ordered, _ in _NODES:
        board = _board(size, size, k)
        figures.append(Figure((_PLAIN, board), "nodes", f"{plain:,}", plain, plain))
        note = _IMPOSSIBLE_26 if ordered == 26 else ""
        figures.append(Figure((_ORDERED, board), "nodes", f"{ordered:,}", ordered, ordered, note=note))
    for size, k, _, _, part in _NODES:
        where, printed = (_ORDERED, _board(size, size, k)), f"{100 * part:.4g} %"
        figures.append(Figure(where, "part of the nodes", printed, part, part, against=_PLAIN))
    for name in (_PLAIN, _ORDERED):
        figures.append(
            Figure((name, _board(4, 4, 4)), "nodes", "too long to run", note="Ours stops at 20 million nodes.")
        )
    return tuple(figures)


def _exact_counts(run: Found) -> str:
    """Which counts of the search without ordering come out, and which do not."""
    figures = [each for each in _node_figures() if each.where[0] == _PLAIN and each.low is not None]
    ours = [(figure, measured(figure, run).value) for figure in figures]
    same = [figure.printed for figure, value in ours if value == figure.low]
    others = [f"{value:,.0f} for {figure.printed}" for figure, value in ours if value not in (None, figure.low)]
    if not same:
        return ""
    words = f"{' and '.join(same)} come out exactly, so the search without ordering is the one described."
    return f"{words} The same search has {' and '.join(others)}." if others else words


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
        _exact_counts,
        "The column with ordering was not found by any of the variants in tests/benchmarks/bench_document_002.py.",
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


def _few_iterations(run: Found) -> str:
    """What MCTS with 5 iterations wins against 500 as the first player."""
    found = [setting((_FEW, _MANY, board), run) for board in _BOARDS_2]
    played = [each for each in found if each is not None and each.games]
    if not played:
        return ""
    wins = ", ".join(f"{each.wins[0] / each.games:.1%} of {each.games:,} on {each.setting.position}" for each in played)
    return f"As the first player against 500 iterations, where 45 % is printed, 5 iterations won {wins}.".replace(
        "% of", " % of"
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
    findings=(_few_iterations,),
    pies="Figure 4: MCTS against MCTS, as pies",
    readings="Document 002, Table 2: MCTS against MCTS",
)


class _Row(NamedTuple):
    """A row of Table 3: the board, the players, percentages, and the seconds a move of both."""

    m: int
    n: int
    k: int
    first: str
    second: str
    first_wins: int
    second_wins: int
    ties: int
    first_s: float
    second_s: float

    @property
    def where(self) -> tuple[str, ...]:
        """The players and the position."""
        return self.first, self.second, _board(self.m, self.n, self.k)


_MCTS, _AB, _AB_4 = "MCTS", "AB", "AB*"
_TABLE_3 = (
    _Row(3, 3, 3, _MCTS, _AB, 82, 18, 0, 0.1628, 0.0040),
    _Row(3, 4, 3, _MCTS, _AB, 59, 41, 0, 0.2322, 0.0070),
    _Row(4, 4, 3, _MCTS, _AB, 40, 60, 0, 0.3505, 0.0170),
    _Row(4, 4, 4, _MCTS, _AB, 41, 1, 57, 0.3259, 0.0937),
    _Row(5, 4, 3, _MCTS, _AB, 37, 63, 0, 0.4638, 0.0416),
    _Row(5, 4, 4, _MCTS, _AB, 64, 14, 22, 0.4141, 0.2056),
    _Row(5, 5, 3, _MCTS, _AB, 34, 66, 0, 0.6599, 0.1032),
    _Row(5, 5, 4, _MCTS, _AB, 53, 40, 7, 0.5668, 0.5050),
    _Row(5, 5, 5, _MCTS, _AB, 13, 0, 87, 0.5383, 0.4691),
    _Row(6, 6, 3, _MCTS, _AB, 28, 72, 0, 2.4313, 1.4468),
    _Row(6, 6, 4, _MCTS, _AB, 28, 71, 0, 2.2983, 1.5313),
    _Row(6, 6, 5, _MCTS, _AB_4, 30, 28, 42, 1.9314, 1.1721),
    _Row(7, 7, 3, _MCTS, _AB, 23, 77, 0, 1.9761, 4.1244),
    _Row(3, 3, 3, _AB, _MCTS, 30, 70, 0, 0.0079, 0.1490),
    _Row(3, 4, 3, _AB, _MCTS, 76, 24, 0, 0.0219, 0.2156),
    _Row(4, 4, 3, _AB, _MCTS, 79, 21, 0, 0.0577, 0.3195),
    _Row(4, 4, 4, _AB, _MCTS, 4, 63, 33, 0.1116, 0.2880),
    _Row(5, 4, 3, _AB, _MCTS, 88, 12, 0, 0.1386, 0.4506),
    _Row(5, 4, 4, _AB, _MCTS, 10, 80, 10, 0.2309, 0.3748),
    _Row(5, 5, 3, _AB, _MCTS, 82, 18, 0, 0.2928, 0.6045),
    _Row(5, 5, 4, _AB, _MCTS, 23, 74, 3, 0.5017, 0.5219),
    _Row(5, 5, 5, _AB, _MCTS, 0, 23, 77, 0.5125, 0.5356),
    _Row(6, 6, 3, _AB, _MCTS, 90, 10, 0, 7.0012, 2.2287),
    _Row(6, 6, 4, _AB, _MCTS, 47, 52, 1, 1.4993, 1.9524),
    _Row(6, 6, 5, _AB_4, _MCTS, 9, 55, 36, 1.2548, 1.7440),
    _Row(7, 7, 3, _AB, _MCTS, 94, 6, 0, 38.4386, 1.5269),
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
    tic_tac_toe = (row.m, row.n, row.k) == (3, 3, 3)
    mcts_wins = "first wins" if row.first == _MCTS else "second wins"
    return tuple(
        Figure(
            row.where,
            quantity,
            f"{percent} %",
            percent / 100,
            percent / 100,
            note=_NEVER_LOSES if tic_tac_toe and quantity == mcts_wins else "",
        )
        for quantity, percent in _quantities(row.first_wins, row.ties, row.second_wins)
    )


def _decisive(row: _Row, run: Found) -> tuple[int, int, int] | None:
    """Games that MCTS won, that alpha-beta won, and all; None before the first."""
    found = setting(row.where, run)
    if found is None or not found.games:
        return None
    mcts = 0 if row.first == _MCTS else 1
    return found.wins[mcts], found.wins[1 - mcts], found.games


def _on_larger_boards(run: Found) -> str:
    """Whether alpha-beta beats MCTS on boards larger than 5 x 5, MCTS moving first."""
    told: dict[str, list[str]] = {"holds": [], "does not hold": [], "cannot be told": []}
    for row in _TABLE_3:
        if row.first != _MCTS or row.m <= 5 or (counts := _decisive(row, run)) is None:
            continue
        mcts, alphabeta, _ = counts
        low, high = wilson(alphabeta, mcts + alphabeta)
        verdict = "holds" if low > 0.5 else "does not hold" if high < 0.5 else "cannot be told"
        told[verdict].append(f"{row.m},{row.n},{row.k} ({alphabeta} : {mcts})")
    parts = [f"it {verdict} on {' and '.join(boards)}" for verdict, boards in told.items() if boards]
    if not parts:
        return ""
    return (
        "“However for boards larger than 5x5, AB was able to outperform MCTS even when MCTS had the advantage of "
        f"playing first”: {', '.join(parts)} (games won by alpha-beta : by MCTS)."
    )


def _ties_with_five(run: Found) -> str:
    """Whether k = 5 leads mostly to ties."""
    found = [(row, setting(row.where, run)) for row in _TABLE_3 if row.k == 5]
    shares = [f"{each.draws / each.games:.0%}".replace("%", " %") for _, each in found if each and each.games]
    return f"“Higher k values (5 or more) led to mostly tie games”: here {', '.join(shares)}." if shares else ""


def _at_tic_tac_toe(run: Found) -> str:
    """Who wins at tic-tac-toe."""
    counts = [_decisive(row, run) for row in _TABLE_3 if (row.m, row.n, row.k) == (3, 3, 3)]
    games = [each for each in counts if each is not None]
    if not games:
        return ""
    mcts, alphabeta, played = (sum(each[place] for each in games) for place in range(3))
    return (
        "“For a smaller boards (3x3), MCTS was able to outperform AB”: here, in both orders together, MCTS won "
        f"{mcts:,} of {played:,} games, and alpha-beta {alphabeta:,}."
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
        _ties_with_five,
        _on_larger_boards,
        _at_tic_tac_toe,
    ),
    times={row.where: (row.first_s, row.second_s) for row in _TABLE_3},
    groups=(("Figure 5", _MCTS, (3, 4)), ("Figure 6", _AB, (3, 4))),
    readings="Document 002, Table 3: MCTS against alpha-beta",
)
