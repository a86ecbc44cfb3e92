"""``play``, ``undo``, ``next_move`` and ``neighbours`` against the reference rules, on random walks up and down games.

A walk plays a random legal move or takes the last one back; the kernel writes down what it sees after each step, and
the test asks the reference position of the same moves. Taking everything back must restore the working position to the
last bit, the order of the open choices included.
"""

import numpy as np
import pytest
from coding import Rules, decode_table, encode_move, encode_position, longest_game
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from test_compiled_rules import GAMES, mnk_games, nim_games

from nimdesk.games import AnyPosition, Game, MnkPosition, parse_game, parse_position
from nimdesk.games.mnk import kernel as mnk
from nimdesk.games.mnk import kernel_small as mnk_small
from nimdesk.games.nim import kernel as nim
from nimdesk.games.nim import kernel_small as nim_small
from nimdesk.kernels import random as rng
from nimdesk.kernels import rules
from nimdesk.kernels.rules import DRAW, LOSS, ONGOING, WIN


@njit(cache=True, _nrt=False)
def walk(r, random, share, path, steps, results, counts, listed, legal, near):  # type: ignore[no-untyped-def]
    """``steps[i]``: 1 for a move played, with its code in ``path``, -1 for one taken back; then what is to be seen.

    Undo comes with a chance of ``share`` percent, and always after the end of the game. ``listed``: how many moves
    ``next_move`` names, into the rows of ``legal``; ``near``: their occupied neighbours; ``path``: the move played.
    """
    stack = np.int64(0)
    result = ONGOING
    for i in range(steps.size):
        random = rng.step(random)
        if result != ONGOING or (stack > 0 and rng.below(random, 100) < share):
            stack -= 1
            rules.undo(r, path[path.size - 1 - stack])
            steps[i], result = -1, ONGOING
        else:
            random = rng.step(random)
            pick = rng.below(random, rules.legal_count(r))
            move = rules.next_move(r, -1)
            for _ in range(pick):
                move = rules.next_move(r, move)
            result = rules.play(r, move)
            # The moves of the current line grow down from the end of ``path``; the moves by step stand at its start.
            path[path.size - 1 - stack] = move
            path[i] = move
            stack += 1
            steps[i] = 1
        results[i], counts[i] = result, rules.legal_count(r)
        if result == ONGOING:
            move = rules.next_move(r, -1)
            while move >= 0:
                legal[i, listed[i]], near[i, listed[i]] = move, rules.neighbours(r, move)
                listed[i] += 1
                move = rules.next_move(r, move)


@njit(cache=True, _nrt=False)
def play_line(r, moves):  # type: ignore[no-untyped-def]
    for i in range(moves.size):
        rules.play(r, moves[i])


@njit(cache=True, _nrt=False)
def take_back(r, moves):  # type: ignore[no-untyped-def]
    for i in range(moves.size - 1, -1, -1):
        rules.undo(r, moves[i])


def working(r: Rules) -> dict[str, list[int]]:
    """The working position in full: whatever ``reset`` would bring back."""
    if isinstance(r, nim_small.SmallNimRules):
        return {"number": r.number.tolist()}
    if isinstance(r, mnk_small.SmallMnkRules):
        return {"words": r.words.tolist()}
    if isinstance(r, nim.NimRules):
        return {name: getattr(r, name).tolist() for name in ("piles", "choices", "word")}
    everything = {name: getattr(r, name).tolist() for name in ("choices", "place", "state")}
    everything["lines"] = r.board.words.tolist()
    everything["heights"] = r.heights.tolist()
    # Beyond the open choices lies what has been closed; its order and places are free.
    count = int(r.state[mnk.COUNT])
    everything["choices"] = everything["choices"][:count]
    everything["place"] = [everything["place"][choice] for choice in everything["choices"]]
    return everything


def occupied_neighbours(position: AnyPosition, code: int) -> int:
    if not isinstance(position, MnkPosition):
        return 0
    column, row = code % position.game.m, code // position.game.m
    around = [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    inside = [(c, r) for c, r in around if 0 <= c < position.game.m and 0 <= r < position.game.n]
    return sum(position.mark(c, r) is not None for c, r in inside)


def check_walk(root: AnyPosition, seed: int, steps: int, share: int) -> None:
    game, table = root.game, decode_table(root.game)
    r = encode_position(root)
    before = working(r)
    most = len(root.legal_moves)
    path = np.full(steps + longest_game(root) + 1, -1, np.int64)
    kinds, results, counts = np.zeros(steps, np.int64), np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    listed, legal, near = (
        np.zeros(steps, np.int64),
        np.zeros((steps, most), np.int64),
        np.zeros((steps, most), np.int64),
    )
    walk(r, np.uint64(seed), share, path, kinds, results, counts, listed, legal, near)
    line = [root]
    for i in range(steps):
        if kinds[i] > 0:
            mover = line[-1].turn
            line.append(line[-1].play(table[path[i]]))
            outcome = line[-1].outcome
            score = ONGOING if outcome is None else {1.0: WIN, 0.5: DRAW, 0.0: LOSS}[outcome.score(mover)]
            assert results[i] == score, line[-1]
        else:
            line.pop()
        now = line[-1]
        if now.outcome is None:
            codes = [encode_move(game, move) for move in now.legal_moves]
            assert counts[i] == len(codes), now
            # In the order of the codes, each once: with gravity that is not the order of the legal moves.
            assert legal[i, : listed[i]].tolist() == sorted(codes), now
            assert near[i, : listed[i]].tolist() == [occupied_neighbours(now, code) for code in sorted(codes)], now
    # The position reached by the walk is bit for bit the one reached by playing its moves, or encoded from it.
    made = np.array([encode_move(game, move) for move in line[-1].moves[root.ply :]], np.int64)
    straight = encode_position(root)
    play_line(straight, made)
    same, reached = working(straight), working(r)
    for name in ("number", "words", "piles", "word", "lines", "heights", "state"):
        assert reached.get(name) == same.get(name), name
    assert sorted(reached.get("choices", [])) == sorted(same.get("choices", []))
    if line[-1].outcome is None and isinstance(r, mnk.MnkRules):
        assert reached["lines"] == working(encode_position(line[-1]))["lines"]
    if isinstance(r, mnk.MnkRules):
        assert [r.choices[place] for place in reached["place"]] == reached["choices"]
    take_back(r, made)
    assert working(r) == before


@pytest.mark.parametrize(("text", "games"), GAMES)
def test_walks_up_and_down_agree_with_the_reference_rules(text: str, games: int) -> None:
    root = parse_game(text).start()
    large = len(root.legal_moves) > 100
    steps = 60 if large else min(2 * longest_game(root) + 20, 200)
    for seed in range(1 if large else min(games, 3)):
        check_walk(root, seed, steps, share=(10, 33, 48)[seed % 3])


@pytest.mark.parametrize(
    "text",
    [
        "nim:1,3,5,7 4-4 2-3",
        "nim:12,12:max5:misere 1-5 2-5 1-5",
        "mnk:3,3,3 b2 a1 c3",
        "mnk:7,6,4:gravity d1 d2 d3 d4 d5 d6 a1",
        "mnk:6,4,4 a1 b2 c3 d4 f4 e1 a2",
        "mnk:1,5,3:gravity a1 a2",
        "mnk:2,3,3:gravity a1 a2 a3 b1",
    ],
)
def test_walks_agree_from_the_middle_of_a_game(text: str) -> None:
    for seed in range(10):
        check_walk(parse_position(text), seed, 60, share=40)


@settings(max_examples=60)
@given(nim_games | mnk_games(), st.integers(0, 2**63 - 1), st.integers(0, 60))
def test_walks_agree_for_any_parameters(game: Game, seed: int, share: int) -> None:
    root = game.start()
    check_walk(root, seed, 60 if len(root.legal_moves) < 150 else 15, share)


@pytest.mark.parametrize(
    "text", ["mnk:3,3,3 a1 b1 a2 b2 a3", "mnk:3,2,3:gravity a1 b1 a2 b2 c1 c2", "nim:2,1 1-2 2-1", "mnk:2,2,1 b2"]
)
def test_the_last_move_of_a_game_can_be_taken_back(text: str) -> None:
    end = parse_position(text)
    assert end.outcome is not None
    root = end.game.start()
    r = encode_position(root)
    before = working(r)
    codes = np.array([encode_move(end.game, move) for move in end.moves], np.int64)
    for _ in range(3):
        play_line(r, codes)
        assert working(r) != before
        take_back(r, codes)
        assert working(r) == before
