"""Compiled rules of another package that misbehave in all ways we could think of, and what is to be said of each."""

from __future__ import annotations

import re
from collections import defaultdict
from types import ModuleType
from typing import NamedTuple

from bad_games import LOADED, BadGame

from nimdesk.games import Game
from nimdesk.games.kernel_kit import AnyKernel

_KERNEL = """
from typing import NamedTuple
import numpy as np
from nimdesk.games.kernel_kit import KernelKit, Sizes
from nimdesk.games.kit import GameKit
from nimdesk.kernels import identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.jit import int64, part

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
    return rules.WIN if r.left[0] == 0 else rules.ONGOING

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
            return random, (rules.WIN if ours else rules.LOSS)
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
    looks_ahead, variant = True, -1
    def left(self, position): return np.array([position.board, position.board, self.variant], np.int64)
    def sizes(self, game): return Sizes(2, 2, 2, game.n)
    def make_rules(self, position): return R(self.left(position), self.left(position))
    def copy_rules(self, rules): return R(rules.root, rules.left.copy())
    def encode_identity(self, position): return I(self.left(position), self.left(position))
    def encode_move(self, game, move): return move.take - 1
    def moves_by_code(self, game): return game.start().legal_moves
    def longest_game(self, position): return position.board
    def most_positions(self, position): return position.board + 1

RULES = "reset play undo legal_count next_move pick_untried moves_fit pick_unmarked playout".split()
IDENTITY = "begin moved key to_move key_after outlook assess candidates".split()
def load():
    for name in RULES:
        rules.implement(getattr(rules, name), R, globals().get(name), inline=False)
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


SOUND = _kernel(
    "compiled",
    "",
    "K.sizes = lambda self, game: Sizes(2 if game.n < 500 else 5000, 2, 2, game.n)",
    "KIT = GameKit(KIT.name, G, presets=(Preset('Huge', G(600), ''), *KIT.presets), load_kernel=load)",
)
"""With a preset that no search has room for, which is not tried."""

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

NO_NAME = _kernel("no_name", "NameError: name 'nowhere' is not defined", "def play(r, move): return nowhere(r)")
ENDS_LATE = _kernel(
    "ends_late",
    "it must not be 4 (ValueError in line",
    "def play(r, move):",
    "    r.left[0] -= move + 1",
    "    if r.left[0] == 4: raise ValueError('it must not be 4')",
    "    return rules.WIN if r.left[0] == 0 else rules.ONGOING",
)
"""What is found when they are compiled, and when they are tried."""


_MISERE = """
def play(r, move):
    r.left[0] -= move + 1
    return rules.LOSS if r.left[0] == 0 else rules.ONGOING
def playout(r, random):
    random, result = sound_playout(r, random)
    return random, rules.WIN - result
"""
_MISERE_IN_PYTHON = """
P.outcome = property(lambda self: None if self.board else Outcome(self.turn, "the other took the last"))
"""


class Variant(NamedTuple):
    """Bodies for some functions in the place of the sound ones, lines that change the kit or the rules in Python, and
    what is found: "" where it is sound.
    """

    says: str
    compiled: str = ""
    python: str = ""


VARIANTS = {
    "count": Variant(", and 2 moves are legal", "def legal_count(r): return int64(1)"),
    "listed": Variant(
        "next_move names other moves than are legal in sound:7",
        "def next_move(r, after): return int64(after + 1 if after + 1 < 2 else -1)",
    ),
    "entries": Variant(  # which have more bits than those of the code
        "pick_untried names other moves than are legal in sound:7",
        "def pick_untried(r, tried, marks, count, random):\n"
        "    return int64(1 - tried[0]) if count else rng.below(random, int64(min(r.left[0], 2)))",
    ),
    "unmarked": Variant(
        "pick_unmarked names other moves than are legal in sound:7",
        "def pick_unmarked(r, marked, count, random): return int64(0), marked",
    ),
    "loser": Variant(
        "play says 0 of 1 in sound:7 2 2 2, and the rules say 2",
        "def play(r, move):\n    r.left[0] -= move + 1\n    return rules.LOSS if r.left[0] == 0 else rules.ONGOING",
    ),
    "early": Variant(
        "and the rules say -1",
        "def play(r, move):\n    r.left[0] -= move + 1\n    return rules.WIN if r.left[0] <= 1 else rules.ONGOING",
    ),
    "undone": Variant("undo does not lead back", "def undo(r, move): r.left[0] += 1"),
    "remembers_one": Variant(
        "undo does not lead back",
        "def play(r, move):\n"
        "    r.left[1] = r.left[0]\n"
        "    r.left[0] -= move + 1\n"
        "    return rules.WIN if r.left[0] == 0 else rules.ONGOING\n"
        "def undo(r, move): r.left[0] = r.left[1]",
    ),
    "playout": Variant(
        "a playout ends with 2 in sound:7, and replayed with 0",
        "def playout(r, random): return rng.step(random), rules.WIN",
    ),
    "beside": Variant(
        "neighbours says 0 of 1 in sound:7, and the kit 3", python="K.neighbours = lambda self, position, move: 3"
    ),
    "other_root": Variant(
        "a playout ends with 0 in sound:7, and replayed with 2",
        python="K.make_rules = lambda self, position: R(*[self.left(position) + [1, 0, 0]] * 2)",
    ),
    "one_key": Variant("key is the same for two positions of one game in sound:7", "def key(g): return np.uint64(1)"),
    "behind": Variant(
        "candidates leaves out, or key_after does not know, the position behind 1 in sound:7",
        "def key_after(g, code): return np.uint64(g.left[0] - code + 7)",
    ),
    "moves_other": Variant(
        "key_after tells another key than key of the position behind 1 in sound:7",
        "def to_move(g, code): return int64(1 - code)",
    ),
    "hopeful": Variant("outlook promises 2 to 2 half points in sound:7", "def outlook(g): return rules.WIN, rules.WIN"),
    "upside_down": Variant(
        "outlook promises 2 to 0 half points in sound:7", "def outlook(g): return rules.WIN, rules.LOSS"
    ),
    "sees_wins": Variant("assess takes 1 for a win in sound:7", "def assess(g): return identity.WINS, int64(0)"),
    "sees_losses": Variant("assess overlooks 1 in sound:7", "def assess(g): return identity.LOSES, int64(-1)"),
    "sees_threats": Variant("assess overlooks 2 in sound:7", "def assess(g): return identity.FORCED, int64(0)"),
    "few": Variant(
        "candidates names other moves than are legal in sound:7",
        "def candidates(g, at_root, order, random, codes, scores):\n    codes[0] = scores[0] = 0\n    return int64(1)",
    ),
    # What a careless comparison would complain of: bounds of what can be forced, and moves that lose at once.
    "sound": Variant(""),
    "by_force": Variant("", "def outlook(g): return (0, 0) if g.left[0] % 3 == 0 else (2, 2)"),
    "loses_at_once": Variant(
        "", f"{_MISERE}def assess(g): return (2 if g.left[0] == 1 else 0), int64(-1)", _MISERE_IN_PYTHON
    ),
    "one_holds": Variant(
        "", f"{_MISERE}def assess(g): return (3, int64(0)) if g.left[0] == 2 else (0, int64(-1))", _MISERE_IN_PYTHON
    ),
}
"""What is found when they are compared with the rules in Python: variants of one module, compiled together."""


def _variants_code() -> str:
    """The functions with all of their bodies; the number of the variant stands in the working array."""
    code, cases = LOADED[0].code + _KERNEL, defaultdict[str, list[str]](list)
    for number, variant in enumerate(VARIANTS.values()):
        code += re.sub(r"^def (\w+)", rf"@part\ndef \1_{number}", variant.compiled, flags=re.MULTILINE) + "\n"
        for function, own, others in re.findall(r"^def (\w+)\((\w+)(.*)\):", variant.compiled, re.MULTILINE):
            case = f"    if {own}.left[2] == {number}: return {function}_{number}({own}{others})\n"
            cases[f"{function}({own}{others})"].append(case)
    for call, lines in cases.items():
        function = call.partition("(")[0]
        code += f"sound_{function} = part({function})\ndef {call}:\n{''.join(lines)}    return sound_{call}\n"
    return code


VARIANTS_CODE = _variants_code()


def variants(module: ModuleType) -> dict[str, tuple[AnyKernel, Game]]:
    """The kernel of each variant and a game for it, from the module with their code."""
    kernel, made = type(module.load()), dict[str, tuple[AnyKernel, Game]]()
    for number, (name, variant) in enumerate(VARIANTS.items()):
        own = {**vars(module), "K": type("K", (kernel,), {"variant": number})}
        exec(f"{LOADED[0].code}\n{variant.python}", own)
        made[name] = own["K"](), own["G"](7)
    return made


UNDONE = _kernel("undone", VARIANTS["undone"].says, VARIANTS["undone"].compiled)
"""One of them as a package of its own."""

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
