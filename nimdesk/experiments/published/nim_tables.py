"""The tables about Nim: documents 000 (piles and budgets), 003 (tournaments) and 004 (win fractions)."""

from __future__ import annotations

from functools import cache

from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.published.figures import BuiltIn, Figure, Quantity
from nimdesk.experiments.searches import SearchesTally, SearchPart, SearchTally, right_rate

# Document 000: five set-ups of piles, pairs of simulation budgets, roles swapped.

_PILE_GAMES = 1_000
_PILES = ("nim:1,2", "nim:1,3,5,7", "nim:2,2,2,2", "nim:3,4,5", "nim:5,5,5")
_BUDGETS = (100, 500, 5_000)
_AGAINST = "The document itself has P0 win 100 % here, so that the range cannot be right for this set-up."


def _name(budget: int) -> str:
    return f"MCTS {budget}" if budget else "Random"


def _piles_plan() -> Plan:
    players = {_name(budget): PlayerPart(agent="uct-000", options={"iterations": budget}) for budget in _BUDGETS}
    players[_name(0)] = PlayerPart(agent="random")
    pairs = [(500, 100, True), (500, 0, True), (500, 500, False), (500, 5_000, True)]
    return new_plan(
        "000-piles",
        players,
        title="Document 000: piles and budgets",
        matches=[
            MatchPart(players=[_name(first), _name(second)], positions=list(_PILES), games=_PILE_GAMES, swap=swap)
            for first, second, swap in pairs
        ],
    )


def _first_wins(piles: str, first: int, second: int, printed: str, low: float, high: float, note: str = "") -> Figure:
    quantity: Quantity = "first wins"
    return Figure((_name(first), _name(second), piles), quantity, printed, low, high, _PILE_GAMES, note=note)


def _larger_budgets(run: Found) -> str:
    """How often each budget gave a won position away against another one."""
    rates = {}
    for each in run[MatchTally].pairings:
        rates[each.pairing.players] = tuple(each.side(player).blunder_rate for player in (0, 1))
    few, many = rates.get((_name(500), _name(100))), rates.get((_name(500), _name(5_000)))
    if few is None or many is None or None in (*few, many[1]):
        return ""
    words = (
        f"In games between the two, 500 simulations gave a won position away in {few[0]:.1%} of the decisions and 100 "
        f"simulations in {few[1]:.1%}; 5,000, in games against 500, in {many[1]:.1%}."
    ).replace("%", " %")
    if few[0] <= few[1]:  # type: ignore[operator]
        return words
    return (
        f"{words} So a larger budget does not always play better here. A likely reason: playouts that play perfectly "
        "give each position its true value, but the mean over the opponent's replies, tried one by one, is not that "
        "of the best reply before the search has often gone back to it."
    )


PILES = BuiltIn(
    name="000-piles",
    title="Nim with piles: simulation budgets against each other",
    about="Five set-ups of piles; MCTS with 500 simulations a move against 100, 500 and 5,000 and against a random "
    "player, 1,000 games in each order. Who moves first is P0.",
    source="Document 000, “Monte Carlo Tree Search for Nim: Implementation and Analysis”, sections Testing Methodology "
    "and Observations by Heap Configuration.",
    minutes=1.5,
    make_plan=_piles_plan,
    figures=(
        _first_wins("nim:1,2", 500, 100, "100 %", 1.0, 1.0),
        _first_wins("nim:1,2", 500, 500, "100 %", 1.0, 1.0),
        _first_wins("nim:1,2", 500, 5_000, "100 %, even against stronger opponents", 1.0, 1.0),
        _first_wins("nim:1,3,5,7", 500, 100, "~45–50 %", 0.45, 0.50),
        _first_wins("nim:1,3,5,7", 500, 5_000, "~26–30 %", 0.26, 0.30),
        _first_wins("nim:2,2,2,2", 500, 100, "< 12 %", 0.0, 0.12),
        _first_wins("nim:2,2,2,2", 500, 500, "0 %", 0.0, 0.0),
        _first_wins("nim:3,4,5", 500, 100, "~78–81 %", 0.78, 0.81),
        _first_wins("nim:3,4,5", 500, 500, "~74–99 %", 0.74, 0.99),
        _first_wins("nim:5,5,5", 500, 100, "similar to 3-4-5 (~78–81 %)", 0.78, 0.81),
        _first_wins("nim:5,5,5", 500, 500, "similar to 3-4-5 (~74–99 %)", 0.74, 0.99),
        *(
            _first_wins(
                piles, 500, 0, "60–90 %, depending on position", 0.6, 0.9, _AGAINST if piles == "nim:1,2" else ""
            )
            for piles in _PILES
        ),
    ),
    choices=(
        "Which untried move is expanded is not said; here it is a random one. The tree is begun anew for each move.",
        "MCTS (0) is said to move at random: here it is the random player.",
        "The budgets 500/0 and 0/500 are one pairing in both orders; 500/500 is played once, since both are the same.",
    ),
    findings=(
        _larger_budgets,
        "“P0 win % collapses toward 0 in [1, 3, 5, 7]” and “~45–50 %” cannot both be said of the same games.",
        "“The unique move that brings the nim-sum to 0” is not unique: from 1-1-1 there are three.",
    ),
    game_times="The document logged the “runtime per game” and exported it as CSV; it prints none of these times.",
    readings="Document 000, piles and budgets",
)

# Document 003: tournaments of six players of the misère game of 21.

_RUN_GAMES = 500
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


def _tournaments_plan() -> Plan:
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
            MatchPart(players=[first, second], positions=[position], games=_RUN_GAMES, swap=False)
            for first, second, position, _won, _lost in _RUNS
        ],
    )


def _run_figure(first: str, second: str, position: str, won: int, lost: int) -> Figure:
    games = won + lost
    certain = position == _21 and second in (_PERFECT, _VALUE)
    note = _THEORY if certain else ""
    share = won / games
    where = first, second, position
    return Figure(where, "first wins", f"{won} of {games}", share, share, games, forced=certain, note=note)


TOURNAMENTS = BuiltIn(
    name="003-tournaments",
    title="Six players of the misère game of 21",
    about="Random, perfect, Monte Carlo with and without a perfect opponent, MCTS and the value table: all pairs and "
    "orders that the document ran, one pile of 21, take 1–3, who takes the last one loses. 500 games each, where the "
    "document has 4 to 100.",
    source="Document 003, “Solving the game of Nim using Monte Carlo / Monte Carlo Tree Search”, cells In [8] to "
    "In [182].",
    minutes=0.5,
    make_plan=_tournaments_plan,
    figures=tuple(_run_figure(*run) for run in _RUNS),
    choices=(
        "Random against Value was run twice with 10 games; both are counted as one run of 20.",
        "The single games of In [6], In [7] and In [239] are not tournaments, and are left out.",
    ),
    readings="Document 003, tournaments",
)

# Document 004: win fractions of random games after each first move of the game of 21, and where they mislead.

_PLAYER = "Flat Monte Carlo"
_LARGEST_TAKE = 3
_REPEATS = 500
_TRIALS = 10_000
_SIZES = range(1, 22)


def _position(sticks: int) -> str:
    return f"nim:{sticks}:max{_LARGEST_TAKE}"


@cache
def win_fraction(left: int) -> float:
    """The chance that the next player loses with ``left`` sticks, when both take 1 to 3 at random.

    As in the document's program, a number above what is left takes all of it. This is the exact value of the fraction
    that the program estimates for a move that leaves ``left``.
    """
    if left <= 0:
        return 1.0
    return sum(1.0 - win_fraction(left - take) for take in range(1, _LARGEST_TAKE + 1)) / _LARGEST_TAKE


def _reliability_plan() -> Plan:
    return new_plan(
        "004-reliability",
        {_PLAYER: PlayerPart(agent="flat-004")},
        title="Document 004: win fractions and reliability",
        searches=[SearchPart(players=[_PLAYER], positions=[_position(size) for size in _SIZES], repeats=_REPEATS)],
    )


def _fraction(size: int, take: int) -> Figure:
    """The share of random games won after this move, which the document prints where the move takes all."""
    exact = win_fraction(size - take)
    where, move = (_PLAYER, _position(size)), f"1-{take}"
    if take == size:
        return Figure(where, "mean value", "100 %", exact, exact, move=move, forced=True)
    return Figure(where, "mean value", f"{exact:.4f}", exact, exact, games=_TRIALS, move=move)


_FRACTIONS = tuple(_fraction(size, take) for size in _SIZES for take in range(1, min(size, _LARGEST_TAKE) + 1))


def _worse_than_guessing(run: Found) -> str:
    """Where the search is right less often than one of the legal moves drawn at random."""
    rates = {size: right_rate(search) for size in _SIZES if (search := _search_of(size, run)) is not None}
    worse = {size: rate for size, (rate, _, high) in rates.items() if high is not None and high < 1 / _LARGEST_TAKE}
    if not worse:
        return ""
    told = ", ".join(f"{size} ({rate:.1%})" for size, rate in worse.items()).replace("%", " %")
    words = (
        f"With these numbers of sticks one of the three moves, drawn at random, is right more often (33.3 %): {told}."
    )
    if {14, 15} <= worse.keys() and 13 not in worse:
        words += " So it is not “at that point”, 12 to 15, that the optimal answer becomes more frequent, but at 13."
    return words


def _search_of(size: int, run: Found) -> SearchTally | None:
    return next((each for each in run[SearchesTally].settings if each.setting.position == _position(size)), None)


def _chosen(size: int, take: int, printed: str, note: str) -> Figure:
    return Figure((_PLAYER, _position(size)), "chosen", printed, 1.0, 1.0, move=f"1-{take}", note=note)


def _reliable(size: int, printed: str, low: float, high: float) -> Figure:
    return Figure((_PLAYER, _position(size)), "right choices", printed, low, high)


RELIABILITY = BuiltIn(
    name="004-reliability",
    title="The game of 21: how far can random games be trusted?",
    about="For 1 to 21 sticks, 500 times 10,000 random games after each first move: the share of games won, which "
    "move has the best one, and how often that is the right one.",
    source="Document 004, “Nim (Monte Carlo)”, sections Implementation and Observations from the Monte Carlo "
    "algorithm.",
    minutes=0.15,
    make_plan=_reliability_plan,
    figures=(
        _chosen(4, 1, "chooses to remove 1", "By theory every move loses from 4."),
        _chosen(5, 1, "removes 1", "The only move that wins."),
        *(_reliable(size, "reliably optimal below 10", 0.99, 1.0) for size in (6, 7, 9)),
        _reliable(10, "reliably optimal", 0.99, 1.0),
        *(_reliable(size, "optimal “more frequently” from here on down", 1 / 3, 1.0) for size in (13, 14, 15)),
        *(_reliable(size, "“a poor job”", 0.0, 0.5) for size in (17, 18, 19, 21)),
        *(figure for figure in _FRACTIONS if figure.forced),
    ),
    exact=tuple(figure for figure in _FRACTIONS if not figure.forced),
    choices=(
        "A random move draws 1 to 3 whatever is left, as in the document's program; the move that is evaluated is a "
        "legal one here, where the program also tries to take more than there is.",
        "A multiple of four is lost whatever is played, so that nothing can be right or wrong there.",
        "The document says in words how often it was right. “Reliably” is read as 99 % or more, “more frequently” as "
        "more often than one of three moves drawn at random, “a poor job” as at most every second time.",
    ),
    findings=(_worse_than_guessing,),
)
