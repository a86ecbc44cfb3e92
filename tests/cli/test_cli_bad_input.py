"""Whatever a person can get wrong on the command line is one sentence, and exit code 2."""

from pathlib import Path
from typing import Any

import pytest
from calling import NIM, Nimdesk

BAD_INPUT = {
    "no game": (["analyse", "chess"], "“chess” does not name a game"),
    "no position": (["analyse"], "Missing argument 'POSITION'"),
    "empty position": (["analyse", ""], "The position is empty"),
    "nonsense piles": (["analyse", "nim:x"], "“x” in “nim:x” is not understood"),
    "pile out of bounds": (["analyse", "nim:1,65"], "Pile 2 has 65 sticks"),
    "too wide": (["analyse", "mnk:20,3,3"], "The number of columns (m) is 20"),
    "nonsense move": (["analyse", NIM, "zz"], "“zz” is not a move of Nim"),
    "illegal move": (["analyse", f"{NIM} 2-4"], "The move 2-4 is not legal here"),
    "game over": (["analyse", "nim:1", "1-1"], "nothing to analyse in nim:1 1-1: First wins: took the last stick"),
    "negative exploration": (["analyse", NIM, "--exploration", "-1"], "Exploration c is “-1”; it must be a number"),
    "exploration nan": (["analyse", NIM, "--exploration=nan"], "Exploration c is “nan”"),
    "exploration inf": (["analyse", NIM, "--exploration=inf"], "Exploration c is “inf”"),
    "10^12 iterations": (["analyse", NIM, "--iterations", "1000000000000"], "from 1 to 1,000,000,000"),
    "1e12 iterations": (["analyse", NIM, "--iterations", "1e12"], "from 1 to 1,000,000,000"),
    "no iterations": (["analyse", NIM, "--iterations", "0"], "Iterations is “0”"),
    "half an iteration": (["analyse", NIM, "--iterations", "1.5"], "a whole number"),
    "seed in words": (["analyse", NIM, "--seed", "abc"], "Seed is “abc”; it must be a whole number from 0"),
    "negative seed": (["analyse", NIM, "--seed", "-1"], "Seed is “-1”"),
    "huge seed": (["analyse", NIM, "--seed", "9" * 40], "Seed is “999"),
    "seed on two lines": (["analyse", NIM, "--seed", "1\n\x1b[2Jx"], "Seed is “1 �[2Jx”"),
    "no time": (["analyse", NIM, "--time-s", "0"], "Seconds is “0”"),
    "endless": (["analyse", NIM, "--iterations", ""], "Give a number of iterations, or seconds, or both"),
    "no memory": (["analyse", NIM, "--memory-mb", ""], "Memory is empty"),
    "unknown agent": (["analyse", NIM, "--agent", "randm"], "There is no agent “randm”; did you mean random?"),
    "stranger": (
        ["analyse", NIM, "--agent", "stockfish"],
        "There is no agent “stockfish”; there are: random, mcts, uct",
    ),
    "option of another agent": (
        ["analyse", NIM, "--agent", "random", "--exploration", "1"],
        "The agent random has no option --exploration; it has: --seed.",
    ),
    "unknown option": (["analyse", NIM, "--iteration", "5"], "There is no option --iteration; did you mean --iter"),
    "strange option": (["games", "--xyz"], "There is no option --xyz; “nimdesk games --help” lists what there is."),
    "option without value": (["analyse", NIM, "--seed"], "requires an argument"),
    "unknown command": (["analise", NIM], "There is no command “analise”; did you mean analyse?"),
    "position as command": ([NIM], "write “nimdesk play nim:1,3,5,7” or “nimdesk analyse nim:1,3,5,7”"),
    "too much": (["games", "all"], "unexpected extra argument"),
    "trace in no folder": (["analyse", NIM, "--trace", "/no/such/folder/x.csv"], "“/no/such/folder” is not a folder"),
    "bad player": (["play", NIM, "--first", "humn"], "There is no agent “humn”; did you mean human?"),
    "bad start": (["play", "nim:0"], "Pile 1 has 0 sticks"),
    "surrogates": (["analyse", "\udcff"], "does not name a game"),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_refused_in_one_sentence(name: str, nimdesk: Nimdesk, window: list[Any]) -> None:
    arguments, sentence = BAD_INPUT[name]
    result = nimdesk(*arguments)
    assert result.code == 2
    assert result.err.startswith("nimdesk: ")
    assert result.err.rstrip("\n").endswith((".", "?"))
    assert result.err.count("\n") == 1, result.err
    assert sentence in result.err
    assert not window


def test_a_trace_over_a_folder_is_refused_before_the_search(nimdesk: Nimdesk, tmp_path: Path) -> None:
    result = nimdesk("analyse", NIM, "--iterations", "10", "--trace", str(tmp_path))
    assert result.code == 2
    assert result.err == f"nimdesk: The trace cannot be written to “{tmp_path}”: that is a folder, not a file.\n"
    assert result.out == ""


def test_an_agent_without_a_search_has_no_trace(nimdesk: Nimdesk, tmp_path: Path) -> None:
    result = nimdesk("analyse", NIM, "--agent", "random", "--trace", str(tmp_path / "x.csv"))
    assert result.code == 2
    assert "The agent random keeps no trace of its search" in result.err
    assert not (tmp_path / "x.csv").exists()
