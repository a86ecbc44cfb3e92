"""A key tells which positions are the same, and what is seen at once of a position is exact.

The oracle is the readable rules: positions are compared by their marks under every symmetry, or by their sorted piles,
and threats by counting marks along the lines. Positions come from random play.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from coding import decode_table, encode_identity, encode_move
from fours import middle_games, won_by_fours
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from nimdesk.games import AnyPosition, MnkGame, MnkMove, MnkPosition, Move, NimGame, NimPosition, Side, parse_game
from nimdesk.games import parse_position as parse
from nimdesk.games.mnk.identity import LACK_ONE, OPEN, TURN
from nimdesk.games.mnk.lines import as_lists, make_lines, win_by_fours
from nimdesk.games.mnk.patterns import suit
from nimdesk.games.nim.identity import NimIdentity
from nimdesk.kernels import identity
from nimdesk.kernels.identity import BY_FOURS, FORCED, LOSES, NOTHING, RANDOM_BITS, WINS, implement_all


@njit(cache=True, _nrt=False)
def look(g, played, at_root, order, seed, facts, outlook, codes, scores, moves, afters):  # type: ignore[no-untyped-def]
    """Follow the moves from the root; what there is to know of the position that they lead to.

    ``facts`` (uint64): the key, what is seen, the code of it and its move. For each candidate its code, score, move
    and key.
    """
    identity.begin(g)
    for move in played:
        identity.moved(g, move)
    facts[0] = identity.key(g)
    outlook[0], outlook[1] = identity.outlook(g)
    seen, code = identity.assess(g)
    facts[1] = seen
    facts[2] = identity.to_move(g, code) if code >= 0 else 9999
    facts[3] = identity.key_after(g, code) if code >= 0 else np.uint64(0)
    count = identity.candidates(g, at_root, order, seed, codes, scores)
    for i in range(count):
        moves[i] = codes[i] if at_root else identity.to_move(g, codes[i])
        afters[i] = np.uint64(0) if at_root else identity.key_after(g, codes[i])
    return count


@dataclass(frozen=True)
class Look:
    """What the kernel knows of a position; ``moves`` are its candidates, ``afters`` the keys behind them."""

    key: int
    seen: int
    seen_move: Move | None
    seen_after: int
    codes: list[int]
    scores: list[int]
    moves: list[Move]
    afters: list[int]
    state: list[int]
    outlook: list[int]

    @property
    def worths(self) -> list[int]:
        return [score >> RANDOM_BITS for score in self.scores]


def look_at(
    position: AnyPosition,
    played: int = 0,
    *,
    at_root: bool = False,
    order: bool = True,
    seed: int = 5,
    used: Any = None,
) -> Look:
    """The position as root, or reached from an earlier position by the last moves that were ``played``.

    ``used`` is the identity of that earlier position, if it is not to be a fresh one.
    """
    root: Any = position.game.start()
    split = len(position.moves) - played
    for move in position.moves[:split]:
        root = root.play(move)
    codes = np.array([encode_move(position.game, move) for move in position.moves[split:]], np.int64)
    most, table = len(root.legal_moves) + 1, decode_table(position.game)
    facts, outlook, afters = np.zeros(4, np.uint64), np.zeros(2, np.int64), np.zeros(most, np.uint64)
    found, scores, moves = np.full(most, -1, np.int16), np.zeros(most, np.int64), np.zeros(most, np.int64)
    g = encode_identity(root) if used is None else used
    count = look(g, codes, at_root, order, np.uint64(seed), facts, outlook, found, scores, moves, afters)
    return Look(
        int(facts[0]),
        int(facts[1]),
        None if facts[2] == 9999 else table[int(facts[2])],
        int(facts[3]),
        found[:count].tolist(),
        scores[:count].tolist(),
        [table[move] for move in moves[:count]],
        afters[:count].tolist(),
        [] if isinstance(g, NimIdentity) else g.state.tolist(),
        outlook.tolist(),
    )


def symmetries(game: MnkGame) -> Iterator[Any]:
    """Every way to turn or mirror the board, as a function of a cell."""
    right, top = game.m - 1, game.n - 1
    yield lambda x, y: (x, y)
    yield lambda x, y: (right - x, y)
    if not game.gravity:
        yield lambda x, y: (x, top - y)
        yield lambda x, y: (right - x, top - y)
        if right == top:
            yield lambda x, y: (y, x)
            yield lambda x, y: (right - y, x)
            yield lambda x, y: (y, top - x)
            yield lambda x, y: (right - y, top - x)


def what_it_is(position: AnyPosition) -> object:
    """Equal for positions that are the same, whatever their orientation, their order of piles or of moves."""
    if isinstance(position, NimPosition):
        return sorted(size for size in position.piles if size)
    assert isinstance(position, MnkPosition)
    marks = [(move.column, move.row, ply % 2) for ply, move in enumerate(position.moves)]
    return min(sorted((*turned(x, y), side) for x, y, side in marks) for turned in symmetries(position.game))


def random_position(position: Any, plies: int, seed: int) -> Any:
    """The position after ``plies`` random moves, or the last one before the game would have ended."""
    random = np.random.default_rng(seed)
    for _ in range(plies):
        after = position.play(position.legal_moves[random.integers(len(position.legal_moves))])
        if after.outcome is not None:
            break
        position = after
    return position


def crowded(game: MnkGame, seed: int) -> MnkPosition:
    """A random position with few empty cells, but no line: moves that would end the game are put off."""
    random = np.random.default_rng(seed)
    position = game.start()
    for _ in range(random.integers(game.m * game.n)):
        quiet = [after for move in position.legal_moves if (after := position.play(move)).outcome is None]
        if not quiet:
            break
        position = quiet[random.integers(len(quiet))]
    return position


GAMES = [
    "nim:1,3,5,7",
    "nim:4,4,4:misere",
    "nim:3,9,9:max3",
    "mnk:3,3,3",
    "mnk:4,3,3",
    "mnk:5,5,4",
    "mnk:2,7,2",
    "mnk:4,4,4:gravity",
    "mnk:7,6,4:gravity",
]


@pytest.mark.parametrize("text", GAMES)
def test_two_positions_share_a_key_exactly_if_they_are_the_same(text: str) -> None:
    game = parse_game(text)
    keys: dict[str, set[int]] = {}
    kinds: dict[int, set[str]] = {}
    for seed in range(200):
        position = random_position(game.start(), seed % 9, seed)
        kind, key = str(what_it_is(position)), look_at(position).key
        keys.setdefault(kind, set()).add(key)
        kinds.setdefault(key, set()).add(kind)
    assert all(len(of_kind) == 1 for of_kind in keys.values())
    assert all(len(of_key) == 1 for of_key in kinds.values())
    # Both claims were put to the test: many positions, and many of them the same.
    assert 15 < len(kinds) < 190


@pytest.mark.parametrize(
    "text", ["mnk:3,3,3", "mnk:6,6,4", "mnk:5,3,3", "mnk:3,19,3", "mnk:15,15,5", "mnk:5,4,4:gravity"]
)
def test_a_turned_or_mirrored_board_and_another_order_of_moves_have_the_same_key(text: str) -> None:
    game = parse_game(text)
    assert isinstance(game, MnkGame)
    for seed in range(10):
        position = random_position(game.start(), 6, seed)
        look = look_at(position)
        for turned in symmetries(game):
            moves = [MnkMove(*turned(move.column, move.row)) for move in position.moves]
            # Without gravity, each side's first and last move may change places.
            for first, last in ((0, len(moves) - 1 - len(moves) % 2), (0, 0)):
                order = moves.copy()
                if not game.gravity:
                    order[first], order[last - last % 2] = order[last - last % 2], order[first]
                other: Any = game.start()
                for move in order:
                    other = other.play(move)
                    if other.outcome is not None:
                        break
                else:
                    same = look_at(other)
                    assert same.key == look.key
                    assert sorted(same.codes) == sorted(look.codes)
                    assert sorted(zip(same.afters, same.worths, strict=True)) == sorted(
                        zip(look.afters, look.worths, strict=True)
                    )


def test_piles_in_any_order_have_the_same_key_and_the_same_codes() -> None:
    one, other = look_at(parse("nim:1,3,5,7 1-1 4-2")), look_at(parse("nim:5,5,3"))
    assert one.key == other.key
    assert sorted(one.codes) == sorted(other.codes)
    assert sorted(one.afters) == sorted(other.afters)
    assert look_at(parse("nim:5,5,4")).key != one.key


nim_games = st.builds(
    NimGame,
    st.lists(st.integers(1, 64), min_size=1, max_size=12).map(tuple) | st.just((2, 1)) | st.just((3,)),
    st.none() | st.integers(1, 5),
    st.booleans(),
) | st.builds(
    NimGame, st.lists(st.integers(1, 127), min_size=1, max_size=3).map(tuple), st.integers(1, 63), st.booleans()
)


@st.composite
def mnk_games(draw: st.DrawFn) -> MnkGame:
    m, n = draw(st.integers(1, 9) | st.integers(1, 20)), draw(st.integers(1, 9) | st.integers(1, 20))
    k = draw(st.integers(1, min(4, max(m, n))) | st.integers(1, max(m, n)))
    return MnkGame(m, n, k, draw(st.booleans()), draw(st.booleans()))


@st.composite
def positions(draw: st.DrawFn) -> AnyPosition:
    game: Any = draw(nim_games | mnk_games() | st.sampled_from([parse_game(text) for text in GAMES]))
    return random_position(game.start(), draw(st.integers(0, 12)), draw(st.integers(0, 2**32)))  # type: ignore[no-any-return]


@settings(max_examples=60)
@given(positions(), st.data())
def test_a_code_leads_where_its_key_says_from_any_root(position: AnyPosition, data: st.DataObject) -> None:
    played = data.draw(st.integers(0, len(position.moves)))
    look, rooted = look_at(position, played), look_at(position)
    assert (look.key, look.codes, look.afters, look.worths) == (rooted.key, rooted.codes, rooted.afters, rooted.worths)
    behind = {}
    for move in position.legal_moves:
        after = position.play(move)
        if after.outcome is None:
            behind[move] = look_at(after).key
    for move, after_key in zip(look.moves, look.afters, strict=True):
        assert move in position.legal_moves
        if move in behind:
            assert after_key == behind[move]
    assert len(set(look.codes)) == len(look.codes)
    # Every position that can be reached is there in Nim, by one move of each size; on a board every move that matters.
    if isinstance(position, NimPosition):
        assert set(behind.values()) <= set(look.afters)
        assert len(look.codes) == len(
            {(position.piles[move.pile], move.take) for move in position.legal_moves}  # type: ignore[attr-defined]
        )
    else:
        assert_all_that_matters(position, set(look.moves))


def assert_all_that_matters(position: AnyPosition, candidates: set[Move]) -> None:
    """A move may be missing where the opponent wins by fours after it, and this move makes none."""
    assert isinstance(position, MnkPosition)
    for move in set(position.legal_moves) - candidates:
        after = position.play(move)
        assert not completing(after, position.turn), (position, move)
        assert won_by_fours(after, 3), (position, move)


@pytest.mark.parametrize("text", ["nim:3,9,9:max3", "mnk:3,3,3 b2", "mnk:5,5,4 c3 b2 c2 d4", "mnk:7,6,4:gravity d1 d2"])
def test_after_one_line_another_is_seen_as_by_a_fresh_identity(text: str) -> None:
    root = parse(text)
    used = encode_identity(root)
    for seed in range(10):
        position = random_position(root, 1 + seed % 5, seed)
        played = len(position.moves) - len(root.moves)
        assert look_at(position, played, used=used) == look_at(position, played)


@settings(max_examples=60)
@given(positions())
def test_at_the_root_every_legal_move_is_a_candidate_and_its_code_is_the_moves(position: AnyPosition) -> None:
    look = look_at(position, at_root=True)
    assert sorted(look.codes) == sorted(encode_move(position.game, move) for move in position.legal_moves)


@settings(max_examples=60)
@given(positions())
def test_equal_moves_are_worth_the_same(position: AnyPosition) -> None:
    worth_of: dict[int, int] = {}
    look = look_at(position)
    for after, worth in zip(look.afters, look.worths, strict=True):
        assert worth_of.setdefault(after, worth) == worth


def test_without_order_moves_come_at_random() -> None:
    position = parse("mnk:7,7,5 d4 d5")
    firsts = set()
    for seed in range(400):
        look = look_at(position, order=False, seed=seed * 7919)
        assert set(look.worths) == {0}
        firsts.add(look.moves[int(np.argmax(look.scores))])
    assert firsts == set(position.legal_moves)


def test_by_the_heuristic_a_mark_that_makes_or_stops_a_long_row_comes_first() -> None:
    for text, best in (
        ("mnk:15,15,5 h8 a1 i8 a3 j8 a5", {"k8", "g8"}),
        ("mnk:15,15,5 h8 a1 i8 a15 j8", {"k8", "g8"}),
        ("mnk:9,9,5", {"e5"}),
        ("mnk:3,3,3", {"b2"}),
        ("mnk:7,6,4:gravity", {"d1"}),
    ):
        look = look_at(parse(text))
        # Where cells are worth the same, the nearest to the middle is first.
        top = max(look.worths)
        assert {move.text for move, worth in zip(look.moves, look.worths, strict=True) if worth == top} <= best, text


def test_one_mark_more_is_worth_more_than_all_that_lies_elsewhere() -> None:
    """A row of four beats any number of shorter ones, and one's own comes before the opponent's."""
    look = look_at(parse("mnk:15,15,5 a1 h8 b1 i8 c1 j8 d1 k8"))
    ranked = [move.text for _, move in sorted(zip(look.worths, look.moves, strict=True), reverse=True)]
    assert ranked[0] == "e1"
    assert set(ranked[1:3]) == {"g8", "l8"}


def completing(position: MnkPosition, side: Side) -> set[MnkMove]:
    """Plainly: the playable cells where a mark of the side makes a row that wins."""
    game = position.game
    longest = game.k if game.exact else max(game.m, game.n)

    def length(move: MnkMove, right: int, up: int) -> int:
        count = 0
        x, y = move.column + right, move.row + up
        while 0 <= x < game.m and 0 <= y < game.n and position.mark(x, y) is side:
            count, x, y = count + 1, x + right, y + up
        return count

    return {
        move
        for move in position.legal_moves
        if any(
            game.k <= 1 + length(move, right, up) + length(move, -right, -up) <= longest
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        )
    }


def assert_exact(position: AnyPosition, look: Look) -> set[int]:
    wins = [move for move in position.legal_moves if _wins(position, move)]
    assert (look.seen == WINS) == bool(wins), position
    if look.seen == WINS:
        assert look.seen_move in wins
        return {WINS}
    if not isinstance(position, MnkPosition):
        assert look.seen == NOTHING
        return {NOTHING}
    threats = completing(position, position.turn.other)
    if look.seen > BY_FOURS:
        assert not threats
        assert isinstance(look.seen_move, MnkMove)
        after = position.play(look.seen_move)
        assert (replies := completing(after, position.turn))
        assert not completing(after, position.turn.other)
        assert len(replies) > 1 or won_by_fours(after.play(*replies), look.seen - BY_FOURS - 2)
        return {BY_FOURS}
    assert look.seen == (NOTHING if not threats else FORCED if len(threats) == 1 else LOSES), position
    if look.seen == FORCED:
        assert {look.seen_move} == threats
    for move in position.legal_moves if look.seen != NOTHING else ():
        if move != look.seen_move:
            after: Any = position.play(move)
            assert any(_wins(after, reply) for reply in after.legal_moves), (position, move)
    return {look.seen}


def _wins(position: AnyPosition, move: Move) -> bool:
    return position.play(move).winner is position.turn


@settings(max_examples=200)
@given(positions(), st.data())
def test_what_is_seen_at_once_is_exact_from_any_root(position: AnyPosition, data: st.DataObject) -> None:
    played = data.draw(st.integers(0, len(position.moves)))
    assert_exact(position, look_at(position, played))


SIGHTS = [
    "mnk:1,1,1",
    "mnk:3,3,1",
    "mnk:3,3,2",
    "mnk:3,3,3",
    "mnk:4,3,3",
    "mnk:2,9,2",
    "mnk:9,2,5",
    "mnk:1,12,3",
    "mnk:5,5,3",
    "mnk:6,5,4",
    "mnk:10,7,4",
    "mnk:19,3,3",
    "mnk:4,4,3:gravity",
    "mnk:7,6,4:gravity",
    "mnk:3,7,3:gravity",
    "mnk:6,3,2:gravity",
    "mnk:6,5,3:exact",
    "mnk:9,2,2:exact",
    "mnk:12,1,3:exact",
    "mnk:9,9,5:exact",
    "mnk:7,6,4:gravity:exact",
    "mnk:5,4,2:gravity:exact",
]


def test_what_is_seen_at_once_is_exact_on_crowded_boards() -> None:
    seen: list[int] = []
    for text in SIGHTS:
        game = parse_game(text)
        assert isinstance(game, MnkGame)
        for seed in range(20):
            position = crowded(game, seed)
            seen.extend(assert_exact(position, look_at(position, len(position.moves) // 2)))
    assert all(seen.count(kind) >= 10 for kind in (NOTHING, WINS, LOSES, FORCED))


def test_a_win_by_fours_is_found_exactly_where_there_is_one() -> None:
    seen = [0, 0]
    for number, position in enumerate(middle_games(["5,5,4", "6,6,4", "7,7,5", "9,9,5"], 240, 1)):
        if not completing(position, Side.FIRST) and not completing(position, Side.SECOND):
            assert_exact(position, look_at(position, number % 3))
            wins = won_by_fours(position, 7)
            seen[wins] += 1
            # Few tries may be too few where fours are many.
            found, _ = win_by_fours(as_lists(make_lines(position)), position.turn, 1_000_000)
            assert bool(found) >= wins, position
            assert not found or won_by_fours(position, found), position
    assert min(seen) >= 20


def test_where_an_open_four_is_near_only_fours_and_what_it_needs_are_looked_at() -> None:
    look = look_at(parse("mnk:15,15,5 h8 a1 i8 a4 j8"))
    assert {move.text for move in look.moves} == {"f8", "g8", "k8", "l8"}
    assert len(look_at(parse("mnk:15,15,5 h8 a1 i8 a4 j8"), at_root=True).moves) == 220


def test_rows_that_lack_one_mark_and_open_rows_are_counted_and_the_turn_is_known() -> None:
    without_hope = 0
    for text in SIGHTS:
        game = parse_game(text)
        assert isinstance(game, MnkGame)
        for seed in range(6):
            position = crowded(game, seed)
            rows = [([position.mark(x, y) for x, y in cells], beside(position, cells)) for cells in every_row(game)]
            free = [[row for row, ends in rows if side.other not in row and side not in ends] for side in Side]
            lack_one = [sum(row.count(side) == game.k - 1 for row in free[side]) for side in Side]
            opened = [len(free[side]) for side in Side]
            for played in (0, len(position.moves)):
                look = look_at(position, played)
                assert look.state[TURN] == position.turn
                # Who can complete no row any more cannot win.
                assert look.outlook == [int(opened[position.turn.other] == 0), 1 + int(opened[position.turn] > 0)]
                without_hope += 0 in opened
                if suit(game):
                    continue
                assert look.state[LACK_ONE : LACK_ONE + 2] == lack_one, (position, played)
                assert look.state[OPEN : OPEN + 2] == opened, (position, played)
    assert without_hope >= 10


def beside(position: MnkPosition, cells: list[tuple[int, int]]) -> list[Side | None]:
    """The marks that would make a row of these cells too long."""
    game = position.game
    if not game.exact or game.k == 1:
        return []
    (x, y), (right, up) = cells[0], (cells[1][0] - cells[0][0], cells[1][1] - cells[0][1])
    ends = [(x - right, y - up), (x + game.k * right, y + game.k * up)]
    return [position.mark(x, y) for x, y in ends if 0 <= x < game.m and 0 <= y < game.n]


def every_row(game: MnkGame) -> Iterator[list[tuple[int, int]]]:
    for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1))[: 4 if game.k > 1 else 1]:
        for column, row in itertools.product(range(game.m), range(game.n)):
            cells = [(column + i * right, row + i * up) for i in range(game.k)]
            if all(0 <= x < game.m and 0 <= y < game.n for x, y in cells):
                yield cells


@pytest.mark.parametrize(
    ("text", "seen", "move"),
    [
        ("nim:5", WINS, "1-5"),
        ("nim:5:max3", NOTHING, None),
        ("nim:3:max3", WINS, "1-3"),
        ("nim:5:misere", NOTHING, None),
        ("nim:2,1", NOTHING, None),
        ("mnk:3,3,3 a1 b2 b1", FORCED, "c1"),
        # Three and two with a gap between them: filling it makes six.
        ("mnk:9,9,5 a1 a9 b1 b9 c1 c9 e1 f5 f1 g7", WINS, "d1"),
        ("mnk:9,9,5:exact a1 a9 b1 b9 c1 c9 e1 f5 f1 g7", NOTHING, None),
        ("mnk:9,9,5:exact a1 f5 b1 g7 c1 a9 e1", FORCED, "d1"),
        ("mnk:3,3,3 a1 b1 a2 b2", WINS, "a3"),
        ("mnk:3,3,3 a1 b2 c3 a3 c1", LOSES, None),
        ("mnk:5,5,1", WINS, None),
        # Three in a row on the ground: the fourth may fall on either side, or on one only.
        ("mnk:7,6,4:gravity c1 c2 d1 d2 e1", LOSES, None),
        ("mnk:7,6,4:gravity a1 a2 b1 b2 c1", FORCED, "d1"),
        # Both ends of the row of three hang in the air: no threat yet.
        ("mnk:7,6,4:gravity d1 b1 b2 c1 c2 g1 d2", NOTHING, None),
    ],
)
def test_by_example(text: str, seen: int, move: str | None) -> None:
    look = look_at(parse(text))
    assert look.seen == seen
    if move is not None:
        assert look.seen_move is not None
        assert look.seen_move.text == move


def test_an_identity_without_all_of_its_bodies_is_told_by_their_names() -> None:
    def body(g: object) -> None:
        raise NotImplementedError

    with pytest.raises(TypeError, match="assess, beginn, key_after, to_move"):
        implement_all(tuple, beginn=body, begin=body, moved=body, key=body, outlook=body, candidates=body)
