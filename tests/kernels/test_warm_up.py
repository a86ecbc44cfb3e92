"""Kernels are compiled before they are wanted, beside the window, which does not wait for that when it is closed."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from fresh_python import run

from nimdesk import compiler_process
from nimdesk.agents import make_agent
from nimdesk.agents.warm_up import WarmUp
from nimdesk.games import parse_position

WARM_UP = """
from nimdesk.agents.warm_up import warm_up
from nimdesk.games import parse_position
warm_up(parse_position("nim:1"), [{"agent": "alphabeta"}, {"agent": "of a plug-in"}])
warm_up(parse_position("mnk:3,3,3"), [{"agent": "value-table"}])  # which plays Nim only
"""
SEARCH = """
from nimdesk.games import parse_position
from nimdesk.kernels import alphabeta
from nimdesk.search.alphabeta import DepthFirst
DepthFirst(parse_position("nim:1"), depth=None, ordered=False, prune=True)
print(*alphabeta.run.stats.cache_hits.values())
"""


def test_what_has_been_warmed_up_is_loaded(tmp_path: Path) -> None:
    assert run(WARM_UP, tmp_path) == []
    assert run(SEARCH, tmp_path) == ["1"]


IMPORTS = """
import threading
from nimdesk.games import kernel_of, parse_position
from nimdesk.kernels.jit import COMPILING
begun = threading.Event()
def load():
    begun.set()
    kernel_of(parse_position("mnk:3,3,3"))
other = threading.Thread(target=load)
with COMPILING:
    other.start()
    begun.wait()
    other.join(1)  # which comes as far as it can; on a slow machine less is tried
    import nimdesk.games.mnk.identity
other.join()
"""


def test_who_compiles_may_import_a_game_while_another_thread_does(tmp_path: Path) -> None:
    assert run(IMPORTS, tmp_path) == []


def test_the_end_does_not_wait_for_what_is_still_to_be_compiled() -> None:
    compiler_process.begin()
    begun = WarmUp(lambda _done, _total: None)
    begun.want(parse_position("mnk:5,5,4"), [make_agent("uct")])
    compiler_process.refuse()
    begun.end()
    compiler_process.end()
    assert not [thread for thread in threading.enumerate() if thread.name == "nimdesk-warm-up"]


IDLING = """
from threading import Event
from msgspec.structs import replace
from nimdesk import compiler_process
from nimdesk.agents import agent, warm_up
from nimdesk.games import kit
# The search that is compiled quickest, as if it were a usual one.
warm_up.CATALOGUE = {"flat": replace(agent.CATALOGUE["flat"], usual=True), "minimax": agent.CATALOGUE["minimax"]}
warm_up.presets = lambda: [each for each in kit.presets() if each.game.text in ("nim:3,4,5", "nim:21:max3")]
warm_up._LATER_S = 0.0
warm_up.on_battery = lambda: %s
heard, over = [], Event()
def hear(done, total):
    heard.append(f"{done}/{total}")
    if done == total:
        over.set()
compiler_process.begin()
begun = warm_up.WarmUp(hear)
begun.want(kit.parse_position("nim:1"), ())
over.wait(%s)
compiler_process.refuse()
begun.end()
compiler_process.end()
print(*heard)
"""


def test_what_is_usual_is_compiled_in_idle_time_once_and_told(tmp_path: Path) -> None:
    assert run(IDLING % (True, 1), tmp_path) == [], "not on the battery"
    assert run(IDLING % (False, 200), tmp_path) == ["0/2", "1/2", "1/2", "2/2"], "of the usual agents and games"
    assert run(IDLING % (False, 1), tmp_path) == [], "all is there: no process is begun"


def test_the_command_compiles_with_several_processes_and_leaves_a_mark(tmp_path: Path) -> None:
    few = (
        "import nimdesk.cli.warm_up as command; command.CATALOGUE = ['value-table', 'flat-perfect']; command.warm_up()"
    )
    done = subprocess.run(
        [sys.executable, "-c", few], env={**os.environ, "NIMDESK_CACHE_DIR": str(tmp_path)}, check=False
    )
    assert done.returncode == 0
    assert [path.name for path in tmp_path.glob("*/everything.ready")] == ["everything.ready"]
