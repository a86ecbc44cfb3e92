"""Which agents are studied, and which of them is in focus: a value, of which every change makes another one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nimdesk.agents import CATALOGUE, Agent
from nimdesk.ui.laboratory.agents import MAX_AGENTS, Studied, new_agent, unlimited

_SUGGESTED = ("uct", "mcts", "flat", "deepening")


@dataclass(frozen=True, slots=True)
class Selection:
    """One to four agents; ``focus`` is the index of the one that is shown where one search is shown."""

    studied: tuple[Studied, ...]
    focus: int = 0

    def focused_on(self, index: int) -> Selection:
        """The same agents, with this one in focus; nothing changes where there is none."""
        return replace(self, focus=index) if 0 <= index < len(self.studied) else self

    def with_added(self, agent: Agent | None = None, seed: int | None = None) -> Selection:
        """With one more agent in focus, by default one that is not there yet; nothing changes beyond four."""
        if len(self.studied) >= MAX_AGENTS:
            return self
        there = {each.agent.name for each in self.studied}
        if agent is None:
            agent = new_agent(next((name for name in _SUGGESTED if name in CATALOGUE and name not in there), "uct"))
        added = Studied(unlimited(agent), self.studied[self.focus].seed if seed is None else seed)
        while added in self.studied:
            added = replace(added, seed=added.seed + 1)
        return Selection((*self.studied, added), len(self.studied))

    def with_agent(self, index: int, agent: Agent) -> Selection:
        """With this agent in place of the one at ``index``, and the same seed."""
        return self._with(index, Studied(unlimited(agent), self.studied[index].seed))

    def with_seed(self, index: int, seed: int) -> Selection:
        """With another seed for the agent at ``index``."""
        return self._with(index, replace(self.studied[index], seed=seed))

    def with_seeds(self, seed: int) -> Selection:
        """With this seed for every agent."""
        return replace(self, studied=tuple(replace(each, seed=seed) for each in self.studied))

    def without(self, index: int) -> Selection:
        """Without the agent at ``index``; the last one stays, and so does the focus, where it can."""
        if len(self.studied) == 1:
            return self
        studied = (*self.studied[:index], *self.studied[index + 1 :])
        return Selection(studied, min(self.focus - (index < self.focus), len(studied) - 1))

    def _with(self, index: int, studied: Studied) -> Selection:
        return replace(self, studied=(*self.studied[:index], studied, *self.studied[index + 1 :]))
