"""Whoever waits for a compiler hears how far it is; of what is on disk nothing is heard."""

from pathlib import Path

from fresh_python import run

LISTENING = """
from nimdesk import compiling
heard = []
with compiling.listening(heard.append):
    import probe
    probe.use()
after = len(heard)
probe.load()
print(*("end" if each is None else f"{each.what}:{each.done}/{each.total}" for each in heard), len(heard) - after)
"""
FLAT = """
from nimdesk import compiling
from nimdesk.agents import make_agent
from nimdesk.games import parse_position
heard = []
with compiling.listening(heard.append):
    make_agent("flat").new_searcher(parse_position("mnk:3,3,3")).start(parse_position("mnk:3,3,3"), 0)
*told, end = heard
print(end, [each.done for each in told] == list(range(len(told))), told[0].total, told[-1].done)
"""


def test_each_function_is_told_of_and_the_end_and_nothing_when_it_is_on_disk(tmp_path: Path) -> None:
    assert run(LISTENING, tmp_path) == ["probe:0/1", "probe:1/1", "probe:2/2", "end", "0"]
    assert run(LISTENING, tmp_path) == ["0"]


def test_the_total_of_a_search_is_about_what_is_compiled(tmp_path: Path) -> None:
    end, in_order, total, done = run(FLAT, tmp_path)
    assert (end, in_order) == ("None", "True")
    assert abs(int(total) - int(done)) <= int(total) / 4
