"""Agents by third parties: the entry points of the group ``nimdesk.agents`` of all installed packages.

A plug-in is never imported here. A process of its own (``nimdesk.agents.plugin_host``) imports it, describes it, and
plays with it, so that no fault of a plug-in can reach nimdesk; a process takes about 0.15 s until it is ready. Finding
the plug-ins takes milliseconds, after some 40 ms for ``importlib.metadata`` itself: not before the first paint.

A frozen program has no Python to run a plug-in with, and nowhere to install one: it finds none.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nimdesk.agents.fields import PluginOptions, options_class
from nimdesk.entry_points import entry_points
from nimdesk.search import Searcher
from nimdesk.search.external import ExternalSearcher, HostError, HostPool, HostProcess

GROUP = "nimdesk.agents"
DESCRIBE_S = 10.0
"""How long a plug-in may take to say what it is; a slower one is listed without its words and options."""
_POLL_S = 0.05
# The process sees the packages that we see, wherever they come from; -P keeps the current folder out of it.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from nimdesk.agents.plugin_host import main; main(sys.argv[2])"
)


@dataclass(frozen=True, slots=True)
class FoundPlugin:
    """An entry point: its name in the catalogue, the object it names, and the package that it comes with."""

    name: str
    reference: str
    package: str

    @property
    def command(self) -> tuple[str, ...]:
        """What starts the process of this plug-in."""
        path = json.dumps([os.path.abspath(folder) for folder in sys.path])
        return (sys.executable, "-P", "-c", _START, path, self.reference)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in with what it says about itself; one that says nothing has its problem as ``about``."""

    name: str
    title: str
    about: str
    options_type: type[PluginOptions]
    hosts: HostPool = field(repr=False, compare=False)

    def new_searcher(self, options: PluginOptions) -> Searcher:
        """A search that asks the plug-in; ``AgentError`` comes from it, and nothing else."""
        return ExternalSearcher(self.name, self.title, self.hosts, msgspec.to_builtins(options), options.time_s)


def find_plugins(reserved: Collection[str]) -> tuple[FoundPlugin, ...]:
    """The installed plug-ins. A name that is reserved, or taken by an earlier one, is followed by its package's."""
    if not sys.executable:
        return ()
    found: dict[str, FoundPlugin] = {}
    for entry in dict.fromkeys(entry_points(GROUP)):  # a package may be on the path twice
        name = "-".join(entry.name.lower().split())
        if name in found or name in reserved:
            name = f"{name}-{entry.package.lower()}"
        if name not in found and name not in reserved:
            found[name] = FoundPlugin(name, entry.reference, entry.package)
    return tuple(found[name] for name in sorted(found))


class PluginLoader:
    """Asks plug-ins what they are, all at once, without making anyone wait: call ``poll`` until it says True."""

    def __init__(self, found: Collection[FoundPlugin], add: Callable[[Plugin], None]) -> None:
        """Starts their processes; ``poll`` calls ``add`` with each plug-in, in their order, as soon as it can."""
        self._add = add
        self._answers: dict[FoundPlugin, Plugin | None] = dict.fromkeys(found)
        self._hosts: dict[FoundPlugin, HostProcess] = {}
        for plugin in found:
            try:
                self._hosts[plugin] = HostProcess(plugin.command, quiet=True)
            except HostError as error:
                self._answers[plugin] = _described(plugin, {}, str(error))

    def poll(self, wait_s: float = 0.0) -> bool:
        """Take the answers there are, waiting at most so long; True when nothing more is to come."""
        until = time.monotonic() + wait_s
        for plugin, host in tuple(self._hosts.items()):
            answer = _answer(plugin, host, max(0.0, until - time.monotonic()))
            if answer is not None:
                self._answers[plugin] = answer
                self._hosts.pop(plugin).kill()
        for plugin, answer in tuple(self._answers.items()):
            if answer is None:
                break
            del self._answers[plugin]
            self._add(answer)
        return not self._answers

    def finish(self) -> None:
        """Wait until all have answered, or have taken too long."""
        while not self.poll(_POLL_S):
            pass

    def close(self) -> None:
        """End what still runs; those plug-ins are not added."""
        self._answers.clear()
        while self._hosts:
            self._hosts.popitem()[1].kill()


def _answer(plugin: FoundPlugin, host: HostProcess, wait_s: float) -> Plugin | None:
    try:
        message = host.receive(wait_s)
        if message is not None:
            return _described(plugin, message.get("ready") or {}, str(message.get("failed", "")))
    except HostError as error:
        return _described(plugin, {}, str(error))
    if host.age_s > DESCRIBE_S:
        return _described(plugin, {}, f"did not say within {DESCRIBE_S:g} s what it is")
    return None


def _described(plugin: FoundPlugin, words: dict[str, Any], problem: str) -> Plugin:
    about = words.get("about") or f"A plug-in of the package {plugin.package}."
    return Plugin(
        name=plugin.name,
        title=words.get("title") or plugin.name,
        about=f"This plug-in of {plugin.package} {problem.rstrip('.')}." if problem else about,
        options_type=options_class(words["options"]) if "options" in words else PluginOptions,
        hosts=HostPool(plugin.command),
    )
