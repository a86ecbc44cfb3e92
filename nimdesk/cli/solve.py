"""``nimdesk solve``: the exact value of a position and of every move, by theory or by proof."""

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from nimdesk.cli.analyse import interruptible
from nimdesk.cli.output import console, print_json, table
from nimdesk.errors import NotationError
from nimdesk.games import AnyPosition, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import truth_sentence, value_words
from nimdesk.games.words import describe_outcome, describe_turn
from nimdesk.limit import Limit

_MOST_UNKNOWN = 12
_ORDER = (Value.WIN, Value.DRAW, Value.UNKNOWN, Value.LOSS)


def solve(position: AnyPosition, time_s: float, *, as_json: bool) -> None:
    """Work for so long at most and print what is proven; ``NotationError`` where the game is over."""
    if position.outcome is not None:
        raise NotationError(f"There is nothing to solve in {position.text}: {describe_outcome(position)}.")
    truth = prove(position, time_s)
    if as_json:
        print_json(truth_json(truth))
    else:
        _print_truth(truth)


def prove(position: AnyPosition, time_s: float) -> Truth:
    """What can be proven within the time, or until Ctrl-C, with a progress bar where a person watches."""
    watched = sys.stderr.isatty()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    solver = solver_for(position)
    with Progress(
        *columns, console=Console(stderr=True), transient=True, auto_refresh=False, disable=not watched
    ) as bar:
        task = bar.add_task("loading the solver…", total=None)
        bar.refresh()
        solver.start(position)
        with interruptible() as stop:
            for part in Limit(time_s=time_s).slices(stop):
                if solver.advance(part):
                    break
                if watched:
                    bar.update(task, description="solving", completed=solver.progress, total=1.0, refresh=True)
    return solver.truth()


def truth_json(truth: Truth) -> dict[str, object]:
    """The truth as ``--json`` prints it: values for the side to move, those of moves for the side that plays them."""
    return {
        "position": truth.position.text,
        "value": truth.value.value,
        "distance": truth.distance,
        "nodes": truth.nodes,
        "elapsed_s": truth.elapsed_s,
        "moves": [
            {"move": each.move.text, "value": each.value.value, "distance": each.distance} for each in truth.moves
        ],
    }


def _print_truth(truth: Truth) -> None:
    out = console()
    out.print(f"{truth.position.text}: {describe_turn(truth.position)}")
    out.print(truth_sentence(truth))
    rows = table("Move", "Value", "Plies to the end")
    for value in _ORDER:
        alike = [each for each in truth.moves if each.value is value]
        if value is Value.UNKNOWN and len(alike) > _MOST_UNKNOWN:
            rows.add_row(f"{len(alike)} moves", value.value, "–")
            continue
        for each in alike:
            rows.add_row(each.move.text, each.value.value, "–" if each.distance is None else str(each.distance))
    out.print(rows)
    if truth.explanation:
        out.print(truth.explanation)
    words = value_words(truth.value, truth.distance)
    out.print(f"value: {words} · positions searched: {truth.nodes:,} · {truth.elapsed_s:.3g} s")
