"""Completion in the shells, and commands that were mistyped."""

import os
from pathlib import Path

import pytest
from calling import Nimdesk, run_python

SHELLS = {
    "bash": "data/bash-completion/completions/nimdesk",
    "zsh": "data/zsh/site-functions/_nimdesk",
    "fish": "config/fish/completions/nimdesk.fish",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_it_is_installed(shell: str, nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    path = tmp_path / SHELLS[shell]
    result = nimdesk("--install-completion")
    assert result.code == 0
    assert result.out.startswith(f"{path}\nNew shells use it")
    assert f"_NIMDESK_COMPLETE={shell}_complete" in path.read_text()
    path.unlink()
    monkeypatch.setenv("SHELL", "/bin/sh")
    assert "Which shell is meant?" in nimdesk("--install-completion").err
    assert nimdesk("--install-completion", shell).code == 0
    assert path.is_file()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("nimdesk doc", ["plain,doctor"]),
        ("nimdesk analyse --agent alph", ["plain,alphabeta", "plain,alphabeta-002"]),
        ("nimdesk play gam", ["file,gam"]),
        ("nimdesk experiment ex", ["plain,export"]),
    ],
)
def test_words_are_completed(words: str, offered: list[str]) -> None:
    asked = {"_NIMDESK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    result = run_python("-m", "nimdesk", env={**os.environ, **asked})
    assert (result.returncode, result.stderr) == (0, "")
    assert set(offered) <= set(result.stdout.split())
    assert all(line.partition(",")[2].startswith(words.split()[-1]) for line in result.stdout.split())


def test_a_slip_is_understood(nimdesk: Nimdesk) -> None:
    assert nimdesk("docter").err == "nimdesk: There is no command “docter”; did you mean doctor?\n"
    assert nimdesk("experiment", "lst").err == "nimdesk: There is no command “lst”; did you mean list?\n"
    assert "“nimdesk --help” lists what there is." in nimdesk("xyzzy").err
