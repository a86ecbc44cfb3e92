"""Flags that several commands of experiments have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from nimdesk.cli.file_types import FOLDER, KEPT, WRITTEN
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


def seed_option(about: str, default: str | None = None) -> Command:
    """The flag ``--seed``, from 0 to the largest seed."""
    return number("--seed", "Seed", 0, MAX_SEED, about, default)


def games_option(about: str, default: str | None = None) -> Command:
    """The flag ``--games``: how many games."""
    return number("--games", "Games", 1, 1_000_000, about, default)


def threads_option(about: str) -> Command:
    """The flag ``--threads``: how many tasks run at a time."""
    return number("--threads", "Threads", 1, 256, about)


json_flag = click.option("--json", "as_json", is_flag=True, show_default=False, help="Print JSON, for programs.")
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler: tcp://host:8786."
)
other_plan = options(
    games_option("Another number of games (or searches) than the plan's."),
    seed_option("Derive all seeds from this number."),
)
save_plan_option = click.option("--save-plan", type=WRITTEN, metavar="FILE.json", help="Write the plan to this file.")
running_options = options(
    threads_option("How many games at a time. [as many as there are processors]"),
    cluster_option,
    click.option("--out", type=KEPT, metavar="FILE.db", help="Store the results here. [in the data folder]"),
    click.option("--csv", type=FOLDER, metavar="DIR", help="Also write CSV files and a report to this folder."),
)
