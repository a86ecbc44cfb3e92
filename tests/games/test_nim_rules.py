"""Laws of Nim: what a move changes, and that the rules have the values that theory says they have."""

from functools import reduce
from itertools import combinations_with_replacement, pairwise
from math import prod
from operator import xor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.errors import GameParameterError, IllegalMoveError
from nimdesk.games import NimGame, NimMove, NimPosition, Side, parse_position

laws = settings(max_examples=60)


@st.composite
def nim_games(draw: st.DrawFn) -> NimGame:
    piles = draw(st.lists(st.integers(1, 16), min_size=1, max_size=6))
    return NimGame(tuple(piles), draw(st.none() | st.integers(1, 127)), draw(st.booleans()))


@st.composite
def nim_playouts(draw: st.DrawFn) -> list[NimPosition]:
    random_state = draw(st.randoms(use_true_random=False))
    positions = [draw(nim_games()).start()]
    while positions[-1].legal_moves:
        positions.append(positions[-1].play(random_state.choice(positions[-1].legal_moves)))
    return positions


@laws
@given(nim_playouts())
def test_a_move_takes_its_sticks_from_its_pile_alone(positions: list[NimPosition]) -> None:
    for before, after in pairwise(positions):
        move = after.moves[-1]
        assert sum(before.piles) - sum(after.piles) == move.take
        assert before.piles[move.pile] - after.piles[move.pile] == move.take
        others = [pile for pile in range(len(before.piles)) if pile != move.pile]
        assert [before.piles[pile] for pile in others] == [after.piles[pile] for pile in others]
        assert min(after.piles) >= 0


@laws
@given(nim_playouts())
def test_the_takes_of_a_game_add_up_to_its_sticks(positions: list[NimPosition]) -> None:
    last = positions[-1]
    assert set(last.piles) == {0}
    assert sum(move.take for move in last.moves) == sum(last.game.piles)
    for pile, size in enumerate(last.game.piles):
        assert sum(move.take for move in last.moves if move.pile == pile) == size


@laws
@given(nim_playouts())
def test_legal_moves_are_every_take_up_to_the_pile_and_the_limit(positions: list[NimPosition]) -> None:
    for position in positions:
        limit = position.game.max_take or 127
        expected = [
            (pile, take) for pile, size in enumerate(position.piles) for take in range(1, size + 1) if take <= limit
        ]
        assert [(move.pile, move.take) for move in position.legal_moves] == expected
        largest = [position.largest_take(pile) for pile in range(len(position.piles))]
        assert largest == [min(size, limit) for size in position.piles]


@laws
@given(nim_playouts())
def test_misere_play_is_the_same_game_with_the_other_winner(positions: list[NimPosition]) -> None:
    game, last = positions[-1].game, positions[-1]
    twin = NimGame(game.piles, game.max_take, not game.misere).start()
    for move in last.moves:
        assert twin.outcome is None
        twin = twin.play(move)
    assert last.winner is not None
    assert twin.winner == last.winner.other
    last_mover = Side((last.ply - 1) % 2)
    assert last.winner == (last_mover.other if game.misere else last_mover)


@laws
@given(nim_playouts(), st.randoms(use_true_random=False))
def test_renumbering_the_piles_changes_nothing_else(positions: list[NimPosition], random_state) -> None:
    last = positions[-1]
    order = list(range(len(last.game.piles)))
    random_state.shuffle(order)
    piles = tuple(last.game.piles[old] for old in order)
    twin = NimGame(piles, last.game.max_take, last.game.misere).start()
    for move in last.moves:
        twin = twin.play(NimMove(order.index(move.pile), move.take))
    assert twin.outcome == last.outcome
    assert twin.ply == last.ply


@laws
@given(nim_games())
def test_the_shortest_and_the_longest_game(game: NimGame) -> None:
    greedy = timid = game.start()
    while greedy.outcome is None:
        greedy = greedy.play(max(greedy.legal_moves, key=lambda move: move.take))
    while timid.outcome is None:
        timid = timid.play(timid.legal_moves[0])
    assert timid.ply == sum(game.piles)
    assert greedy.ply == sum(-(-size // (game.max_take or 127)) for size in game.piles)


def mover_wins(position: NimPosition, known: dict[NimPosition, bool]) -> bool:
    """Whether the side to move can force a win: by trying every move, with no theory at all."""
    if position not in known:
        if position.outcome is not None:
            known[position] = position.outcome.winner == position.turn
        else:
            replies = {mover_wins(position.play(move), known) for move in position.legal_moves}
            known[position] = False in replies
    return known[position]


def bouton(piles: tuple[int, ...], misere: bool) -> bool:
    """Bouton, 1901: the mover wins where the nim-sum is not 0; in misère play with piles of 1 at most, where it is."""
    return (reduce(xor, piles) != 0) != (misere and max(piles) <= 1)


@pytest.mark.parametrize("misere", [False, True], ids=["normal", "misere"])
@pytest.mark.parametrize("start", [(4, 4, 4), (1, 3, 5), (2, 2, 2, 2), (1, 1, 1, 1, 1), (7, 3)])
def test_values_by_brute_force_are_boutons(start: tuple[int, ...], misere: bool) -> None:
    known: dict[NimPosition, bool] = {}
    mover_wins(NimGame(start, misere=misere).start(), known)
    # Every set of piles is met with either side to move, but where no pile is short of more than one stick: those
    # sticks left one by one, which settles whose turn it is.
    assert len(known) == 2 * prod(size + 1 for size in start) - 2 ** len(start)
    for position, value in known.items():
        assert value == bouton(position.piles, misere), position


@pytest.mark.parametrize("misere", [False, True], ids=["normal", "misere"])
@pytest.mark.parametrize("max_take", [2, 3])
def test_with_a_largest_take_piles_count_modulo_one_more(max_take: int, misere: bool) -> None:
    for start in combinations_with_replacement(range(1, 7), 2):
        known: dict[NimPosition, bool] = {}
        mover_wins(NimGame(start, max_take, misere).start(), known)
        for position, value in known.items():
            assert value == bouton(tuple(size % (max_take + 1) for size in position.piles), misere), position


@pytest.mark.parametrize(("misere", "lost_remainder"), [(False, 0), (True, 1)], ids=["normal", "misere"])
def test_the_21_game_is_lost_at_multiples_of_four_or_one_more(misere: bool, lost_remainder: int) -> None:
    known: dict[NimPosition, bool] = {}
    mover_wins(NimGame((21,), max_take=3, misere=misere).start(), known)
    sticks = {position.piles[0]: value for position, value in known.items()}
    assert sorted(sticks) == list(range(22))
    assert {size for size, value in sticks.items() if not value} == {s for s in range(22) if s % 4 == lost_remainder}
    start = NimGame((21,), max_take=3).start()
    winning = [move.take for move in start.legal_moves if not bouton(((21 - move.take) % 4,), misere)]
    assert winning == ([1] if not misere else [])


def test_one_move_of_3_4_5_wins() -> None:
    known: dict[NimPosition, bool] = {}
    start = NimGame((3, 4, 5)).start()
    winning = [move.text for move in start.legal_moves if not mover_wins(start.play(move), known)]
    assert (len(start.legal_moves), winning) == (12, ["1-2"])


@pytest.mark.parametrize(
    ("text", "refused", "why"),
    [
        ("nim:3,4", NimMove(0, 4), "pile 1 has 3 sticks and one move takes 1 to 3"),
        ("nim:3,4", NimMove(0, 0), "pile 1 has 3 sticks and one move takes 1 to 3"),
        ("nim:3,4", NimMove(1, -1), "pile 2 has 4 sticks and one move takes 1 to 4"),
        ("nim:3,4", NimMove(2, 1), "the piles are 1 to 2"),
        ("nim:3,4", NimMove(-1, 1), "the piles are 1 to 2"),
        ("nim:3", NimMove(1, 1), "there is only pile 1"),
        ("nim:3,4 1-3", NimMove(0, 1), "pile 1 has 0 sticks and it is empty"),
        ("nim:3,4 1-2", NimMove(0, 2), "pile 1 has 1 stick and one move takes 1"),
        ("nim:9:max2", NimMove(0, 3), "pile 1 has 9 sticks and one move takes 1 to 2"),
        ("nim:9:max1", NimMove(0, 2), "pile 1 has 9 sticks and one move takes 1"),
    ],
)
def test_why_a_move_is_illegal(text: str, refused: NimMove, why: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        parse_position(text).play(refused)
    assert f"is not legal here: {why}. Legal moves: " in str(caught.value)


@pytest.mark.parametrize(
    ("piles", "max_take", "says"),
    [
        ((), None, "Nim needs 1 to 12 piles, not 0; give their sizes like 1,3,5,7."),
        ((1,) * 13, None, "Nim needs 1 to 12 piles, not 13; give their sizes like 1,3,5,7."),
        ((3, 0), None, "Pile 2 has 0 sticks; a pile holds 1 to 127."),
        ((128,), None, "Pile 1 has 128 sticks; a pile holds 1 to 127."),
        ((-3,), None, "Pile 1 has -3 sticks; a pile holds 1 to 127."),
        ((3,), 0, "The largest take is 0; it may be 1 to 127, or left out for no limit."),
        ((3,), 128, "The largest take is 128; it may be 1 to 127, or left out for no limit."),
        ((3,), -1, "The largest take is -1; it may be 1 to 127, or left out for no limit."),
    ],
)
def test_impossible_parameters_are_refused(piles: tuple[int, ...], max_take: int | None, says: str) -> None:
    with pytest.raises(GameParameterError) as caught:
        NimGame(piles, max_take)
    assert str(caught.value) == says


def test_the_same_piles_with_the_other_side_to_move_are_another_position() -> None:
    one, two = parse_position("nim:3,3 1-2"), parse_position("nim:3,3 1-1 1-1")
    assert isinstance(one, NimPosition)
    assert isinstance(two, NimPosition)
    assert one.piles == two.piles
    assert one.turn != two.turn
    assert one != two
    assert two == parse_position("nim:3,3 1-1 1-1")


@pytest.mark.parametrize(
    ("text", "what", "most"),
    [
        ("nim:5", "Take as many sticks as you like, at least one, from the pile.", ""),
        ("nim:3,4", "Take as many sticks as you like, at least one, from any one pile.", ""),
        ("nim:3,4:max1", "Take one stick from any one pile.", " (at most 1)"),
        ("nim:21:max2", "Take 1 to 2 sticks from the pile.", " (at most 2)"),
    ],
)
@pytest.mark.parametrize(("flag", "end"), [("", "wins"), (":misere", "loses")])
def test_the_rules_and_the_hint_say_what_may_be_taken(text: str, what: str, most: str, flag: str, end: str) -> None:
    game = parse_position(text + flag).game
    assert game.rules_text == f"{what} Whoever takes the last stick {end}."
    assert game.hint == f"Click a stick to take it and all to its right{most}. Whoever takes the last stick {end}."
