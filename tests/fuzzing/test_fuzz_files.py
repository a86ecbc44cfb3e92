"""Whatever is in a file or on the command line: one sentence or what it means, nothing lost, nothing half done.

A share of what ``tests/benchmarks/bench_fuzz.py`` does ten thousand times a kind, with time and memory watched.
"""

from pathlib import Path

import pytest
from fuzzed_command_lines import COMMAND_LINE
from fuzzed_files import FILES
from kinds import Kind, check, spoiled

_SHARE = {"results": 15, "library": 15, "certificate": 30, "kept-work": 30}


@pytest.mark.parametrize("kind", [*FILES, COMMAND_LINE], ids=lambda kind: kind.name)
def test_what_is_wrong_is_refused_in_a_sentence_and_loses_nothing(kind: Kind, tmp_path: Path) -> None:
    refused = 0
    for seed in range(_SHARE.get(kind.name, 60)):
        try:
            refused += bool(check(kind, spoiled(kind, seed, tmp_path)))
        except Exception as error:
            raise AssertionError(f"bench_fuzz.py --kind {kind.name} --seed {seed}: {error!r}") from error
    assert refused or kind.name in ("settings", "command-line"), "there is no fault among them"
