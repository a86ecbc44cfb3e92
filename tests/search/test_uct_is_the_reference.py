"""The compiled search builds exactly the tree of the textbook form: every node, every visit, every point."""

import math
from typing import Any

import numpy as np
import pytest
from coding import decode_table

from nimdesk.games import MnkMove, NimMove, parse_position
from nimdesk.kernels import tree, uct
from nimdesk.search import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.textbook.sampling import Node, TextbookUct
from nimdesk.search.uct import UctSearcher, root_tables

SQRT2 = math.sqrt(2)

# position, exploration, iterations, seed
SEARCHES = [
    ("nim:1,3,5,7", SQRT2, 350, 1),
    ("nim:1,3,5,7:misere", SQRT2, 1_000, 2),
    ("nim:1,3,5,7:misere 4-6 3-1", 0.5, 1_000, 3),
    ("nim:21:max3", SQRT2, 350, 4),
    ("nim:21:max3:misere 1-2", 1.0, 300, 5),
    ("nim:3,4,5", 0.0, 1_000, 6),
    ("nim:2,2", SQRT2, 350, 7),
    ("nim:2", SQRT2, 70_000, 23),  # beyond the logarithms that are taken one by one
    ("nim:1:misere", SQRT2, 150, 8),
    ("nim:64,64,64", SQRT2, 300, 9),
    ("nim:20,15", SQRT2, 350, 24),  # too many moves for the bits of one number, and then few enough
    ("nim:9,30,12:max7", 0.7, 300, 10),
    ("mnk:3,3,3", SQRT2, 350, 11),
    ("mnk:3,3,3 a1 b2 c3", SQRT2, 350, 12),
    ("mnk:3,3,3 b2 a1", 0.3, 600, 2**63 - 1),
    ("mnk:4,4,3", SQRT2, 1_000, 13),
    ("mnk:5,5,4", SQRT2, 300, 14),
    ("mnk:5,5,4 c3 b2 d4 b4", 0.2, 350, 15),
    ("mnk:7,6,4:gravity", SQRT2, 300, 16),
    ("mnk:7,6,4:gravity d1 d2 d3 d4 d5 d6 a1 b1", 0.4, 300, 17),
    ("mnk:3,4,3:gravity", SQRT2, 300, 18),
    ("mnk:2,9,3", SQRT2, 300, 19),
    ("mnk:9,2,3:gravity", 0.1, 300, 20),
    ("mnk:1,8,3", SQRT2, 350, 21),
    ("mnk:3,3,1", SQRT2, 100, 22),
    ("mnk:5,5,3:exact", SQRT2, 300, 23),
    ("mnk:6,5,3:gravity:exact", SQRT2, 300, 28),
    ("nim:127,5:max9", SQRT2, 300, 29),
    ("mnk:9,9,5", SQRT2, 200, 24),
    ("mnk:10,10,4 e5 e6 d5", 0.1, 250, 25),
    ("mnk:12,6,4:gravity", SQRT2, 300, 26),
]


def search(text: str, seed: int, exploration: float, iterations: int) -> Node:
    """The tree of the textbook form."""
    textbook = TextbookUct(UctOptions(iterations=iterations, exploration=exploration))
    textbook.start(parse_position(text), seed)
    textbook.advance(Limit())
    return textbook.tree


def kernel_tree(searcher: UctSearcher) -> Node:
    """The kernel's flat memory as node objects."""
    moves = decode_table(searcher.position.game)

    def node(place: Any, index: int | None) -> Node:
        move = moves[place["move"]] if place["move"] >= 0 else None
        found = [] if index is None else tree.children(searcher.search_tree, index)
        children = [node(each, tree.child(searcher.search_tree, index or 0, int(each["move"]))) for each in found]
        return Node(move, int(place["visits"]), int(place["score"]), children)

    return node(searcher.search_tree.nodes[0], 0)


def assert_equal_trees(kernel: Node, reference: Node, path: str = "root") -> None:
    assert (kernel.visits, kernel.half_points) == (reference.visits, reference.half_points), path
    assert [child.move for child in kernel.children] == [child.move for child in reference.children], path
    for ours, theirs in zip(kernel.children, reference.children, strict=True):
        assert theirs.move is not None
        assert_equal_trees(ours, theirs, f"{path} {theirs.move.text}")


@pytest.mark.parametrize(("text", "exploration", "iterations", "seed"), SEARCHES)
def test_same_random_numbers_same_tree(text: str, exploration: float, iterations: int, seed: int) -> None:
    position = parse_position(text)
    reference = search(text, seed, exploration, iterations)
    searcher = UctSearcher(UctOptions(iterations=iterations, exploration=exploration))
    searcher.start(position, seed)
    searcher.advance(Limit())
    assert_equal_trees(kernel_tree(searcher), reference)

    snapshot = searcher.snapshot()
    nodes = {child.move: child for child in reference.children}
    for stats in snapshot.moves:
        node = nodes.get(stats.move)
        assert stats.visits == (node.visits if node else 0)
        assert stats.mean_value == (node.half_points / (2 * node.visits) if node else None)


def test_the_reference_itself_knows_its_rules() -> None:
    """The comparison is worth nothing if both were wrong: the reference finds forced wins, and its sums add up."""
    root = search("mnk:3,3,3 a1 b2 b1 c3", 1, SQRT2, 800)
    assert max(root.children, key=lambda child: child.visits).move == MnkMove(2, 0)
    root = search("nim:5:max3", 1, SQRT2, 800)
    assert max(root.children, key=lambda child: child.visits).move == NimMove(0, 1)
    assert root.visits == sum(child.visits for child in root.children) == 800
    assert root.half_points + sum(child.half_points for child in root.children) == 2 * 800


def test_roots_are_the_same_in_the_table_at_its_end_and_beyond() -> None:
    end = uct.TABLE_SIZE
    table = root_tables()
    numbers = [1, 2, 65_535, 65_536, end - 1, *range(70_001, end, 9_973)]
    assert [float(table[0, n]) for n in numbers] == [float(np.float32(math.sqrt(math.log(n)))) for n in numbers]
    # A short search's table is the same memory, of which only the first part is sure to be there.
    assert root_tables(1_000)[0, :65_536].tolist() == table[0, :65_536].tolist()
    searcher = UctSearcher(UctOptions(iterations=end + 10, exploration=0.7))
    searcher.start(parse_position("nim:1,2"), 1)
    for n in (10, end - 1, end, end + 1):
        # The n-th simulation weighs the root's moves for the next one.
        searcher.advance(Limit(n))
        factor = searcher.search_state.path.levels["factor"][0]
        assert factor == np.float32(0.7) * np.float32(math.sqrt(math.log(n))), n
