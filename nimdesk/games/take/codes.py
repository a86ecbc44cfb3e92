"""What may be taken from a heap: a set of numbers, an octal code, or Wythoff's rule.

An octal code ``d0.d1d2d3…`` (Guy and Smith, 1956) says for each number k of tokens what a move that takes k of a heap
may leave of it: the digit ``dk`` is the sum of 1 if no heap may be left, 2 if one heap, and 4 if two heaps. Kayles is
``0.77``. A subtraction set is the code with the digit 3 for each of its numbers, and is written ``{1,3,4}``.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from nimdesk.errors import GameParameterError, NotationError, quoted
from nimdesk.games.base import numbers

MAX_TAKE, MAX_TAKES, MAX_DIGITS = 99, 32, 16
MOST_HEAP = 100_000
"""The largest heap whose value is worked out; heaps to play with are smaller."""
NONE_LEFT, ONE_LEFT, TWO_LEFT = 1, 2, 4
_SUBTRACT = NONE_LEFT | ONE_LEFT
_LEFT = ((NONE_LEFT, "nothing"), (ONE_LEFT, "one heap"), (TWO_LEFT, "two heaps"))
WYTHOFF = "wythoff"
RULES_HELP = "a set of takes like {1,3,4}, an octal code like 0.77, or wythoff"


class HeapRule(msgspec.Struct, frozen=True):
    """What a move may do with a heap: ``digits[k]`` is the octal digit for taking k. No digits: Wythoff's rule.

    In Wythoff's game a move takes any number from one of two heaps, or the same number from both. Codes have finitely
    many digits. Raises ``GameParameterError`` for an impossible rule, or one larger than nimdesk allows.
    """

    digits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check the bounds."""
        if self.pairs:
            return
        takes = [take for take, digit in enumerate(self.digits) if digit]
        if self.digits[0] not in (0, TWO_LEFT):
            raise GameParameterError("An octal code begins with 0. or 4.: a move that takes nothing must split a heap.")
        if not takes:
            raise GameParameterError("This rule allows no move; at least one digit of an octal code is not 0.")
        if self.subtraction and len(takes) > MAX_TAKES:
            raise GameParameterError(f"A set of takes has at most {MAX_TAKES} numbers, not {len(takes)}.")
        if not self.subtraction and len(self.digits) > MAX_DIGITS + 1:
            raise GameParameterError(f"An octal code has at most {MAX_DIGITS} digits after the point.")

    @property
    def pairs(self) -> bool:
        """Whether this is Wythoff's rule, for two heaps at once."""
        return not self.digits

    @property
    def subtraction(self) -> bool:
        """Whether it only says how many may be taken, and allows that in every heap that is large enough."""
        return all(digit in (0, _SUBTRACT) for digit in self.digits)

    @property
    def splits(self) -> bool:
        """Whether a move can leave two heaps."""
        return any(digit & TWO_LEFT for digit in self.digits)

    @property
    def text(self) -> str:
        """``{1,3,4}``, ``0.77`` or ``wythoff``."""
        if self.pairs:
            return WYTHOFF
        if self.subtraction:
            return f"{{{','.join(str(take) for take, digit in enumerate(self.digits) if digit)}}}"
        return f"{self.digits[0]}.{''.join(map(str, self.digits[1:])) or 0}"

    @property
    def words(self) -> str:
        """How to move, as a sentence."""
        if self.pairs:
            return "Take as many as you like from one heap, or the same number from both."
        if self.subtraction:
            return f"Take {_either([take for take, digit in enumerate(self.digits) if digit])} from a heap."
        clauses = []
        for digit in dict.fromkeys(filter(None, self.digits[1:])):
            takes = [take for take, each in enumerate(self.digits) if take and each == digit]
            left = [words for bit, words in _LEFT if digit & bit]
            clauses.append(f"take {_either(takes)} from a heap and leave {_either(left)} of it")
        if self.digits[0]:
            clauses.append("split a heap in two")
        return f"{'; or '.join(clauses)}.".capitalize()

    @classmethod
    def parse(cls, text: str) -> HeapRule:
        """Reads what ``text`` writes; the braces of a set may be left out. ``NotationError`` says what is allowed."""
        if text == WYTHOFF:
            return cls()
        if match := re.fullmatch(r"([0-7]?)\.([0-7]+)", text):
            return cls((int(match[1] or 0), *map(int, match[2].rstrip("0"))))
        if not re.fullmatch(r"\{[0-9,]*\}|[0-9,]+", text):
            raise NotationError(f"The rule {quoted(text)} is not understood; write {RULES_HELP}.")
        takes = numbers(text, text.strip("{}"), "the numbers that may be taken, like {1,3,4}")
        if not all(1 <= take <= MAX_TAKE for take in takes):
            raise GameParameterError(f"The takes of {quoted(text)} must be from 1 to {MAX_TAKE}.")
        return cls(tuple(_SUBTRACT if take in takes else 0 for take in range(max(takes) + 1)))


def sequence_rule(text: str) -> HeapRule:
    """A rule whose heaps have values in a row, as people write it, be it after ``take:``; ``NotationError``."""
    rule = HeapRule.parse(re.sub(r"^(take|octal):", "", text.strip()))
    if rule.pairs:
        raise NotationError("Wythoff's game has no sequence of values; solve take:wythoff:5,8 for two heaps.")
    return rule


@lru_cache(maxsize=4096)
def heap_moves(rule: HeapRule, heap: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Every move in a heap by itself: how many are taken, and the heaps that are left, by size."""
    moves: list[tuple[int, tuple[int, ...]]] = []
    for take, digit in enumerate(rule.digits[: heap + 1]):
        rest = heap - take
        if not rest and digit & NONE_LEFT:
            moves.append((take, ()))
        if rest and digit & ONE_LEFT:
            moves.append((take, (rest,)))
        if digit & TWO_LEFT:
            moves += [(take, (left, rest - left)) for left in range(1, rest // 2 + 1)]
    return tuple(moves)


def _either(items: list[int] | list[str]) -> str:
    texts = list(map(str, items))
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
