"""Agents of other packages that misbehave in all ways we could think of, and what is to be said of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from plugin_packages import install


class Bad(NamedTuple):
    """A plug-in: the text of its module, and what its sentence contains; "" where it is to behave like any other."""

    name: str
    code: str
    says: str

    @property
    def module(self) -> str:
        """The name of its module."""
        return f"bad_{self.name.replace('-', '_')}"


_HEAD = "import os, sys, time, signal, threading, subprocess; from nimdesk.games import MnkMove, NimMove\n"
_CHOOSES = "\ndef choose(position, options, seed):\n    return position.legal_moves[0]\n"
_DECLARES = """
from typing import Annotated as A, Literal as L
from msgspec import Meta as M
from nimdesk.agents import PluginOptions as P
class O(P):
{}
options_type = O
"""
_FIRST = "return position.legal_moves[0]"
_SLEEPER = "[sys.executable, '-c', 'import time; time.sleep(600)']"


def _loading(name: str, says: str, *lines: str) -> Bad:
    """It does this when it is loaded, from line 2 of its module on."""
    return Bad(name, _HEAD + "".join(f"{line}\n" for line in lines) + _CHOOSES, says)


def _choosing(name: str, says: str, *lines: str) -> Bad:
    """It does this when it is to choose a move, from line 3 of its module on."""
    body = "".join(f"    {line}\n" for line in lines)
    return Bad(name, f"{_HEAD}def choose(position, options, seed):\n{body}", says)


def _declaring(name: str, says: str, *fields: str) -> Bad:
    """Its options are declared so; T stands for a title and a description."""
    body = "".join(f"    {field}\n" for field in fields).replace("M(T", 'M(title="T", description="D."')
    return Bad(name, _DECLARES.format(body) + _CHOOSES, says)


def _switches(count: int) -> str:
    """So many options."""
    return "; ".join(f"o{n}: A[bool, M(T)] = True" for n in range(count))


def _writing(text: str) -> list[str]:
    """Write this, in Python's notation for bytes, into every pipe there is."""
    return ["for n in range(3, 40):", "    try: os.write(n, " + text + ")", "    except OSError: pass"]


def _described(options: str) -> list[str]:
    return _writing(f'b\'{{"is": "ready", "words": {{"title": "", "about": "", "options": {options}}}}}\\n\'')


_NO_ANSWER = "answered with something that is no answer"
_UNASKED = "answered what it was not asked"
_STRANGE = "describes itself in words that nimdesk does not understand"
_MEMORY = "it asked for more memory than it may have"
_LATE = "did not say within 5 s what it is"
_TOO_LATE = "gave no move within"
_DECLARATION = "has an option without a default and Annotated["
_NO_OPTIONS = "has an options_type that is no subclass of nimdesk.agents.PluginOptions"
_NO_TYPE = "declares options that cannot be used: name 'Nowhere' is not defined"
_CHANGED = "changed the position that it was given"
_BAD_NAME = "whose name is not made of small letters from a to z and digits"

LOADED = [
    _loading("raises", "cannot be loaded: division by zero (ZeroDivisionError in line 2 of bad_raises.py).", "1 / 0"),
    _loading("needs-module", "cannot be loaded: the module “nowhere” is not installed.", "import nowhere.at.all"),
    _loading("no-python", "line 2 of bad_no_python.py is no Python", "def :"),
    _loading("looks-up", "it looked for 'x', which is not there (line 2 of bad_looks_up.py).", "{}['x']"),
    _loading("reads", "it read on where there is nothing to read (line 2", "input()"),
    _loading("leaves", "it ended itself by sys.exit(bye)", "sys.exit('bye')"),
    _loading("dies", "ended its process, with exit code 3.", "os._exit(3)"),
    _loading("dies-well", "ended its process, with exit code 0.", "os._exit(0)"),
    _loading("interrupts", "it was interrupted", "raise KeyboardInterrupt"),
    _loading("recurs", "it called itself too often", "def f(): f()", "f()"),
    _loading("without-words", "it raised an error without words (LookupError in line 2", "raise LookupError"),
    _loading("novel", "cannot be loaded: word word", "raise ValueError('word ' * 100_000)"),
    _loading("colours", "cannot be loaded: �[31mred�", "raise ValueError('\\x1b[31mred\\x07')"),
    _loading("unspeakable", "a E that cannot be shown", "class E(Exception): __str__ = lambda *_: 1 / 0", "raise E"),
    _loading("crashes", "crashed: its process was ended by SIGSEGV.", "import ctypes; ctypes.string_at(0)"),
    _loading("aborts", "crashed: its process was ended by SIGABRT.", "os.abort()"),
    _loading("kills-itself", "crashed: its process was ended by SIGKILL.", "os.kill(os.getpid(), 9)"),
    _loading("kills-group", "crashed: its process was ended by SIGTERM.", "os.killpg(0, 15)"),
    _loading("kills-keeper", _LATE, "os.kill(os.getppid(), 9)", "time.sleep(60)"),
    _loading("loops", _LATE, "while True: pass"),
    _loading("loops-in-c", _LATE, "sum(range(10**13))"),
    _loading("sleeps", _LATE, "time.sleep(600)"),
    _loading("deaf", _LATE, "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)", "time.sleep(600)"),
    _loading("stops-itself", _LATE, "os.kill(os.getpid(), signal.SIGSTOP)"),
    _loading("big", _MEMORY, "x = bytes(5 * 10**9)"),
    _loading("grows", "acme-grows", "x = []", "while True: x.append(bytearray(10**9))"),
    _loading("number", _NO_ANSWER, *_writing("b'7\\n'")),
    _loading("ready-7", _STRANGE, *_writing('b\'{"is": "ready", "words": 7}\\n\'')),
    _loading("brackets", _NO_ANSWER, *_writing("b'[' * 900_000 + b'\\n'")),
    _loading(
        "deep-words", _NO_ANSWER, *_writing('b\'{"is":"ready","words":\' + b"[" * 400_000 + b"]" * 400_000 + b"}\\n"')
    ),
    _loading("options-none", _STRANGE, *_described("[{}]")),
    _loading("options-7", _STRANGE, *_described("7")),
    _loading("no-line", "answered with more than a megabyte", *_writing("b'x' * 3_000_000")),
    _loading("no-text", _NO_ANSWER, *_writing("b'\\xff\\xfe\\n'")),
    _loading("answers-early", _UNASKED, *_writing('b\'{"is": "answer", "number": 0, "text": "1-1"}\\n\'')),
    _loading("begins-again", _UNASKED, *_writing('b\'{"is": "begun"}\\n\'')),
    _loading("fails-oddly", _NO_ANSWER, *_writing('b\'{"is": "failed", "why": 3}\\n\'')),
    _loading("closes", "ended its process, with exit code 1", "os.closerange(3, 100)"),
    _loading("breaks-json", "ended its process, with exit code 1", "import msgspec; msgspec.json.encode = None"),
    _loading("breaks-python", "ended its process, with exit code 1", "import builtins; builtins.getattr = None"),
    _loading("traces", "cannot be", "sys.settrace(lambda *_: 1 / 0)"),
    _loading("prints", "", "print('{}'); sys.stdout.flush(); sys.__stdout__.write('x')"),
    _loading("writes-1", "", 'os.write(1, b\'{"is": "ready"}\\n\')'),
    _loading("waits-for-input", "", "sys.stdin.read(); os.read(0, 1)"),
    _loading("forks", "", "os.fork()"),
    _loading("thread", "", "threading.Thread(target=time.sleep, args=(60,)).start()"),
    _loading("at-exit", "", "import atexit; atexit.register(time.sleep, 60)"),
    _loading("child", "", f"subprocess.Popen({_SLEEPER})"),
    _loading("daemon", "", f"subprocess.Popen({_SLEEPER}, start_new_session=True)"),
    _loading("low-recursion", "", "sys.setrecursionlimit(30)"),
    _loading("chdir", "", "os.chdir('/')"),
    _loading("long-title", "", "title = 'T' * 10**6", "about = '<img src=/dev/zero>\\n' * 10**5"),
    _loading("title-5", "its title and its about must be texts", "title = 5"),
    Bad("empty", "", "it has no method choose(position, options, seed)"),
    Bad("asks-back", "def __getattr__(name): raise OSError('no ' + name)\n", "cannot be loaded: no "),
]
"""What happens while it is loaded and says what it is."""

_WORDS = "L[tuple(map(str, range(2000)))]"

DECLARED = [
    Bad("options-dict", f"{_HEAD}options_type = dict{_CHOOSES}", _NO_OPTIONS),
    Bad("options-object", f"{_HEAD}options_type = object(){_CHOOSES}", _NO_OPTIONS),
    _declaring("bare", _DECLARATION, "a: int = 3"),
    Bad("no-type", f"from __future__ import annotations{_DECLARES.format('    a: Nowhere = 3')}{_CHOOSES}", _NO_TYPE),
    _declaring("no-bounds", _DECLARATION, "a: A[int, M(T)] = 3"),
    _declaring("no-labels", _DECLARATION, "a: A[L['x'], M(T)] = 'x'"),
    _declaring("no-title", _DECLARATION, "a: A[bool, M()] = True"),
    _declaring("odd-default", _DECLARATION, "a: A[bool, M(T)] = object()"),
    _declaring("bad-default", "default is out of bounds: T is “9”; it must be", "a: A[int, M(T, ge=1, le=5)] = 9"),
    _declaring("no-number", "default is out of bounds", "a: A[float, M(T, ge=0, le=9)] = float('nan')"),
    _declaring(
        "checks-itself", "refuse their own defaults: no (ValueE", "def __post_init__(self): raise ValueError('no')"
    ),
    _declaring("option-agent", "an option “agent” whose name nimdesk needs itself", "agent: A[bool, M(T)] = True"),
    _declaring("option-position", "an option “position” whose name", "position: A[bool, M(T)] = True"),
    _declaring("option-csv", "an option “csv” whose name nimdesk", "csv: A[bool, M(T)] = True"),
    _declaring("option-board", "an option “board” whose name nimdesk", "board: A[bool, M(T)] = True"),
    _declaring("option-json", "an option “json” whose name nimdesk", "json: A[bool, M(T)] = True"),
    _declaring("option-help", "an option “help” whose name nimdesk", "help: A[bool, M(T)] = True"),
    _declaring("option-umlaut", f"an option “größe” {_BAD_NAME}", "größe: A[bool, M(T)] = True"),
    _declaring("option-capital", f"an option “Depth” {_BAD_NAME}", "Depth: A[bool, M(T)] = True"),
    _declaring("option-hidden", f"an option “_x” {_BAD_NAME}", "_x: A[bool, M(T)] = True"),
    _declaring("option-long", "name must be a line of at most 40 letters", f"{'x' * 5000}: A[bool, M(T)] = True"),
    _declaring(
        "option-novel", "description must be a line of", 'a: A[bool, M(title="T", description="D" * 9999)] = True'
    ),
    _declaring("option-lines", "title must be a line of", 'a: A[bool, M(title="T\\n\\x1b", description="D.")] = True'),
    _declaring("option-empty", "an option “a” without a title", 'a: A[bool, M(title="", description="")] = True'),
    _declaring("endless", "`ge` must be finite", "a: A[float, M(T, ge=float('-inf'), le=float('inf'))] = 1.0"),
    _declaring("huge", "bounds must be two numbers of at most 19 digits", "a: A[float, M(T, ge=0, le=1e300)] = 1.0"),
    _declaring("upside-down", "the smaller one first", "a: A[int, M(T, ge=5, le=1)] = 3"),
    _declaring("no-limit", "leaves the bounds", "time_s: A[A[float, M(ge=1, le=5)] | None, M(T)] = None"),
    _declaring("much-memory", "leaves the bounds", "memory_mb: A[int, M(T, ge=1, le=10**9)] = 9"),
    _declaring("options-2000", "declares 2,003 options, and 64 are the most", _switches(2000)),
    _declaring("options-64", "", _switches(61), "memory_mb: A[int, M(T, ge=512, le=512)] = 512"),
    _declaring(
        "choices-2000",
        "choices must be 1 to 50 different words",
        f"a: A[{_WORDS}, M(T, extra={{'labels': {{str(n): 'x' for n in range(2000)}}}})] = '1'",
    ),
]
"""What it declares."""

ASKED = [
    _choosing("chooses", "", _FIRST),
    _choosing("raises-then", "while it chose a move: no idea (ValueError in line 3", "raise ValueError('no\\n idea')"),
    _choosing("looks-up-then", "it looked for 'x', which is not there (line 3 of bad_looks", "return {}['x']"),
    _choosing("reads-then", "it read on where there is nothing to read", "input()"),
    _choosing("illegal", "illegal move, 1-4: pile 1 has 3 sticks and one move takes 1 to 3.", "return NimMove(0, 4)"),
    _choosing("other-game", "illegal move, a1: it is not a move of Nim.", "return MnkMove(0, 0)"),
    _choosing("nonsense", "returned NimMove(pile='a', take=None), which cannot be", "return NimMove('a', None)"),
    _choosing("half-a-stick", "returned NimMove(pile=0, take=1.5), which cannot be", "return NimMove(0, 1.5)"),
    _choosing("none", "returned None instead of a move.", "pass"),
    _choosing("text", "returned '1-1', of type str, instead of a move.", "return '1-1'"),
    _choosing("number-then", "returned 7, of type int, instead of a move.", "return 7"),
    _choosing("coroutine", "of type coroutine, instead of a move.", "async def f(): ...", "return f()"),
    _choosing("all-moves", "of type tuple, instead of a move.", "return position.legal_moves"),
    _choosing("liar", "cannot be played", "class Liar(NimMove): text = 'x' * 10**6", "return Liar(0, 1)"),
    _choosing("unequal", "cannot be played", "class Odd(NimMove): __eq__ = lambda *_: 1 / 0", "return Odd(0, 1)"),
    _choosing("leaves-then", "it ended itself by sys.exit(0)", "sys.exit(0)"),
    _choosing("dies-then", "ended its process, with exit code 0.", "os._exit(0)"),
    _choosing("closes-then", "closed the connection to nimdesk.", "os.closerange(0, 100)", "time.sleep(60)"),
    _choosing("hangs", _TOO_LATE, "while True: pass"),
    _choosing("hangs-in-c", _TOO_LATE, "sum(range(10**13))"),
    _choosing("sleeps-then", _TOO_LATE, "time.sleep(600)"),
    _choosing("stops-then", _TOO_LATE, "os.kill(os.getpid(), signal.SIGSTOP)"),
    _choosing("recurs-then", "it called itself too often", "return choose(position, options, seed)"),
    _choosing("eats", _MEMORY, "x = []", "while True: x.append(bytearray(10**7))"),
    _choosing("eats-at-once", _MEMORY, "bytes(10**9)"),
    _choosing("crashes-then", "crashed: its process was ended by SIGSEGV.", "import ctypes; ctypes.string_at(0)"),
    _choosing("changes", _CHANGED, "vars(position)['board'] = (1, 1, 1)", _FIRST),
    _choosing("changes-moves", _CHANGED, "vars(position)['moves'] = (NimMove(0, 1),)", "return NimMove(0, 1)"),
    _choosing("changes-legal", _CHANGED, "vars(position)['legal_moves'] = (NimMove(0, 9),)", "return NimMove(0, 9)"),
    _choosing(
        "changes-game",
        _CHANGED,
        "import msgspec",
        "msgspec.structs.force_setattr(position.game, 'misere', True)",
        _FIRST,
    ),
    _choosing(
        "changes-rules",
        "gave no move that can be played: ",
        "type(position).play = lambda *_: position",
        "return NimMove(2, 9)",
    ),
    _choosing("noise", _NO_ANSWER, *_writing("b'noise\\n'"), _FIRST),
    _choosing("answers-ahead", _UNASKED, *_writing('b\'{"is": "answer", "number": 2, "text": "1-1"}\\n\''), _FIRST),
    _choosing("ready-again", _UNASKED, *_writing('b\'{"is": "ready"}\\n\''), _FIRST),
    _choosing("answers-twice", "", *_writing('b\'{"is": "answer", "number": 1, "text": "1-1"}\\n\''), _FIRST),
    _choosing("prints-then", "", "print('{}'); os.write(1, b'x\\n'); os.system('echo y')", _FIRST),
    _choosing("forks-then", "", "os.fork()", _FIRST),
    _choosing("thread-then", "", "threading.Thread(target=time.sleep, args=(60,)).start()", _FIRST),
    _choosing("many-children", "", f"for _ in range(5): subprocess.Popen({_SLEEPER}, start_new_session=True)", _FIRST),
]
"""What it does when it is asked for a move."""


def install_bad(folder: Path, bads: Iterable[Bad]) -> None:
    """Install a package for each."""
    for bad in bads:
        install(folder, f"acme-{bad.name}", {bad.name: bad.module}, {bad.module: bad.code})
