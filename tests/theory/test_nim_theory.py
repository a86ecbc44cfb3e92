"""The theory of Nim against brute force, over all small positions of every variant, and against OpenSpiel."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.errors import OptionError
from nimdesk.games import NimGame, NimMove, NimPosition, parse_position
from nimdesk.games.base import describe_move
from nimdesk.games.nim.theory import (
    grundy,
    nim_columns,
    nim_sum,
    solve_nim,
    winning_moves,
)
from nimdesk.games.nim.value_table import TableSolver, count_table_states, value_table
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import truth_sentence
from nimdesk.limit import Limit

laws = settings(max_examples=100)
MAX_TAKES = [None, *range(1, 11), 64]
VARIANTS = [(max_take, misere) for max_take in MAX_TAKES for misere in (False, True)]
every_variant = pytest.mark.parametrize(("max_take", "misere"), VARIANTS)


@cache
def brute_force(piles: tuple[int, ...], max_take: int | None, misere: bool) -> tuple[bool, int]:
    """Whether the player to move wins, and in how many plies: every line of play, and no theory; piles sorted."""
    if not any(piles):
        return misere, 0
    to_loss, to_win = [], []
    for index, size in enumerate(piles):
        for take in range(1, size + 1 if max_take is None else min(size, max_take) + 1):
            won, plies = brute_force(sorted_after(piles, index, take), max_take, misere)
            (to_win if won else to_loss).append(1 + plies)
    return (True, min(to_loss)) if to_loss else (False, max(to_win))


def sorted_after(piles: tuple[int, ...], index: int, take: int) -> tuple[int, ...]:
    return tuple(sorted((*piles[:index], piles[index] - take, *piles[index + 1 :])))


def small_piles() -> Iterator[tuple[int, ...]]:
    """Sorted piles, 0 included: as when piles were emptied."""
    for count, largest in ((1, 40), (2, 12), (3, 8), (4, 5), (5, 3)):
        yield from combinations_with_replacement(range(largest + 1), count)


def started(piles: tuple[int, ...], max_take: int | None = None, misere: bool = False) -> NimPosition:
    return NimGame(piles, max_take, misere).start()


def by_theory(piles: tuple[int, ...], max_take: int | None, misere: bool) -> tuple[bool, int | None]:
    """Whether the player to move wins, and the plies to the end, by theory; piles may be empty."""
    truth = solve_nim(NimPosition(NimGame((1,) * len(piles), max_take, misere), piles))
    return truth.value is Value.WIN, truth.distance


@st.composite
def positions(draw: st.DrawFn, most_piles: int = 12, largest: int = 64) -> NimPosition:
    """Any position there is, some moves into the game."""
    piles = tuple(draw(st.lists(st.integers(1, largest), min_size=1, max_size=most_piles)))
    max_take = draw(st.none() | st.integers(1, 8) | st.integers(1, 64))
    position = started(piles, max_take, draw(st.booleans()))
    for _ in range(draw(st.integers(0, 12))):
        if position.legal_moves:
            position = position.play(draw(st.sampled_from(position.legal_moves)))
    return position


@every_variant
def test_value_and_distance_of_all_small_positions(max_take: int | None, misere: bool) -> None:
    for piles in small_piles():
        expected = brute_force(piles, max_take, misere)
        assert by_theory(piles, max_take, misere) == expected, piles


@every_variant
def test_value_and_distance_of_every_move_of_all_small_positions(max_take: int | None, misere: bool) -> None:
    for piles in small_piles():
        if 0 in piles:
            continue
        position = started(piles, max_take, misere)
        truth = solve_nim(position)
        won, plies = brute_force(piles, max_take, misere)
        assert (truth.value is Value.WIN, truth.distance) == (won, plies)
        assert tuple(known.move for known in truth.moves) == position.legal_moves
        wins = []
        for known in truth.moves:
            assert isinstance(known.move, NimMove)
            after_won, after_plies = brute_force(
                sorted_after(piles, known.move.pile, known.move.take), max_take, misere
            )
            assert (known.value is Value.LOSS, known.distance) == (after_won, 1 + after_plies), (piles, known.move)
            if not after_won:
                wins.append(known.move)
        assert winning_moves(position) == tuple(wins)


@laws
@given(positions(most_piles=5, largest=7))
def test_small_positions_in_the_middle_of_a_game(position: NimPosition) -> None:
    game = position.game
    truth = solve_nim(position)
    piles = tuple(sorted(position.piles))
    assert (truth.value is Value.WIN, truth.distance) == brute_force(piles, game.max_take, game.misere)
    for known in truth.moves:
        after = tuple(sorted(position.play(known.move).piles))
        won, plies = brute_force(after, game.max_take, game.misere)
        assert (known.value is Value.LOSS, known.distance) == (won, 1 + plies)


@laws
@given(positions())
def test_a_win_has_a_move_to_a_loss_and_a_loss_has_none(position: NimPosition) -> None:
    truth = solve_nim(position)
    assert truth.complete
    assert truth.nodes == 0
    wins = tuple(known.move for known in truth.moves if known.value is Value.WIN)
    assert wins == winning_moves(position)
    if position.outcome is None:
        assert bool(wins) == (truth.value is Value.WIN)
        assert truth.best_moves == (wins or position.legal_moves)
    else:
        assert truth.value is (Value.WIN if position.winner == position.turn else Value.LOSS)
        assert (truth.distance, truth.moves) == (0, ())


@laws
@given(positions(), st.data())
def test_the_truth_of_a_move_is_that_of_the_position_it_leads_to(position: NimPosition, data: st.DataObject) -> None:
    if position.outcome is not None:
        return
    known = data.draw(st.sampled_from(solve_nim(position).moves))
    after = solve_nim(position.play(known.move))
    assert after.value is known.value.reverse
    assert after.distance is not None
    assert known.distance == 1 + after.distance


@laws
@given(positions())
def test_distance_is_the_shortest_win_or_the_longest_loss(position: NimPosition) -> None:
    truth = solve_nim(position)
    kept = [known.distance or 0 for known in truth.moves if known.value is truth.value]
    if kept:
        assert truth.distance == (min(kept) if truth.value is Value.WIN else max(kept))
    without = solve_nim(position, distances=False)
    assert without.distance is None
    assert [known.distance for known in without.moves] == [None] * len(truth.moves)
    assert [known.value for known in without.moves] == [known.value for known in truth.moves]


@laws
@given(positions(), st.randoms(use_true_random=False))
def test_the_order_of_the_piles_does_not_matter(position: NimPosition, random: Any) -> None:
    game = position.game
    shuffled = list(position.piles)
    random.shuffle(shuffled)
    assert by_theory(tuple(shuffled), game.max_take, game.misere) == by_theory(
        position.piles, game.max_take, game.misere
    )


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("sizes", ["1;2;3", "3;4;5", "1;3;5;7", "2;2", "4;4;1", "7", "1", "1;1;1"])
def test_openspiel_agrees(sizes: str, misere: bool) -> None:
    values: dict[str, float] = {}

    def value(state: Any) -> float:
        """For the first player, by OpenSpiel's rules; the text of a state names piles and turn."""
        if state.is_terminal():
            return float(state.returns()[0])
        if str(state) not in values:
            after = [value(state.child(action)) for action in state.legal_actions()]
            values[str(state)] = max(after) if state.current_player() == 0 else min(after)
        return values[str(state)]

    start = pyspiel.load_game("nim", {"pile_sizes": sizes, "is_misere": misere}).new_initial_state()
    position = started(tuple(map(int, sizes.split(";"))), misere=misere)
    truth = solve_nim(position)
    assert truth.value is (Value.WIN if value(start) == 1 else Value.LOSS)
    theirs = {}
    for action in start.legal_actions():
        match = re.fullmatch(r"pile:([0-9]+), take:([0-9]+);", start.action_to_string(0, action))
        assert match
        theirs[f"{match[1]}-{match[2]}"] = value(start.child(action)) == 1
    assert {known.move.text: known.value is Value.WIN for known in truth.moves} == theirs


def test_document_003_loses_21_sticks_from_one_modulo_four() -> None:
    lost = [n for n in range(1, 65) if not by_theory((n,), 3, misere=True)[0]]
    assert lost == [n for n in range(1, 65) if n % 4 == 1]
    assert winning_moves(started((20,), 3, misere=True)) == (NimMove(0, 3),)
    assert solve_nim(started((21,), 3, misere=True)).value is Value.LOSS


def test_document_004_wins_by_leaving_multiples_of_four() -> None:
    for n in range(1, 65):
        assert [move.take for move in winning_moves(started((n,), 3))] == ([n % 4] if n % 4 else [])
    assert solve_nim(started((10,), 3)).best_moves == (NimMove(0, 2),)


@pytest.mark.parametrize(("piles", "won"), [((1, 2), True), ((1, 3, 5, 7), False), ((2, 2, 2, 2), False)])
def test_document_000_positions_have_their_textbook_values(piles: tuple[int, ...], won: bool) -> None:
    assert by_theory(piles, None, misere=False)[0] == won == (nim_sum(piles) != 0)


def test_the_helpers_at_their_edges() -> None:
    assert (nim_sum(()), nim_sum((3, 4, 5))) == (0, 2)
    assert (grundy(21, None), grundy(21, 3), grundy(3, 64), grundy(7, 1)) == (21, 1, 3, 1)
    assert by_theory((0,), 3, misere=False) == (False, 0)
    assert by_theory((0, 0), 3, misere=True) == (True, 0)


@every_variant
def test_the_value_table_agrees_with_the_theory_everywhere(max_take: int | None, misere: bool) -> None:
    for piles in ((40,), (9, 9), (5, 3, 7), (4, 4, 4, 4), (1, 1, 1, 1, 1, 1)):
        game = NimGame(piles, max_take, misere)
        table = value_table(game)
        assert len(table) == count_table_states(game)
        for entry in table.values():
            assert (entry.value is Value.WIN, entry.distance) == by_theory(entry.piles or (0,), max_take, misere)
            if entry.piles:
                moves = winning_moves(started(entry.piles, max_take, misere))
                assert set(entry.wins) == {(entry.piles[move.pile], move.take) for move in moves}
                assert len(entry.wins) == len(set(entry.wins))


def test_document_003_value_table_can_be_looked_at() -> None:
    table = value_table(NimGame((21,), 3, misere=True))
    rows = [(sum(entry.piles), entry.value, tuple(take for _, take in entry.wins)) for entry in table.values()]
    win, loss = Value.WIN, Value.LOSS
    assert rows[:6] == [(0, win, ()), (1, loss, ()), (2, win, (1,)), (3, win, (2,)), (4, win, (3,)), (5, loss, ())]
    assert [n for n, value, _ in rows if value is Value.LOSS] == [1, 5, 9, 13, 17, 21]


@laws
@given(positions(most_piles=3, largest=6))
def test_the_value_table_plays_every_best_move(position: NimPosition) -> None:
    solver = TableSolver(position.game)
    solver.start(position)
    assert solver.advance(Limit())
    table, theory = solver.truth(), solve_nim(position)
    assert (table.value, table.distance, table.best_moves) == (theory.value, theory.distance, theory.best_moves)
    assert table.moves == theory.moves


def test_the_values_in_a_value_table_stand_below_each_other() -> None:
    lines = TableSolver(NimGame((1, 1, 1, 1))).lines()
    assert lines[-1].startswith("1-1-1-1  loss ")
    assert {line.index(word) for line, word in zip(lines, ["value", *["loss", "win"] * 2, "loss"], strict=True)} == {9}


def test_a_value_table_too_large_is_refused() -> None:
    with pytest.raises(OptionError, match="too many for a value table of 10,000; choose fewer or smaller piles"):
        TableSolver(NimGame((64,) * 12))
    assert len(value_table(NimGame((21,)))) == count_table_states(NimGame((21,))) == 22
    assert count_table_states(NimGame((4, 10, 21, 26))) == 10_000
    TableSolver(NimGame((4, 10, 21, 26)))
    with pytest.raises(OptionError, match="has 10,001 positions"):
        TableSolver(NimGame((3, 10, 26, 27)))


@pytest.mark.parametrize(
    ("piles", "more"),
    [
        ((64,), ""),
        ((2, 18, 27), ""),
        ((12, 12, 18), "… and 1 larger position"),
        ((4, 10, 21, 26), "… and 9,000 larger positions"),
    ],
)
def test_a_thousand_positions_of_a_value_table_are_listed(piles: tuple[int, ...], more: str) -> None:
    lines = TableSolver(NimGame(piles)).lines()
    assert lines[0].split() == ["sticks" if len(piles) == 1 else "piles", "value", "best", "take"]
    assert len(lines) == 1 + min(count_table_states(NimGame(piles)), 1000) + bool(more)
    assert [line for line in lines if line.startswith("…")] == [more] * bool(more)
    assert lines[-1].startswith(more)


@laws
@given(positions())
def test_columns_show_the_values_and_their_nim_sum(position: NimPosition) -> None:
    columns = nim_columns(position)
    assert columns.values == tuple(grundy(pile, position.game.max_take) for pile in position.piles)
    for value, digits in zip(columns.values, columns.digits, strict=True):
        assert sum(place * digit for place, digit in zip(columns.places, digits, strict=True)) == value
    assert (
        sum(place * parity for place, parity in zip(columns.places, columns.parities, strict=True)) == columns.nim_sum
    )
    assert columns.nim_sum == nim_sum(columns.values)


def test_the_strip_of_one_pile_with_a_largest_take() -> None:
    columns = nim_columns(parse_position("nim:10:max3:misere 3"))
    assert columns.modulus == 4
    assert columns.remainders == (0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2)
    assert columns.lost_sizes == (1, 5, 9)
    for without in (started((3, 4)), started((3, 4), 3, misere=False), started((10,))):
        assert nim_columns(without).remainders == nim_columns(without).lost_sizes == ()


def test_values_that_are_all_0_have_one_column() -> None:
    columns = nim_columns(started((4, 8), 3))
    assert (columns.places, columns.digits, columns.parities) == ((1,), ((0,), (0,)), (0,))


@laws
@given(positions())
def test_an_explanation_is_a_few_sentences_and_names_a_winning_move(position: NimPosition) -> None:
    text = solve_nim(position).explanation
    assert 1 <= len(re.findall(r"[.](?: |$)", text)) <= 5
    assert text.endswith(".")
    assert not re.search(r"None|True|False|  |\.\.|[{}()\[\]]", text)
    if position.outcome is not None:
        return
    wins = winning_moves(position)
    hopeless = "every move loses" in text.lower() or "you lose" in text
    assert hopeless == (not wins)
    if wins and position.game.max_take != 1:
        named = {describe_move(move) for move in wins} | {f"Take {move.take} and" for move in wins}
        named |= {"Take all", "Take the last stick", "So the opponent takes the last stick"}
        assert any(part in text for part in named)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nim:3,4,5", ["011, 100, 101", "4, 2, 1 hold 2, 1, 2 ones", "nim-sum is 2", "take 2 from pile 1"]),
        ("nim:1,3,5,7", ["001, 011, 101, 111", "nim-sum is 0", "every move loses"]),
        ("nim:21:max3", ["21 mod 4 = 1", "Take 1 and leave 20, a multiple of 4", "16, 12, …, 0"]),
        ("nim:20:max3", ["is a multiple of 4", "every move loses"]),
        ("nim:21:max3:misere", ["one more than a multiple of 4", "every move loses"]),
        ("nim:4:max3:misere", ["Take 3 and leave one stick: the opponent must take it, and loses."]),
        ("nim:9,4,6:max3", ["9, 4, 6 have the remainders 1, 0, 2", "01, 00, 10", "take 3 from pile 1"]),
        ("nim:3,4,5:misere", ["nim-sum is 2", "then leave an odd number of ones"]),
        ("nim:1,1,5:misere", ["Only pile 3 holds more than one stick", "take 4 from pile 3"]),
        ("nim:1,1,1:misere", ["3 is odd", "every move loses"]),
        ("nim:9,4,4:max3:misere", ["1, 0, 0", "No remainder is above 1", "it is 1, and that is odd"]),
        ("nim:9,4,6:max3:misere", ["take 2 from pile 3", "also wins to make the nim-sum zero: take 3 from pile 1"]),
        ("nim:4,8:max3", ["All are 0", "every move loses"]),
        ("nim:2,3:max1", ["5 sticks are left, an odd number", "you win"]),
        ("nim:5:misere", ["Take 4 and leave one stick"]),
        ("nim:1,1 1-1 2-1", ["whoever took the last one has won"]),
    ],
)
def test_explanations_a_person_can_follow(text: str, parts: list[str]) -> None:
    position = parse_position(text)
    assert isinstance(position, NimPosition)
    explanation = solve_nim(position).explanation
    for part in parts:
        assert part in explanation, explanation


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nim:5", "First wins at once with 1-5."),
        ("nim:1,1", "Second can win in 2 plies, whatever First plays."),
    ],
)
def test_the_sentence_of_a_win_and_a_loss(text: str, sentence: str) -> None:
    assert truth_sentence(solve_nim(parse_position(text))) == sentence  # type: ignore[arg-type]
