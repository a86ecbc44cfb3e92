"""The command lines of the README can be typed in order: each is understood, and reads what an earlier one made."""

import itertools
import re
import shlex
from pathlib import Path

import click
import pytest

from nimdesk import cli

ROOT = Path(__file__).resolve().parents[2]
WRITING = {"--out", "--csv", "--certificate", "--bundle", "--figure", "--save-plan"}
FILE = re.compile(r".+\.(db|csv|json|cert|nimdesk|pdf)")


def test_the_command_lines_of_the_readme_can_be_typed_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(
        r"## On the command line\n\n```\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )
    lines = [re.split(r" {2,}", line)[0] for line in block.splitlines()]
    assert len(lines) > 30
    made: set[str] = set()
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "nimdesk"
        for before, word in zip(["", *words], words, strict=False):
            assert before in WRITING or not FILE.fullmatch(word) or word in made, f"nothing made {word}: {line}"
        if not FILE.fullmatch(words[0]):
            understood(words)
        made |= {word for before, word in itertools.pairwise(words) if before in WRITING}
        for name in made:
            Path(name).touch()


def understood(words: list[str]) -> None:
    command: click.Command = cli.commands(lambda *_, **__: 0, lambda *_: [])
    while isinstance(command, click.Group):
        command, words = command.commands[words[0]], words[1:]
    command.make_context(command.name, list(words))
