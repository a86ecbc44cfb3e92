"""What is studied: a position with those visited before, the move pointed at, and the agents.

The laboratory sets the agents' limits and seeds, so they have none of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from nimdesk.agents import Agent, agent_from_json, make_agent, proposed
from nimdesk.errors import NimdeskError, StillLoadingError
from nimdesk.games import AnyPosition, Move
from nimdesk.play.laboratory import MAX_AGENTS
from nimdesk.play.moment import Known, Pointer, stepped
from nimdesk.search.options import MAX_SEED
from nimdesk.ui.jobs.truth import Followed

_TRAIL = 1000
"""How many positions one can go back to."""


class Place(Followed):
    """The position studied, on the trail of those visited; going elsewhere forgets the positions ahead."""

    changed = Signal()
    """Another position is studied. The laboratory's other parts hear it first, so panels find them up to date."""

    def __init__(self, position: AnyPosition, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._trail = [position]
        self._at = 0
        self.locked = False
        """Whether it stays where it is, as a lesson may want."""

    @property
    def position(self) -> AnyPosition:
        return self._trail[self._at]

    @property
    def can_back(self) -> bool:
        return self._at > 0

    @property
    def can_forward(self) -> bool:
        """Whether ``back`` was called from a later position."""
        return self._at + 1 < len(self._trail)

    def go_to(self, position: AnyPosition) -> None:
        """Study this position; does nothing if it is already studied, reached by the same moves."""
        here = self.position
        if self.locked or (position == here and position.moves == here.moves):
            return
        self._trail = [*self._trail[: self._at + 1], position][-_TRAIL:]
        self._move(len(self._trail) - 1)

    def play(self, move: Move) -> None:
        """Study the position after this legal move."""
        self.play_line((move,))

    def play_line(self, line: Iterable[Move]) -> None:
        """Study the position after these legal moves."""
        self.go_to(after(self.position, line))

    def back(self) -> None:
        """Study the position visited before this one, if there is one."""
        self._move(self._at - 1)

    def forward(self) -> None:
        """Study the position that ``back`` left, if it did."""
        self._move(self._at + 1)

    def to_parent(self) -> None:
        """Study the position before the last move, if there is one."""
        position = self.position
        if position.moves:
            self.go_to(after(position.game.start(), position.moves[:-1]))

    def _move(self, at: int) -> None:
        if 0 <= at < len(self._trail) and not self.locked:
            self._at = at
            self.changed.emit()
            # Panels must hear of a position before what is proven of it.
            self.position_changed.emit(False)


def after(position: AnyPosition, line: Iterable[Move]) -> AnyPosition:
    """The position after these moves."""
    for move in line:
        position = position.play(move)
    return position


class Pointing(QObject):
    """The move that a person points at in any panel, and the line of play to preview on the board."""

    changed = Signal()

    def __init__(self, place: Place, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pointer = Pointer()
        place.changed.connect(partial(self._set, Pointer()))

    @property
    def move(self) -> Move | None:
        """The move pointed at."""
        return self.pointer.move

    def point(self, move: Move | None) -> None:
        """Point at this move; None at nothing."""
        self._set(replace(self.pointer, board=None, plot=move))

    def point_on_board(self, move: Move | None) -> None:
        """The same on the board, which marks its own."""
        self._set(replace(self.pointer, board=move, plot=None))

    def preview(self, line: tuple[Move, ...]) -> None:
        """Preview this line of play on the board; an empty one ends it."""
        self._set(replace(self.pointer, line=line))

    def step_in_win(self, known: Known, by: int) -> None:
        """Show so many moves more of the forced win on the board, or fewer."""
        self._set(stepped(known, self.pointer, by))

    def _set(self, pointer: Pointer) -> None:
        if pointer != self.pointer:
            self.pointer = pointer
            self.changed.emit()


LETTERS = "ABCD"
_MEMORY_MB = 256
"""The default memory of each tree: four of them run side by side."""


@dataclass(frozen=True, slots=True)
class Studied:
    """One agent under study, without limits of its own, and the seed of its search."""

    agent: Agent
    seed: int

    @classmethod
    def from_json(cls, data: object) -> Studied | None:
        """The agent and seed of this JSON value; None if it is malformed, or the agent unknown.

        ``StillLoadingError`` for an agent whose plug-in is not there yet.
        """
        seed = data.get("seed") if isinstance(data, dict) else None
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
            return None
        try:
            return cls(agent_from_json(data).unlimited(), seed)
        except StillLoadingError:
            raise
        except NimdeskError:
            return None


def new_agent(name: str) -> Agent:
    """An agent of the catalogue with its default options, without limits."""
    return _to_study(make_agent(name))


def _to_study(agent: Agent) -> Agent:
    if agent.traits.memory is not None:
        agent = agent.with_options({agent.traits.memory: _MEMORY_MB})
    return agent.unlimited()


def title_of(agent: Agent, *, full: bool = False) -> str:
    """The agent's name, with the options that are not the default, such as "MCTS, Exploration c 0.5".

    In ``full``, options that are not advanced are named even at their defaults.
    """
    plain = {field.name for field in agent.info.fields if full and not field.advanced}
    untold = {agent.traits.memory, agent.traits.seed, *agent.traits.limits}
    return ", ".join([agent.info.title, *agent.words((agent.changed_options.keys() | plain) - untold)])


class AgentList(QObject):
    """The agents under study, one to four, and which of them is in focus, where one search is shown."""

    changed = Signal()
    """An agent, a seed, or the focus changed. ``Searches.runs_changed`` follows, and is the signal for panels."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.studied: tuple[Studied, ...] = (Studied(_to_study(proposed()), 1),)
        """All of them, in the order of their rows."""
        self.focus = 0
        self.disguised: frozenset[Agent] = frozenset()
        """Those whose options are not told: to find them out is the question of a lesson."""
        self._guest: Studied | None = None

    @property
    def focused(self) -> Studied:
        return self.studied[self.focus]

    def title_of(self, agent: Agent) -> str:
        """The agent's name with the options that are not the default, unless it is disguised."""
        return agent.info.title if agent in self.disguised else title_of(agent)

    def set_focus(self, index: int) -> None:
        """Show this agent where one search is shown; does nothing for an index without an agent."""
        if 0 <= index < len(self.studied):
            self._set(self.studied, index)

    def set_all(self, studied: tuple[Studied, ...]) -> None:
        """Study exactly these, the first in focus; those beyond four are left out."""
        self._set(studied[:MAX_AGENTS], 0)

    def add(self, agent: Agent | None = None, seed: int | None = None) -> None:
        """Study one more agent, in focus, by default one that is not studied yet; does nothing beyond four."""
        if len(self.studied) >= MAX_AGENTS:
            return
        if agent is None:
            agent = _to_study(proposed({each.agent.name for each in self.studied}))
        added = Studied(agent.unlimited(), self.focused.seed if seed is None else seed)
        while added in self.studied:
            added = replace(added, seed=added.seed + 1)
        self._set((*self.studied, added), len(self.studied))

    def welcome(self, studied: Studied) -> None:
        """Study this agent, in focus, in place of the one that was welcomed last, or of a single agent.

        Otherwise it is one more; if there are four already, it takes the place of the one in focus.
        """
        there = self.studied
        if studied in there:
            self.set_focus(there.index(studied))
            return
        if self._guest in there:
            at = there.index(self._guest)
        elif len(there) == 1:
            at = 0
        else:
            at = len(there) if len(there) < MAX_AGENTS else self.focus
        self._guest = studied
        self._set((*there[:at], studied, *there[at + 1 :]), at)

    def set_agent(self, index: int, agent: Agent) -> None:
        """Study this agent in place of the one at ``index``, with the same seed."""
        self._put(index, Studied(agent.unlimited(), self.studied[index].seed))

    def set_seed(self, index: int, seed: int) -> None:
        self._put(index, replace(self.studied[index], seed=seed))

    def new_seeds(self) -> None:
        """Give every agent the same new seed, to repeat the experiment."""
        seed = int.from_bytes(os.urandom(4))
        self._set(tuple(replace(each, seed=seed) for each in self.studied), self.focus)

    def remove(self, index: int) -> None:
        """Study the others alone; the last one stays. The focus stays with its agent, unless that is removed."""
        if len(self.studied) > 1:
            studied = (*self.studied[:index], *self.studied[index + 1 :])
            self._set(studied, min(self.focus - (index < self.focus), len(studied) - 1))

    def _put(self, index: int, studied: Studied) -> None:
        self._set((*self.studied[:index], studied, *self.studied[index + 1 :]), self.focus)

    def _set(self, studied: tuple[Studied, ...], focus: int) -> None:
        if (studied, focus) != (self.studied, self.focus):
            self.studied, self.focus = studied, focus
            self.changed.emit()
