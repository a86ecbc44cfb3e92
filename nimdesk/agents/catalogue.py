"""The catalogue: every agent by name, with its title, one sentence about it, its options and its Searcher."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from nimdesk.agents.fields import OptionField, make_options, option_fields
from nimdesk.agents.options import (
    MAX_SEED,
    AgentOptions,
    AlphaBetaOptions,
    DeepeningOptions,
    FlatOptions,
    FlatPerfectOptions,
    MctsOptions,
    MinimaxOptions,
    PerfectOptions,
    RandomOptions,
    SolverOptions,
    UctOptions,
    ValueTableOptions,
)
from nimdesk.errors import OptionError
from nimdesk.games.base import quoted
from nimdesk.search import Searcher

if TYPE_CHECKING:
    from nimdesk.agents.plugins import Plugin, PluginLoader


class AgentInfo(msgspec.Struct, frozen=True):
    """One entry of the catalogue."""

    name: str
    title: str
    about: str
    options_type: type[AgentOptions]
    make_searcher: Callable[[Any], Searcher]

    @property
    def fields(self) -> tuple[OptionField, ...]:
        """The declared options, in order."""
        return option_fields(self.options_type)


class Agent(msgspec.Struct, frozen=True):
    """A named, configured way to choose a move."""

    name: str
    options: AgentOptions

    @property
    def info(self) -> AgentInfo:
        """The catalogue's entry."""
        return CATALOGUE[self.name]

    def new_searcher(self) -> Searcher:
        """A fresh search with these options. Loads (and at first compiles) kernels: not on the UI thread."""
        return self.info.make_searcher(self.options)

    def new_seed(self) -> int:
        """The seed of the options, or a new random one where they leave it empty."""
        seed: int | None = getattr(self.options, "seed", None)
        return int.from_bytes(os.urandom(8)) & MAX_SEED if seed is None else seed

    def to_json(self) -> dict[str, object]:
        """``{"agent": name, "options": {...}}``, as ``agent_from_json`` reads it."""
        return {"agent": self.name, "options": msgspec.to_builtins(self.options)}


def _random_searcher(_options: RandomOptions) -> Searcher:
    from nimdesk.search.random_choice import RandomSearcher

    return RandomSearcher()


def _mcts_searcher(options: MctsOptions) -> Searcher:
    from nimdesk.search.mcts import MctsParameters, MctsSearcher

    return MctsSearcher(MctsParameters(**_named(options, without=("seed",))))


def _uct_searcher(options: UctOptions) -> Searcher:
    from nimdesk.search.parallel_uct import uct_searcher
    from nimdesk.search.uct import UctParameters

    return uct_searcher(UctParameters(**_named(options, without=("seed",))))


def _perfect_searcher(options: PerfectOptions) -> Searcher:
    from nimdesk.search.exact import PerfectSearcher

    return PerfectSearcher(when_lost=options.when_lost, time_s=options.time_s)


def _value_table_searcher(_options: ValueTableOptions) -> Searcher:
    from nimdesk.search.exact import ValueTableSearcher

    return ValueTableSearcher()


def _flat_searcher(options: FlatOptions) -> Searcher:
    from nimdesk.search.flat import FlatSearcher

    return FlatSearcher(options.playouts, agent="flat", overshoot=options.overshoot)


def _flat_perfect_searcher(options: FlatPerfectOptions) -> Searcher:
    from nimdesk.search.flat import FlatSearcher

    return FlatSearcher(options.playouts, agent="flat-perfect", perfect_opponent=True)


def _minimax_searcher(options: MinimaxOptions) -> Searcher:
    from nimdesk.search.minimax import MinimaxSearcher

    return MinimaxSearcher(options.max_nodes)


def _alphabeta_searcher(options: AlphaBetaOptions) -> Searcher:
    from nimdesk.search.alphabeta import AlphaBetaSearcher

    return AlphaBetaSearcher(depth=options.depth, ordering=options.ordering, time_s=options.time_s)


def _deepening_searcher(options: DeepeningOptions) -> Searcher:
    from nimdesk.search.deepening import DeepeningSearcher

    return DeepeningSearcher(options.depth, options.nodes, options.time_s)


def _solver_searcher(options: SolverOptions) -> Searcher:
    from nimdesk.search.exact import SolverSearcher

    return SolverSearcher(options.time_s)


def _named(options: AgentOptions, without: tuple[str, ...] = ()) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(options).items() if name not in without}


# The searchers above are imported when they are wanted: they load numpy and numba, and the window paints first.
CATALOGUE: dict[str, AgentInfo] = {
    info.name: info
    for info in (
        AgentInfo("random", "Random", "Plays any legal move, all equally likely.", RandomOptions, _random_searcher),
        AgentInfo(
            "mcts",
            "MCTS",
            "Monte Carlo tree search that merges equal positions and proves what it can; plays the most visited move.",
            MctsOptions,
            _mcts_searcher,
        ),
        AgentInfo(
            "uct",
            "MCTS, textbook",
            "Plain UCT with random playouts, one node for each way to a position; plays the most visited move.",
            UctOptions,
            _uct_searcher,
        ),
        AgentInfo(
            "flat",
            "Flat Monte Carlo",
            "Plays out many random games after each legal move; the best mean wins.",
            FlatOptions,
            _flat_searcher,
        ),
        AgentInfo(
            "flat-perfect",
            "Flat Monte Carlo, perfect opponent",
            "The same, but in each playout the opponent plays perfectly. Nim only.",
            FlatPerfectOptions,
            _flat_perfect_searcher,
        ),
        AgentInfo(
            "minimax",
            "Minimax",
            "Searches the full tree without pruning, and tells how. Small games only.",
            MinimaxOptions,
            _minimax_searcher,
        ),
        AgentInfo(
            "alphabeta",
            "Alpha-beta",
            "Minimax with alpha-beta pruning, to a depth or to the end.",
            AlphaBetaOptions,
            _alphabeta_searcher,
        ),
        AgentInfo(
            "deepening",
            "Alpha-beta, deepening",
            "Alpha-beta one move deep, then two, and so on, the best move so far first; has a move ready at any time.",
            DeepeningOptions,
            _deepening_searcher,
        ),
        AgentInfo(
            "value-table",
            "Value table",
            "Backward induction over all positions of a small Nim; looks the best move up.",
            ValueTableOptions,
            _value_table_searcher,
        ),
        AgentInfo(
            "perfect",
            "Perfect",
            "Plays by theory in Nim, and by the exact solver in m,n,k games.",
            PerfectOptions,
            _perfect_searcher,
        ),
        AgentInfo(
            "solver",
            "Solver",
            "Proves the value of every move, wins soonest and loses latest.",
            SolverOptions,
            _solver_searcher,
        ),
    )
}

_RESERVED = frozenset({"human", *CATALOGUE})


def plugin_loader(only: str | None = None) -> PluginLoader:
    """Begins to put the installed plug-ins (or the one of that name) into ``CATALOGUE``; ``poll`` it to the end.

    Those that are there already stay as they are. The catalogue changes in ``poll`` alone, so in its caller's thread.
    """
    from nimdesk.agents.plugins import PluginLoader, find_plugins  # lazy: starting processes is not for start-up

    found = [plugin for plugin in find_plugins(_RESERVED) if only in (None, plugin.name)]
    return PluginLoader([plugin for plugin in found if plugin.name not in CATALOGUE], _add_plugin)


def load_plugins() -> None:
    """Put all installed plug-ins into ``CATALOGUE``, waiting for their descriptions: not on the UI thread."""
    plugin_loader().finish()


def _add_plugin(plugin: Plugin) -> None:
    if plugin.name in CATALOGUE:
        return  # two loaders at once
    taken = {word.lower() for info in CATALOGUE.values() for word in (info.name, info.title)} | _RESERVED
    if plugin.title.lower() in taken:
        plugin = replace(plugin, title=f"{plugin.title} ({plugin.name})")
    CATALOGUE[plugin.name] = AgentInfo(
        plugin.name, plugin.title, plugin.about, plugin.options_type, plugin.new_searcher
    )


def agent_info(name: str) -> AgentInfo:
    """The catalogue's entry, or ``OptionError`` with a suggestion.

    A plug-in that is not loaded yet is loaded now, for instance one that the settings name; that may take seconds.
    """
    if name not in CATALOGUE:
        plugin_loader(only=name).finish()
    if name in CATALOGUE:
        return CATALOGUE[name]
    known = {word.lower(): info.name for info in CATALOGUE.values() for word in (info.name, info.title)}
    from difflib import get_close_matches  # lazy: only a mistake needs it, and start-up does not

    near = get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {known[near[0]]}?" if near else f"there are: {', '.join(CATALOGUE)}."
    raise OptionError(f"There is no agent {quoted(name)}; {hint}")


def make_agent(name: str, options: Mapping[str, object] | None = None) -> Agent:
    """An agent by name, with the given options over the defaults; ``OptionError`` for anything out of bounds."""
    return Agent(name, make_options(agent_info(name).options_type, options or {}))


def agent_from_json(data: object) -> Agent:
    """The agent that ``Agent.to_json`` wrote, checked."""
    if not isinstance(data, dict) or not isinstance(data.get("agent"), str):
        raise OptionError("An agent is written as an object with “agent” and “options”.")
    options = data.get("options", {})
    if not isinstance(options, dict):
        raise OptionError("The “options” of an agent must be an object.")
    return make_agent(data["agent"], options)
