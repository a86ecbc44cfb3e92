"""The values of take-away games are those of brute force, and their periods those that were published.

Periods: E. R. Berlekamp, J. H. Conway and R. K. Guy, "Winning Ways", chapter 4, tables 6 and 7; A. Flammenkamp's table
of octal games, and OEIS A071434, A071435, A071452 and A071453, which cite both; R. K. Guy and C. A. B. Smith, "The
G-values of various games" (1956). The last exception is where the
sequence differs from its period for the last time, one before its start.
"""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nimdesk.games import parse_position, solver_for
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.take.codes import HeapRule, heap_moves
from nimdesk.games.take.grundy import Period, sequence
from nimdesk.games.take.rules import Part, TakeGame
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

# The code, the period, and the last exception, where it is published.
OCTAL = [
    ("0.77", 12, 70),
    ("0.07", 34, 52),
    ("0.137", 34, 51),
    ("0.17", 34, 32),
    ("0.15", 10, None),
    ("0.051", 48, 47),
    ("0.156", 349, 3478),
    ("0.165", 1550, 5180),
    ("0.356", 142, 7314),
    ("0.644", 442, 3255),
    ("0.055", 148, 258),
    ("0.115", 14, None),
    ("0.45", 20, 497),
    ("0.177", 20, 496),
    ("0.045", 32, 188),
    ("0.117", 48, 46),
    ("0.1377", 24, 140),
]
# "Winning Ways", chapter 4, table 2: purely periodic.
SUBTRACTION = [
    ("{1,2,3}", 4),
    ("{1,2}", 3),
    ("{1,4}", 5),
    ("{1,3,4}", 7),
    ("{2,3}", 5),
    ("{1,2,4}", 3),
    ("{2,5}", 7),
    ("{3,5}", 8),
]


def least_missing(values: set[int]) -> int:
    return next(value for value in range(len(values) + 1) if value not in values)


def brute_force(rule: HeapRule, most: int) -> list[int]:
    values = [0]
    for heap in range(1, most + 1):
        after = set()
        for _take, left in heap_moves(rule, heap):
            total = 0
            for part in left:
                total ^= values[part]
            after.add(total)
        values.append(least_missing(after))
    return values


def proven(text: str) -> Truth:
    solver = solver_for(parse_position(text))
    solver.start(parse_position(text))
    assert solver.advance(Limit())
    return solver.truth()


@pytest.mark.parametrize(("code", "length", "last"), OCTAL)
def test_octal_games_have_their_published_periods(code: str, length: int, last: int | None) -> None:
    found = sequence(HeapRule.parse(code), 20_000)
    assert found.period is not None
    assert (found.period.length, found.period.proven) == (length, True)
    if last is not None:
        assert found.period.start == last + 1
    assert found.computed < len(found.values) == 20_001
    assert (found.values[found.period.start + length :] == found.values[found.period.start : -length]).all()


@pytest.mark.parametrize(("takes", "length"), SUBTRACTION)
def test_subtraction_games_have_their_published_periods(takes: str, length: int) -> None:
    assert sequence(HeapRule.parse(takes), 2_000).period == Period(length, 0, proven=True)


def test_the_values_of_kayles_are_the_published_ones() -> None:
    values = sequence(HeapRule.parse("0.77"), 100_000).values
    assert values[:24].tolist() == [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7]
    assert values[99_996:].tolist() == [4, 1, 2, 8, 1]  # 99,996 = 12 · 8,333


def test_a_period_is_proven_by_as_many_values_as_the_theorem_asks_for() -> None:
    rule = HeapRule.parse("{1,20}")  # heaps 0 to 20, and 20 more that repeat them
    assert sequence(rule, 39).period is None
    assert sequence(rule, 40).period == Period(21, 0, proven=True)


def test_a_period_that_is_only_seen_is_not_called_proven() -> None:
    rule = HeapRule.parse("0.156")
    assert sequence(rule, 3_000).period is None
    assert sequence(rule, 7_300).period == Period(349, 3479, proven=False)
    assert sequence(rule, 8_000).period == Period(349, 3479, proven=True)
    assert sequence(HeapRule.parse("0.6"), 5_000).period is None  # nobody knows one


def test_a_period_is_seen_where_the_last_half_of_the_values_shows_it_twice() -> None:
    rule = HeapRule.parse("0.07")
    assert sequence(rule, 120).period is None
    assert sequence(rule, 121).period == Period(34, 53, proven=False)


def test_it_can_be_ended_early() -> None:
    asked: list[int] = []
    found = sequence(HeapRule.parse("0.6"), 5_000, lambda done: asked.append(done) or done < 1_000)
    assert len(found.values) == found.computed == asked[-1] == 1_024
    assert found.values.tolist() == sequence(HeapRule.parse("0.6"), 1_023).values.tolist()


digits = st.tuples(st.sampled_from((0, 4)), *[st.integers(0, 7)] * 3).filter(any)
rules = st.one_of(
    digits.map(lambda each: HeapRule.parse(f"{each[0]}.{each[1]}{each[2]}{each[3]}")),
    st.sets(st.integers(1, 9), min_size=1).map(lambda takes: HeapRule.parse(",".join(map(str, takes)))),
)


@given(rule=rules)
@settings(max_examples=60)
def test_values_are_those_of_brute_force(rule: HeapRule) -> None:
    assert sequence(rule, 300).values.tolist() == brute_force(rule, 300)
    assert HeapRule.parse(rule.text) == rule


@pytest.mark.parametrize("code", ["0.6", "0.007", "0.142", "0.777"])
def test_rare_values_and_all_splits_give_the_same(code: str) -> None:
    rule = HeapRule.parse(code)
    assert sequence(rule, 1_000).values.tolist() == brute_force(rule, 1_000)


@given(rule=rules, heaps=st.lists(st.integers(1, 6), min_size=1, max_size=2), other=st.booleans())
@settings(max_examples=40)
def test_normal_play_is_what_looking_at_every_position_says(rule: HeapRule, heaps: list[int], other: bool) -> None:
    parts = (Part(rule, tuple(heaps)), *([Part(HeapRule.parse("wythoff"), (1, 3))] if other else []))
    if not other and not any(heap_moves(rule, heap) for heap in heaps):
        return  # such a game is refused
    position = TakeGame(parts).start()
    solver, plain = solver_for(position), PlainSolver()
    for each in (solver, plain):
        each.start(position)
        assert each.advance(Limit())
    ours, theirs = solver.truth(), plain.truth()
    assert ours.value is theirs.value
    assert [each.value for each in ours.moves] == [each.value for each in theirs.moves]
    # The values of Sprague and Grundy have no distances, but the rules know what ends the game.
    at_once = [1 if each.distance == 1 else None for each in theirs.moves]
    assert [each.distance for each in ours.moves] == at_once
    assert ours.distance == (1 if 1 in at_once else None)


@cache
def misere_win(rule: HeapRule, heaps: tuple[int, ...]) -> bool:
    """Whether the player to move wins where the last move loses, by the definition alone."""
    after = [
        tuple(sorted((*heaps[:at], *left, *heaps[at + 1 :])))
        for at, heap in enumerate(heaps)
        for _take, left in heap_moves(rule, heap)
    ]
    return not after or not all(misere_win(rule, each) for each in after)


@pytest.mark.parametrize("code", ["0.77", "0.137", "{1,3,4}", "0.6", "4.3"])
def test_misere_play_is_what_its_definition_says(code: str) -> None:
    rule = HeapRule.parse(code)
    for heaps in ((5,), (9,), (2, 3), (4, 7), (3, 3, 3)):
        truth = proven(f"take:{code}:{','.join(map(str, heaps))}:misere")
        assert truth.value is (Value.WIN if misere_win(rule, heaps) else Value.LOSS)
        assert truth.complete


def test_wythoff_is_lost_exactly_at_his_pairs() -> None:
    golden = (1 + 5**0.5) / 2
    lost = {(int(k * golden), int(k * golden) + k) for k in range(1, 6)}
    for one in range(1, 9):
        for two in range(one, 14):
            assert (proven(f"take:wythoff:{one},{two}").value is Value.LOSS) == ((one, two) in lost)


def test_an_answer_tells_the_values_the_period_and_what_to_do() -> None:
    truth = proven("take:0.77:5,7")
    assert truth.explanation == (
        "The heaps have the Grundy values 4, 2, and their nim-sum is 6. "
        "The values of 0.77 repeat every 12 from heap 71 on (proven). A move that leaves 0 wins."
    )
    assert [move.text for move in truth.best_moves] == ["5-1=1+3", "7-2"]


def test_of_one_heap_there_is_one_value_and_no_sum() -> None:
    assert proven("take:{1,2}:4").explanation == (
        "The Grundy value is 1. The values of {1,2} repeat every 3 from heap 0 on (proven). A move that leaves 0 wins."
    )
    assert proven("take:{1,2}:6").explanation.endswith("Every move changes it, and the opponent can make it 0 again.")


@pytest.mark.parametrize(("heaps", "values"), [(8, "1, 1, 1, 1, 1, 1, 1, 1,"), (9, "1, 1, 1, 1, 1, 1, 1, 1 …,")])
def test_of_many_heaps_eight_values_are_told(heaps: int, values: str) -> None:
    assert f"Grundy values {values} and" in proven(f"take:0.77:{','.join(['1'] * heaps)}").explanation
