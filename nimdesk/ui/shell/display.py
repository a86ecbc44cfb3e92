"""Can Qt draw here? It aborts the whole process where it cannot, so this looks first, without Qt.

``packaging/bootstrap.py`` loads this file too, before any dependency is there: the standard library alone.
"""

import ctypes
import importlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from nimdesk.errors import DisplayError, Finding

OFFSCREEN: Final = "offscreen"
X11: Final = "x11"
WAYLAND: Final = "wayland"
# The libraries that Qt links against and that a bare system lacks.
LIBRARIES: Final = {
    OFFSCREEN: (
        *("libGL.so.1", "libEGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0"),
        *("libxkbcommon.so.0", "libfontconfig.so.1", "libdbus-1.so.3"),
    ),
    X11: (
        *("libxcb-cursor.so.0", "libxkbcommon-x11.so.0", "libxcb-icccm.so.4"),
        *("libxcb-keysyms.so.1", "libxcb-shape.so.0"),
    ),
    WAYLAND: ("libwayland-client.so.0", "libwayland-cursor.so.0", "libwayland-egl.so.1"),
}
# For each package manager, the line that installs them all and a font. What is installed already stays; what these
# packages themselves depend on (most of xcb) comes with them.
_INSTALL: Final = {
    # A system that never installed anything has no package lists, and apt then knows no package at all.
    "apt-get": "{sudo}apt-get update && {sudo}apt-get install -y --no-install-recommends libgl1 libegl1 libglib2.0-0"
    " libxkbcommon0 libfontconfig1 libdbus-1-3 libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1"
    " libxcb-shape0 libwayland-client0 libwayland-cursor0 libwayland-egl1 fonts-dejavu-core",
    "dnf": "{sudo}dnf install -y libglvnd-glx libglvnd-egl glib2 libxkbcommon fontconfig dbus-libs xcb-util-cursor"
    " libxkbcommon-x11 xcb-util-wm xcb-util-keysyms libxcb libwayland-client libwayland-cursor libwayland-egl"
    " dejavu-sans-fonts",
    "pacman": "{sudo}pacman -S --needed libglvnd glib2 libxkbcommon fontconfig dbus xcb-util-cursor libxkbcommon-x11"
    " xcb-util-wm xcb-util-keysyms libxcb wayland ttf-dejavu",
    "zypper": "{sudo}zypper install -y Mesa-libGL1 Mesa-libEGL1 libglib-2_0-0 libgthread-2_0-0 libxkbcommon0"
    " libfontconfig1 libdbus-1-3 libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
    " libwayland-client0 libwayland-cursor0 libwayland-egl1 dejavu-fonts",
    "apk": "{sudo}apk add mesa-gl mesa-egl glib libxkbcommon fontconfig dbus-libs xcb-util-cursor libxkbcommon-x11"
    " xcb-util-wm xcb-util-keysyms libxcb wayland-libs-client wayland-libs-cursor wayland-libs-egl font-dejavu",
}
_WITHOUT_A_SCREEN: Final = "`nimdesk demo` needs no screen: it plays two games and writes pictures of the window."
_WITHOUT_FONTS: Final = "No font is installed, so every letter is drawn as a box."
_ANSWER_WITHIN_S: Final = 1.0
_VARIABLES: Final = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY", "XDG_CURRENT_DESKTOP", "QT_SCALE_FACTOR")


def check_display() -> None:
    """Raise a ``DisplayError`` if Qt could not open a window; its text says why and what to do instead."""
    problem, groups = look_for_screen()
    if problem:
        raise DisplayError(f"{problem} {_WITHOUT_A_SCREEN}")
    if lacking := missing(groups):
        hint = "" if missing([OFFSCREEN]) else f"\n{_WITHOUT_A_SCREEN}"
        raise DisplayError(_cannot_draw(lacking) + hint)


def check_offscreen_libraries() -> None:
    """Raise a ``DisplayError`` if Qt could not even draw into a picture."""
    if lacking := missing([OFFSCREEN]):
        raise DisplayError(_cannot_draw(lacking))


def findings() -> Iterator[Finding]:
    """What there is to say of the screen, the libraries to draw on it, and fonts."""
    problem, groups = look_for_screen()
    names = [f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name)]
    says = " ".join(names) or (f"none; {_WITHOUT_A_SCREEN}" if problem else "as the system has it")
    # A machine without a screen is not at fault.
    wrong = problem if problem and _wanted_platforms() else None
    yield Finding("screen", says, wrong or "", "nimdesk demo" if wrong else "")
    lacking = missing(groups)
    wrong = f"Qt cannot draw here: {', '.join(lacking)} missing." if lacking else None
    yield Finding("libraries", "some are missing" if lacking else "all there", wrong or "", install_line())
    if not lacking:
        fault = _qt_fault()
        wrong = f"PySide6 (Qt), which the window and its pictures need, cannot be loaded: {fault}." if fault else ""
        again = f"{sys.executable} -m pip install --force-reinstall PySide6-Essentials"
        mend = "" if getattr(sys, "frozen", False) else again
        yield Finding("Qt", "cannot be loaded" if fault else "can be loaded", wrong, mend)
    fonts = has_fonts()
    yield Finding("fonts", "there are some" if fonts else "none", "" if fonts else _WITHOUT_FONTS, install_line())


def _qt_fault() -> str:
    """Why Python cannot load Qt although all libraries are there; "" if it can."""
    try:
        importlib.import_module("PySide6.QtWidgets")
    except ImportError as error:
        return str(error)
    return ""


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
    platform = next((platform for platform in answering if not missing([platform])), answering[-1])
    return None, list(dict.fromkeys([OFFSCREEN, platform]))


def missing(groups: Iterable[str]) -> list[str]:
    """The libraries of these groups that cannot be loaded here; none on macOS and Windows, whose wheels are whole."""
    if not sys.platform.startswith("linux"):
        return []
    # Finding the file takes microseconds; loading all of them takes 7 ms of every start.
    folders = library_folders()
    return [
        soname
        for group in groups
        for soname in LIBRARIES[group]
        if not any(os.path.exists(os.path.join(folder, soname)) for folder in folders) and not loads(soname)
    ]


def has_fonts() -> bool:
    """Whether any font is installed: without one Qt draws every letter as a box."""
    return not sys.platform.startswith("linux") or any(
        path.suffix.lower() in (".ttf", ".otf", ".ttc", ".pfb")
        for folder in font_folders()
        for path in folder.rglob("*")
    )


def fonts_complaint() -> str:
    """What to say in the terminal if the window has no letters; "" if it has."""
    return "" if has_fonts() else f"{_WITHOUT_FONTS} To mend it, {how_to_install(['a font'])}"


def install_line(more: str = "") -> str:
    """The line to type for all that Qt needs and a font, and for ``more`` packages of Debian; "" where the package
    manager is not known.
    """
    manager = next((name for name in _INSTALL if shutil.which(name)), None)
    sudo = "" if is_root() or not shutil.which("sudo") else "sudo "
    line = "" if manager is None else _INSTALL[manager].format(sudo=sudo)
    return f"{line} {more}" if more and manager == "apt-get" else line


def how_to_install(names: Iterable[str], more: str = "") -> str:
    """The end of a sentence: how to get these on this system, ``more`` packages of Debian among them."""
    line = install_line(more)
    if not line:
        return f"install the packages of your system that hold {', '.join(names)}"
    return f"install what is missing{'' if is_root() or line.startswith('sudo ') else ' as root'} with:\n    {line}"


def is_root() -> bool:
    """Whether this process may install packages."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def loads(soname: str) -> bool:
    """Whether the loader finds this library."""
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def library_folders() -> list[str]:
    """Folders that surely hold libraries of this process's own kind: not /usr/lib, which may be the 32-bit one."""
    return [f"/usr/lib/{os.uname().machine}-linux-gnu", *(["/usr/lib64"] if sys.maxsize > 2**32 else [])]


def font_folders() -> Iterator[Path]:
    """Where fontconfig looks for fonts."""
    yield from map(Path, ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts"))
    yield from (Path("/run/current-system/sw/share"), Path("~/.fonts").expanduser())
    yield Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "fonts"


def xcb_welcomes(display: str) -> bool:
    """Ask xcb itself, which knows the keys in ~/.Xauthority; True without it: its absence will be the complaint."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(os.fsencode(display), None))
    welcome = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return welcome


def _wanted_platforms() -> list[str]:
    """What Qt will try, in its order: what QT_QPA_PLATFORM says, otherwise Wayland before X, as far as they are set."""
    if told := os.environ.get("QT_QPA_PLATFORM", ""):
        names = [part.split(":")[0] for part in told.split(";")]
        return [X11 if name == "xcb" else WAYLAND if name.startswith("wayland") else OFFSCREEN for name in names]
    wayland = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("WAYLAND_SOCKET")
    return [*([WAYLAND] if wayland else []), *([X11] if os.environ.get("DISPLAY") else [])]


def _platform_problem(platform: str) -> str | None:
    if platform == WAYLAND:
        return _wayland_problem()
    display = os.environ.get("DISPLAY", "")
    if platform == OFFSCREEN or (display and xcb_welcomes(display)):
        return None
    if not display:
        return "There is no screen here: DISPLAY is not set."
    return (
        f"The screen named by DISPLAY ('{display}') does not answer, or refuses this program;"
        " is it another person's session?"
    )


def _wayland_problem() -> str | None:
    if os.environ.get("WAYLAND_SOCKET"):  # a connection handed down by the parent process; only Qt may use it
        return None
    import socket  # lazy: 3 ms of every start on X

    name = os.environ.get("WAYLAND_DISPLAY") or "wayland-0"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_ANSWER_WITHIN_S)
        try:
            connection.connect(os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/nowhere"), name))
        except OSError:
            return f"The Wayland screen named by WAYLAND_DISPLAY ('{name}') does not answer."
    return None


def _cannot_draw(lacking: list[str]) -> str:
    are = "is" if len(lacking) == 1 else "are"
    return f"Qt cannot draw here because {', '.join(lacking)} {are} missing; {how_to_install(lacking)}"
