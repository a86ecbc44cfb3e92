"""Every legal move has its own code and comes back from it."""

import random

import pytest
from coding import decode_table, encode_move, encode_position, longest_game

from nimdesk.games import MnkMove, NimMove, parse_game, presets
from nimdesk.games.mnk import kernel as mnk
from nimdesk.games.nim import kernel as nim
from nimdesk.games.nim.kernel_small import SmallNimRules

EDGES = [
    "nim:64,64,64,64,64,64,64,64,64,64,64,64",
    "nim:1:misere",
    "nim:9,17,3:max5",
    "mnk:1,1,1",
    "mnk:19,1,3",
    "mnk:1,19,19",
    "mnk:13,7,4",
    "mnk:19,19,5",
    "mnk:7,13,4:gravity",
    "mnk:19,19,19:gravity",
]


@pytest.mark.parametrize("text", [*(preset.game.text for preset in presets()), *EDGES])
def test_every_legal_move_of_random_games_comes_back_from_its_code(text: str) -> None:
    game = parse_game(text)
    table = decode_table(game)
    largest = nim.MOVE_CODES if text.startswith("nim") else mnk.MOVE_CODES
    assert len(table) <= largest <= 2**15, "a code fits the 16 bits of a node"
    choose = random.Random(text).choice
    for _ in range(3):
        position = game.start()
        while position.outcome is None:
            codes = [encode_move(game, move) for move in position.legal_moves]
            assert tuple(table[code] for code in codes) == position.legal_moves
            assert len(set(codes)) == len(codes)
            assert longest_game(position) >= 1
            position = position.play(choose(position.legal_moves))
        assert longest_game(position) >= 0
        assert position.ply <= longest_game(game.start())


@pytest.mark.parametrize("text", ["nim:5,4:max2", "mnk:6,4,4", "mnk:4,6,4:gravity"])
def test_the_table_is_the_inverse_of_encoding_for_every_code(text: str) -> None:
    game = parse_game(text)
    assert [encode_move(game, move) for move in decode_table(game)] == list(range(len(decode_table(game))))


def test_codes_are_what_the_kernels_say() -> None:
    assert encode_move(parse_game("nim:7,7,7"), NimMove(2, 5)) == 2 * 64 + 4
    assert encode_move(parse_game("mnk:7,6,4"), MnkMove(3, 2)) == 2 * 7 + 3


def test_rules_of_the_same_position_share_no_memory() -> None:
    arrays = {"nim:64,64": ("root", "piles"), "mnk:9,9,3": ("root_choices", "choices")}
    for text, (root, working) in arrays.items():
        one, other = (encode_position(parse_game(text).start()) for _ in range(2))
        getattr(one, working)[:] = 0
        assert getattr(one, root).any()
        assert getattr(other, working).any()
    one, other = (encode_position(parse_game("nim:3,4,5").start()) for _ in range(2))
    assert isinstance(one, SmallNimRules)
    assert isinstance(other, SmallNimRules)
    one.number[:] = 0
    assert other.number.all()
    # The tables are shared, but cannot be written to.
    assert one.after is other.after
    assert not one.after.flags.writeable
