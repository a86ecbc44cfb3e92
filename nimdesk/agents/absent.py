"""Agents that are not here: what is known of them from results that others made, or that were made with an engine."""

from __future__ import annotations

from collections.abc import Mapping

from nimdesk.agents.agent import Agent, AgentInfo, Traits
from nimdesk.agents.fields import OptionValue
from nimdesk.errors import OptionError, quoted
from nimdesk.games import AnyPosition
from nimdesk.search import Searcher
from nimdesk.search.options import AgentOptions


class AbsentAgent(Agent, frozen=True):
    """An agent of which only the name and the options given to it are known; it cannot search."""

    given: tuple[tuple[str, OptionValue], ...] = ()

    @property
    def info(self) -> AgentInfo:
        """An entry that no list shows."""
        about = "It is not here: a plug-in or an engine, or an agent of another version of nimdesk."
        return AgentInfo(self.name, self.name, about, AgentOptions, self._refuse, Traits(known=False))

    @property
    def changed_options(self) -> dict[str, OptionValue]:
        """The options given to it."""
        return dict(self.given)

    def to_json(self) -> dict[str, object]:
        """As that of an agent that is here."""
        return {"agent": self.name, "options": dict(self.given)}

    def new_searcher(self, position: AnyPosition | None = None) -> Searcher:
        """``OptionError``."""
        return self._refuse(self.options)

    def _refuse(self, _options: AgentOptions) -> Searcher:
        raise OptionError(f"The agent {quoted(self.name)} is not here, so nothing can be played or searched with it.")


def absent_agent(name: str, options: Mapping[str, OptionValue]) -> AbsentAgent:
    """The agent of this name, which is not here, with these options."""
    return AbsentAgent(name, AgentOptions(), tuple(options.items()))
