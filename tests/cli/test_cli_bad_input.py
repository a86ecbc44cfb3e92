"""Whatever a person can get wrong on the command line is one sentence, and exit code 2."""

from pathlib import Path
from typing import Any

import pytest
from calling import NIM, Nimdesk

BAD_INPUT = {
    "no game": (["analyse", "chess"], "“chess” does not name a game"),
    "no position": (["analyse"], "Say which position, such as nim:3,4,5"),
    "empty position": (["analyse", ""], "The position is empty"),
    "nonsense piles": (["analyse", "nim:x"], "“x” in “nim:x” is not understood"),
    "pile out of bounds": (["analyse", "nim:1,128"], "Pile 2 has 128 sticks"),
    "too wide": (["analyse", "mnk:21,3,3"], "The number of columns (m) is 21"),
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
    "trace in no folder": (["analyse", NIM, "--csv", "/no/such/folder/x.csv"], "“/no/such/folder” is not a folder"),
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


def test_a_board_over_a_folder_is_refused_before_the_search(nimdesk: Nimdesk, tmp_path: Path) -> None:
    (tmp_path / "board.svg").mkdir()
    result = nimdesk("analyse", NIM, "--iterations", "10", "--board", str(tmp_path / "board.svg"))
    assert result.code == 2
    assert "board.svg”: that is a folder, not a file.\n" in result.err
    assert result.out == ""


def test_an_agent_without_a_search_has_no_trace(nimdesk: Nimdesk, tmp_path: Path) -> None:
    result = nimdesk("analyse", NIM, "--agent", "random", "--csv", str(tmp_path / "x.csv"))
    assert result.code == 2
    assert "The agent random keeps no trace of its search" in result.err
    assert not (tmp_path / "x.csv").exists()


OPENED = (
    "opens saved games (.nimdesk), lessons (.nimdesk-lesson), bundles of the laboratory (.json), certificates (.cert), "
    "and games of Piskvork"
)
FILES = [
    (
        ["t.psq"],
        "“t.psq” is not read, line 1, column 1: a game of Piskvork begins with a line such as “Piskvorky",
    ),
    (
        ["t.txt"],
        "“t.txt” is not a game that nimdesk reads: it begins with “not one of ours”; it reads games",
    ),
    (["./t.png"], f"“./t.png” is a PNG picture, but not one of nimdesk, which {OPENED}"),
    (["--safe", "t.dat"], f"“t.dat” is a file, but not one of nimdesk, which {OPENED}"),
    (["t.dat", "game.nimdesk"], "“t.dat” is a file, but not one of nimdesk"),
    (["play", "t.psq"], "“t.psq” is not read, line 1, column 1: a game of Piskvork begins with"),
    (["lab", "t.psq"], "“t.psq” is a file to be opened, one at a time and with nothing before it"),
    (["analyse", "t.dat"], "“t.dat” is a file, but not one of nimdesk"),
    (["solve", "t.psq"], "“t.psq” is a file to be opened, one at a time and with nothing before it"),
    (["notes"], f"“notes” is a folder; nimdesk {OPENED}"),
    (["game.nimdesk", "game.nimdesk"], "is a file to be opened, one at a time and with nothing before it"),
    (["analyse", "game.nimdesk"], "is a file to be opened, one at a time and with nothing before it: “nimdesk game.n"),
    (["t.db"], "“t.db” is a file; if it has results of nimdesk, “nimdesk experiment status t.db” prints them."),
    (["experiment", "t.db"], "“t.db” is a file; what to do with it comes before it: “nimdesk experiment --help”."),
    (["none.psq"], "“none.psq” cannot be opened: there is no such file or folder."),
    (["none.dat"], "There is no command or file “none.dat”; “nimdesk --help” lists what there is."),
    (["analyse", "none.psq"], "“none.psq” does not name a game"),
]


@pytest.mark.parametrize(("arguments", "sentence"), FILES, ids=[" ".join(case[0]) for case in FILES])
def test_a_file_in_the_place_of_a_command_or_a_position_is_told_as_one(
    arguments: list[str],
    sentence: str,
    nimdesk: Nimdesk,
    window: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    for name in ("t.psq", "t.db", "t.dat", "t.txt", "game.nimdesk"):
        (tmp_path / name).write_text("not one of ours\n")
    (tmp_path / "t.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    result = nimdesk(*arguments)
    assert (result.code, result.err.count("\n"), window) == (2, 1, [])
    assert sentence in result.err
