"""The one grammar of all commands, as the flags that they share.

A *position* is an argument, or ``--position``. A *player* is ``--agent`` with its options after a colon; where players
and positions are many, arguments are either, told apart by the game before the colon. ``--budget`` is what a move may
cost, as a number or a time. ``--csv`` is a file if its name ends in .csv, else a folder; ``--figure`` draws what has a
curve. An experiment reads ``--plan``, writes ``--save-plan`` and keeps what it finds in ``--out``. ``--json`` prints
one object, with ``finding`` and ``made``, or with ``error``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import click

from nimdesk.cli.completion import complete_agent
from nimdesk.cli.figures import Wanted, figure_options
from nimdesk.cli.file_types import CSV, KEPT, READ, WRITTEN
from nimdesk.games.kit import find_kit
from nimdesk.search.options import MAX_SEED

Command = Callable[..., Any]


def options(*several: Command) -> Callable[[Command], Command]:
    """Several options at once, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


def number(flag: str, title: str, minimum: int, maximum: int, about: str, default: str | None = None) -> Command:
    """An option that is a whole number, read as in the window's forms: 10000, 10,000, 1e4."""

    def read(text: str) -> int:
        from nimdesk.experiments.budgets import whole

        return whole(title, text, minimum, maximum)

    return click.option(flag, metavar="N", type=read, default=default, help=about)


def real_number(
    flag: str, metavar: str, title: str, minimum: float, maximum: float, about: str, default: str
) -> Command:
    """An option that is a real number, read as in the window's forms: 0.05, 0,05."""

    def read(text: str) -> float:
        from nimdesk.experiments.budgets import real

        return real(title, text, minimum, maximum)

    return click.option(flag, metavar=metavar, type=read, default=default, help=about)


# What is searched and played, and by whom


def arguments_option(metavar: str = "[POSITION|AGENT]...") -> Command:
    """The arguments ``words``, of which ``told_apart`` says what they are."""
    return click.argument("words", nargs=-1, metavar=metavar, shell_complete=complete_agent)


def position_option(about: str, *, several: bool = True) -> Command:
    """The flag ``--position``."""
    repeated = " Repeatable; an argument that begins with a game does the same." if several else ""
    return click.option("--position", multiple=several, metavar="POSITION", help=f"{about}{repeated}")


def agent_option(about: str, default: str = "") -> Command:
    """The flag ``--agent``, for several."""
    usual = f" [{default}]" * bool(default)
    words = f"{about}, with options: uct:exploration=0.5. Repeatable; an argument does the same.{usual}"
    return click.option("--agent", multiple=True, metavar="AGENT", help=words, shell_complete=complete_agent)


def budget_option(about: str) -> Command:
    """The flag ``--budget``."""
    return click.option("--budget", metavar="N|TIME", help=f"{about}: a number, or a time such as 20ms.")


budgets_option = click.option(
    "--budgets",
    "--budget",
    "budgets",
    metavar="LIST",
    help="Numbers with commas; 10-10000 is 10, 20, 50, 100, … 10000; or times: 10ms,0.5s. [10-10000]",
)


def told_apart(
    words: Sequence[str],
    position: Sequence[str],
    agent: Sequence[str] = (),
    is_position: Callable[[str], bool] = lambda word: False,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The positions and the agents that these arguments and flags name, in the order in which they were given."""
    places = [word for word in words if is_position(word) or names_game(word)]
    return (*places, *position), (*(word for word in words if word not in places), *agent)


def names_game(word: str) -> bool:
    """Whether this is a position, or would be: a game stands before its colon."""
    name, colon, _ = word.partition(":")
    return bool(colon) and find_kit(name.strip().lower()) is not None


def seed_option(about: str, default: str | None = None) -> Command:
    """The flag ``--seed``, from 0 to the largest seed."""
    return number("--seed", "Seed", 0, MAX_SEED, about, default)


def games_option(about: str, default: str | None = None) -> Command:
    """The flag ``--games``: how many games."""
    return number("--games", "Games", 1, 1_000_000, about, default)


opening_plies = number(
    "--opening-plies", "Opening plies", 0, 100, "Begin with this many random moves, the same for both orders.", "0"
)
opening_rule_option = click.option(
    "--opening-rule",
    metavar="NAME",
    help="pie or swap2: who begins places one move, or three, and the other one may change sides.",
)
openings_option = click.option(
    "--openings",
    type=READ,
    metavar="FILE",
    help="Start from the positions in this file: a line each, or moves from each position named; openings of Gomocup, "
    "Connect Four as digits, or any other file that “nimdesk convert” reads. Or from a set that comes with nimdesk, in "
    "which neither side is ahead: gomoku-15.",
)
ending_options = options(
    number(
        "--adjudicate",
        "Adjudicate",
        1,
        10_000,
        "After N moves, end a game as soon as its outcome is proven, as if both played on without a mistake.",
    ),
    click.option(
        "--clock",
        metavar="T+I",
        help="Seconds for a whole game, and more after each move: 10+0.1. Whoever oversteps them has lost.",
    ),
)
other_plan = options(
    games_option("Another number of games (or searches) than the plan's."),
    seed_option("Derive all seeds from this number."),
)

# How it is run, and what is written


def threads_option(about: str) -> Command:
    """The flag ``--threads``: how many tasks run at a time."""
    return number("--threads", "Threads", 1, 256, about)


def csv_option(table: str, folder: str = "") -> Command:
    """The flag ``--csv``: a table alone, or a folder with all that there is."""
    words = (
        f"Write {table} to this file. A name that does not end in .csv is a folder, for {folder or 'the same file'}."
    )
    return click.option("--csv", type=CSV, metavar="FILE.csv|DIR", help=words)


def figure_flags(measures: Sequence[str], more: str = "", *, default: str = "") -> Callable[[Command], Command]:
    """``--figure`` and what belongs to it; the command gets them as one ``figure``, None if none is wanted."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def drawing(*arguments: Any, figure: Any, figure_look: str, figure_of: str | None = None, **others: Any) -> Any:
            of = measures[0] if len(measures) == 1 else figure_of
            return command(*arguments, figure=Wanted.of(figure, of, figure_look), **others)

        figure, of, look = figure_options(measures, more, default=default)
        return options(figure, *([of] if len(measures) > 1 else []), look)(drawing)

    return decorate


json_flag = click.option(
    "--json", "as_json", is_flag=True, show_default=False, help="Print JSON, for programs; also what is wrong."
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler: tcp://host:8786."
)
save_plan_option = click.option("--save-plan", type=WRITTEN, metavar="FILE.json", help="Write the plan to this file.")
plan_options = options(
    click.option("--plan", "plan_file", type=READ, metavar="FILE.json", help="Take all of the above from this plan."),
    save_plan_option,
)
out_option = click.option("--out", type=KEPT, metavar="FILE.db", help="Store the results here. [in the data folder]")
running_options = options(
    threads_option("How many games at a time. [as many as there are processors]"),
    cluster_option,
    out_option,
    csv_option("the main table", "all tables and a report"),
)
_NOT_OF_A_PLAN = {"plan_file", "save_plan", "threads", "cluster", "out", "csv", "searches", "as_json"}
_NOT_OF_A_PLAN |= {"figure", "figure_of", "figure_look", "show", "sort", "top"}


def parted(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of a command: those that a plan has as well, and those that say how it is run and what is written."""
    how = {name: value for name, value in given.items() if name in _NOT_OF_A_PLAN}
    return {name: value for name, value in given.items() if name not in how}, how


def typed_for_plan() -> str:
    """The first parameter on the command line that says what a plan says, as it is typed; "" if there is none."""
    context = click.get_current_context()
    for param in context.command.params:
        name = param.name or ""
        source = context.get_parameter_source(name)
        if source is click.core.ParameterSource.COMMANDLINE and name not in _NOT_OF_A_PLAN and context.params[name]:
            return param.opts[0] if isinstance(param, click.Option) else str(context.params[name][0])
    return ""
