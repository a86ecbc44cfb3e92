"""The theory of Nim (``nimdesk.games.nim.theory``) in words and columns: why a position is won or lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nimdesk.games.base import describe_move
from nimdesk.games.nim.rules import NimMove

MOST_MOVES_NAMED = 4


@dataclass(frozen=True, slots=True)
class NimColumns:
    """The piles of a position as the theory sees them.

    ``values`` are the piles, or with a largest take their remainders modulo ``modulus``. ``digits[p][c]`` is the binary
    digit of pile p's value in the column worth ``places[c]``, highest place first. ``parities[c]`` is 1 where the
    column holds an odd number of ones, and ``nim_sum`` is the number that these parities spell. For a game of one pile
    with a largest take, ``remainders[n]`` is n mod ``modulus`` for each n up to the starting size, and ``lost_sizes``
    are the n with which the player to move loses; otherwise both are empty.
    """

    piles: tuple[int, ...]
    max_take: int | None
    misere: bool
    values: tuple[int, ...]
    places: tuple[int, ...]
    digits: tuple[tuple[int, ...], ...]
    parities: tuple[int, ...]
    nim_sum: int
    remainders: tuple[int, ...] = ()
    lost_sizes: tuple[int, ...] = ()

    @property
    def modulus(self) -> int | None:
        """The largest take plus one, or None without a limit."""
        return None if self.max_take is None else self.max_take + 1

    @property
    def limited(self) -> bool:
        """Whether the largest take forbids any take from the current piles."""
        return self.max_take is not None and max(self.piles) > self.max_take

    @property
    def big(self) -> tuple[int, ...]:
        """The piles, by index, whose value is 2 or more. While there are any, misère play is like normal play."""
        return tuple(pile for pile, value in enumerate(self.values) if value >= 2)


def explain(columns: NimColumns, wins: Sequence[NimMove]) -> str:
    """One to five sentences: how the theory sees the position, which moves win and why, or why none does.

    ``wins`` are all winning moves, none in a lost position. "You" is the side to move.
    """
    live = [size for size in columns.piles if size]
    if not live:
        sentences = [f"No stick is left: whoever took the last one has {'lost' if columns.misere else 'won'}."]
    elif columns.max_take == 1:
        sentences = _parity(sum(live), columns.misere)
    elif len(live) == 1 and columns.limited:
        sentences = _one_pile_with_limit(live[0], columns.max_take or 0, columns.misere, wins)
    elif len(live) == 1:
        sentences = _one_pile(live[0], columns.misere)
    elif columns.misere and len(columns.big) < 2:
        sentences = [*_remainders(columns), *_misere_end(columns, wins)]
    else:
        sentences = [*_remainders(columns), *_columns(columns, wins)]
    return " ".join(sentences)


def _parity(sticks: int, misere: bool) -> list[str]:
    left = f"{_sticks(sticks)} {'is' if sticks == 1 else 'are'} left, an {'odd' if sticks % 2 else 'even'} number"
    who = "you take" if sticks % 2 else "the opponent takes"
    won = (sticks % 2 == 1) is not misere
    return [
        "Every move takes exactly one stick, so no choice changes who takes the last one.",
        f"{left}: {who} the last one, and you {'win' if won else 'lose'}.",
    ]


def _one_pile(size: int, misere: bool) -> list[str]:
    if misere and size == 1:
        return ["Only one stick is left.", "You must take it, and you lose."]
    if misere:
        return [
            f"One pile of {size} is left, and you may take all but one.",
            f"Take {size - 1} and leave one stick: the opponent must take it, and loses.",
        ]
    what = "the last stick" if size == 1 else f"all {size} sticks"
    return ["One pile is left, and you may take all of it.", f"Take {what} and win."]


def _one_pile_with_limit(size: int, max_take: int, misere: bool, wins: Sequence[NimMove]) -> list[str]:
    modulus = max_take + 1
    last = int(misere)  # what the winner leaves at the end
    goal = f"{'one more than ' if misere else ''}a multiple of {modulus}"
    counted = f"The largest take plus one is {modulus}, and {size} mod {modulus} = {size % modulus}."
    if not wins:
        leaves = _countdown(size - modulus, modulus, last)
        return [
            f"{counted} The pile is {goal}.",
            f"Whatever you take, the opponent can take the rest of {modulus} and leave {leaves}.",
            f"In the end {'you have to take' if misere else 'the opponent takes'} the last stick: every move loses.",
        ]
    take, left = wins[0].take, size - wins[0].take
    if left == last:
        end = "leave one stick: the opponent must take it, and loses." if misere else "have taken the last stick."
        return [counted, f"Take {take} and {end}"]
    leaves = _countdown(left - modulus, modulus, last)
    return [
        counted,
        f"Take {take} and leave {left}, {goal}.",
        f"Whatever the opponent takes, take the rest of {modulus} and leave {leaves}.",
        f"In the end {'the opponent has to take' if misere else 'you take'} the last stick.",
    ]


def _remainders(columns: NimColumns) -> list[str]:
    """Why only the remainders count; empty where the limit forbids nothing."""
    if not columns.limited:
        return []
    modulus = columns.modulus
    live = [(size, value) for size, value in zip(columns.piles, columns.values, strict=True) if size]
    return [
        f"A take of t from a pile above {columns.max_take} can be answered with {modulus} − t from the same pile, "
        f"so only the remainders mod {modulus} count: {_listed(size for size, _ in live)} have the remainders "
        f"{_listed(value for _, value in live)}."
    ]


def _misere_end(columns: NimColumns, wins: Sequence[NimMove]) -> list[str]:
    """Misère play when at most one value is above 1: the number of ones decides."""
    if columns.big:
        return _last_big(columns, wins, columns.big[0])
    ones = sum(value == 1 for value in columns.values)
    odd = "odd" if ones % 2 else "even"
    if columns.limited:
        start = f"No remainder is above 1, so the number of ones decides; it is {ones}, and that is {odd}."
        win = f"Make it odd and keep it so: {_moves(wins)}. In the end the opponent has to take the last stick."
    else:
        start = f"Only piles of one stick are left, {ones} of them, and each move takes one: {ones} is {odd}."
        win = "So the opponent takes the last stick, and loses."
    if wins:
        return [start, win]
    if columns.limited:
        return [
            start,
            "Whatever you do, the opponent can make it odd again, until you take the last stick: every move loses.",
        ]
    return [start, "So you take the last stick, and every move loses."]


def _last_big(columns: NimColumns, wins: Sequence[NimMove], big: int) -> list[str]:
    """One value is above 1: always a win, by leaving either 0 or 1 of it."""
    ones = "remainders of 1" if columns.limited else "piles of one"
    here = [move for move in wins if move.pile == big]
    others = [move for move in wins if move.pile != big]
    sentences = [
        f"Only pile {big + 1} {'has a remainder above 1' if columns.limited else 'holds more than one stick'}.",
        f"Leave an odd number of {ones}: {_moves(here)}.",
        "Keep their number odd, and in the end the opponent has to take the last stick.",
    ]
    if others:
        sentences.append(f"It also wins to make the nim-sum zero: {_moves(others)}.")
    return sentences


def _columns(columns: NimColumns, wins: Sequence[NimMove]) -> list[str]:
    """Bouton's columns. In misère play at least two values are above 1, so that nothing else counts yet."""
    live = [digits for digits, size in zip(columns.digits, columns.piles, strict=True) if size]
    counts = [sum(column) for column in zip(*live, strict=True)]
    binary = _listed("".join(map(str, digits)) for digits in live)
    where = f"the columns worth {_listed(columns.places)} hold" if len(counts) > 1 else "the one column holds"
    what = "remainders" if columns.limited else "piles"
    if columns.limited and not any(columns.values):
        return ["All are 0: whatever you take, the opponent can make them all 0 again.", "So every move loses."]
    sentences = [f"In binary the {what} are {binary}: {where} {_listed(counts)} ones."]
    if wins:
        even = "that is not even" if len(counts) == 1 else "not all of these are even"
        sentences.append(f"The nim-sum is {columns.nim_sum}, as {even}; to make it 0, {_moves(wins)}.")
        misere_end = "your move can leave nothing above one; then leave an odd number of ones"
        until = misere_end if columns.misere else "the end"
        sentences.append(f"Any answer spoils that, and you can restore it until {until}.")
    else:
        sentences.append("The nim-sum is 0: every column holds an even number of ones.")
        end = "Any move makes a column odd, and the opponent can make all even again"
        until = ", or at the end leave an odd number of ones" if columns.misere else ", down to the last stick"
        sentences.append(f"{end}{until}: every move loses.")
    return sentences


def _moves(moves: Sequence[NimMove]) -> str:
    """Such as "take 2 from pile 1, or take 1 from pile 3"; a long list is cut short."""
    named = [describe_move(move) for move in moves[:MOST_MOVES_NAMED]]
    if len(moves) > MOST_MOVES_NAMED + 1:
        named.append(f"one of {len(moves) - MOST_MOVES_NAMED} more moves")
    elif len(moves) > MOST_MOVES_NAMED:
        named.append(describe_move(moves[-1]))
    return ", or ".join(named)


def _countdown(first: int, step: int, last: int) -> str:
    """Such as "16, 12, …, 0"."""
    sizes = range(first, last - 1, -step)
    if len(sizes) > 4:
        return f"{sizes[0]}, {sizes[1]}, …, {last}"
    return _listed(sizes)


def _sticks(count: int) -> str:
    return "1 stick" if count == 1 else f"{count} sticks"


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))
