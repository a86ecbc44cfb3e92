"""Compiled rules of another package that misbehave in all ways we could think of, and what is to be said of each."""

from __future__ import annotations

from bad_games import LOADED, BadGame

_KERNEL = """
from typing import NamedTuple
import numpy as np
from nimdesk.games.kernel_kit import KernelKit, Sizes
from nimdesk.games.kit import GameKit
from nimdesk.kernels import identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.jit import int64

class R(NamedTuple):
    root: np.ndarray
    left: np.ndarray

class I(NamedTuple):
    root: np.ndarray
    left: np.ndarray

def reset(r):
    r.left[0] = r.root[0]

def play(r, move):
    r.left[0] -= move + 1
    return LAST if r.left[0] == 0 else rules.ONGOING

def undo(r, move):
    r.left[0] += move + 1

def legal_count(r):
    return int64(min(r.left[0], 2))

def next_move(r, after):
    return int64(after + 1 if after + 1 < min(r.left[0], 2) else -1)

def pick_untried(r, tried, marks, count, random):
    if count == 0:
        return rng.below(random, int64(min(r.left[0], 2)))
    return int64(1 - (tried[0] & 1023))

def moves_fit(r):
    return True

def pick_unmarked(r, marked, count, random):
    move = int64(rng.below(random, int64(min(r.left[0], 2))))
    if count > 0:
        move = int64(0) if marked & np.uint64(2) else int64(1)
    return move, marked | np.uint64(1) << np.uint64(move)

def playout(r, random):
    ours = True
    while True:
        random = rng.step(random)
        r.left[0] -= rng.below(random, int64(min(r.left[0], 2))) + 1
        if r.left[0] == 0:
            return random, (LAST if ours else rules.WIN - LAST)
        ours = not ours

def begin(g):
    g.left[0] = g.root[0]

def moved(g, move):
    g.left[0] -= move + 1

def key(g):
    return np.uint64(g.left[0] + 1) * np.uint64(0x9E3779B97F4A7C15)

def to_move(g, code):
    return int64(code)

def key_after(g, code):
    return np.uint64(g.left[0] - code) * np.uint64(0x9E3779B97F4A7C15)

def outlook(g):
    return rules.LOSS, rules.WIN

def assess(g):
    if g.left[0] <= 2:
        return identity.WINS, int64(g.left[0] - 1)
    return identity.NOTHING, int64(-1)

def candidates(g, at_root, order, random, codes, scores):
    count = int64(min(g.left[0], 2))
    for i in range(count):
        codes[i] = i
        random = rng.step(random)
        scores[i] = rng.below(random, 1 << identity.RANDOM_BITS)
    return count

class K(KernelKit):
    looks_ahead = True
    def left(self, position): return np.array([position.board], np.int64)
    def sizes(self, game): return Sizes(2, 2, 2, game.n)
    def make_rules(self, position): return R(self.left(position), self.left(position))
    def copy_rules(self, rules): return R(rules.root, rules.left.copy())
    def encode_identity(self, position): return I(self.left(position), self.left(position))
    def encode_move(self, game, move): return move.take - 1
    def moves_by_code(self, game): return (M(1), M(2))
    def longest_game(self, position): return position.board
    def most_positions(self, position): return position.board + 1

RULES = "reset play undo legal_count next_move pick_untried moves_fit pick_unmarked playout".split()
IDENTITY = "begin moved key to_move key_after outlook assess candidates".split()
# What taking the last is worth, the types of rules, and perhaps bodies for one of them alone, such as ``R2_play``.
LAST, KINDS = rules.WIN, (R,)
def load():
    for kind in KINDS:
        for name in RULES:
            body = globals().get(f"{kind.__name__}_{name}", globals().get(name))
            rules.implement(getattr(rules, name), kind, body, inline=False)
    identity.implement_all(I, **{name: globals()[name] for name in IDENTITY})
    return K()
KIT = GameKit(KIT.name, G, presets=KIT.presets, load_kernel=load)
"""


def _kernel(name: str, says: str, *lines: str) -> BadGame:
    """Sound compiled rules in which these lines then change something."""
    code = LOADED[0].code.replace("sound", name) + _KERNEL
    return BadGame(name, code + "".join(f"{line}\n" for line in lines), says)


def _method(name: str, method: str, body: str, says: str) -> BadGame:
    return _kernel(f"{method}_{name}", says, f"K.{method} = lambda self, *arguments: {body}")


def _raises(method: str) -> BadGame:
    return _method("raises", method, "1 / 0", "division by zero (ZeroDivisionError in line")


SOUND = _kernel("compiled", "")

SIZES = [
    _raises("sizes"),
    _raises("make_rules"),
    _method("none", "sizes", "None", "(AttributeError"),
    _method("below", "sizes", "Sizes(2, 2, 2, -1)", "sizes returned (2, 2, 2, -1), and each is 1 at least"),
    _method("small", "sizes", "Sizes(1, 2, 2, 9)", "moves_by_code returned 2 moves, and sizes says 1"),
    _method("narrow", "sizes", "Sizes(2, 2, 1, 9)", "sizes says 1 legal moves, and there are 2"),
    _method("gaps", "make_rules", "R(np.zeros(4, np.int64)[::2], np.zeros(1, np.int64))", "do not follow each other"),
    _method("above", "encode_move", "2", "moves_by_code does not lead from the code of a move back to the move"),
    _method("alike", "encode_move", "0", "moves_by_code does not lead from the code of a move back to the move"),
    _method("huge", "longest_game", "10**6", "longest_game returned 1,000,000, and sizes says 7 plies"),
]
"""What is found when the kit is asked, before anything is compiled."""

COMPILED = [
    _kernel("no_body", "cannot be compiled: ", "RULES.remove('play')"),
    _kernel("no_name", "NameError: name 'nowhere' is not defined", "def play(r, move): return nowhere(r)"),
    _kernel("arguments", "TypingError: too many positional arguments", "def play(r): return 1"),
    _kernel("texts", "cannot be compiled: ", "def play(r, move): return 'won'"),
    _kernel("no_return", "cannot be compiled: ", "def play(r, move): pass"),
    _kernel("field", "cannot be compiled: ", "def reset(r): r.nowhere[0] = 1"),
    _kernel("python", "cannot be compiled: ", "def legal_count(r): return eval('1')"),
    _kernel("untyped", "cannot be compiled: ", "def pick_untried(r, tried, marks, count, random): return [1, 'a']"),
    _kernel(
        "astray",
        "next_move names other moves than are legal in astray:",
        "def next_move(r, after): return int64(after + 5 if after < 6 else -1)",
    ),
    _kernel(
        "ends_late",
        "it must not be 4 (ValueError in line",
        "def play(r, move):",
        "    r.left[0] -= move + 1",
        "    if r.left[0] == 4: raise ValueError('it must not be 4')",
        "    return rules.WIN if r.left[0] == 0 else rules.ONGOING",
    ),
]
"""What is found when they are tried."""


def _many(name: str, says: str, head: str, *body: str) -> BadGame:
    """With a function of several lines."""
    return _kernel(name, says, head, *(f"    {line}" for line in body))


WRONG = [
    _kernel("count", ", and 2 moves are legal", "def legal_count(r): return int64(1)"),
    _kernel(
        "listed",
        "next_move names other moves than are legal in listed:7",
        "def next_move(r, after): return int64(after + 1 if after + 1 < 2 else -1)",
    ),
    _many(
        "entries",  # which have more bits than those of the code
        "pick_untried names other moves than are legal in entries:7",
        "def pick_untried(r, tried, marks, count, random):",
        "return int64(1 - tried[0]) if count else rng.below(random, int64(min(r.left[0], 2)))",
    ),
    _kernel(
        "unmarked",
        "pick_unmarked names other moves than are legal in unmarked:7",
        "def pick_unmarked(r, marked, count, random): return int64(0), marked",
    ),
    _many(
        "loser",
        "play says 0 of 1 in loser:7 2 2 2, and the rules say 2",
        "def play(r, move):",
        "r.left[0] -= move + 1",
        "return rules.LOSS if r.left[0] == 0 else rules.ONGOING",
    ),
    _many(
        "early",
        "and the rules say -1",
        "def play(r, move):",
        "r.left[0] -= move + 1",
        "return rules.WIN if r.left[0] <= 1 else rules.ONGOING",
    ),
    _kernel("undone", "undo does not lead back", "def undo(r, move): r.left[0] += 1"),
    _kernel(
        "remembers_one",
        "undo does not lead back",
        "K.left = lambda self, position: np.array([position.board, position.board], np.int64)",
        "def play(r, move):",
        "    r.left[1] = r.left[0]",
        "    r.left[0] -= move + 1",
        "    return LAST if r.left[0] == 0 else rules.ONGOING",
        "def undo(r, move): r.left[0] = r.left[1]",
    ),
    _many(
        "playout",
        "a playout ends with 2 in playout:7, and replayed with 0",
        "def playout(r, random):",
        "return rng.step(random), rules.WIN",
    ),
    _kernel(
        "beside",
        "neighbours says 0 of 1 in beside:7, and the kit 3",
        "K.neighbours = lambda self, position, move: 3",
    ),
    _kernel(
        "other_root",
        "a playout ends with 0 in other_root:7, and replayed with 2",
        "K.make_rules = lambda self, position: R(self.left(position) + 1, self.left(position) + 1)",
    ),
    _kernel("one_key", "key is the same for two positions of one game in one_key:7", "def key(g): return np.uint64(1)"),
    _kernel(
        "behind",
        "candidates leaves out, or key_after does not know, the position behind 1 in behind:7",
        "def key_after(g, code): return np.uint64(g.left[0] - code + 7)",
    ),
    _kernel(
        "moves_other",
        "key_after tells another key than key of the position behind 1 in moves_other:7",
        "def to_move(g, code): return int64(1 - code)",
    ),
    _kernel(
        "hopeful",
        "outlook promises 2 to 2 half points in hopeful:7",
        "def outlook(g): return rules.WIN, rules.WIN",
    ),
    _kernel(
        "upside_down",
        "outlook promises 2 to 0 half points in upside_down:7",
        "def outlook(g): return rules.WIN, rules.LOSS",
    ),
    _kernel("sees_wins", "assess takes 1 for a win in sees_wins:7", "def assess(g): return identity.WINS, int64(0)"),
    _kernel("sees_losses", "assess overlooks 1 in sees_losses:7", "def assess(g): return identity.LOSES, int64(-1)"),
    _kernel("sees_threats", "assess overlooks 2 in sees_threats:7", "def assess(g): return identity.FORCED, int64(0)"),
    _many(
        "few",
        "candidates names other moves than are legal in few:7",
        "def candidates(g, at_root, order, random, codes, scores):",
        "codes[0] = scores[0] = 0",
        "return 1",
    ),
]
"""What is found when they are compared with the rules in Python."""

_MISERE = """
LAST = rules.LOSS
P.outcome = property(lambda self: None if self.board else Outcome(self.turn, "the other took the last"))
"""

SOUND_TOO = [
    _kernel("by_force", "", "def outlook(g): return (0, 0) if g.left[0] % 3 == 0 else (2, 2)"),
    _kernel("loses_at_once", "", _MISERE, "def assess(g): return (2 if g.left[0] == 1 else 0), int64(-1)"),
    _kernel("one_holds", "", _MISERE, "def assess(g): return (3, int64(0)) if g.left[0] == 2 else (0, int64(-1))"),
]
"""What a careless comparison would complain of: bounds of what can be forced, and moves that lose at once."""

TOO_LARGE = _kernel(
    "too_large",
    "",
    "K.sizes = lambda self, game: Sizes(2 if game.n < 500 else 5000, 2, 2, game.n)",
    "KIT = GameKit(KIT.name, G, presets=(Preset('Huge', G(600), ''), *KIT.presets), load_kernel=load)",
)
"""Sound, with a preset that no search has room for."""

DANGEROUS = [
    _kernel("outside", "failed: an index is out of bounds (IndexError)", "def reset(r): r.left[9] = r.root[0]"),
    _kernel(
        "endless",
        "did not come to the end of a few games within 1 s",
        "def reset(r):",
        "    while r.root[0]: r.left[0] = r.root[0]",
    ),
    _kernel(
        "crashes",
        "crashed: its process was ended by SIGSEGV",
        "import ctypes",
        "K.encode_identity = lambda self, position: ctypes.string_at(0)",
    ),
]
"""What only another process can find without harm."""
