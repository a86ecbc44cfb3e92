"""The command ``check-agent``: whether a search keeps what nimdesk relies on, and whether it is the textbook's UCT."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nimdesk.agents import Agent
from nimdesk.agents.naming import agent_from_text
from nimdesk.cli.figures import Wanted, figure_options
from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import console, position_of, print_json, table
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError, StoppedError, quoted, shown
from nimdesk.experiments.budgets import Milliseconds, parse_budgets
from nimdesk.games import AnyPosition, parse_position

if TYPE_CHECKING:
    from nimdesk.experiments.agreement import Agreement, Compared

# On the first, searches are compared: 500 iterations decide it, and each mistake that documents make shows.
_POSITIONS = ("nim:1,4", "mnk:7,6,4:gravity")
_NOBODY = "none"
_MOST_SHOWN = 12
_FIGURE, _, _LOOK = figure_options(("share",))


@click.command("check-agent")
@click.argument("name", metavar="AGENT")
@click.option("--position", metavar="POSITION", help=f"Where it is tried; by default {' and '.join(_POSITIONS)}.")
@click.option(
    "--against",
    metavar="AGENT",
    default="uct",
    help=f"Whose search it should be; options that both have are the same. “{_NOBODY}” for no comparison.",
)
@click.option("--seeds", type=click.IntRange(10, 10_000), default=200, help="Searches of each agent.")
@click.option("--budgets", default="20,100,500", help="The iterations at which they are compared.")
@click.option("--all", "in_full", is_flag=True, help="Print every test, not only those with the smallest p-values.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
@_FIGURE
@_LOOK
def check_agent(
    name: str,
    position: str | None,
    against: str,
    seeds: int,
    budgets: str,
    in_full: bool,
    as_json: bool,
    figure: Path | None,
    figure_look: str,
) -> int:
    """Try an agent, such as a search of one's own, and say what is wrong with it.

    It is tried whether its moves are legal, whether the same seed gives the same search, whether it keeps its time, and
    whether it counts honestly. An agent that counts iterations is then compared with textbook UCT over many seeds: the
    visits of each root move and the choice, by permutation tests with Holm's correction. The figure shows where the two
    part. The exit code is 2 if something is wrong.
    """
    agent, wanted = agent_from_text(name), Wanted.of(figure, None, figure_look)
    places = [position_of(position.split())] if position else list(map(parse_position, _POSITIONS))
    places = [place for place in places if agent.plays(place)]
    if not places:
        raise OptionError(f"The agent {quoted(agent.name)} does not play there; name another --position.")
    counted = parse_budgets(budgets)
    if isinstance(counted, Milliseconds):
        raise OptionError("Searches are compared at numbers of iterations, not at times.")
    compared = against != _NOBODY and agent.traits.budget is not None and agent.traits.counts == "iterations"
    other = _alike(agent_from_text(against), agent) if compared else None
    asked = _Asked(agent, places, other, range(1, seeds + 1), counted, in_full, wanted)
    return interruptibly(lambda stop: asked.check(stop, as_json=as_json))


def _alike(other: Agent, agent: Agent) -> Agent:
    """The other with the options of the agent, as far as it has them and none was given for it."""
    left_out = {*other.liftable, *other.changed_options, other.traits.memory}
    names = {field.name for field in agent.info.fields} - left_out
    shared = [field.name for field in other.info.fields if field.name in names]
    return other.with_options({name: getattr(agent.options, name) for name in shared})


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be tried."""

    agent: Agent
    places: Sequence[AnyPosition]
    other: Agent | None
    seeds: range
    budgets: Sequence[int]
    in_full: bool
    wanted: Wanted | None

    def check(self, stop: threading.Event, *, as_json: bool) -> int:
        """Try it, print what was found, and return the exit code."""
        from nimdesk.experiments.conformance import findings  # lazy: numpy and numba

        def go_on() -> None:
            if stop.is_set():
                raise StoppedError

        told: dict[str, Any] = {"agent": self.agent.to_json(), "findings": []}
        wrong = False
        for found in findings(self.agent, self.places, go_on):
            word = {True: "sound", False: "wrong", None: "none"}[found.sound]
            wrong = wrong or found.sound is False
            told["findings"].append({"finding": found.title, "verdict": word, "words": found.words})
            if not as_json:
                print(f"{word:7} {found.title}: {shown(found.words)}")
        if self.other is not None and not wrong:
            agreement = self._agreement(self.other, go_on)
            tests, parting = agreement.tests(self.budgets), agreement.parting
            wrong = parting is not None or any(test.differs for test in tests)
            told["agreement"] = _as_json(self.other, tests, parting)
            if not as_json:
                self._print(self.other, tests, parting)
            if self.wanted is not None:
                from nimdesk.figures.agreement import of_agreement  # lazy: few draw figures

                about = {"agents": [self.agent.to_json(), self.other.to_json()], "seeds": len(self.seeds)}
                self.wanted.draw(of_agreement(self.places[0], agreement), about)
        if as_json:
            print_json(told, [made_here()])
        return 2 if wrong else 0

    def _agreement(self, other: Agent, go_on: Any) -> Agreement:
        from nimdesk.experiments.agreement import Agreement, sampled  # lazy, as above

        at = self.places[0]
        # Other seeds, or an agent that draws the same numbers would be compared with itself.
        others = [seed + len(self.seeds) for seed in self.seeds]
        return Agreement(
            sampled(self.agent, at, self.seeds, self.budgets, go_on), sampled(other, at, others, self.budgets, go_on)
        )

    def _print(self, other: Agent, tests: Sequence[Compared], parting: Any) -> None:
        own, its = self.agent.info.title, other.info.title
        listed = tests if self.in_full else sorted(tests, key=lambda test: test.p)[:_MOST_SHOWN]
        rows = table("Iterations", "Of", own, its, "p", "p (Holm)", "")
        for test in listed:
            means = (f"{value:.1%}" if test.move is None else f"{value:,.2f}" for value in (test.own, test.other))
            what = "choice" if test.move is None else f"visits of {test.move.text}"
            verdict = "differs" if test.differs else ""
            rows.add_row(f"{test.budget:,}", what, *means, f"{test.p:.5f}", f"{test.holm:.5f}", verdict)
        left_out = len(tests) - len(listed)
        more = f"; {left_out} more with larger p-values: --all prints them" if left_out else ""
        out = console()
        out.print(f"\n{self.places[0].text}, {len(self.seeds)} seeds each, {len(tests)} tests{more}", rows)
        differing = sum(test.differs for test in tests)
        if differing:
            print(f"wrong   {shown(own)} is not {shown(its)}: {differing} of {len(tests)} tests differ beyond chance")
        elif parting is None:
            print(f"sound   {shown(own)} agrees with {shown(its)}: nothing differs beyond chance")
        if parting is not None:
            budget, move = parting
            print(f"wrong   They part at {budget:,} iterations, first in the visits of {move.text}")


def _as_json(other: Agent, tests: Sequence[Compared], parting: Any) -> dict[str, object]:
    return {
        "with": other.to_json(),
        "tests": [
            {
                "iterations": test.budget,
                "of": "choice" if test.move is None else test.move.text,
                "own": test.own,
                "other": test.other,
                "p": test.p,
                "p_holm": test.holm,
                "differs": test.differs,
            }
            for test in tests
        ],
        "part_at": None if parting is None else parting[0],
    }
