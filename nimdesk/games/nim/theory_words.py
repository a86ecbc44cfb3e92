"""The theory of Nim (``nimdesk.games.nim.theory``) in words and columns: why a position is won or lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nimdesk.games.base import describe_move
from nimdesk.games.nim.rules import NimMove

MOST_MOVES_NAMED = 4
TEMPLATES = {
    "over": "No stick is left: whoever took the last one has {done}.",
    "parity": "Every move takes exactly one stick, so no choice changes who takes the last one.",
    "count": "{sticks} left, an {parity} number: {who} the last one, and you {end}.",
    "one stick": "Only one stick is left.",
    "forced": "You must take it, and you lose.",
    "all but one": "One pile of {size} is left, and you may take all but one.",
    "leave one": "Take {take} and leave one stick: the opponent must take it, and loses.",
    "one pile": "One pile is left, and you may take all of it.",
    "take all": "Take {sticks} and win.",
    "multiple": "The largest take plus one is {modulus}, and {size} mod {modulus} = {rest}.",
    "pile": "The pile is {goal}.",
    "rest": "Whatever you take, the opponent can take the rest of {modulus} and leave {leaves}.",
    "lost": "In the end {who} the last stick: every move loses.",
    "last take": "Take {take} and have taken the last stick.",
    "leave": "Take {take} and leave {left}, {goal}.",
    "own rest": "Whatever the opponent takes, take the rest of {modulus} and leave {leaves}.",
    "won": "In the end {who} the last stick.",
    "remainders": "A take of t from a pile above {most} can be answered with {modulus} − t from the same pile, so only "
    "the remainders mod {modulus} count: {sizes} have the remainders {values}.",
    "ones": "No remainder is above 1, so the number of ones decides; it is {ones}, and that is {parity}.",
    "only ones": "Only piles of one stick are left, {ones} of them, and each move takes one: {ones} is {parity}.",
    "make odd": "Make it odd and keep it so: {moves}.",
    "opponent takes": "So the opponent takes the last stick, and loses.",
    "odd again": "Whatever you do, the opponent can make it odd again, until you take the last stick: every move "
    "loses.",
    "you take": "So you take the last stick, and every move loses.",
    "one big": "Only pile {pile} {what}.",
    "leave odd": "Leave an odd number of {ones}: {moves}.",
    "keep odd": "Keep their number odd, and in the end the opponent has to take the last stick.",
    "also zero": "It also wins to make the nim-sum zero: {moves}.",
    "zeros": "All are 0: whatever you take, the opponent can make them all 0 again.",
    "so lost": "So every move loses.",
    "binary": "In binary the {what} are {digits}: {where} {counts} ones.",
    "nim-sum": "The nim-sum is {nim_sum}, as {even}; to make it 0, {moves}.",
    "restore": "Any answer spoils that, and you can restore it until {until}.",
    "zero": "The nim-sum is 0: every column holds an even number of ones.",
    "even again": "Any move makes a column odd, and the opponent can make all even again{until}: every move loses.",
}
"""The sentences by their names here; ``{moves}`` are as ``_moves`` has them."""


def _told(name: str, **parts: object) -> str:
    return TEMPLATES[name].format(**parts)


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
        sentences = [_told("over", done="lost" if columns.misere else "won")]
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
    left = f"{_sticks(sticks)} {'is' if sticks == 1 else 'are'}"
    who = "you take" if sticks % 2 else "the opponent takes"
    won = (sticks % 2 == 1) is not misere
    return [
        _told("parity"),
        _told("count", sticks=left, parity="odd" if sticks % 2 else "even", who=who, end="win" if won else "lose"),
    ]


def _one_pile(size: int, misere: bool) -> list[str]:
    if misere and size == 1:
        return [_told("one stick"), _told("forced")]
    if misere:
        return [_told("all but one", size=size), _told("leave one", take=size - 1)]
    return [_told("one pile"), _told("take all", sticks="the last stick" if size == 1 else f"all {size} sticks")]


def _one_pile_with_limit(size: int, max_take: int, misere: bool, wins: Sequence[NimMove]) -> list[str]:
    modulus = max_take + 1
    last = int(misere)  # what the winner leaves at the end
    goal = f"{'one more than ' if misere else ''}a multiple of {modulus}"
    counted = _told("multiple", modulus=modulus, size=size, rest=size % modulus)
    if not wins:
        return [
            counted,
            _told("pile", goal=goal),
            _told("rest", modulus=modulus, leaves=_countdown(size - modulus, modulus, last)),
            _told("lost", who="you have to take" if misere else "the opponent takes"),
        ]
    take, left = wins[0].take, size - wins[0].take
    if left == last:
        return [counted, _told("leave one" if misere else "last take", take=take)]
    return [
        counted,
        _told("leave", take=take, left=left, goal=goal),
        _told("own rest", modulus=modulus, leaves=_countdown(left - modulus, modulus, last)),
        _told("won", who="the opponent has to take" if misere else "you take"),
    ]


def _remainders(columns: NimColumns) -> list[str]:
    """Why only the remainders count; empty where the limit forbids nothing."""
    if not columns.limited:
        return []
    modulus = columns.modulus
    live = [(size, value) for size, value in zip(columns.piles, columns.values, strict=True) if size]
    sizes, values = _listed(size for size, _ in live), _listed(value for _, value in live)
    counts = {"most": columns.max_take, "modulus": modulus}
    return [_told("remainders", **counts, sizes=sizes, values=values)]


def _misere_end(columns: NimColumns, wins: Sequence[NimMove]) -> list[str]:
    """Misère play when at most one value is above 1: the number of ones decides."""
    if columns.big:
        return _last_big(columns, wins, columns.big[0])
    ones = sum(value == 1 for value in columns.values)
    odd = "odd" if ones % 2 else "even"
    if columns.limited:
        start = _told("ones", ones=ones, parity=odd)
        win = [_told("make odd", moves=_moves(wins)), _told("won", who="the opponent has to take")]
    else:
        start = _told("only ones", ones=ones, parity=odd)
        win = [_told("opponent takes")]
    if wins:
        return [start, *win]
    return [start, _told("odd again" if columns.limited else "you take")]


def _last_big(columns: NimColumns, wins: Sequence[NimMove], big: int) -> list[str]:
    """One value is above 1: always a win, by leaving either 0 or 1 of it."""
    ones = "remainders of 1" if columns.limited else "piles of one"
    here = [move for move in wins if move.pile == big]
    others = [move for move in wins if move.pile != big]
    sentences = [
        _told(
            "one big", pile=big + 1, what="has a remainder above 1" if columns.limited else "holds more than one stick"
        ),
        _told("leave odd", ones=ones, moves=_moves(here)),
        _told("keep odd"),
    ]
    if others:
        sentences.append(_told("also zero", moves=_moves(others)))
    return sentences


def _columns(columns: NimColumns, wins: Sequence[NimMove]) -> list[str]:
    """Bouton's columns. In misère play at least two values are above 1, so that nothing else counts yet."""
    live = [digits for digits, size in zip(columns.digits, columns.piles, strict=True) if size]
    counts = [sum(column) for column in zip(*live, strict=True)]
    binary = _listed("".join(map(str, digits)) for digits in live)
    where = f"the columns worth {_listed(columns.places)} hold" if len(counts) > 1 else "the one column holds"
    what = "remainders" if columns.limited else "piles"
    if columns.limited and not any(columns.values):
        return [_told("zeros"), _told("so lost")]
    sentences = [_told("binary", what=what, digits=binary, where=where, counts=_listed(counts))]
    if wins:
        even = "that is not even" if len(counts) == 1 else "not all of these are even"
        sentences.append(_told("nim-sum", nim_sum=columns.nim_sum, even=even, moves=_moves(wins)))
        misere_end = "your move can leave nothing above one; then leave an odd number of ones"
        until = misere_end if columns.misere else "the end"
        sentences.append(_told("restore", until=until))
    else:
        until = ", or at the end leave an odd number of ones" if columns.misere else ", down to the last stick"
        sentences += [_told("zero"), _told("even again", until=until)]
    return sentences


def _moves(moves: Sequence[NimMove]) -> str:
    """The moves in words, such as "take 2 from pile 1, or take 1 from pile 3"; a long list is cut short."""
    named = [describe_move(move) for move in moves[:MOST_MOVES_NAMED]]
    if len(moves) > MOST_MOVES_NAMED + 1:
        named.append(f"one of {len(moves) - MOST_MOVES_NAMED} more moves")
    elif len(moves) > MOST_MOVES_NAMED:
        named.append(describe_move(moves[-1]))
    return ", or ".join(named)


def _countdown(first: int, step: int, last: int) -> str:
    """A countdown in words, such as "16, 12, …, 0"."""
    sizes = range(first, last - 1, -step)
    if len(sizes) > 4:
        return f"{sizes[0]}, {sizes[1]}, …, {last}"
    return _listed(sizes)


def _sticks(count: int) -> str:
    return "1 stick" if count == 1 else f"{count} sticks"


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))
