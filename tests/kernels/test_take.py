"""The compiled rules of take-away games are those in Python, with sizes that hold; larger games are searched there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.agents import make_agent
from nimdesk.errors import GameParameterError
from nimdesk.games import AnyPosition, kernel_of, kit_of, parse_game, parse_position, solver_for
from nimdesk.games.kernel_kit import LIMITS, check_sizes
from nimdesk.games.take import heaps
from nimdesk.games.take.codes import HeapRule
from nimdesk.games.take.rules import Part, TakeGame, TakePosition
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.plugins.kernel_check import check_kernel

RULES = ("0.77", "0.07", "0.137", "0.6", "4.07", "0.007", "4.3", "0.1", "{1,2}", "{1,3,4}", "{2,5}", "wythoff")
GAMES = [
    "take:0.77:9,12",
    "take:{1,3,4}:10,12",
    "take:wythoff:5,8",
    "take:wythoff:3,3+wythoff:3,3",
    "take:wythoff:1,1:misere",
    "take:0.77:5,3+wythoff:2,3:misere",
    "take:4.07:9,4",
    "take:0.6:9",
    "take:{99}:100",
    "take:0.77:40,7",  # moves and kinds in more than one word
    "take:{1}:1,1,1,1,1,1,1,1,1,1,1,1",
    "take:{1,2}:3+{1,2}:3+0.007:11+wythoff:1,1",
]


def made(rules: list[str], sizes: list[list[int]], misere: bool) -> TakeGame | None:
    """A game with these rules; None where no move is possible."""
    parts = []
    for text, heaps_of_part in zip(rules, sizes, strict=False):
        rule = HeapRule.parse(text)
        parts.append(Part(rule, tuple(heaps_of_part[:2] if rule.pairs else heaps_of_part)))
    try:
        return TakeGame(tuple(parts), misere)
    except GameParameterError:
        return None


sums = st.builds(
    made,
    st.lists(st.sampled_from(RULES), min_size=1, max_size=2),
    st.lists(st.lists(st.integers(1, 6), min_size=2, max_size=3), min_size=2, max_size=2),
    st.booleans(),
).filter(lambda game: game is not None)


@pytest.mark.parametrize("text", GAMES)
def test_compiled_rules_and_identity_are_those_in_python(text: str) -> None:
    position = parse_position(text)
    check_kernel(kernel_of(position), position, seconds=10.0, games=4)


@given(game=sums)
@settings(max_examples=40)
def test_they_are_for_any_sum(game: TakeGame) -> None:
    check_kernel(kernel_of(game), game.start(), seconds=2.0, games=2)


def reachable(start: TakePosition) -> dict[object, TakePosition]:
    """One position for each board that can be reached."""
    found: dict[object, TakePosition] = {start.board: start}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        for move in position.legal_moves:
            after = position.play(move)
            if after.board not in found:
                found[after.board] = after
                waiting.append(after)
    return found


@given(game=sums)
@settings(max_examples=30)
def test_no_position_has_more_moves_and_no_game_more_plies_than_the_sizes_say(game: TakeGame) -> None:
    positions, kernel = reachable(game.start()), kernel_of(game)
    longest: dict[object, int] = {}

    def plies(position: TakePosition) -> int:
        if position.board not in longest:
            after = (plies(positions[position.play(move).board]) for move in position.legal_moves)
            longest[position.board] = max((1 + each for each in after), default=0)
        return longest[position.board]

    assert kernel.longest_game(game.start()) == plies(game.start()) == kernel.sizes(game).plies
    assert kernel.most_positions(game.start()) >= len(positions)
    assert kernel.most_moves(game.start()) >= max(len(each.legal_moves) for each in positions.values())


def test_heaps_that_become_different_have_more_moves_than_the_first_position() -> None:
    """Searches make room for what can come, not for what there is at first."""
    position = parse_position("take:{1,2}:9,9,9")
    assert len(position.legal_moves) == 2
    assert max(len(each.legal_moves) for each in reachable(position).values()) == 6  # type: ignore[arg-type]
    assert kernel_of(position).most_moves(position) == 6


def root_key(position: AnyPosition) -> int:
    return int(kernel_of(position).encode_identity(position).total[0])


@pytest.mark.parametrize("text", ["take:0.77:5,4", "take:0.6:7,4", "take:wythoff:4,5", "take:{2,3}:5,6+wythoff:1,2"])
def test_two_positions_share_a_key_exactly_if_they_have_the_same_heaps_with_moves(text: str) -> None:
    start = parse_position(text)
    assert isinstance(start, TakePosition)
    keys: dict[int, set[object]] = {}
    for position in reachable(start).values():
        alive = [
            [heap for heap in each if (heap if part.rule.pairs else any(heaps.heap_moves(part.rule, heap)))]
            for part, each in zip(start.game.parts, position.board, strict=True)
        ]
        keys.setdefault(root_key(position), set()).add(str(alive))
    assert all(len(same) == 1 for same in keys.values())
    assert len(keys) == len(set().union(*keys.values())) > 15


@given(game=sums)
@settings(max_examples=12)
def test_a_search_proves_what_theory_and_a_look_at_every_position_say(game: TakeGame) -> None:
    position = game.start()
    solver = solver_for(position)
    solver.start(position)
    assert solver.advance(Limit())
    searcher = make_agent("mcts", {"iterations": 200_000}).new_searcher(position)
    searcher.start(position, 3)
    searcher.advance(Limit())
    snapshot, truth = searcher.snapshot(), solver.truth()
    assert snapshot.proven is truth.value
    assert truth.value is Value.LOSS or snapshot.best_move in truth.best_moves


@pytest.mark.parametrize("name", ["uct", "flat", "alphabeta", "variants"])
@pytest.mark.parametrize("text", ["take:0.77:5,6", "take:wythoff:3,5", "take:0.77:5,3+{1,2}:3:misere"])
def test_the_textbook_and_the_kernel_make_the_same_search(name: str, text: str) -> None:
    agent, position = make_agent(name, {"depth": 3} if name == "alphabeta" else {}), parse_position(text)
    both = []
    for searcher in (agent.new_searcher(position), agent.new_recording()):
        searcher.start(position, 11)
        searcher.advance(Limit(iterations=150, nodes=2_000))
        both.append([(stats.move, stats.visits, stats.mean_value) for stats in searcher.snapshot().moves])
    assert both[0] == both[1]


@pytest.mark.parametrize(
    ("largest", "one_more"),
    [("{1}:999", "{1}:999+{1}:26"), ("0.77:44", "0.77:45"), ("{1,2,3}:342", "{1,2,3}:343")],
)
def test_a_game_for_which_there_is_no_room_is_searched_in_python(largest: str, one_more: str) -> None:
    assert kit_of(parse_game(f"take:{largest}")).load_kernel is not None
    position = parse_position(f"take:{one_more}")
    assert kit_of(position).load_kernel is None
    searcher = make_agent("uct").new_searcher(position)
    searcher.start(position, 1)
    searcher.advance(Limit(iterations=2))
    assert searcher.snapshot().iterations == 2


@given(game=sums)
@settings(max_examples=40)
def test_what_fits_is_told_as_the_sizes_are(game: TakeGame) -> None:
    kernel = kernel_of(game)
    assert heaps.fits(game)
    check_sizes(game, kernel.sizes(game))
    codes = sum(heaps._codes(part) for part in game.parts)
    assert codes == len(kernel.moves_by_code(game)) == kernel.sizes(game).codes


def test_the_room_for_take_away_games_is_that_of_the_kernels() -> None:
    assert (LIMITS.codes, LIMITS.moves, LIMITS.plies) == (heaps.MOST_CODES, heaps.MOST_MOVES, heaps.MOST_PLIES)
