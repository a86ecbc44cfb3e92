"""Take-away games: heaps of tokens and a rule for each; whoever makes the last move wins, or loses in misère play.

Heaps have no numbers, only sizes: equal heaps are the same, and a move names the size of the heap that it is made in.
"""

from __future__ import annotations

from functools import cached_property

import msgspec

from nimdesk.errors import GameParameterError, NotationError, quoted
from nimdesk.games.base import Game, Move, Outcome, Position, numbers
from nimdesk.games.take.codes import RULES_HELP, HeapRule, heap_moves

MAX_PARTS, MAX_HEAPS, MAX_HEAP, MAX_PAIR, MAX_TOKENS, MAX_MOVES = 4, 12, 999, 200, 4_999, 5_000
HELP = f"take:{{1,3,4}}:10,12 (a rule, then heaps; a rule is {RULES_HELP})"
_MISERE = ":misere"
_DRAWN, _ROWS = 30, 12
# What a board draws thing by thing, with a lane under each heap for each number that may be taken of its middle.
_MOST_DRAWN, _MOST_LANES = 64, 24


class TakeMove(Move, frozen=True, order=True):
    """Take ``take`` tokens from the heap of this size (or, in Wythoff's game, from both), in this part of the sum.

    ``left`` are the two heaps that it leaves, by size, where it splits one. ``part`` is 0 where there is only one.
    """

    part: int
    heaps: tuple[int, ...]
    take: int
    left: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """``10-2`` takes 2 from a heap of 10, ``10-1=4+5`` leaves 4 and 5, ``2:10-2`` is in the second part."""
        where = f"{self.part}:" if self.part else ""
        taken = f"-{self.take}" if self.take else ""
        return f"{where}{_listed(self.heaps)}{taken}{'=' if self.left else ''}{'+'.join(map(str, self.left))}"

    @property
    def words(self) -> str:
        """The move in words, such as "take 1 from the heap of 10, leaving 4 and 5"."""
        where = f" of part {self.part}" if self.part else ""
        if len(self.heaps) > 1:
            return f"take {self.take} from both heaps{where}"
        leaving = f"{self.left[0]} and {self.left[1]}" if self.left else ""
        if not self.take:
            return f"split the heap of {self.heaps[0]}{where} into {leaving}"
        return f"take {self.take} from the heap of {self.heaps[0]}{where}{f', leaving {leaving}' if leaving else ''}"


class Part(msgspec.Struct, frozen=True):
    """Heaps with the same rule."""

    rule: HeapRule
    heaps: tuple[int, ...]

    @property
    def text(self) -> str:
        """The notation of the part, such as ``{1,3,4}:10,12``."""
        return f"{self.rule.text}:{_listed(self.heaps)}"

    @classmethod
    def parse(cls, text: str, of: str) -> Part:
        """Reads what ``text`` writes, a part of the notation ``of``."""
        rule, colon, heaps = text.partition(":")
        if not colon:
            raise NotationError(f"{quoted(of)} has a rule without heaps; write {HELP}.")
        return cls(HeapRule.parse(rule), numbers(of, heaps, "the sizes of the heaps, like 10,12"))


class TakeGame(Game, frozen=True):
    """A sum of parts, each with its rule; in ``misere`` play whoever makes the last move loses."""

    parts: tuple[Part, ...]
    misere: bool = False

    def __post_init__(self) -> None:
        """Check the bounds."""
        heaps = [heap for part in self.parts for heap in part.heaps]
        if not 1 <= len(self.parts) <= MAX_PARTS or not 1 <= len(heaps) <= MAX_HEAPS:
            raise GameParameterError(f"A take-away game has 1 to {MAX_PARTS} rules and 1 to {MAX_HEAPS} heaps in all.")
        if not all(1 <= heap <= MAX_HEAP for heap in heaps) or sum(heaps) > MAX_TOKENS:
            raise GameParameterError(f"A heap has 1 to {MAX_HEAP} tokens, and all have {MAX_TOKENS:,} at most.")
        if any(part.rule.pairs and len(part.heaps) != 2 for part in self.parts):
            raise GameParameterError("Wythoff's game has two heaps; write take:wythoff:5,8, and + for another pair.")
        if any(part.rule.pairs and max(part.heaps) > MAX_PAIR for part in self.parts):
            raise GameParameterError(f"The heaps of Wythoff's game have 1 to {MAX_PAIR} tokens.")
        count = len(self.start().legal_moves)
        if not count:
            raise GameParameterError(f"No move is possible in {self.text}; give a larger heap.")
        if count > MAX_MOVES:
            raise GameParameterError(f"{self.text} has {count:,} first moves; {MAX_MOVES:,} are the most.")

    @property
    def text(self) -> str:
        """``take:{1,3,4}:10,12``, ``take:0.77:9+{1,2}:5:misere``."""
        return f"take:{'+'.join(part.text for part in self.parts)}{_MISERE if self.misere else ''}"

    @property
    def title(self) -> str:
        """The title, such as "Kayles (0.77) 10-12, misère"."""
        parts = (f"{_title(part.rule)} {'-'.join(map(str, part.heaps))}" for part in self.parts)
        return f"{' + '.join(parts)}{', misère' if self.misere else ''}"

    @property
    def rules_text(self) -> str:
        """How to play and win."""
        if len(self.parts) == 1:
            how = self.parts[0].rule.words
        else:
            how = "Move in one part. " + " ".join(f"{at}: {part.rule.words}" for at, part in enumerate(self.parts, 1))
        return f"{how} Whoever makes the last move {'loses' if self.misere else 'wins'}."

    @property
    def is_drawn(self) -> bool:
        """Whether its heaps are few and small enough for a board that shows each thing in them."""
        heaps = [(part.rule, heap) for part in self.parts for heap in part.heaps]
        lanes = (sum(map(bool, rule.digits)) if rule.splits else 1 for rule, _ in heaps)
        return max(heap for _, heap in heaps) <= _MOST_DRAWN and sum(lanes) <= _MOST_LANES

    @property
    def hint(self) -> str:
        """What to do at one's turn, and why; the rules alone where the board is a list of moves."""
        if not self.is_drawn:
            return self.rules_text
        rules = [part.rule for part in self.parts]
        how = []
        if any(rule.splits for rule in rules):
            how.append("Click a pin, or between two; or drag from the first to the last pin that you take.")
        if not all(rule.splits for rule in rules):
            how.append("Click a token to take it and all to its right.")
        if any(rule.pairs for rule in rules):
            how.append("Between the two rows you take as many from both.")
        return f"{' '.join(how)} Whoever makes the last move {'loses' if self.misere else 'wins'}."

    @classmethod
    def parse(cls, parameters: str) -> TakeGame:
        """Reads rules with their heaps, with ``+`` between them, and ``:misere`` at the end."""
        text, misere = parameters.removesuffix(_MISERE), parameters.endswith(_MISERE)
        return cls(tuple(Part.parse(part, f"take:{parameters}") for part in text.split("+")), misere)

    def start(self) -> TakePosition:
        """All heaps as given."""
        return TakePosition(self, tuple(tuple(sorted(part.heaps)) for part in self.parts))


class TakePosition(Position[TakeMove]):
    """``board`` has the heaps of each part, by size. Empty heaps are left out, except in Wythoff's game."""

    game: TakeGame
    board: tuple[tuple[int, ...], ...]

    @cached_property
    def legal_moves(self) -> tuple[TakeMove, ...]:
        """By part, by size of the heap, by number of tokens taken."""
        several = len(self.board) > 1
        moves: list[TakeMove] = []
        for number, (part, heaps) in enumerate(zip(self.game.parts, self.board, strict=True), 1):
            at = number if several else 0
            if part.rule.pairs:
                sizes = dict.fromkeys(heaps)
                moves += [TakeMove(at, (heap,), take) for heap in sizes for take in range(1, heap + 1)]
                moves += [TakeMove(at, heaps, take) for take in range(1, heaps[0] + 1)]
            for heap in () if part.rule.pairs else dict.fromkeys(heaps):
                split = ((take, left if len(left) > 1 else ()) for take, left in heap_moves(part.rule, heap))
                moves += [TakeMove(at, (heap,), take, left) for take, left in split]
        return tuple(moves)

    @cached_property
    def winning_moves(self) -> tuple[TakeMove, ...]:
        """The moves that leave none, in normal play; in misère play no move wins at once."""
        both = ((part.rule, heap) for part, heaps in zip(self.game.parts, self.board, strict=True) for heap in heaps)
        movable = sum(heap > 0 if rule.pairs else bool(heap_moves(rule, heap)) for rule, heap in both)
        # One move changes one heap, or both of Wythoff's game.
        if self.game.misere or movable > 2:
            return ()
        return super().winning_moves

    @cached_property
    def outcome(self) -> Outcome | None:
        """The game is over when no move is left: the last mover wins in normal play and loses in misère play."""
        if self.legal_moves:
            return None
        if self.game.misere:
            return Outcome(self.turn, f"{self.game.side_name(self.turn.other)} had to make the last move")
        return Outcome(self.turn.other, "made the last move")

    def play(self, move: Move) -> TakePosition:
        """The position after the move."""
        self.check(move)
        assert isinstance(move, TakeMove)
        return TakePosition(self.game, self.board_after(move), (*self.moves, move))

    def board_after(self, move: TakeMove) -> tuple[tuple[int, ...], ...]:
        """The heaps after this legal move."""
        at = max(0, move.part - 1)
        heaps = list(self.board[at])
        for heap in move.heaps:
            heaps.remove(heap)
        heaps += move.left or (heap - move.take for heap in move.heaps)
        pairs = self.game.parts[at].rule.pairs
        return (*self.board[:at], tuple(sorted(heap for heap in heaps if heap or pairs)), *self.board[at + 1 :])

    @property
    def summary(self) -> str:
        """What is left, such as "4-5-12 left"."""
        return f"{' + '.join('-'.join(map(str, heaps)) or '0' for heaps in self.board)} left"

    @property
    def rows(self) -> tuple[str, ...]:
        """A row of tokens for each heap, while they are few enough to be counted."""
        heaps = [heap for part in self.board for heap in part]
        if not heaps or len(heaps) > _ROWS or max(heaps) > _DRAWN:
            return (self.summary,)
        return tuple(f"{heap:>2} {'●' * heap:<{max(heaps)}}" for heap in heaps)


NAMES = {
    "0.77": "Kayles",
    "0.07": "Dawson’s Kayles",
    "0.137": "Dawson’s Chess",
    "0.6": "Officers",
    "0.007": "Treblecross",
    "wythoff": "Wythoff",
}
"""The names of well-known rules."""


def _title(rule: HeapRule) -> str:
    if rule.text not in NAMES:
        return f"Take {rule.text}"
    return NAMES[rule.text] if rule.pairs else f"{NAMES[rule.text]} ({rule.text})"


def _listed(sizes: tuple[int, ...]) -> str:
    return ",".join(map(str, sizes))
