"""The numbered tasks of a plan: players, agents, options and positions are looked up, and all that is wrong is said.

Tasks are numbered from 0, kind by kind (``plan.KINDS``), and their order is part of the plan. A task is made from its
number on demand, because a plan may have millions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nimdesk.agents import CATALOGUE, PUBLISHED, AbsentAgent, Agent, absent_agent, make_agent
from nimdesk.disk.documents import clause, sentence
from nimdesk.errors import NimdeskError, OptionError, PlanError
from nimdesk.experiments.kind import Kind, OneOfEach, Setup, Work
from nimdesk.experiments.matches.kind import MATCHES
from nimdesk.experiments.parts import MAX_POSITION_LETTERS, MAX_SETTINGS, MAX_TASKS, PlayerPart, study_agent
from nimdesk.experiments.plan import KINDS, Plan
from nimdesk.games import AnyPosition


@dataclass(frozen=True, slots=True, eq=False)
class Schedule(OneOfEach):
    """A checked plan with all its tasks. ``notes`` are sentences that a reader of the results should know."""

    plan: Plan
    digest: str
    agents: dict[str, Agent]
    positions: dict[str, AnyPosition]
    works: dict[Kind, Work]
    total: int
    notes: tuple[str, ...]

    @property
    def each(self) -> Iterable[Work]:
        """Its works."""
        return self.works.values()

    @property
    def tasks(self) -> str:
        """What its tasks are called after their number; "" where a plan may have games and searches."""
        return next((kind.tasks for kind in self.works if kind.alone), "")

    def kind(self, number: int) -> Kind:
        """The kind of the task of this number, from 0 to ``total`` - 1; ``IndexError`` beyond."""
        if not 0 <= number < self.total:
            raise IndexError(number)
        return next(kind for kind, work in reversed(self.works.items()) if work.tasks and work.first <= number)

    def task(self, number: int) -> Any:
        """The task of this number; ``IndexError`` as ``kind``."""
        return self.works[self.kind(number)].task(number)


def schedule_of(plan: Plan, *, to_read: bool = False) -> Schedule:
    """The schedule; ``PlanError`` names the field with a player, agent, option or position that does not exist.

    Loads plug-ins that the plan names. Whether an agent can play a game shows only when it starts. ``to_read`` is for
    results that are there: players of matches need not be, see ``AbsentAgent``.
    """
    alone = _alone(plan)
    if alone is None:
        _check_size(plan)
        may_be_absent = to_read and plan.kinds == [MATCHES]
        agents = {name: _agent(name, part, may_be_absent) for name, part in plan.players.items()}
    else:
        agents = _labelled_agents(plan, alone)
    if not plan.kinds:
        *names, last = (f"“{kind.name}”" for kind in KINDS)
        raise PlanError(f"The plan cannot be used: it has no {', '.join(names)} or {last}, so there is nothing to do.")
    setup, works, first = Setup(plan, plan.digest, agents), dict[Kind, Work](), 0
    for kind in KINDS:
        parts = plan.parts_of(kind)
        if parts or not kind.alone:
            works[kind] = kind.work(parts, setup, first)
            first += works[kind].tasks
    if first > MAX_TASKS:
        raise PlanError(f"The plan asks for {first:,} games and searches; {MAX_TASKS:,} are allowed.")
    notes = [note for work in works.values() for note in work.notes]
    if alone is None:
        notes += [*_on_speed(setup), *_on_absent(agents)]
    return Schedule(plan, setup.digest, agents, setup.positions, works, first, tuple(notes))


def read_positions(plan: Plan) -> Plan:
    """Read the positions of this plan, seconds for a large one, and return it; its schedule then takes a moment.

    They are remembered (``position_of``). What is wrong with the plan is not told here.
    """
    if not any(kind.works_out_positions for kind in plan.kinds):
        with suppress(NimdeskError):
            schedule_of(plan)
    return plan


def _alone(plan: Plan) -> Kind | None:
    """The kind that a plan asks for alone, if it is one of those."""
    alone = next((kind for kind in plan.kinds if kind.alone), None)
    if alone is not None and len(plan.kinds) > 1:
        others = " and ".join(f"“{kind.name}”" for kind in KINDS if not kind.alone)
        raise PlanError(
            f"The plan cannot be used: it has {alone.words.split()[0]} “{alone.name}”; {others} need a plan of their "
            "own."
        )
    return alone


def _labelled_agents(plan: Plan, kind: Kind) -> dict[str, Agent]:
    """The agents, where each is called by its label."""
    agents = [study_agent(player, number) for number, player in enumerate(plan.players.values(), 1)]
    for name, agent in zip(plan.players, agents, strict=True):
        if name != agent.label:
            raise PlanError(
                f"The plan cannot be used: in “players[{name}]”: in {kind.words} it must be called “{agent.label}”."
            )
    return dict(zip(plan.players, agents, strict=True))


def _check_size(plan: Plan) -> None:
    """``PlanError`` for a plan whose tables would be too long, before any of them is made."""
    letters = sum(len(text) for part in plan.parts for text in part.texts)
    if letters > MAX_POSITION_LETTERS:
        raise PlanError(f"The positions of the plan have {letters:,} letters; {MAX_POSITION_LETTERS:,} are allowed.")
    settings = sum(part.ways * len(part.texts) for part in plan.parts)
    if settings > MAX_SETTINGS:
        raise PlanError(f"The plan combines players and positions in {settings:,} ways; {MAX_SETTINGS:,} are allowed.")


def _agent(name: str, part: PlayerPart, may_be_absent: bool) -> Agent:
    try:
        if part.agent in PUBLISHED:
            published = PUBLISHED[part.agent]
            return make_agent(published.agent_name, {**published.options, **part.options})
        return make_agent(part.agent, part.options)
    except NimdeskError as error:
        is_here = part.agent in CATALOGUE or part.agent in PUBLISHED
        if may_be_absent and not is_here and isinstance(error, OptionError):
            return absent_agent(part.agent, part.options)
        raise PlanError(sentence(f"The plan cannot be used: in “players[{name}]”: {clause(error)}")) from None


def _on_absent(agents: dict[str, Agent]) -> Iterator[str]:
    absent = [name for name, agent in agents.items() if isinstance(agent, AbsentAgent)]
    if absent:
        words = (
            "The results can be read; nothing can be added to them, and whether they can be reproduced is not known."
        )
        yield f"Not here: {', '.join(absent)}. {words}"


def _on_speed(setup: Setup) -> Iterator[str]:
    positions = setup.positions.values()
    timed = [name for name, agent in setup.agents.items() if any(map(agent.depends_on_speed, positions))]
    if timed:
        yield f"Not reproducible: how far these players look depends on the machine's speed: {', '.join(timed)}."
