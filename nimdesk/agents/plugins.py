"""Agents by third parties: the entry points of the group ``nimdesk.agents`` of all installed packages.

A plug-in is never imported here. A process of its own (``nimdesk.agents.plugin_host``), ready after about 0.2 s,
imports it, describes it, and plays with it, so that no fault of a plug-in can reach nimdesk: what it says is checked as
a file from a stranger would be. One that fails is listed with its fault. A frozen program has no Python to run a
plug-in with, and finds none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

import msgspec

from nimdesk.agents.agent import Traits, at_no_position
from nimdesk.agents.engines import EnginePlugin, added_engines, engine_plugin, log_of
from nimdesk.agents.plugin_options import Description, PluginOptions, options_class
from nimdesk.errors import OptionError
from nimdesk.faults import one_line
from nimdesk.plugins.engine import Engine, EnginePool, ProtocolEngine, Stamp, stamp_of
from nimdesk.plugins.entry_points import entry_points, refused
from nimdesk.plugins.process import HostError, HostPool, Introductions, host_command
from nimdesk.search import Searcher
from nimdesk.search.external import ExternalSearcher

GROUP = "nimdesk.agents"
_POLL_S = 0.05
_LONGEST_NAME, _LONGEST_TITLE, _LONGEST_ABOUT = 40, 40, 300


@dataclass(frozen=True, slots=True)
class FoundPlugin:
    """An entry point: its name in the catalogue, the object it names, and its package."""

    name: str
    reference: str
    package: str

    @property
    def command(self) -> tuple[str, ...]:
        """The command that starts this plug-in's process."""
        return host_command("nimdesk.agents.plugin_host", self.reference)

    def begin_search(self) -> Engine:
        """Start the process of one that is a search."""
        command = host_command("nimdesk.agents.search_host", self.reference)
        return ProtocolEngine(command, log=log_of(self.name))

    def stamp(self) -> Stamp:
        """That of the files of its module or package, which is not imported."""
        spec = find_spec(self.reference.partition(":")[0].partition(".")[0])
        if spec is None:
            return ()
        folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
        files = [path for folder in folders for path in folder.rglob("*.py")]
        return stamp_of(files or ([Path(spec.origin)] if spec.origin else []))


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in with its description; if it gives none, ``about`` is its problem."""

    name: str
    title: str
    about: str
    options_type: type[PluginOptions]
    hosts: HostPool = field(repr=False, compare=False)

    @property
    def traits(self) -> Traits:
        """Its seconds are no budget: a plug-in that takes longer loses its game."""
        return Traits(seed="seed", memory="memory_mb", known=False, searches=at_no_position)

    def new_searcher(self, options: PluginOptions) -> Searcher:
        """A search that asks the plug-in; it raises nothing but ``AgentError``."""
        return ExternalSearcher(self.name, self.title, self.hosts, msgspec.to_builtins(options), options.time_s)


def find_plugins(reserved: Collection[str]) -> tuple[FoundPlugin, ...]:
    """The installed plug-ins. A name that is reserved or taken is followed by its package's name."""
    if not sys.executable:
        return ()
    found: dict[str, FoundPlugin] = {}
    for entry in dict.fromkeys(entry_points(GROUP)):  # a package may be on the path twice
        name = _name(entry.name)
        if name in found or name in reserved:
            name = _name(f"{name}-{entry.package}")
        if name not in found and name not in reserved:
            found[name] = FoundPlugin(name, entry.reference, entry.package)
    return tuple(found[name] for name in sorted(found))


def known_engines() -> Iterator[EnginePlugin]:
    """The engines that the person has added; none in safe mode. ``list_problem`` says why a list is none."""
    if refused():
        return
    with suppress(OptionError):
        yield from (engine.plugin for engine in added_engines())


def _name(text: str) -> str:
    """A word that can be typed after ``--agent``, and before ``:option=value``."""
    words = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in text.lower()).split()
    return "-".join(words)[:_LONGEST_NAME].rstrip("-") or "unnamed"


class PluginLoader:
    """Asks plug-ins what they are, without making anyone wait: call ``poll`` until it returns True."""

    def __init__(self, found: Collection[FoundPlugin], add: Callable[[Plugin | EnginePlugin], None]) -> None:
        """Starts nothing yet; ``poll`` calls ``add`` with each plug-in as soon as something is known of it."""
        self._add = add
        self._introductions = Introductions({plugin: plugin.command for plugin in found})
        self._known: list[Plugin | EnginePlugin] = []

    @property
    def pending(self) -> frozenset[str]:
        """The names of those that are not added yet."""
        return frozenset(plugin.name for plugin in self._introductions.pending)

    def poll(self, wait_s: float = 0.0) -> bool:
        """Take the answers that are there, waiting at most so long; True when no more will come."""
        self._listen(wait_s)
        self._add_known()
        return self._introductions.over

    def finish(self) -> None:
        """Wait until all have answered or timed out, and add them in the order of their names."""
        while self._introductions.pending:
            self._listen(_POLL_S)
        self._add_known()
        self.close()

    def close(self) -> None:
        """End what still runs; those plug-ins are not added."""
        self._introductions.close()

    def _listen(self, wait_s: float) -> None:
        self._known += (_described(plugin, words) for plugin, words in self._introductions.poll(wait_s).items())

    def _add_known(self) -> None:
        self._known.sort(key=lambda plugin: plugin.name)
        while self._known:
            self._add(self._known.pop(0))


def _described(plugin: FoundPlugin, words: bytes | HostError) -> Plugin | EnginePlugin:
    """The plug-in as it says it is, or with what is wrong with it in place of that."""
    package, problem = one_line(plugin.package), str(words)
    title = about = ""
    options_type = PluginOptions
    if isinstance(words, bytes):
        try:
            told = msgspec.json.decode(words, type=Description)
            if told.search is not None:
                # Its process bounds its memory itself, with each position.
                pool = EnginePool(lambda _memory_mb: plugin.begin_search(), plugin.stamp)
                found = engine_plugin(plugin.name, told.search, pool)
                about = found.about if told.search.about else f"A search of the package {package}."
                return replace(found, about=about)
            options_type, problem = options_class(told.options), ""
            title, about = one_line(told.title, longest=_LONGEST_TITLE), one_line(told.about, longest=_LONGEST_ABOUT)
        except OptionError as error:
            problem = f"cannot be used: it {error}"
        except (msgspec.MsgspecError, ValueError, RecursionError):
            problem = "cannot be used: it describes itself in words that nimdesk does not understand"
    about = about or f"A plug-in of the package {package}."
    return Plugin(
        name=plugin.name,
        title=title or plugin.name,
        about=f"This plug-in of {package} {problem.rstrip('.')}." if problem else about,
        options_type=options_type,
        hosts=HostPool(plugin.command, problem),
    )
