"""On gomoku-sized boards ``mcts`` sees what every player sees: fours, open threes and forks, also at the edge.

Positions are drawn as the marks of the side to move and of the other side; the rest of the marks lie apart in corners
and on edges, where they mean nothing.
"""

import pytest

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.kit import win_in
from nimdesk.games.truth import Value
from nimdesk.search import Limit, Snapshot, StopReason

pytestmark = pytest.mark.slow

SEEDS = 10
# Fewer on the larger board: it takes no more to see the same.
ITERATIONS = {15: 3_000, 19: 2_000}
FAR = {15: "o15 a15 o1 a1 o8 h15 h1 a11", 19: "s19 a19 s1 a1 s10 j19 j1 a12"}


def position(size: int, own: str, other: str) -> AnyPosition:
    """The side to move has ``own``; where one side lacks marks for its turn, far ones fill up."""
    sides = [own.split(), other.split()]
    far = [cell for cell in FAR[size].split() if cell not in sides[0] + sides[1]]
    # The side to move is the first player (as many marks as the other) or the second (one fewer).
    while len(sides[0]) < len(sides[1]) - 1:
        sides[0].append(far.pop(0))
    while len(sides[1]) < len(sides[0]):
        sides[1].append(far.pop(0))
    first, second = sides if len(sides[0]) == len(sides[1]) else (sides[1], sides[0])
    moves = [cell for pair in zip(first, [*second, ""], strict=False) for cell in pair if cell]
    made = parse_position(f"mnk:{size},{size},5 {' '.join(moves)}")
    assert made.outcome is None
    return made


def searches(at: AnyPosition, iterations: int, seeds: int = SEEDS) -> list[Snapshot]:
    """Of the default agent, with different seeds."""
    snapshots = []
    for seed in range(seeds):
        searcher = make_agent("mcts", {"iterations": iterations}).new_searcher()
        searcher.start(at, seed)
        searcher.advance(Limit())
        snapshots.append(searcher.snapshot())
    return snapshots


def assert_proven_win(snapshot: Snapshot, moves: str) -> None:
    assert snapshot.best_move is not None
    assert snapshot.best_move.text in moves.split()
    assert snapshot.stopped is StopReason.PROVEN
    assert next(stats for stats in snapshot.moves if stats.move == snapshot.best_move).proven is Value.WIN


# own marks, marks of the other side, moves that win at once
WINS_IN_ONE = {
    "open four": ("h8 i8 j8 k8", "", "g8 l8"),
    "closed four": ("h8 i8 j8 k8", "l8", "g8"),
    "four with a gap": ("e5 f6 h8 i9", "", "g7"),
    "in the corner": ("a1 b1 c1 d1", "h8 i8 j8", "e1"),
    "up the edge": ("a2 a3 a4 a5", "a6 h8 i8 k3", "a1"),
    "rather than a block": ("e9 f8 g7 h6", "h8 i8 j8 k8", "d10 i5"),
}


@pytest.mark.parametrize("size", [15, 19])
@pytest.mark.parametrize("name", WINS_IN_ONE)
def test_a_win_in_one_is_played_and_proven(size: int, name: str) -> None:
    own, other, wins = WINS_IN_ONE[name]
    for snapshot in searches(position(size, own, other), ITERATIONS[size]):
        assert_proven_win(snapshot, wins)
        # It is looked for: not one in ten of the cells need be tried.
        assert snapshot.iterations < 100


# own marks, marks of the other side, moves that hold
BLOCKS = {
    "closed four": ("l8", "h8 i8 j8 k8", "g8"),
    "four with a gap": ("", "e5 f6 h8 i9", "g7"),
    "in the corner": ("h8 i9", "a1 b1 c1 d1", "e1"),
    "open three": ("d5", "h8 i8 j8", "g8 k8"),
    "open three on a diagonal": ("d9", "f6 g7 h8", "e5 i9"),
    "three with a gap": ("", "h8 i8 k8", "g8 j8 l8"),
    "three along the edge": ("g7", "a5 a6 a7", "a4 a8"),
    "three beside the corner": ("", "b1 c1 d1", "a1 e1 f1"),
}


@pytest.mark.parametrize("size", [15, 19])
@pytest.mark.parametrize("name", BLOCKS)
def test_a_four_or_an_open_three_is_met(size: int, name: str) -> None:
    own, other, holds = BLOCKS[name]
    for snapshot in searches(position(size, own, other), ITERATIONS[size]):
        assert snapshot.best_move is not None
        assert snapshot.best_move.text in holds.split()
        stats = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        assert stats.proven is not Value.LOSS


# own marks, marks of the other side, moves that force the win
FORKS = {
    "open four from an open three": ("h8 i8 j8", "", "g8 k8"),
    "open four from a three with a gap": ("h8 i8 k8", "", "j8"),
    "open four along the edge": ("a5 a6 a7", "", "a4 a8"),
    "open four beside the corner": ("b1 c1 d1", "", "e1"),
    "two fours": ("h8 i8 j8 g9 g10 g11", "k8 g12 c4 l3", "g8 f8 g7"),
    "two fours in the corner": ("b1 c1 d1 a2 a3 a4", "h8 i10 k9 l12", "a1 a5 e1"),
    "a four and an open three": ("h8 i8 j8 g9 g10", "k8 c4", "g8 f8 g11 g7"),
    "a four and an open three near the edge": ("b3 b4 b5 c6 d6", "b2 k9", "b6 b7 e6 f6"),
}


@pytest.mark.parametrize("size", [15, 19])
@pytest.mark.parametrize("name", FORKS)
def test_a_forced_win_is_found_and_proven(size: int, name: str) -> None:
    own, other, wins = FORKS[name]
    for snapshot in searches(position(size, own, other), ITERATIONS[size]):
        assert_proven_win(snapshot, wins)


@pytest.mark.parametrize(("size", "first"), [(9, "e5"), (15, "h8"), (19, "j10")])
def test_the_first_reply_is_near_the_first_stone(size: int, first: str) -> None:
    at = parse_position(f"mnk:{size},{size},5 {first}")
    (stone,) = at.moves
    for snapshot in searches(at, 10_000, seeds=6):
        reply = snapshot.best_move
        assert max(abs(reply.column - stone.column), abs(reply.row - stone.row)) <= 2


def test_the_empty_board_is_opened_near_the_middle() -> None:
    for snapshot in searches(parse_position("mnk:15,15,5"), 3_000)[:6]:
        assert max(abs(snapshot.best_move.column - 7), abs(snapshot.best_move.row - 7)) <= 2


@pytest.mark.parametrize("stones", ["h8", "h8 a1", "d4 l12", "h8 g9 j6", "h8 i9 g7 i7"])
def test_a_quiet_opening_is_answered_at_the_stones(stones: str) -> None:
    at = parse_position(f"mnk:15,15,5 {stones}")
    for snapshot in searches(at, 12_000, seeds=1):
        reply = snapshot.best_move
        # Two off a lone stone is as good as beside it.
        most = 2 if at.ply == 1 else 1
        assert min(max(abs(reply.column - each.column), abs(reply.row - each.row)) for each in at.moves) <= most


def test_a_lone_stone_at_the_edge_is_not_followed_there() -> None:
    """The middle is worth more than to stop a stone in the corner."""
    for snapshot in searches(parse_position("mnk:15,15,5 a1"), 12_000, seeds=1):
        assert max(abs(snapshot.best_move.column - 7), abs(snapshot.best_move.row - 7)) <= 2


def test_a_lost_position_holds_out() -> None:
    """Two moves put off the end; after all others Black is found to win in 3 plies at most."""
    at = parse_position("mnk:15,15,5 g8 j9 i6 f6 h8 g10 i8 f8 k8 j8 j7")
    wins = {move: win_in(at.play(move)) for move in at.legal_moves}
    slow = [move for move, win in wins.items() if win is None or win.plies > 3]
    assert len(slow) == 2
    for snapshot in searches(at, 2_000, seeds=3):
        assert snapshot.proven is Value.LOSS
        assert snapshot.best_move in slow
