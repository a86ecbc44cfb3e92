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
print(*("end" if each is None else f"{each.what}:{each.done}" for each in heard), len(heard) - after)
"""


def test_each_function_is_told_of_and_the_end_and_nothing_when_it_is_on_disk(tmp_path: Path) -> None:
    assert run(LISTENING, tmp_path) == ["probe:0", "probe:1", "probe:2", "end", "0"]
    assert run(LISTENING, tmp_path) == ["0"]
