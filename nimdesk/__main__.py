"""The console command ``nimdesk``: the window, perhaps with a file to open, or with other arguments the command line.

Each side is imported only when needed: the window opens sooner without click, the command line without Qt.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from nimdesk import compiler_process, letters, lines
from nimdesk.disk.paths import COMPLETING, DOCUMENTS, GAMES, existing
from nimdesk.errors import INTERRUPTED, DisplayError, Finding, NimdeskError
from nimdesk.plugins import HOST, entry_points, games

if TYPE_CHECKING:
    from nimdesk.games import AnyPosition
    from nimdesk.lessons import Lesson
    from nimdesk.lessons.judging import Key
    from nimdesk.play import GameInProgress
    from nimdesk.play.game import Player
    from nimdesk.play.move_review import MoveReview
    from nimdesk.search import Snapshot

BAD_INPUT = 2
_SAFE, _REUSE = "--safe", "--reuse-window"
_LINK, _FILE = "nimdesk://", "file://"
_WITHOUT_QT = (
    "The window and its pictures need PySide6 (Qt), which cannot be loaded here; searches and studies do without"
)


def main() -> int:
    """Do what ``sys.argv`` says and return the exit code.

    0 is success, 2 anything that a person can put right (one sentence on stderr, never a traceback), 130 an
    interruption by Ctrl-C.
    """
    _replace_closed_streams()
    letters.let_streams_write_all()
    try:
        return _run(sys.argv[1:])
    except NimdeskError as error:
        print(f"nimdesk: {_printable(error)}", file=sys.stderr)
        return BAD_INPUT
    except MemoryError:
        print("nimdesk: The memory of this machine does not suffice; give the search less.", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "PySide6":
            raise
        print(f"nimdesk: {_WITHOUT_QT} ({error}).", file=sys.stderr)
        return BAD_INPUT
    except BaseException as error:  # the rules of a game may raise SystemExit
        if not (told := games.blamed(error)):
            raise
        print(f"nimdesk: {told}", file=sys.stderr)
        return BAD_INPUT


def engine() -> int:
    """The console command ``pbrain-nimdesk``: managers look for programs of such a name, and give no arguments."""
    sys.argv[1:1] = ["engine"]
    return main()


def _replace_closed_streams() -> None:
    """Let nothing be read from or written to where a stream was closed: the next file opened would take its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # It gets the lowest number that is free; programs that are started from here need it as well.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    # Python has None for a stream that was closed, as a program without a terminal has on Windows.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _run(arguments: Sequence[str]) -> int:
    games.begin()
    if arguments[:1] == ["engine"]:
        lines.listen()  # the manager's clock runs while the rest is loaded
    if arguments[:1] == [compiler_process.SERVE]:
        compiler_process.serve(arguments[1:] == ["1"])
    if arguments[:1] == [HOST]:
        from nimdesk.plugins.side import serve  # lazy: only a frozen program begins so

        serve(*arguments[1:])
    flags, words = set(), list(arguments)
    while words and words[0] in (_SAFE, _REUSE):
        flags.add(words.pop(0))
    if _SAFE in flags:
        entry_points.refuse()
    open_window = partial(_open_window, safe=_SAFE in flags, reuse=_REUSE in flags)
    if COMPLETING not in os.environ:
        if not words:
            return open_window(None, (None, None))
        if len(words) == 1 and words[0].casefold().startswith(_LINK):
            from nimdesk.play.links import read_link  # lazy: few starts bring a link

            read_link(words[0])  # so that what is wrong with it is said in the terminal
            return open_window(None, (None, None), file=words[0])
        if len(words) == 1 and words[0].startswith(_FILE):  # a desktop may name a file so
            words = [unquote(urlsplit(words[0]).path)]
        if len(words) == 1 and words[0].lower().endswith((*DOCUMENTS, *GAMES)):
            path = existing(Path(words[0]))
            if words[0].lower().endswith(GAMES):
                from nimdesk.formats import read_file  # lazy: few starts bring a file of another program

                read_file(path)  # so that what is wrong with it is said in the terminal
            return open_window(None, (None, None), file=path)
    from nimdesk import cli  # lazy: the window opens without click and rich

    paper = cli.Paper(_draw_report, _draw_worksheet)
    return cli.run(words, open_window, _run_demo, _look_at_screen, _draw_board, paper)


def _open_window(
    position: AnyPosition | None,
    players: tuple[Player | None, Player | None],
    *,
    laboratory: bool = False,
    file: Path | str | None = None,
    safe: bool = False,
    reuse: bool = False,
) -> int:
    # Collecting garbage while everything is new only costs time; the session begins with it after the first paint.
    gc.disable()
    with _ended_by_ctrl_c():  # until the window hears of signals itself
        from nimdesk.app import run_window  # lazy: the command line loads no Qt

        return run_window(position, players, laboratory=laboratory, file=file, safe=safe, reuse=reuse)


def _run_demo(out: Path, tell: Callable[[str], object]) -> list[Path]:
    from nimdesk.ui.shell.display import check_offscreen_libraries  # lazy: the command line knows no screen

    check_offscreen_libraries()
    with _ended_by_ctrl_c():
        from nimdesk.ui.shell.demo import run_demo  # only after the check: without libGL the import itself fails
    return run_demo(out, tell)


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C just end the process, which has nothing to keep yet: while Qt is loaded an exception would be lost.

    Where it is ignored, as under ``nohup``, it stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _draw_board(snapshot: Snapshot, suffix: str) -> bytes:
    from nimdesk.ui.shell.display import check_offscreen_libraries  # lazy, as above

    check_offscreen_libraries()
    from nimdesk.ui.shell.offscreen import board_file  # only after the check, as above

    return board_file(snapshot, suffix)


def _draw_report(game: GameInProgress, moves: list[MoveReview]) -> bytes:
    from nimdesk.ui.shell.display import check_offscreen_libraries  # lazy, as above

    check_offscreen_libraries()
    from nimdesk.ui.paper.report import report_file  # only after the check, as above
    from nimdesk.ui.shell.offscreen import offscreen_application

    offscreen_application()
    return report_file(game, moves)


def _draw_worksheet(lesson: Lesson, keys: tuple[Key, ...]) -> bytes:
    from nimdesk.ui.shell.display import check_offscreen_libraries  # lazy, as above

    check_offscreen_libraries()
    from nimdesk.ui.paper.worksheet import worksheet_file  # only after the check, as above
    from nimdesk.ui.shell.offscreen import offscreen_application

    offscreen_application()
    return worksheet_file(lesson, keys)


def _look_at_screen() -> Iterable[Finding]:
    from nimdesk.ui.shell.display import findings  # lazy: one command wants it

    return findings()


def _printable(error: NimdeskError) -> str:
    """The sentence in one line, whatever was pasted into it; advice on installing libraries keeps its lines."""
    lines = str(error).splitlines() if isinstance(error, DisplayError) else [" ".join(str(error).split())]
    return "\n".join("".join(char if char.isprintable() else " " for char in line) for line in lines)


if __name__ == "__main__":
    sys.exit(main())
