"""Every misbehaving agent and game that we could think of, all installed at once beside good ones.

    python tests/benchmarks/bench_plugins.py

For each: whether it holds, in how many seconds its answer came, and what is said of it. Then the commands of a person
who has all of them installed, and the processes that are left in the end. Takes about three minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bad_games
import bad_plugins
from plugin_packages import install, install_from_tutorial

from nimdesk.agents import CATALOGUE, load_plugins, make_agent
from nimdesk.errors import NimdeskError
from nimdesk.games import load_plugin_games, parse_position
from nimdesk.games.kit import PROBLEMS
from nimdesk.limit import Limit
from nimdesk.plugins import games as plugin_games

MARK = "NIMDESK_BENCH_MARK"
LONGEST = 300
COMMANDS = (
    ("agents",),
    ("games",),
    ("analyse", "nim:3,4,5", "--agent", "random"),
    ("analyse", "nim:3,4,5", "--agent", "sprinter", "--attention", "0.5"),
    ("solve", "nim:3,4,5"),
    ("match", "random", "sprinter", "--position", "nim:3,4,5", "--games", "2"),
)


def main() -> int:
    """Try all and print a table; the number of those that do not hold."""
    agents = [*bad_plugins.LOADED, *bad_plugins.DECLARED, *bad_plugins.ASKED]
    games = [*bad_games.LOADED, *bad_games.PLAYED]
    with tempfile.TemporaryDirectory(prefix="nimdesk-bench-") as folder:
        site = Path(folder) / "site"
        install_from_tutorial(site)
        bad_plugins.install_bad(site, agents)
        for game in games:
            modules = {game.module: game.code}
            install(site, f"acme-game-{game.name}", {game.name: f"{game.module}:KIT"}, modules, "nimdesk.games")
        sys.path.insert(0, str(site))
        os.environ |= {MARK: folder, "NIMDESK_DATA_DIR": f"{folder}/data", "NIMDESK_CONFIG_DIR": f"{folder}/config"}
        failed = sum([*tried_agents(agents), *tried_games(games), *tried_commands(site, Path(folder))])
        for info in CATALOGUE.values():
            if not info.traits.known:
                info.make_searcher.__self__.hosts.close()  # type: ignore[attr-defined]
        time.sleep(1)
        left = sum(1 for _ in processes(folder))
    print(f"{len(agents)} agents and {len(games)} games: {failed} do not hold; processes left: {left}")
    return failed + left


def tried_agents(agents: list[bad_plugins.Bad]) -> list[bool]:
    """Whether each does not hold."""
    begin = time.monotonic()
    load_plugins()
    print(f"{len(agents)} agents were asked what they are in {time.monotonic() - begin:.0f} s")
    return [told("agent", bad.name, bad.says, lambda bad=bad: answer(bad)) for bad in agents]  # type: ignore[misc]


def answer(bad: bad_plugins.Bad) -> str:
    """What is said of it in the list, or when it is asked for a move; its move where it plays."""
    listed = CATALOGUE[bad.name].about
    if listed.startswith("This plug-in of "):
        return listed
    options = {"time_s": 0.5 if "within" in bad.says else 30.0, "memory_mb": 256}
    try:
        searcher = make_agent(bad.name, options).new_searcher()
        searcher.start(parse_position("nim:3,4,5"), 1)
        while searcher.advance(Limit(time_s=1e9)) is None:
            pass
    except NimdeskError as error:
        return str(error)
    best = searcher.snapshot().best_move
    return f"plays {best.text}" if best is not None else "nothing"


def tried_games(games: list[bad_games.BadGame]) -> list[bool]:
    """Whether each does not hold."""
    begin = time.monotonic()
    plugin_games.begin()
    load_plugin_games()
    print(f"{len(games)} games were tried in {time.monotonic() - begin:.0f} s")
    return [
        told("game", game.name, game.says, lambda game=game: PROBLEMS.get(game.name) or "plays")  # type: ignore[misc]
        for game in games
    ]


def told(kind: str, name: str, says: str, ask: Callable[[], str]) -> bool:
    """Print the row of one; whether it does not hold."""
    begin = time.monotonic()
    try:
        said = ask()
    except Exception as error:
        said = f"UNEXPECTED {error!r}"
    sound = says in said and len(said) <= LONGEST and said.isprintable() if says else said.startswith("plays")
    verdict = "holds" if sound else "DOES NOT HOLD"
    print(f"{kind:5} {name:17} {verdict:14} {time.monotonic() - begin:5.1f} s  {said}", flush=True)
    return not sound


def tried_commands(site: Path, folder: Path) -> list[bool]:
    """Whether each command is disturbed, by all of them together."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])}
    failed = []
    for words in COMMANDS:
        begin = time.monotonic()
        out = ("--out", str(folder / "results.db")) if words[0] == "match" else ()
        command = [sys.executable, "-m", "nimdesk", *words, *out]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
        sound = done.returncode == 0 and "Traceback" not in done.stderr
        failed.append(not sound)
        print(f"nimdesk {' '.join(words)}: exit code {done.returncode}, {time.monotonic() - begin:.1f} s", flush=True)
    return failed


def processes(mark: str) -> list[str]:
    """The processes, apart from this one, with this in their environment."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if environ.parent.name != str(os.getpid()) and f"{MARK}={mark}".encode() in environ.read_bytes():
                found.append(environ.parent.name)
        except OSError:  # it has ended
            continue
    return found


if __name__ == "__main__":
    sys.exit(min(main(), 1))
