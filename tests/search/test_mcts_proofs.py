"""What ``mcts`` proves is true: never in conflict with theory or the solver, for any position and any of its forms."""

import itertools

import numpy as np
import pytest
from solving import solve

from nimdesk.games import AnyPosition, parse_game, parse_position
from nimdesk.games.truth import Value
from nimdesk.kernels import graph
from nimdesk.search import Limit, StopReason
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions
from nimdesk.search.textbook.mcts import TextbookMcts

pytestmark = pytest.mark.slow

HALF_POINTS = {Value.LOSS: 0, Value.DRAW: 1, Value.WIN: 2}

# Games, and how many random moves to start with, so that the solver needs no time to speak of.
GAMES = [
    ("nim:1,3,5,7", 0),
    ("nim:1,3,5,7:misere", 0),
    ("nim:4,6,2:max3", 0),
    ("nim:7,7:max2:misere", 0),
    ("nim:2,2,2,2,2:misere", 0),
    ("nim:21:max4", 0),
    ("mnk:3,3,3", 0),
    ("mnk:3,3,2", 0),
    ("mnk:4,3,3", 0),
    ("mnk:4,4,3", 1),
    ("mnk:4,4,4", 2),
    ("mnk:5,4,4", 6),
    ("mnk:2,5,5", 0),
    ("mnk:7,1,3", 0),
    ("mnk:4,4,3:gravity", 0),
    ("mnk:4,5,4:gravity", 5),
    ("mnk:7,6,4:gravity", 26),
]


def random_positions(text: str, least: int, count: int) -> list[AnyPosition]:
    """Not over, after ``least`` to ``least`` + 8 random moves."""
    random, found = np.random.default_rng(len(text)), []
    while len(found) < count:
        position = parse_game(text).start()
        for _ in range(random.integers(least, least + 9)):
            after = position.play(position.legal_moves[random.integers(len(position.legal_moves))])
            if after.outcome is not None:
                break
            position = after
        if len(position.moves) >= least:
            found.append(position)
    return found


@pytest.mark.parametrize(("text", "least"), GAMES)
def test_what_is_proven_is_true_with_any_of_the_parts(text: str, least: int) -> None:
    proven_roots = proven_moves = 0
    for number, position in enumerate(random_positions(text, least, 9)):
        truth = solve(position, 10.0)
        assert truth.complete
        of = {known.move: HALF_POINTS[known.value] for known in truth.moves}
        for merge, prove, order in itertools.product((False, True), repeat=3):
            iterations = (25, 150, 1_500)[number % 3]
            searcher = MctsSearcher(MctsOptions(iterations=iterations, merge=merge, prove=prove, order=order))
            searcher.start(position, number)
            stopped = searcher.advance(Limit())
            snapshot = searcher.snapshot()
            for stats in snapshot.moves:
                assert stats.proven is None or HALF_POINTS[stats.proven] == of[stats.move], (position, stats)
                proven_moves += stats.proven is not None
            nodes, edges = searcher.search_graph
            root = nodes[graph.ROOT]
            for edge in edges[root["first"] : root["first"] + root["opened"]]:
                child, move = nodes[edge["child"]], snapshot.moves[searcher.search_state.column_of[edge["code"]]].move
                assert 2 - child["high"] <= of[move] <= 2 - child["low"], (position, move)
            assert root["low"] <= HALF_POINTS[truth.value] <= root["high"], position
            assert (stopped is StopReason.PROVEN) == (root["low"] == root["high"])
            if stopped is StopReason.PROVEN:
                proven_roots += 1
                assert prove
                assert snapshot.best_move in truth.best_moves, position
    assert proven_moves > 30
    assert proven_roots > 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nim:3,4,5", "with best play the side to move wins."),
        ("nim:1,3,5,7", "with best play the side to move loses. 3-1 is one of 4 moves that hold out longest."),
        ("nim:1,3,5,7:misere", "moves that hold out longest."),
        ("nim:1", "Proven after 1 simulation: with best play the side to move wins."),
        ("mnk:3,3,3", "with best play the side to move draws."),
        ("mnk:4,3,3", "with best play the side to move wins."),
        ("mnk:4,4,3 a1 b2", None),
    ],
)
def test_a_search_whose_root_is_proven_stops_and_says_so(text: str, words: str | None) -> None:
    searcher = MctsSearcher(MctsOptions(iterations=100_000))
    searcher.start(parse_position(text), 1)
    assert searcher.advance(Limit()) is StopReason.PROVEN
    snapshot = searcher.snapshot()
    assert snapshot.stopped is StopReason.PROVEN
    assert snapshot.iterations < 20_000
    assert searcher.proven_after is not None
    assert searcher.proven_after <= snapshot.iterations
    assert snapshot.comment.startswith(f"Proven after {searcher.proven_after:,} simulation")
    if words is not None:
        assert snapshot.comment.endswith(words)
    # Nothing more happens.
    assert searcher.advance(Limit(iterations=10**6)) is StopReason.PROVEN
    assert searcher.iterations == snapshot.iterations


@pytest.mark.parametrize(
    "text", ["nim:3,4,5", "nim:5,5,5:misere", "nim:21:max3", "mnk:3,3,3 a1", "mnk:3,3,3", "nim:1,3,5,7"]
)
def test_when_a_search_ends_with_a_proof_a_best_move_has_the_most_visits(text: str) -> None:
    """Though the proof itself may come with a move that was hardly tried: the visits after it go to that move."""
    position = parse_position(text)
    best = solve(position, 10.0).best_moves
    for seed in range(50):
        searcher = MctsSearcher(MctsOptions(iterations=10_000))
        searcher.start(position, seed)
        assert searcher.advance(Limit()) is StopReason.PROVEN
        snapshot = searcher.snapshot()
        most = max(stats.visits for stats in snapshot.moves)
        assert all(stats.move in best for stats in snapshot.moves if stats.visits == most)
        assert snapshot.total_visits == snapshot.iterations


def test_a_proof_holds_where_the_iterations_end_before_the_visits_say_so() -> None:
    searcher = MctsSearcher(MctsOptions(iterations=10_000))
    searcher.start(parse_position("mnk:3,3,3"), 1)
    searcher.advance(Limit())
    assert searcher.proven_after is not None
    assert searcher.proven_after + 1 < searcher.iterations
    sooner = MctsSearcher(MctsOptions(iterations=searcher.proven_after + 1))
    sooner.start(parse_position("mnk:3,3,3"), 1)
    assert sooner.advance(Limit()) is StopReason.PROVEN
    assert sooner.iterations == searcher.proven_after + 1


def test_without_proofs_a_search_goes_on_to_its_own_end_and_proves_nothing_but_finished_games() -> None:
    searcher = MctsSearcher(MctsOptions(iterations=2_000, prove=False))
    searcher.start(parse_position("nim:2,1"), 1)
    assert searcher.advance(Limit()) is StopReason.ITERATIONS
    snapshot = searcher.snapshot()
    assert snapshot.comment == ""
    assert [stats.proven for stats in snapshot.moves] == [None, None, None]
    searcher.start(parse_position("nim:2"), 1)
    searcher.advance(Limit())
    assert [stats.proven for stats in searcher.snapshot().moves] == [None, Value.WIN]


def test_a_certain_draw_gives_way_to_nothing_less() -> None:
    """Nothing that is proven to be worse than another move is chosen, at any number of iterations."""
    for text in ("mnk:3,3,3", "mnk:4,4,4 a1 b2 d4", "mnk:4,4,3:gravity"):
        for seed in range(3):
            searcher = MctsSearcher(MctsOptions(iterations=3_000))
            searcher.start(parse_position(text), seed)
            for iterations in range(1, 800, 13):
                searcher.advance(Limit(iterations))
                snapshot = searcher.snapshot()
                known = {s.move: HALF_POINTS[s.proven] for s in snapshot.moves if s.proven is not None}
                if snapshot.best_move in known:
                    assert known[snapshot.best_move] == max(known.values())


@pytest.mark.parametrize("text", ["nim:3,4,5", "nim:7,7:max2:misere", "mnk:3,3,3", "mnk:4,4,3 b2", "mnk:5,5,4 c3 b2"])
@pytest.mark.parametrize("prove", [True, False])
def test_the_trace_has_what_it_would_have_played_at_each_moment(text: str, prove: bool) -> None:
    position, other = parse_position(text), 0
    for seed in range(2):
        searcher = MctsSearcher(MctsOptions(iterations=200, prove=prove))
        searcher.start(position, seed)
        played = {}
        for iterations in range(1, 201):
            searcher.advance(Limit(iterations=iterations))
            snapshot = searcher.snapshot()
            assert snapshot.best_move is not None
            played[snapshot.iterations] = position.legal_moves.index(snapshot.best_move)
        trace = snapshot.trace
        assert trace is not None
        assert trace.choice.tolist() == [played[at] for at in trace.iterations.tolist()]
        other += int((trace.choice != trace.visits.argmax(axis=1)).sum())
    assert other > 0, "neither the first of the most visited moves, nor what has most visits against a proof"


@pytest.mark.parametrize(
    ("text", "iterations", "seed", "lost", "played"),
    [
        ("nim:3,4,5", 40, 18, "3-5", "1-1"),
        ("mnk:5,5,4 a3 d4 a5 b5 d1 c2 e5 b3", 60, 11, "b4", "b2"),
    ],
)
def test_a_move_proven_to_lose_is_not_played_though_it_has_the_most_visits(
    text: str, iterations: int, seed: int, lost: str, played: str
) -> None:
    searcher = MctsSearcher(MctsOptions(iterations=iterations))
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    most_visited = max(snapshot.moves, key=lambda stats: stats.visits)
    assert (most_visited.move.text, most_visited.proven) == (lost, Value.LOSS)
    assert snapshot.best_move is not None
    assert snapshot.best_move.text == played


def test_a_proven_loss_is_played_only_where_every_move_is_one() -> None:
    """At any moment of a search: a move that was never tried is better than one that loses for certain."""
    untried = 0
    for text, seed in itertools.product(("nim:3,4,5", "nim:2,3:misere", "mnk:4,4,3 b2 c3 b3"), range(30)):
        searcher = MctsSearcher(MctsOptions(iterations=200))
        searcher.start(parse_position(text), seed)
        for iterations in (1, 2, 3, 5, 10, 20, 50, 100, 200):
            searcher.advance(Limit(iterations))
            snapshot = searcher.snapshot()
            of = {stats.move: stats for stats in snapshot.moves}
            assert snapshot.best_move is not None
            if any(stats.proven is not Value.LOSS for stats in snapshot.moves):
                assert of[snapshot.best_move].proven is not Value.LOSS
            untried += not of[snapshot.best_move].visits
    assert untried, "the case has come up"


def test_a_search_says_where_its_visits_are_one_short_of_its_iterations() -> None:
    searcher = MctsSearcher(MctsOptions())
    searcher.start(parse_position("mnk:3,3,3 b2 a1"), 1)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    assert (snapshot.iterations, snapshot.total_visits) == (20, 19)
    assert "One of them found the proof complete and visited no move." in snapshot.comment


def distances(text: str) -> dict[str, int | None]:
    """By move, the plies to the end with best play."""
    return {each.move.text: each.distance for each in solve(parse_position(text), 20.0).moves}


@pytest.mark.parametrize(
    "text",
    [
        "nim:1,3,5,7",
        "nim:4,4:misere",
        "nim:5,5",
        "mnk:4,4,3 b2 a1 c3",
        "mnk:15,15,5 h8 a1 i8 a15 j8 o1 h9 o15 k10",
        "mnk:7,6,4:gravity d1 d2 c1 c2 e1",
    ],
)
def test_in_a_lost_position_it_holds_out_longest(text: str) -> None:
    known, position = distances(text), parse_position(text)
    longest = [move for move, distance in known.items() if distance == max(known.values())]  # type: ignore[type-var]
    for searcher_type in (MctsSearcher, TextbookMcts):
        for seed in range(5 if searcher_type is MctsSearcher else 1):
            if searcher_type is TextbookMcts and position.game.text.startswith("mnk:15"):
                continue  # it tries every cell, in Python
            searcher = searcher_type(MctsOptions(iterations=20_000))
            searcher.start(position, seed)
            assert searcher.advance(Limit()) is StopReason.PROVEN
            snapshot = searcher.snapshot()
            assert snapshot.best_move is not None
            assert snapshot.best_move.text in longest
            _, words = snapshot.comment.split("the side to move loses.")
            exact = position.game.text.startswith("nim")
            if len(longest) == len(known):
                assert words == ""
            elif exact:
                assert words == f" {snapshot.best_move.text} is one of {len(longest)} moves that hold out longest."
            else:
                assert words.startswith(f" {snapshot.best_move.text} ")
                assert words.endswith(", as far as proven.")


@pytest.mark.parametrize("text", ["nim:1,3,5,7", "nim:3,4,5", "mnk:3,3,3 a1 b1 a2", "nim:1"])
def test_a_search_may_go_on_after_its_proof_until_the_proven_move_has_nearly_all_visits(text: str) -> None:
    position = parse_position(text)
    ended, gone_on, sliced = (MctsSearcher(MctsOptions(stop_at_proof=stop)) for stop in (True, False, False))
    for searcher in (ended, gone_on, sliced):
        searcher.start(position, 5)
    assert ended.advance(Limit()) is gone_on.advance(Limit()) is StopReason.PROVEN
    while sliced.advance(Limit(iterations=sliced.iterations + 7)) is None:
        pass
    first, last, again = ended.snapshot(), gone_on.snapshot(), sliced.snapshot()
    assert first.comment == last.comment
    assert first.best_move == last.best_move
    assert [(s.move, s.visits, s.mean_value) for s in last.moves] == [
        (s.move, s.visits, s.mean_value) for s in again.moves
    ]
    assert first.trace is not None
    assert last.trace is not None
    assert again.trace is not None
    rows = len(first.trace) - 1
    assert (last.trace.visits[:rows] == first.trace.visits[:rows]).all(), "the way to the proof is the same"
    assert (last.trace.visits == again.trace.visits).all()
    assert (last.trace.value_sum == again.trace.value_sum).all()
    missing = last.iterations - last.total_visits
    assert missing in (0, 1)
    if last.iterations < 10_000:
        others = last.total_visits - max(stats.visits for stats in last.moves)
        assert max(stats.visits for stats in last.moves) >= 99 * others


def test_the_textbook_form_may_go_on_after_its_proof_as_well() -> None:
    searcher = TextbookMcts(MctsOptions(stop_at_proof=False, iterations=10**6))
    searcher.start(parse_position("mnk:3,3,3 a1 b1 a2"), 5)
    assert searcher.advance(Limit()) is StopReason.PROVEN
    snapshot = searcher.snapshot()
    best = max(stats.visits for stats in snapshot.moves)
    assert best >= 99 * (snapshot.total_visits - best)
    assert snapshot.comment.startswith("Proven after ")
    assert f"{snapshot.iterations:,}" not in snapshot.comment
