"""``nimdesk replay``: run the searches of a saved bundle again and compare them number by number."""

import os
from dataclasses import replace
from pathlib import Path

from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.cli.analyse import interruptible
from nimdesk.errors import OptionError
from nimdesk.play.bundle import SavedRun, difference, load_bundle, repeat, runs_csv

DIFFERS = 1
_NAMES = "ABCD"


def replay(path: Path, csv: Path | None) -> int:
    """Print a line for each search, write the CSV if asked to; ``DIFFERS`` if one is not what it was, else 0.

    ``BundleError`` for a file that is no bundle, ``OptionError`` where the CSV cannot be written.
    """
    bundle = load_bundle(path)
    if csv is not None and not os.path.isdir(csv.parent):
        # Said before a long search rather than after it.
        raise OptionError(f"The CSV cannot be written to “{csv}”: “{csv.parent}” is not a folder.")
    print(f"{bundle.position.text}, saved by nimdesk {bundle.program}")
    again, differs = [], False
    with interruptible() as stop:
        for name, run in zip(_NAMES, bundle.runs, strict=False):
            snapshot = repeat(run, stop)
            if stop.is_set():
                raise KeyboardInterrupt
            verdict, same = _verdict(run, difference(run.snapshot, snapshot), bundle.why_unlike)
            differs |= not same
            print(f"{name} {run.agent.name}, seed {run.seed}, {snapshot.iterations:,} iterations: {verdict}")
            again.append((name, replace(run, snapshot=snapshot)))
    if csv is not None:
        try:
            write_atomically(csv, runs_csv(again).encode())
        except (OSError, ValueError) as error:
            raise OptionError(f"The CSV cannot be written to “{csv}”: {os_error_words(error)}.") from error
    return DIFFERS if differs else 0


def _verdict(run: SavedRun, problem: str, why_unlike: str) -> tuple[str, bool]:
    """What to say, and whether that is as it should be."""
    if not problem:
        return "the same numbers", True
    if run.why_not_repeatable:
        return f"other numbers, as may be: {run.why_not_repeatable}", True
    return f"OTHER NUMBERS: {problem}{f' ({why_unlike})' if why_unlike else ''}", False
