"""Loading Qt and PySide6 in half the time: what takes long and is not Python's goes on beside Python's imports.

Without any of this the program runs as well, only its window comes later.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

from nimdesk.ui.shell.qt_support import compiled_once

# These need all other libraries of the first paint, and find them by themselves.
_MODULES = ("QtWidgets", "QtSvg")


def begin_loading() -> threading.Thread:
    """Begin to read the libraries of Qt from the disk, in a thread that ends by itself; it does nothing off Linux.

    Join it before the program ends.
    """
    thread = threading.Thread(target=_load_libraries, name="nimdesk-qt-libraries")
    thread.start()
    return thread


def import_qt(cache: Path) -> None:
    """Import ``PySide6.QtWidgets``, which must be possible here (see ``display``), and keep later imports quick.

    In the folder ``cache`` is kept what the next start need not do again.
    """
    flags = sys.getdlopenflags() if hasattr(sys, "getdlopenflags") else None
    if flags is not None:
        # Few of the thousands of functions that these libraries want of each other are ever called.
        sys.setdlopenflags(os.RTLD_LAZY)
    try:
        with compiled_once(cache):
            import PySide6.QtWidgets  # noqa: F401  # lazy: without a screen, Qt must not be touched
    finally:
        if flags is not None:
            sys.setdlopenflags(flags)
    _unhook_imports()


def _load_libraries() -> None:
    """Load them for the imports to find. ``dlopen`` itself is called, since ``CDLL`` would keep Python waiting."""
    if not sys.platform.startswith("linux"):
        return
    package = find_spec("PySide6")
    places = package.submodule_search_locations if package is not None else None
    if not places:
        return
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.restype, dlopen.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
    for name in _MODULES:
        library = Path(places[0]) / f"{name}.abi3.so"
        if library.is_file():
            dlopen(os.fsencode(library), os.RTLD_LAZY)
    _read_font_list()


def _read_font_list() -> None:
    """Let fontconfig read its files: Qt asks for the same list when it first measures text."""
    try:
        ctypes.CDLL("libfontconfig.so.1").FcInit()
    except (OSError, AttributeError):
        return  # Qt looks for fonts without it


def _unhook_imports() -> None:
    """Take PySide6's outer hook off the import statement, a tenth or more of the time pyqtgraph and numba take to load.

    The hook reads the source of every module imported, for the sake of ``from __feature__ import``, which nimdesk
    does not use. What it wraps stays: with that, PySide6 makes its classes when they are first asked for.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
