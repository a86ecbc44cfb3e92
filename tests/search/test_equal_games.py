"""Equal games have equal numbers: another order of piles, a turned or mirrored board, gives the same shares of moves.

For each agent and some random positions, searches with other seeds are made in the position and in an equal one. At
every budget the moves played are compared by a two-sample test. Seeds are fixed; were there no difference, some test of
all would fail with a probability of 1e-4. Players of documents that play the first move among equals are left out, as
their trait says.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from scipy import stats

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.games import AnyPosition, Move, kit_of, parse_position
from nimdesk.games.take.rules import TakeGame, TakeMove
from nimdesk.limit import Limit

pytestmark = pytest.mark.slow

FAMILY_ERROR = 1e-4
SEEDS = 40
BUDGETS = (1, 3, 8, 24, 60, 200)
SLOW_BUDGET = 8
GAMES = ("nim:1,2,4,4:max3:misere", "mnk:3,3,3", "mnk:4,4,3:gravity", "take:{1,3}:3,5+0.77:4")
OPTIONS: dict[str, dict[str, object]] = {
    "uct": {"iterations": 200},
    "mcts": {"iterations": 200},
    "variants": {"iterations": 200, "backup": "leaf"},
    "deepening": {"nodes": 400},
    "flat": {"playouts": 17},
    "flat-perfect": {"playouts": 17},
}
Turned = tuple[AnyPosition, Callable[[Move], Move]]


def drawing() -> Iterator[Agent]:
    for name in CATALOGUE:
        if name in ("level2", "level3", "level5"):
            continue  # the code of levels 1 and 4, with other numbers
        agent = make_agent(name, OPTIONS.get(name, {}))
        if agent.traits.ties(agent.options) == "random" and agent.traits.known:
            yield agent
    for final in ("mean", "secure"):
        yield make_agent("uct", {"iterations": 200, "final": final})
    yield make_agent("uct", {"iterations": 200, "threads": 2})
    yield make_agent("mcts", {"iterations": 200, "order": False, "merge": False})


AGENTS = {agent.full_label: agent for agent in drawing()}
TESTS = len(AGENTS) * len(GAMES) * len(BUDGETS)


def turned(position: AnyPosition, chance: random.Random) -> Turned:
    """The position seen another way, and what becomes of its moves."""
    if isinstance(position.game, TakeGame):
        # Heaps have no order, but the parts of a sum have.
        parts = len(position.game.parts)
        game = TakeGame(position.game.parts[::-1], position.game.misere)

        def turn(move: Move) -> Move:
            assert isinstance(move, TakeMove)
            return TakeMove(parts + 1 - move.part, move.heaps, move.take, move.left)
    else:
        views = kit_of(position).views
        assert views is not None
        game, turn = chance.choice(views(position.game)[1:])  # type: ignore[assignment]
    after: AnyPosition = game.start()
    for move in position.moves:
        after = after.play(turn(move))
    return after, turn


def random_position(text: str, chance: random.Random) -> AnyPosition:
    """A position of this game with at least three moves."""
    while True:
        position = parse_position(text)
        for _ in range(chance.randrange(4)):
            position = position.play(chance.choice(position.legal_moves))
            if position.outcome is not None:
                break
        if position.outcome is None and len(position.legal_moves) > 2:
            return position


def played(agent: Agent, position: AnyPosition, seeds: range) -> list[Counter[Move]]:
    """How often each move is played at each budget."""
    counts: list[Counter[Move]] = [Counter() for _ in BUDGETS]
    if kit_of(position).kernel is None and agent.traits.budget == "iterations":
        agent = agent.with_options({"iterations": SLOW_BUDGET})  # such a search runs in Python
    for seed in seeds:
        fixed = agent.with_seed(seed)
        searcher = fixed.new_searcher(position)
        searcher.start(position, seed)
        if agent.traits.counts != "iterations":
            for at, budget in enumerate(BUDGETS):
                ended = searcher.advance(Limit(nodes=budget))
                best = searcher.snapshot().best_move
                counts[at][best if best is not None else position.legal_moves[0]] += best is not None
                if ended is not None:
                    for later in counts[at + 1 :]:
                        assert best is not None
                        later[best] += 1
                    break
            continue
        searcher.advance(Limit())
        trace = searcher.snapshot().trace
        assert trace is not None
        for at, budget in enumerate(BUDGETS):
            row = int(trace.iterations.searchsorted(budget, side="right")) - 1
            counts[at][position.legal_moves[int(trace.choice[row])]] += 1
    return counts


def differ(one: Counter[Move], other: Counter[Move]) -> float:
    """The p-value of a chi-squared test that both are samples of one distribution; rare moves count as one."""
    moves = sorted({*one, *other}, key=lambda move: -(one[move] + other[move]))
    common = [move for move in moves if one[move] + other[move] >= 10]
    rows = [
        [sample[move] for move in common] + [sum(sample[m] for m in moves if m not in common)]
        for sample in (one, other)
    ]
    table = [column for column in zip(*rows, strict=True) if sum(column)]
    return 1.0 if len(table) < 2 else float(stats.chi2_contingency(table).pvalue)


@pytest.mark.parametrize("label", AGENTS)
def test_equal_games_have_equal_shares_at_every_budget(label: str) -> None:
    agent, chance = AGENTS[label], random.Random(f"equal games {label}")
    for text in GAMES:
        position = random_position(text, chance)
        if not agent.plays(position):
            continue
        other, turn = turned(position, chance)
        assert other.legal_moves != position.legal_moves or text.startswith("mnk"), "the list is another one"
        here, there = played(agent, position, range(SEEDS)), played(agent, other, range(SEEDS, 2 * SEEDS))
        for budget, one, two in zip(BUDGETS, here, there, strict=True):
            same = Counter({turn(move): count for move, count in one.items()})
            assert differ(same, two) > FAMILY_ERROR / TESTS, f"{position.text} and {other.text} at {budget}"


def test_the_test_finds_a_player_that_plays_the_first_of_the_list() -> None:
    agent = make_agent("uct", {"iterations": 24, "ties": "first"})
    one, two = parse_position("nim:3,4,5"), parse_position("nim:5,4,3")
    place = {move: two.legal_moves[at] for at, move in enumerate(one.legal_moves)}
    assert place
    here, there = played(agent, one, range(SEEDS)), played(agent, two, range(SEEDS))
    views = kit_of(one).views
    assert views is not None
    turn = next(turn for game, turn in views(one.game) if game.text == "nim:5,4,3")
    same = [Counter({turn(move): count for move, count in counts.items()}) for counts in here]
    assert min(map(differ, same, there)) < FAMILY_ERROR / TESTS
