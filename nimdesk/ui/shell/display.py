"""Is there a screen? Qt aborts the whole process when there is none, so this looks first, without Qt.

``packaging/bootstrap.py`` loads this file too, before any dependency is there: the standard library alone.
"""

import ctypes
import os
import re
import sys
from typing import Final

from nimdesk.errors import DisplayError
from nimdesk.ui.shell import system_libraries
from nimdesk.ui.shell.system_libraries import OFFSCREEN, WAYLAND, X11

_X11_SOCKETS: Final = "/tmp/.X11-unix"
_X11_PORT: Final = 6000
_ANSWER_WITHIN_S: Final = 1.0
_WITHOUT_A_SCREEN: Final = "`nimdesk demo` needs no screen: it plays two games and writes pictures of the window."


def check_display() -> None:
    """Raise a ``DisplayError`` where Qt could not open a window; its text says why and what to do instead."""
    problem, groups = look_for_screen()
    if problem:
        raise DisplayError(f"{problem} {_WITHOUT_A_SCREEN}")
    lacking = system_libraries.missing(groups)
    if lacking:
        hint = "" if system_libraries.missing([OFFSCREEN]) else f"\n{_WITHOUT_A_SCREEN}"
        raise DisplayError(_cannot_draw(lacking) + hint)


def check_offscreen_libraries() -> None:
    """Raise a ``DisplayError`` where Qt could not even draw into a picture."""
    lacking = system_libraries.missing([OFFSCREEN])
    if lacking:
        raise DisplayError(_cannot_draw(lacking))


def look_for_screen() -> tuple[str | None, list[str]]:
    """Why no screen can be reached, as a sentence (None if one answers), and the groups of libraries Qt then needs."""
    if not sys.platform.startswith("linux"):
        return None, []
    wanted = _wanted_platforms()
    if not wanted:
        return "There is no screen here: neither DISPLAY nor WAYLAND_DISPLAY is set.", [OFFSCREEN]
    problems = {platform: _platform_problem(platform) for platform in wanted}
    answering = [platform for platform in wanted if problems[platform] is None]
    if not answering:
        return problems[wanted[-1]], [OFFSCREEN]
    # Qt falls back from one to the next, so one that is whole is enough; otherwise ask for what the last one lacks.
    platform = next((platform for platform in answering if not system_libraries.missing([platform])), answering[-1])
    return None, list(dict.fromkeys([OFFSCREEN, platform]))


def _wanted_platforms() -> list[str]:
    """What Qt will try, in its order: what QT_QPA_PLATFORM says, otherwise Wayland before X, as far as they are set."""
    told = os.environ.get("QT_QPA_PLATFORM", "")
    if told:
        names = [part.split(":")[0] for part in told.split(";")]
        return [X11 if name == "xcb" else WAYLAND if name.startswith("wayland") else OFFSCREEN for name in names]
    wanted = []
    if os.environ.get("WAYLAND_DISPLAY") or os.environ.get("WAYLAND_SOCKET"):
        wanted.append(WAYLAND)
    if os.environ.get("DISPLAY"):
        wanted.append(X11)
    return wanted


def _platform_problem(platform: str) -> str | None:
    if platform == WAYLAND:
        return _wayland_problem()
    if platform == X11:
        return _x11_problem(os.environ.get("DISPLAY", ""))
    return None


def _wayland_problem() -> str | None:
    if os.environ.get("WAYLAND_SOCKET"):  # a connection handed down by the parent process; only Qt may use it
        return None
    name = os.environ.get("WAYLAND_DISPLAY") or "wayland-0"
    path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    if os.path.isabs(path) and _answers(path):
        return None
    return f"The Wayland screen named by WAYLAND_DISPLAY ('{name}') does not answer."


def _x11_problem(display: str) -> str | None:
    if not display:
        return "There is no screen here: DISPLAY is not set."
    parts = re.fullmatch(r"(?P<host>.*):(?P<number>\d+)(\.\d+)?", display)
    if parts is None and not os.path.exists(display):
        return f"DISPLAY is '{display}', which names no screen; it should look like ':0' or 'host:0'."
    host = parts["host"].rsplit("/", 1)[-1].strip("[]") if parts is not None else ""
    local = host in ("", "unix")
    # A screen of this machine tells xcb at once; sockets of our own are for those that do not, to say why.
    welcome = _xcb_is_welcome(display) if local else None
    if welcome:
        return None
    if not (_answers(display) if parts is None else _x11_answers(host, int(parts["number"]))):
        return f"The screen named by DISPLAY ('{display}') does not answer."
    if not local:
        welcome = _xcb_is_welcome(display)
    if welcome is False:
        return f"The screen named by DISPLAY ('{display}') refuses this program: is it another person's session?"
    return None


def _x11_answers(host: str, number: int) -> bool:
    if host in ("", "unix"):
        path = f"{_X11_SOCKETS}/X{number}"
        return _answers(f"\0{path}") or _answers(path)
    import socket  # lazy: not where xcb has answered, which is nearly everywhere

    try:
        # Looked up by the system: a name may have IPv4 and IPv6 addresses, and either may be the one that answers.
        socket.create_connection((host, _X11_PORT + number), timeout=_ANSWER_WITHIN_S).close()
    except (OSError, OverflowError, UnicodeError):
        return False
    return True


def _answers(path: str) -> bool:
    import socket  # lazy, as above

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_ANSWER_WITHIN_S)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def _xcb_is_welcome(display: str) -> bool | None:
    """Ask xcb itself, which knows the keys in ~/.Xauthority; None without it: its absence will be the complaint."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return None
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(os.fsencode(display), None))
    welcome = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return welcome


def _cannot_draw(lacking: list[str]) -> str:
    are = "is" if len(lacking) == 1 else "are"
    return f"Qt cannot draw here because {', '.join(lacking)} {are} missing; {system_libraries.how_to_install(lacking)}"
