"""``nimdesk grundy``: the Grundy values of the heaps of a take-away game, and their period."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import TimeElapsedColumn

from nimdesk.cli.figures import Wanted
from nimdesk.cli.flags import csv_option, figure_flags, json_flag
from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import check_csv, console, print_json, progress_bar, write_only_table
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError, quoted
from nimdesk.games.base import numbers
from nimdesk.games.take.codes import MOST_HEAP, HeapRule, sequence_rule
from nimdesk.games.take.rules import NAMES

if TYPE_CHECKING:
    from nimdesk.games.take.grundy import Sequence

_MOST_LINES, _A_LINE = 40, 20


@click.command()
@click.argument("rule")
@click.option("--to", metavar="N", default="1000", help="The largest heap, at most 100,000.")
@click.option("--heaps", metavar="N,…", default="", help="Say who wins with these heaps in normal play.")
@csv_option("heap, value and outcome")
@json_flag
@figure_flags(("value",))
def grundy(rule: str, to: str, heaps: str, csv: Path | None, figure: Wanted | None, as_json: bool) -> None:
    """Print the Grundy values of heaps under RULE, and their period, with whether it is proven.

    RULE is a set of takes such as {1,3,4}, or an octal code such as 0.77 (Kayles). Ctrl-C ends it and prints what there
    is by then.
    """
    parsed = sequence_rule(rule)
    check_csv(csv, "The CSV")
    sizes = numbers(heaps, heaps, "the sizes of heaps, like 10,12") if heaps else ()
    found = _worked_out(parsed, max([_whole(to), *(_bounded(size, str(size)) for size in sizes)]))
    about: dict[str, object] = {"rule": parsed.text, "name": NAMES.get(parsed.text, ""), "to": len(found.values) - 1}
    if csv is not None:
        rows = (f"{heap},{value},{'win' if value else 'loss'}\n" for heap, value in enumerate(found.values.tolist()))
        write_only_table(csv, "grundy", "heap,value,outcome\n" + "".join(rows), about, [made_here()])
    if any(size >= len(found.values) for size in sizes):
        raise OptionError(f"Stopped at heap {len(found.values) - 1:,}; the values of larger heaps are unknown.")
    if as_json:
        print_json(about | _json(found, sizes), [made_here()], found.period_words)
    else:
        _print(parsed, found, sizes)
    if figure is not None:
        from nimdesk.figures.content import of_grundy  # lazy: few draw figures

        figure.draw(of_grundy(parsed.text, found), about)


def _whole(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise OptionError(f"{quoted(text)} is not a size of a heap; give a whole number up to 100,000.")
    return _bounded(int(text), text)


def _bounded(size: int, text: str) -> int:
    if not 1 <= size <= MOST_HEAP:
        raise OptionError(f"A heap of {text} is out of bounds; it may have 1 to {MOST_HEAP:,}.")
    return size


def _worked_out(rule: HeapRule, most: int) -> Sequence:
    from nimdesk.games.take.grundy import sequence  # lazy: loads numba

    with progress_bar("Grundy values", TimeElapsedColumn()) as (bar, task):

        def work_out(stop: threading.Event) -> Sequence:
            def go_on(done: int) -> bool:
                bar.update(task, completed=done, total=most)
                return not stop.is_set() or not done

            return sequence(rule, most, go_on)

        return interruptibly(work_out)


def _json(found: Sequence, sizes: tuple[int, ...]) -> dict[str, object]:
    period = found.period
    told = None if period is None else {"length": period.length, "start": period.start, "proven": period.proven}
    total = found.nim_sum(sizes)
    sums = {"heaps": list(sizes), "nim_sum": total, "outcome": "win" if total else "loss"} if sizes else {}
    return {"computed": found.computed, "period": told, **sums, "values": found.values.tolist()}


def _print(rule: HeapRule, found: Sequence, sizes: tuple[int, ...]) -> None:
    out, period, values = console(), found.period, found.values.tolist()
    name = NAMES.get(rule.text)
    out.print(f"{rule.text}{f' ({name})' if name else ''}: {rule.words}")
    across = period.length if period is not None and period.length <= _A_LINE * 2 else _A_LINE
    wide, lead = len(str(max(values))), len(str(len(values)))
    for begin in list(range(0, len(values), across))[:_MOST_LINES]:
        line = " ".join(f"{value:>{wide}}" for value in values[begin : begin + across])
        out.print(f"{begin:>{lead}}: {line}", soft_wrap=True)
    if len(values) > _MOST_LINES * across:
        out.print(f"… up to heap {len(values) - 1:,} (--json and --csv have them all)")
    out.print(found.period_words)
    if sizes:
        total = found.nim_sum(sizes)
        who = "whoever is to move wins" if total else "whoever is to move loses"
        out.print(f"Heaps {', '.join(map(str, sizes))}: nim-sum {total}, {who} in normal play.")
