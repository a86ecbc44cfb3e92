"""The first call of a kernel: it is read from the disk, or compiled; in another process where a window waits for it."""

from collections.abc import Callable
from threading import Lock
from typing import Any

from nimdesk import compiler_process
from nimdesk.kernels import CACHE_FOLDER, CACHE_IS_KEPT

_loaded: set[str] = set()
_locks: dict[str, Lock] = {}


def first_use(what: str, values: tuple[Any, ...], load: Callable[[], object], job: Callable[[], object]) -> None:
    """Call ``load``, which calls kernels with arguments of these types, unless that has been done before.

    ``what`` names those kernels, ``values`` are named tuples that decide which code is compiled for them. In a window,
    ``job`` runs before in another process, if the kernels are not on disk: it is pickled, and to do what ``load`` does.
    """
    name = " ".join((what, *map(_kind, values)))
    if name in _loaded:
        return
    with _locks.setdefault(name, Lock()):
        on_disk = CACHE_FOLDER / f"{name}.ready"
        processes = compiler_process.current()
        if processes is not None and CACHE_IS_KEPT and not on_disk.exists():
            processes.run(job)
        load()
        on_disk.touch()
        _loaded.add(name)


def _kind(value: Any) -> str:
    """The class of the tuple, and of those within it."""
    value = getattr(value, "held", value)
    return "-".join((type(value).__name__, *(_kind(each) for each in value if hasattr(each, "_fields"))))
