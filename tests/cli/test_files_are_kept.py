"""No command writes over what it reads, nor one of its files over another: it is refused before anything starts."""

import os
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import click
import pytest
from calling import NIM, Nimdesk

from nimdesk.cli import commands
from nimdesk.cli.file_types import FileType, NameType
from nimdesk.cli.plans import match_of_flags
from nimdesk.disk.paths import data_dir
from nimdesk.experiments.atlas.games import atlas_set
from nimdesk.experiments.files import default_path
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import atlas_plan
from nimdesk.experiments.published import built_in

ALL = commands(lambda *_, **__: 0, lambda _: [])
BEFORE = b"what a person has made\n"


def leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands that do something, each with the words that call it."""
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name, below in command.commands.items():
        yield from leaves(below, (*words, name))


def names_files(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, FileType | NameType)


def spelled(parameter: click.Parameter, path: Path) -> list[str]:
    return [str(path)] if isinstance(parameter, click.Argument) else [parameter.opts[0], str(path)]


def is_lost(one: click.Parameter, other: click.Parameter) -> bool:
    """Whether a file that both name would be written over."""
    uses = {each.type.use if isinstance(each.type, FileType) else "read" for each in (one, other)}
    return "written" in uses


PAIRS = [
    pytest.param(words, one, other, id=f"{' '.join(words)} {one.opts[0]} {other.opts[0]}")
    for words, command in leaves(ALL)
    for one, other in permutations(filter(names_files, command.params), 2)
    if is_lost(one, other)
]


def test_every_parameter_that_names_a_file_is_known_as_one() -> None:
    for words, command in leaves(ALL):
        for parameter in command.params:
            shown = str(parameter.metavar or "")
            if isinstance(parameter.type, click.Path) or shown.startswith(("FILE", "DIR", "FOLDER", "PATH")):
                assert isinstance(parameter.type, FileType), (words, parameter.opts)


@pytest.mark.parametrize(("words", "one", "other"), PAIRS)
@pytest.mark.parametrize("linked", [False, True])
def test_two_parameters_of_a_command_never_write_one_file(
    words: tuple[str, ...], one: click.Parameter, other: click.Parameter, linked: bool, nimdesk: Nimdesk, tmp_path: Path
) -> None:
    path, again = tmp_path / "made.db", tmp_path / "made.db"
    path.write_bytes(BEFORE)
    if linked:
        again = tmp_path / "link.db"
        again.symlink_to(path)
    result = nimdesk(*words, *spelled(one, path), *spelled(other, again))
    assert result.code == 2
    assert any(f"nimdesk: {each.opts[0]} " in result.err for each in (one, other)), result.err
    assert "would " in result.err
    assert result.err.count("\n") == 1
    assert path.read_bytes() == BEFORE
    assert not set(os.listdir(tmp_path)) - {"made.db", "link.db"}


def test_two_names_of_a_file_that_is_not_there_yet_are_found_too(nimdesk: Nimdesk, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    out, csv = tmp_path / "r.db", tmp_path / "link" / ".." / tmp_path.name / "r.db"
    result = nimdesk("study", "--position", NIM, "--out", str(out), "--csv", str(csv))
    assert result.code == 2
    assert "--csv and --out would both write" in result.err
    assert not out.exists()


def test_what_a_table_or_a_figure_brings_with_it_is_kept_apart_too(nimdesk: Nimdesk, tmp_path: Path) -> None:
    table, figure, out = (str(tmp_path / name) for name in ("a.figure.csv", "a.pdf", "t.csv"))
    result = nimdesk("grundy", "0.77", "--csv", table, "--figure", figure)
    assert result.code == 2
    assert "--figure and --csv would both write" in result.err
    result = nimdesk("study", "--position", NIM, "--csv", out, "--save-plan", f"{out}.made.json")
    assert result.code == 2
    assert "t.csv.made.json”; give two names." in result.err
    assert not os.listdir(tmp_path)


def test_a_plan_is_not_written_over_by_the_folder_of_its_tables(nimdesk: Nimdesk, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_bytes(BEFORE)
    result = nimdesk("experiment", "run", str(plan), "--games", "1", "--csv", str(tmp_path))
    assert result.code == 2
    assert "--csv would write over “" in result.err
    assert plan.read_bytes() == BEFORE


def test_results_may_be_gone_on_with_under_their_own_name(nimdesk: Nimdesk, tmp_path: Path) -> None:
    results = str(tmp_path / "r.db")
    match = ("match", "random", "random:seed=1", "--position", "nim:1,2", "--games", "1")
    assert nimdesk(*match, "--out", results, "--save-plan", str(tmp_path / "plan.json")).code == 0
    assert nimdesk("experiment", "run", results, "--out", results).code == 0
    assert nimdesk("compare", results, results).code == 0
    result = nimdesk("experiment", "run", str(tmp_path / "plan.json"), "--out", str(tmp_path / "plan.json"))
    assert result.code == 2
    assert (tmp_path / "plan.json").read_bytes().startswith(b"{")


def results_of_match() -> Path:
    return default_path(match_of_flags(("random", "random"), (NIM,), games=1, seed=0))


def results_of_atlas() -> Path:
    sets = [atlas_set("nim:1,2", 0)]
    return default_path(atlas_plan("atlas", [PlayerPart(agent="uct")], sets, [10], 2, 0))


PLAYED_THRICE = built_in("002-table-1").plan.repeated(3)
UNNAMED = {
    "experiment export 000-piles --game 0 --out": lambda: default_path(built_in("000-piles").plan),
    "experiment export 002-table-1 --games 3 --game 0 --out": lambda: default_path(PLAYED_THRICE),
    f"match random random --position {NIM} --games 1 --save-plan": results_of_match,
    f"rate random random --position {NIM} --games 1 --csv": results_of_match,
    "atlas convergence --position nim:1,2 --agent uct --budgets 10 --seeds 2 --csv": results_of_atlas,
    "atlas solved mnk:3,3,3 --csv": lambda: data_dir() / "atlas" / "solved.json",
    "solve mnk:3,3,3 --certificate": lambda: data_dir() / "solve" / "mnk-3,3,3.part",
}


@pytest.mark.parametrize("command", UNNAMED)
def test_what_a_command_reads_without_being_given_the_file_is_kept_too(
    command: str, nimdesk: Nimdesk, tmp_path: Path
) -> None:
    path, link = UNNAMED[command](), tmp_path / "link.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(BEFORE)
    link.symlink_to(path)
    for name in (path, link):
        result = nimdesk(*command.split(), str(name))
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert result.err.startswith(f"nimdesk: {command.split()[-1]} would write over “")
        assert f"{path.suffix}”, which is read;" in result.err
        assert path.read_bytes() == BEFORE
    path.unlink()


@pytest.mark.parametrize("command", ["convergence", "solved"])
def test_what_comes_with_nimdesk_is_not_written_over(
    command: str, nimdesk: Nimdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.cli.atlas.resources_dir", lambda: tmp_path)
    for name in ("atlas.db", "solved.json"):
        (tmp_path / name).write_bytes(BEFORE)
    path = tmp_path / {"convergence": "atlas.db", "solved": "solved.json"}[command]
    result = nimdesk("atlas", command, "--show", "reference", "--csv", str(path))
    assert result.code == 2
    assert "--csv would write over" in result.err
    assert path.read_bytes() == BEFORE


def test_a_folder_may_have_the_name_of_a_published_table(
    nimdesk: Nimdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("000-piles").mkdir()
    result = nimdesk("experiment", "export", "000-piles", "--out", "000-piles")
    assert "would write" not in result.err


@pytest.mark.parametrize("letters", [250, 300])
def test_a_name_too_long_for_the_file_beside_a_table_is_told_before_the_work(
    letters: int, nimdesk: Nimdesk, tmp_path: Path
) -> None:
    path = tmp_path / f"{'x' * (letters - 4)}.csv"
    result = nimdesk("grundy", "0.77", "--csv", str(path))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("nimdesk: --csv cannot write “xxx")
    assert result.err.endswith("”: the name is too long.\n")
    assert not list(tmp_path.glob("*.csv*"))
