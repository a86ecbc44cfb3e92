"""The protocol nimdesk-search: its published schema and transcript are those of the code, and of a program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from engine_programs import ENGINES, example_command

from nimdesk.disk.paths import resources_dir
from nimdesk.games import parse_position
from nimdesk.plugins.protocol import ASKED, TOLD, Best, Checkpoint, Go, Position, json_schema

TRANSCRIPT = [line.split(" ", 1) for line in (ENGINES / "transcript.txt").read_text(encoding="utf-8").splitlines()]


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((resources_dir() / "protocol.schema.json").read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(json_schema()))


@pytest.mark.parametrize(("who", "line"), TRANSCRIPT)
def test_each_line_of_the_transcript_is_of_the_protocol(who: str, line: str) -> None:
    message = (ASKED if who == ">" else TOLD).decode(line)
    given = json.loads(line)
    assert given.pop("is") == type(message).__name__.lower()
    assert set(given) <= set(message.__struct_fields__)


def test_positions_of_the_transcript_are_told_as_nimdesk_tells_them() -> None:
    asked = [ASKED.decode(line) for who, line in TRANSCRIPT if who == ">"]
    positions = [message for message in asked if isinstance(message, Position)]
    assert len(positions) == 2
    for message in positions:
        assert message.legal == tuple(move.text for move in parse_position(message.text).legal_moves)


def test_the_example_in_c_says_the_transcript(tmp_path: Path) -> None:
    command = example_command("c", tmp_path)
    if command is None:
        pytest.skip("no compiler for C here")
    asked = "".join(f"{line}\n" for who, line in TRANSCRIPT if who == ">")
    done = subprocess.run(command, input=asked, capture_output=True, encoding="utf-8", check=True, timeout=30)
    assert done.stdout.splitlines() == [line for who, line in TRANSCRIPT if who == "<"]


def test_fields_that_are_not_known_are_no_error() -> None:
    told = TOLD.decode('{"is": "checkpoint", "iterations": 3, "temperature": 0.7}')
    assert told == Checkpoint(iterations=3)
    assert TOLD.decode('{"is": "best", "move": "1-1"}') == Best(move="1-1")
    assert ASKED.decode('{"is": "go", "seed": 1, "nodes": 5}') == Go(seed=1, nodes=5)
