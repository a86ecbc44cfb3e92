"""Every legal move has its own code and comes back from it."""

import random

import numpy as np
import pytest
from coding import decode_table, encode_columns, encode_identity, encode_move, encode_position, longest_game

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkMove, NimMove, kernel_of, kit_of, parse_game, presets
from nimdesk.games.kernel_kit import LIMITS, Sizes, check_sizes
from nimdesk.games.nim.kernel_small import SmallNimRules
from nimdesk.kernels import graph, places

COMPILED = [preset.game.text for preset in presets() if kit_of(preset.game).load_kernel is not None]
EDGES = [
    "nim:64,64,64,64,64,64,64,64,64,64,64,64",
    "nim:1:misere",
    "nim:9,17,3:max5",
    "nim:127,127,127,127,127,127,127,127,127,127,127,127:max63",
    "mnk:1,1,1",
    "mnk:19,1,3",
    "mnk:1,19,19",
    "mnk:13,7,4",
    "mnk:20,20,5",
    "mnk:3,3,5",
    "mnk:15,15,5:exact",
    "mnk:7,13,4:gravity",
    "mnk:19,19,19:gravity",
]


@pytest.mark.parametrize("text", [*COMPILED, *EDGES])
def test_every_legal_move_of_random_games_comes_back_from_its_code(text: str) -> None:
    game = parse_game(text)
    table = decode_table(game)
    sizes = kernel_of(game).sizes(game)
    assert len(table) <= sizes.codes
    check_sizes(game, sizes)
    choose = random.Random(text).choice
    for _ in range(3):
        position = game.start()
        while position.outcome is None:
            codes = [encode_move(game, move) for move in position.legal_moves]
            assert tuple(table[code] for code in codes) == position.legal_moves
            assert len(set(codes)) == len(codes) <= sizes.moves
            assert longest_game(position) >= 1
            position = position.play(choose(position.legal_moves))
        assert longest_game(position) >= 0
        assert position.ply <= longest_game(game.start()) <= sizes.plies


@pytest.mark.parametrize("text", ["nim:5,4:max2", "mnk:6,4,4", "mnk:4,6,4:gravity"])
def test_the_table_is_the_inverse_of_encoding_for_every_code(text: str) -> None:
    game = parse_game(text)
    assert [encode_move(game, move) for move in decode_table(game)] == list(range(len(decode_table(game))))


def test_the_limits_are_those_of_the_kernels() -> None:
    assert LIMITS.codes == places.CODE + 1
    assert LIMITS.moves == places.LARGEST_BLOCK < graph.MOVES_MASK
    assert LIMITS.view_codes == np.iinfo(graph.EDGE["code"]).max + 1


@pytest.mark.parametrize("field", Sizes._fields)
def test_a_game_that_needs_more_room_is_refused_in_a_sentence(field: str) -> None:
    game = parse_game("nim:3,4,5")
    check_sizes(game, LIMITS)
    with pytest.raises(GameParameterError, match=r"^Nim 3-4-5 needs [\d,]+ .*; the searches have room for [\d,]+\.$"):
        check_sizes(game, LIMITS._replace(**{field: getattr(LIMITS, field) + 1}))


def test_a_search_does_not_begin_with_a_game_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    position = parse_game("nim:7,11,13").start()
    kernel = kernel_of(position)
    monkeypatch.setattr(kernel, "sizes", lambda _: LIMITS._replace(codes=2000))
    with pytest.raises(GameParameterError, match="2,000 codes of moves"):
        kernel.encode_position(position)


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


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:5,4,4", "mnk:7,6,4:gravity"])
def test_what_identities_of_the_same_position_share_cannot_be_written_to(text: str) -> None:
    pair = zip(*(encode_identity(parse_game(text).start()) for _ in range(2)), strict=True)
    shared = [one for one, other in pair if isinstance(one, np.ndarray) and np.shares_memory(one, other)]
    assert shared
    assert not any(array.flags.writeable for array in (*shared, encode_columns(parse_game(text).start())))
