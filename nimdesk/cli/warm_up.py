"""``nimdesk warm-up``: compile all searches now, on all processors, so that nobody waits for one later."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys

from rich.progress import TimeElapsedColumn

from nimdesk.agents import CATALOGUE
from nimdesk.agents.warm_up import mark_everything, warm_up_agent
from nimdesk.cli.options import progress_bar, say
from nimdesk.errors import NimdeskError


def warm_up() -> None:
    """Compile what is not on disk yet, an agent at a time; what is there is only loaded."""
    from nimdesk.kernels import CACHE  # lazy: loads numba

    if not CACHE.is_kept:
        raise NimdeskError("Compiled kernels cannot be kept on this machine: the cache folder cannot be written.")
    # The solvers have kernels of their own, which take longest: one processor would be left alone with them.
    names = sorted(CATALOGUE, key=lambda name: name != "perfect")
    with (
        progress_bar("compiling all searches, once", TimeElapsedColumn()) as (bar, task),
        # New processes: threads would compile one after the other, and the pool kills them all at Ctrl-C.
        multiprocessing.get_context("spawn").Pool(min(len(names), os.cpu_count() or 1), _leave_ctrl_c) as pool,
    ):
        bar.update(task, total=len(names))
        for done, name in enumerate(pool.imap_unordered(_warm_up, names), 1):
            words = f"compiling all searches, once: {name} is ready, {done} of {len(names)}"
            bar.update(task, description=words, completed=done)
            if bar.disable:
                say(f"nimdesk: {words}")
    mark_everything()
    print(f"The searches of all players are compiled, in {CACHE.folder}.", file=sys.stderr)


def _warm_up(name: str) -> str:
    warm_up_agent(name)
    return name


def _leave_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
