"""The catalogue: every agent by name, with its title, one sentence about it, its options and its searcher."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nimdesk.agents.agent import CATALOGUE, Agent, AgentInfo, Traits, at_no_position
from nimdesk.agents.fields import make_options
from nimdesk.agents.levels import level_infos
from nimdesk.errors import OptionError, StillLoadingError, quoted, suggestion
from nimdesk.games import AnyPosition, Game, kit_of
from nimdesk.plugins.games import BackgroundGames
from nimdesk.search import Choice, Searcher
from nimdesk.search.bounds import Bound
from nimdesk.search.options import (
    AgentOptions,
    AlphaBetaOptions,
    CertificateOptions,
    DeepeningOptions,
    FlatOptions,
    FlatPerfectOptions,
    MctsOptions,
    MinimaxOptions,
    PerfectOptions,
    RandomOptions,
    SolverOptions,
    ThreatsOptions,
    Ties,
    TreeOptions,
    UctOptions,
    ValueTableOptions,
    VariantsOptions,
)

if TYPE_CHECKING:
    from nimdesk.agents.engines import EnginePlugin
    from nimdesk.agents.plugins import Plugin, PluginLoader


def _from(path: str) -> Callable[[Any], Searcher]:
    """A function that makes searchers of ``module:name``; it imports that, with numpy and numba, on first use."""

    def make(options: AgentOptions) -> Searcher:
        module, _, name = path.partition(":")
        searcher: Searcher = getattr(import_module(f"nimdesk.search.{module}"), name)(options)
        return searcher

    return make


def _by_visits(_options: object) -> Choice:
    return "visits"


def _by_mean(_options: object) -> Choice:
    return "mean"


def _by_option(options: TreeOptions) -> Choice:
    return options.final


def _on_one_thread(options: UctOptions) -> bool:
    return options.threads == 1


def _always(_options: object) -> bool:
    return True


def _perfect_ties(options: PerfectOptions) -> Ties:
    return "first" if "first" in (options.when_won, options.when_lost) else "random"


def _draws(options: PerfectOptions) -> bool:
    return options.when_lost == "random" or _perfect_ties(options) == "random"


def _ties(options: TreeOptions | FlatPerfectOptions) -> Ties:
    return options.ties


def _first(_options: object) -> Ties:
    return "first"


def _bound(options: TreeOptions, _game: Game) -> Bound:
    return options.bound


def _bound_in_game(options: MctsOptions, game: Game) -> Bound:
    return options.bound_in(game)


def _bound_of_one_tree(options: UctOptions, _game: Game) -> Bound | None:
    return options.bound if options.threads == 1 else None


def _without_theory(position: AnyPosition) -> bool:
    return not kit_of(position).by_formula(position)


def _small_tree(options: MinimaxOptions, position: AnyPosition) -> bool:
    fewest_nodes = kit_of(position).fewest_nodes
    return fewest_nodes is None or position.outcome is not None or fewest_nodes(position) <= options.max_nodes


def _has_table(_options: object, position: AnyPosition) -> bool:
    return kit_of(position).new_table is not None


def _has_certificate(_options: object, position: AnyPosition) -> bool:
    from nimdesk.games.certificates import find_certificate  # lazy: not before the first paint

    return find_certificate(position) is not None


def _has_threats(_options: object, position: AnyPosition) -> bool:
    return kit_of(position).threats(position.game) is not None


def _knows(policy: str, position: AnyPosition) -> bool:
    return policy in kit_of(position).playout_policies(position.game)


def _for_playouts(options: TreeOptions, position: AnyPosition) -> bool:
    return options.playouts == "uniform" or _knows(options.playouts, position)


def _for_overshoot(options: FlatOptions, position: AnyPosition) -> bool:
    return not options.overshoot or _knows("overshoot", position)


def _for_perfect_opponent(_options: object, position: AnyPosition) -> bool:
    return _knows("perfect_opponent", position)


_FLAT = Traits(
    fits=_for_overshoot,
    budget="playouts",
    counts="iterations",
    per_move=True,
    seed="seed",
    choice=_by_mean,
    ties=_ties,
)
_MCTS = Traits(
    budget="iterations",
    counts="iterations",
    time="time_s",
    seed="seed",
    memory="memory_mb",
    choice=_by_visits,
    bound=_bound,
    tree="kept",
    steps=_always,
)

_HOUSE = (
    AgentInfo(
        "random",
        "Random",
        "Plays any legal move, all equally likely.",
        RandomOptions,
        _from("exact:RandomSearcher"),
        Traits(seed="seed", searches=at_no_position),
    ),
    AgentInfo(
        "mcts",
        "MCTS",
        "Monte Carlo tree search that merges equal positions and proves what it can; plays the most visited move.",
        MctsOptions,
        _from("mcts:MctsSearcher"),
        replace(_MCTS, to_proof="stop_at_proof", bound=_bound_in_game),
        _from("textbook.mcts:TextbookMcts"),
        edition=4,
        usual=True,
    ),
    AgentInfo(
        "uct",
        "MCTS, textbook",
        "Plain UCT with random playouts, one node for each way to a position; plays the most visited move.",
        UctOptions,
        _from("parallel_uct:uct_searcher"),
        replace(
            _MCTS,
            threads="threads",
            keep_tree="keep_tree",
            choice=_by_option,
            ties=_ties,
            bound=_bound_of_one_tree,
            steps=_on_one_thread,
            fits=_for_playouts,
        ),
        _from("textbook.sampling:TextbookUct"),
        edition=2,
        usual=True,
    ),
    AgentInfo(
        "variants",
        "MCTS, variants",
        "The textbook's UCT with what documents do differently, and with the mistakes of implementations, one by one.",
        VariantsOptions,
        _from("variants:VariantsSearcher"),
        replace(_MCTS, keep_tree="kept_tree", choice=_by_option, ties=_ties, steps=Traits().steps, fits=_for_playouts),
        _from("textbook.variants:TextbookVariants"),
        edition=2,
    ),
    AgentInfo(
        "flat",
        "Flat Monte Carlo",
        "Plays out many random games after each legal move; the best mean wins.",
        FlatOptions,
        _from("flat:FlatSearcher"),
        _FLAT,
        _from("textbook.sampling:TextbookFlat"),
        edition=2,
    ),
    AgentInfo(
        "flat-perfect",
        "Flat Monte Carlo, perfect opponent",
        "The same, but in each playout the opponent plays perfectly. Nim only.",
        FlatPerfectOptions,
        _from("flat:FlatSearcher"),
        replace(_FLAT, fits=_for_perfect_opponent),
        _from("textbook.sampling:TextbookFlat"),
        edition=2,
    ),
    AgentInfo(
        "minimax",
        "Minimax",
        "Searches the full tree without pruning, and tells how. Small games only.",
        MinimaxOptions,
        _from("minimax:MinimaxSearcher"),
        Traits(tree="recorded", fits=_small_tree, ties=_first),
        _from("textbook.searchers:TextbookMinimax"),
    ),
    AgentInfo(
        "alphabeta",
        "Alpha-beta",
        "Minimax with alpha-beta pruning, to a depth or to the end.",
        AlphaBetaOptions,
        _from("alphabeta:AlphaBetaSearcher"),
        Traits(time="time_s", tree="recorded", ties=_first),
        _from("textbook.searchers:TextbookAlphaBeta"),
    ),
    AgentInfo(
        "deepening",
        "Alpha-beta, deepening",
        "Alpha-beta one move deep, then two, and so on, the best move so far first; has a move ready at any time.",
        DeepeningOptions,
        _from("deepening:DeepeningSearcher"),
        Traits(budget="nodes", time="time_s", seed="seed", tree="recorded"),
        _from("textbook.searchers:TextbookDeepening"),
        edition=2,
    ),
    AgentInfo(
        "value-table",
        "Value table",
        "Backward induction over all positions of a small Nim; looks the best move up.",
        ValueTableOptions,
        _from("exact:ValueTableSearcher"),
        Traits(fits=_has_table, searches=at_no_position, ties=_first),
    ),
    AgentInfo(
        "perfect",
        "Perfect",
        "Plays by theory in Nim, and by the exact solver in m,n,k games.",
        PerfectOptions,
        _from("exact:PerfectSearcher"),
        Traits(
            time_bound="time_s",
            seed="seed",
            chance=_draws,
            may_time_out=_without_theory,
            searches=_without_theory,
            ties=_perfect_ties,
        ),
        edition=3,
        usual=True,
    ),
    AgentInfo(
        "solver",
        "Solver",
        "Proves the value of every move, wins soonest and loses latest.",
        SolverOptions,
        _from("exact:SolverSearcher"),
        Traits(time_bound="time_s", seed="seed", may_time_out=_without_theory, searches=_without_theory),
        edition=3,
    ),
    AgentInfo(
        "threats",
        "Threats",
        "Wins by fours and threes where that is proven, parries such wins, and else prefers lines. "
        "m,n,k games of 4 to 6 in a row without gravity only.",
        ThreatsOptions,
        _from("threats:ThreatsSearcher"),
        Traits(fits=_has_threats, seed="seed", searches=at_no_position),
        edition=2,
    ),
    AgentInfo(
        "certificate",
        "Certificate",
        "Plays by a written proof, and says what in it answers each move. m,n,k games only.",
        CertificateOptions,
        _from("exact:CertificateSearcher"),
        Traits(fits=_has_certificate, searches=at_no_position, ties=_first),
        edition=2,
    ),
)
CATALOGUE.update((info.name, info) for info in (*_HOUSE, *level_infos()))

PROPOSED = ("uct", "mcts", "flat", "deepening", "random", "perfect")
"""The agents that a person is offered where several are compared, in this order."""


def proposed(there: Container[str] = ()) -> Agent:
    """The first agent to be offered beside those that are there; the first of all where none is left."""
    return make_agent(next((name for name in PROPOSED if name not in there), PROPOSED[0]))


_RESERVED = frozenset({"human", *CATALOGUE})


_background: list[BackgroundLoading] = []


def plugin_loader(only: str | None = None) -> PluginLoader:
    """A loader that adds the installed plug-ins (or only that one) to ``CATALOGUE``; ``poll`` it until it is done.

    Engines that the person has added are there at once. Existing entries stay. The catalogue changes only here and
    inside ``poll``, so only in its caller's thread.
    """
    from nimdesk.agents.plugins import PluginLoader, find_plugins, known_engines  # lazy: not for start-up

    for engine in known_engines():
        if only in (None, engine.name):
            _add_plugin(engine)
    found = [plugin for plugin in find_plugins(_RESERVED) if only in (None, plugin.name)]
    return PluginLoader([plugin for plugin in found if plugin.name not in CATALOGUE], _add_plugin)


def load_plugins(only: str | None = None) -> None:
    """Put all installed plug-ins (or only that one) into ``CATALOGUE``. Waits for them: not on the UI thread."""
    plugin_loader(only).finish()


class BackgroundLoading:
    """While this is open nobody waits for a plug-in, be it an agent or a game.

    Asking for one that is still being loaded raises ``StillLoadingError``. All installed plug-ins are looked for when
    the first of them is wanted, or at the first ``poll``. Only one may be open at a time.
    """

    def __init__(self) -> None:
        """Open from now on."""
        self._games = BackgroundGames()
        self._loader: PluginLoader | None = None
        _background.append(self)

    def poll(self, wait_s: float = 0.0) -> bool:
        """Add the plug-ins that have come, waiting at most ``wait_s``; True when no more will come."""
        games = self._games.poll()
        return self._started().poll(wait_s) and games

    def awaits(self, name: str) -> bool:
        """Whether this is the name of a plug-in that is still being loaded."""
        return name in self._started().pending

    def close(self) -> None:
        """Stop loading; plug-ins that have not come are not added."""
        _background.remove(self)
        self._games.close()
        if self._loader is not None:
            self._loader.close()

    def _started(self) -> PluginLoader:
        if self._loader is None:
            self._loader = plugin_loader()
            self._loader.poll()
        return self._loader


def _add_plugin(plugin: Plugin | EnginePlugin) -> None:
    if plugin.name in CATALOGUE:
        return  # two loaders at once
    taken = {word.lower() for info in CATALOGUE.values() for word in (info.name, info.title)} | _RESERVED
    if plugin.title.lower() in taken:
        plugin = dataclasses.replace(plugin, title=f"{plugin.title} ({plugin.name})")
    CATALOGUE[plugin.name] = AgentInfo(
        plugin.name, plugin.title, plugin.about, plugin.options_type, plugin.new_searcher, plugin.traits
    )


def agent_info(name: str) -> AgentInfo:
    """The catalogue's entry, or ``OptionError`` with a suggestion.

    An unknown plug-in, such as one named in the settings, is loaded now, which may take seconds; while
    ``BackgroundLoading`` is open, ``StillLoadingError`` is raised instead.
    """
    if name not in CATALOGUE:
        if not _background:
            load_plugins(only=name)
        elif _background[-1].awaits(name):
            raise StillLoadingError(f"The agent {quoted(name)} is a plug-in that is still being loaded.")
    if name in CATALOGUE:
        return CATALOGUE[name]
    known = {word: info.name for info in CATALOGUE.values() for word in (info.name, info.title)}
    hint = suggestion(name, known, f"there are: {', '.join(CATALOGUE)}.", meaning=known)
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
