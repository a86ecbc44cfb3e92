"""Agents by third parties: the entry points of the group ``nimdesk.agents`` of all installed packages.

A plug-in is never imported here. A process of its own (``nimdesk.agents.plugin_host``), ready after about 0.15 s,
imports it, describes it, and plays with it, so that no fault of a plug-in can reach nimdesk. A frozen program has no
Python to run a plug-in with, and finds none.
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
"""How long a plug-in may take to describe itself; a slower one is listed without its words and options."""
_POLL_S = 0.05
# The process sees the same packages as we do; -P keeps the current folder out.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from nimdesk.agents.plugin_host import main; main(sys.argv[2])"
)


@dataclass(frozen=True, slots=True)
class FoundPlugin:
    """An entry point: its name in the catalogue, the object it names, and its package."""

    name: str
    reference: str
    package: str

    @property
    def command(self) -> tuple[str, ...]:
        """The command that starts this plug-in's process."""
        path = json.dumps([os.path.abspath(folder) for folder in sys.path])
        return (sys.executable, "-P", "-c", _START, path, self.reference)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in with its description; if it gives none, ``about`` is its problem."""

    name: str
    title: str
    about: str
    options_type: type[PluginOptions]
    hosts: HostPool = field(repr=False, compare=False)

    def new_searcher(self, options: PluginOptions) -> Searcher:
        """A search that asks the plug-in; it raises nothing but ``AgentError``."""
        return ExternalSearcher(self.name, self.title, self.hosts, msgspec.to_builtins(options), options.time_s)


def find_plugins(reserved: Collection[str]) -> tuple[FoundPlugin, ...]:
    """The installed plug-ins. A name that is reserved or taken is followed by its package's name."""
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
    """Asks all plug-ins at once what they are, without making anyone wait: call ``poll`` until it returns True."""

    def __init__(self, found: Collection[FoundPlugin], add: Callable[[Plugin], None]) -> None:
        """Starts their processes; ``poll`` then calls ``add`` with each plug-in, in their order, as soon as it can."""
        self._add = add
        self._answers: dict[FoundPlugin, Plugin | None] = dict.fromkeys(found)
        self._hosts: dict[FoundPlugin, HostProcess] = {}
        for plugin in found:
            try:
                self._hosts[plugin] = HostProcess(plugin.command, quiet=True)
            except HostError as error:
                self._answers[plugin] = _described(plugin, {}, str(error))

    def poll(self, wait_s: float = 0.0) -> bool:
        """Take the answers that are there, waiting at most so long; True when no more will come."""
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
        """Wait until all have answered or timed out."""
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
