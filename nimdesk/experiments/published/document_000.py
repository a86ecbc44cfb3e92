"""Document 000: five set-ups of piles, pairs of simulation budgets, roles swapped."""

from __future__ import annotations

from nimdesk.experiments.plan import MatchPart, Plan, PlayerPart, new_plan
from nimdesk.experiments.published.figures import BuiltIn, Figure, Quantity

_GAMES = 1_000
_PILES = ("nim:1,2", "nim:1,3,5,7", "nim:2,2,2,2", "nim:3,4,5", "nim:5,5,5")
_BUDGETS = (100, 500, 5_000)


_AGAINST = "The document itself has P0 win 100 % here, so that the range cannot be right for this set-up."


def _name(budget: int) -> str:
    return f"MCTS {budget}" if budget else "Random"


def _plan() -> Plan:
    players = {_name(budget): PlayerPart(agent="uct-000", options={"iterations": budget}) for budget in _BUDGETS}
    players[_name(0)] = PlayerPart(agent="random")
    pairs = [(500, 100, True), (500, 0, True), (500, 500, False), (500, 5_000, True)]
    return new_plan(
        "000-piles",
        players,
        title="Document 000: piles and budgets",
        matches=[
            MatchPart(players=[_name(first), _name(second)], positions=list(_PILES), games=_GAMES, swap=swap)
            for first, second, swap in pairs
        ],
    )


def _first_wins(piles: str, first: int, second: int, printed: str, low: float, high: float, note: str = "") -> Figure:
    quantity: Quantity = "first wins"
    return Figure((_name(first), _name(second), piles), quantity, printed, low, high, _GAMES, note=note)


PILES = BuiltIn(
    name="000-piles",
    title="Nim with piles: simulation budgets against each other",
    about="Five set-ups of piles; MCTS with 500 simulations a move against 100, 500 and 5,000 and against a random "
    "player, 1,000 games in each order. Who moves first is P0.",
    source="Document 000, “Monte Carlo Tree Search for Nim: Implementation and Analysis”, sections Testing Methodology "
    "and Observations by Heap Configuration.",
    minutes=1.5,
    make_plan=_plan,
    figures=(
        _first_wins("nim:1,2", 500, 100, "100 %", 1.0, 1.0),
        _first_wins("nim:1,2", 500, 500, "100 %", 1.0, 1.0),
        _first_wins("nim:1,2", 500, 5_000, "100 %, even against stronger opponents", 1.0, 1.0),
        _first_wins("nim:1,3,5,7", 500, 100, "~45–50 %", 0.45, 0.50),
        _first_wins("nim:1,3,5,7", 500, 5_000, "26–30 %", 0.26, 0.30),
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
        "A larger budget does not always play better here: in games between the two, 500 simulations gave a won "
        "position away in 22.9 % of the decisions and 100 simulations in 4.7 %; 5,000, in games against 500, in 2.9 %. "
        "A likely reason: playouts that play perfectly give each position its true value, but the mean over the "
        "opponent's replies, tried one by one, is not that of the best reply before the search has often gone back to "
        "it.",
        "“P0 win % collapses toward 0 in [1, 3, 5, 7]” and “~45–50 %” cannot both be said of the same games.",
        "“The unique move that brings the nim-sum to 0” is not unique: from 1-1-1 there are three.",
    ),
)
