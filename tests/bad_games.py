"""Games of other packages that misbehave in all ways we could think of, and what is to be said of each."""

from __future__ import annotations

from typing import NamedTuple


class BadGame(NamedTuple):
    """A module with a game ``G`` and its ``KIT``, and what its sentence contains; "" where it is sound."""

    name: str
    code: str
    says: str

    @property
    def module(self) -> str:
        """The name of its module."""
        return f"bad_game_{self.name}"


_RULES = """
import itertools, os, random, sys, time
from nimdesk.games import Game, GameKit, Move, Outcome, Position, Preset, Side

class M(Move, frozen=True):
    take: int

    @property
    def text(self):
        return str(self.take)

class G(Game, frozen=True):
    n: int

    @property
    def text(self):
        return f"{name}:{{self.n}}"

    @classmethod
    def parse(cls, parameters):
        return cls(int(parameters))

    def start(self):
        return P(self, self.n)

class P(Position[M]):
    @property
    def legal_moves(self):
        return tuple(M(take) for take in (1, 2) if take <= self.board)

    @property
    def outcome(self):
        return None if self.board else Outcome(self.turn.other, "took the last")

    def play(self, move):
        self.check(move)
        return P(self.game, self.board - move.take, (*self.moves, move))

KIT = GameKit("{name}", G, presets=(Preset("Small", G(5), "A game."),))
"""


def _rules(name: str, says: str, *lines: str) -> BadGame:
    """Sound rules in which these lines then change something."""
    return BadGame(name, _RULES.format(name=name) + "".join(f"{line}\n" for line in lines), says)


def _property(of: str, name: str, value: str) -> str:
    return f"{of}.{name} = property(lambda self: {value})"


LOADED = [
    _rules("sound", ""),
    _rules("raises", "cannot be loaded: division by zero (ZeroDivisionError in line", "1 / 0"),
    _rules("needs", "cannot be loaded: the module “nowhere” is not installed.", "import nowhere"),
    _rules("leaves", "cannot be loaded: it ended itself by sys.exit(3)", "sys.exit(3)"),
    _rules("dies", "ended its process, with exit code 3.", "os._exit(3)"),
    _rules("crashes", "crashed: its process was ended by SIGSEGV.", "import ctypes; ctypes.string_at(0)"),
    _rules("big", "cannot be loaded: it asked for more memory than it may have", "x = bytearray(50 * 10**9)"),
    _rules("loops", "did not say within", "while True: pass"),
    _rules("reads", "it read on where there is nothing to read", "input()"),
    _rules("prints", "", "print('hello')"),
    _rules("number", "is neither a subclass of Game nor a GameKit.", "KIT = 7"),
    _rules("nothing", "has no attribute 'KIT'", "del KIT"),
    _rules("misnamed", "the game is called “other”, but its entry point is not.", "KIT = GameKit('other', G)"),
    _rules("odd_presets", "its presets must be a tuple of at most 50", "KIT = GameKit('odd_presets', G, presets=7)"),
    _rules(
        "many_presets",
        "its presets must be a tuple of at most 50",
        "KIT = GameKit('many_presets', G, '', KIT.presets * 51)",
    ),
    _rules("odd_names", "the names of its presets", "KIT = GameKit('odd_names', G, presets=(Preset(7, G(5), ''),))"),
    _rules("no_preset", "its presets must be a tuple of Preset", "KIT = GameKit('no_preset', G, presets=('x',))"),
    _rules("notation", "its notation and its board must be lines", "KIT = GameKit('notation', G, notation=7)"),
    _rules("kernel", "its parts must be functions", "KIT = GameKit('kernel', G, load_kernel=7)"),
    _rules("hangs", "did not say within", "import time", "P.play = lambda self, move: time.sleep(600)"),
    _rules("dies_then", "ended its process, with exit code 4.", "P.play = lambda self, move: os._exit(4)"),
    _rules("eats", "it asked for more memory", "P.play = lambda self, move: bytearray(50 * 10**9)"),
    _rules(
        "no_end", "a game did not end within 10,000 moves", "P.play = lambda s, m: P(s.game, s.board, (*s.moves, m))"
    ),
]
"""What is found in the process that loads it first."""

_DIFFERENT = "the same moves lead to different positions"

PLAYED = [
    _rules("legal_raises", "division by zero (ZeroDivisionError", _property("P", "legal_moves", "1 / 0")),
    _rules("legal_list", "are no tuple of moves", _property("P", "legal_moves", "[M(1)]")),
    _rules("legal_none", "are no tuple of moves", _property("P", "legal_moves", "None")),
    _rules("legal_endless", "are no tuple of moves", _property("P", "legal_moves", "itertools.count()")),
    _rules("legal_numbers", "are no tuple of moves", _property("P", "legal_moves", "(1, 2)")),
    _rules("legal_twice", "two of its legal moves are the same", _property("P", "legal_moves", "(M(1), M(1))")),
    _rules(
        "legal_many", "10,000 legal moves, and 5,000", _property("P", "legal_moves", "tuple(map(M, range(10_000)))")
    ),
    _rules("same_text", "two of its legal moves are the same, or are written so", _property("M", "text", "'x'")),
    _rules("spaces", "is not written in 1 to 16 letters without spaces", _property("M", "text", "f'take {self.take}'")),
    _rules("no_text", "is not written in 1 to 16 letters", _property("M", "text", "''")),
    _rules("long_text", "is not written in 1 to 16 letters", _property("M", "text", "'x' * 99 + str(self.take)")),
    _rules("text_number", "is not written in 1 to 16 letters", _property("M", "text", "self.take")),
    _rules("words", "the words of a move are no text", _property("M", "words", "7")),
    _rules("parses_otherwise", "does not understand its own move", "P.parse_move = lambda self, text: M(1)"),
    _rules("parse_raises", "parse('') raises no NotationError", "G.parse = lambda text: {'5': G(5)}[text]"),
    _rules("parses_none", "does not understand its own move", "P.parse_move = lambda self, text: None"),
    _rules("never_over", "it has an outcome and legal moves, or neither", _property("P", "outcome", "None")),
    _rules("over_early", "it has an outcome and legal moves", _property("P", "outcome", "Outcome(Side.FIRST)")),
    _rules("outcome_text", "its outcome is no outcome", _property("P", "outcome", "'won'")),
    _rules("winner_text", "does not say who won", _property("P", "outcome", "None if self.board else Outcome('X')")),
    _rules(
        "lies",
        _DIFFERENT,
        "tick = itertools.count()",
        _property("P", "outcome", "None if self.board else Outcome(Side.FIRST, str(next(tick)))"),
    ),
    _rules("plays_none", "a move does not lead to a position", "P.play = lambda self, move: None"),
    _rules("plays_itself", "does not know the moves that led to it", "P.play = lambda self, move: self"),
    _rules("forgets", "does not know the moves", "P.play = lambda s, m: P(s.game, s.board - m.take)"),
    _rules(
        "mutates",
        "a move changes the position",
        "play = P.play",
        "P.play = lambda s, m: (after := play(s, m), vars(s).update(board=after.board))[0]",
    ),
    _rules("chance", _DIFFERENT, "P.play = lambda s, m: P(s.game, random.randrange(9), (*s.moves, m))"),
    _rules("looks_up", "it looked for 'x', which is not there", "P.play = lambda self, move: {}['x']"),
    _rules(
        "late", "(ZeroDivisionError", "play = P.play", "P.play = lambda s, m: play(s, m) if len(s.moves) < 2 else 1 / 0"
    ),
    _rules(
        "unhashable",
        "unhashable type: 'list' (TypeError",
        "G.start = lambda self: P(self, [self.n])",
        _property("P", "legal_moves", "(M(1),)"),
    ),
    _rules("unequal", "(ZeroDivisionError", "P.__eq__ = lambda *_: 1 / 0"),
    _rules("never_equal", "not equal to itself", "P.__eq__ = lambda *_: False"),
    _rules("hash", "a move changes the position", "P.__hash__ = lambda self: random.randrange(10**9)"),
    _rules("turn", "the turn or the game changes oddly", _property("P", "turn", "Side.FIRST")),
    _rules("summary", "its summary is no text", _property("P", "summary", "None")),
    _rules("rows", "its rows are no tuple of texts", _property("P", "rows", "7")),
    _rules("start_none", "it does not start with a position", "G.start = lambda self: None"),
    _rules("start_late", "is no start of this game", "G.start = lambda self: P(self, self.n, (M(1),))"),
    _rules("start_other", "is no start of this game", "G.start = lambda self: P(G(7), 7)"),
    _rules("text_same", "its notation reads otherwise", _property("G", "text", "'text_same:7'")),
    _rules("text_other", "its notation does not begin with “text_other:”", _property("G", "text", "f'nim:{self.n}'")),
    _rules("text_spaces", "its notation has spaces", _property("G", "text", "f'text_spaces:{self.n} '")),
    _rules("text_long", "more than 200 letters", _property("G", "text", "'text_long:' + '0' * 9999 + str(self.n)")),
    _rules("text_raises", "(ZeroDivisionError", _property("G", "text", "1 / 0")),
    _rules("text_none", "its notation", _property("G", "text", "None")),
    _rules("title", "its title, rules, hint or sides are no texts", _property("G", "title", "7")),
    _rules("rules_long", "its title, rules, hint or sides", _property("G", "rules_text", "'x' * 10**6")),
    _rules("sides_raise", "it looked for", "G.side_name = lambda self, side: {}[side]"),
]
"""What is found when it is tried."""
