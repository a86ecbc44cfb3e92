"""The system libraries that Qt's wheels expect to find, and the packages that hold them.

``packaging/bootstrap.py`` loads this file too, before any dependency is there: the standard library alone, no Qt, and
nothing slow.
"""

import ctypes
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Final

OFFSCREEN: Final = "offscreen"
X11: Final = "x11"
WAYLAND: Final = "wayland"

# What a bare system lacks of what Qt links against, and its package for apt, dnf, pacman, zypper and apk. What these
# packages themselves depend on (most of xcb) is not listed: it comes with them.
_PACKAGES: Final[dict[str, dict[str, str]]] = {
    OFFSCREEN: {
        "libGL.so.1": "libgl1 libglvnd-glx libglvnd Mesa-libGL1 mesa-gl",
        "libEGL.so.1": "libegl1 libglvnd-egl libglvnd Mesa-libEGL1 mesa-egl",
        "libglib-2.0.so.0": "libglib2.0-0 glib2 glib2 libglib-2_0-0 glib",
        "libgthread-2.0.so.0": "libglib2.0-0 glib2 glib2 libgthread-2_0-0 glib",
        "libxkbcommon.so.0": "libxkbcommon0 libxkbcommon libxkbcommon libxkbcommon0 libxkbcommon",
        "libfontconfig.so.1": "libfontconfig1 fontconfig fontconfig libfontconfig1 fontconfig",
        "libdbus-1.so.3": "libdbus-1-3 dbus-libs dbus libdbus-1-3 dbus-libs",
    },
    X11: {
        "libxcb-cursor.so.0": "libxcb-cursor0 xcb-util-cursor xcb-util-cursor libxcb-cursor0 xcb-util-cursor",
        "libxkbcommon-x11.so.0": (
            "libxkbcommon-x11-0 libxkbcommon-x11 libxkbcommon-x11 libxkbcommon-x11-0 libxkbcommon-x11"
        ),
        "libxcb-icccm.so.4": "libxcb-icccm4 xcb-util-wm xcb-util-wm libxcb-icccm4 xcb-util-wm",
        "libxcb-keysyms.so.1": "libxcb-keysyms1 xcb-util-keysyms xcb-util-keysyms libxcb-keysyms1 xcb-util-keysyms",
        "libxcb-shape.so.0": "libxcb-shape0 libxcb libxcb libxcb-shape0 libxcb",
    },
    WAYLAND: {
        "libwayland-client.so.0": "libwayland-client0 libwayland-client wayland libwayland-client0 wayland-libs-client",
        "libwayland-cursor.so.0": "libwayland-cursor0 libwayland-cursor wayland libwayland-cursor0 wayland-libs-cursor",
        "libwayland-egl.so.1": "libwayland-egl1 libwayland-egl wayland libwayland-egl1 wayland-libs-egl",
    },
}

# Stands among the libraries when no font is installed: Qt then draws every letter as a box.
FONTS: Final = "a font"
_FONT_PACKAGES: Final = "fonts-dejavu-core dejavu-sans-fonts ttf-dejavu dejavu-fonts font-dejavu"

# In the order of the names above: the program that shows which system this is, and the words before the packages.
_MANAGERS: Final = (
    ("apt-get", "apt-get install -y --no-install-recommends"),
    ("dnf", "dnf install -y"),
    ("pacman", "pacman -S --needed"),
    ("zypper", "zypper install -y"),
    ("apk", "apk add"),
)


def missing(groups: Iterable[str]) -> list[str]:
    """The libraries of these groups that cannot be loaded here; none on macOS and Windows, whose wheels are whole."""
    if not sys.platform.startswith("linux"):
        return []
    return [soname for group in groups for soname in _PACKAGES[group] if not _is_there(soname)]


def has_fonts() -> bool:
    """Whether any font file is installed where fontconfig looks (always true where the system brings its own)."""
    return not sys.platform.startswith("linux") or any(
        name.lower().endswith((".ttf", ".otf", ".ttc", ".pfb", ".pcf.gz"))
        for folder in _font_folders()
        for _, _, names in os.walk(folder)
        for name in names
    )


def packages(names: Iterable[str]) -> list[str]:
    """The packages that hold these libraries (or ``FONTS``) for this system's package manager, each once."""
    manager = _manager()
    if manager is None:
        return []
    named = {FONTS: _FONT_PACKAGES}
    for group in _PACKAGES.values():
        named.update(group)
    return list(dict.fromkeys(named[name].split()[manager] for name in names))


def install_line(names: Iterable[str], more: Iterable[str] = ()) -> str:
    """The line to type for these libraries and more packages, or "" where the package manager is not known."""
    manager = _manager()
    if manager is None:
        return ""
    program, words = _MANAGERS[manager]
    words = " ".join([words, *packages(names), *more])
    sudo = "" if is_root() or not shutil.which("sudo") else "sudo "
    # A system that never installed anything has no package lists, and apt then knows no package at all.
    return f"{sudo}apt-get update && {sudo}{words}" if program == "apt-get" else sudo + words


def how_to_install(names: Iterable[str]) -> str:
    """The end of a sentence: how to get these libraries on this system."""
    names = list(names)
    line = install_line(names)
    if not line:
        return f"install the packages of your system that hold {', '.join(names)}"
    who = "" if is_root() or line.startswith("sudo ") else " as root"
    return f"install {'it' if len(names) == 1 else 'them'}{who} with: {line}"


def is_root() -> bool:
    """Whether this process may install packages."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _manager() -> int | None:
    return next((index for index, (program, _) in enumerate(_MANAGERS) if shutil.which(program)), None)


def _is_there(soname: str) -> bool:
    # Finding the file takes microseconds; loading all of them takes 7 ms of every start.
    return any(os.path.exists(os.path.join(folder, soname)) for folder in _library_folders()) or _loads(soname)


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def _library_folders() -> Iterator[str]:
    """Folders that surely hold libraries of this process's own kind: not /usr/lib, which may be the 32-bit one."""
    multiarch = getattr(sys.implementation, "_multiarch", "")
    if multiarch:
        yield f"/usr/lib/{multiarch}"
    if sys.maxsize > 2**32:
        yield "/usr/lib64"


def _font_folders() -> Iterator[str]:
    home = os.path.expanduser("~")
    data = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    yield from (os.path.join(folder, "fonts") for folder in data.split(":") if folder)
    yield from ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts", "/run/current-system/sw/share")
    yield os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local/share"), "fonts")
    yield os.path.join(home, ".fonts")
