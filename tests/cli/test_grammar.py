"""One grammar for all commands: what is named alike means the same, and what was typed before is understood."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from calling import Nimdesk

from nimdesk import cli
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.record import save_game

GROUP = cli.commands(lambda *_, **__: 0, lambda *_: [])
STUDY = ("study", "nim:1,2", "--budgets", "5,9", "--seeds", "3")
MATCH = ("match", "uct:iterations=9", "random", "nim:1,2", "--games", "2")
TUNE = ("tune", "uct", "exploration=0.5,1,2", "nim:1,2", "--budget", "5", "--games", "1", "--confirm", "1")
ATLAS = ("atlas", "convergence", "nim-2x2", "uct", "--budgets", "5", "--seeds", "2")
RATE = ("rate", *MATCH[1:])
EXPERIMENTS = {"study": STUDY, "match": MATCH, "rate": RATE, "tune": TUNE, "atlas convergence": ATLAS}


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def flags(name: str) -> set[str]:
    command: click.Command = GROUP
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.commands[word]
    return {flag for parameter in command.params for flag in parameter.opts}


def all_commands(group: click.Group = GROUP, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from all_commands(command, f"{before}{name} ")
        elif not command.hidden:
            yield f"{before}{name}", command


def test_flags_of_one_name_are_one_flag() -> None:
    for name in ("--csv", "--json", "--plan", "--save-plan", "--cluster", "--figure"):
        found = {
            (each.type.name, each.metavar, each.multiple)
            for _, command in all_commands()
            for each in command.params
            if isinstance(each, click.Option) and name in each.opts
        }
        assert len(found) == 1, f"{name} is {found}"


def test_every_experiment_has_all_of_the_grammar() -> None:
    for name in EXPERIMENTS:
        wanted = {"--position", "--budget", "--plan", "--save-plan", "--out", "--csv", "--figure", "--json"}
        assert wanted <= flags(name), name
        assert "--agent" in flags(name) or name == "tune"
    for name in ("analyse", "solve", "play", "lab", "study", "match", "rate", "tune", "atlas convergence"):
        assert "--position" in flags(name), name
    drawn = ("analyse", "solve", "grundy", "review", "replay", "compare", "elo", "experiment run", "experiment status")
    for name in drawn:
        assert {"--figure", "--json"} <= flags(name), name


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_flags_and_arguments_say_the_same_and_a_plan_says_it_again(name: str, nimdesk: Nimdesk) -> None:
    command = list(EXPERIMENTS[name])
    first = nimdesk(*command, "--save-plan", "one.json", "--out", "one.db", "--csv", "one.csv", "--json")
    assert first.code == 0, first.err
    place = next(i for i, word in enumerate(command) if word.startswith("nim"))
    by_flag = [*command[:place], *command[place + 1 :], "--position", command[place]]
    if name == "atlas convergence":
        by_flag = ["--agent" if word == "uct" else word for word in by_flag]
        by_flag.insert(by_flag.index("--agent") + 1, "uct")
    assert nimdesk(*by_flag, "--save-plan", "two.json", "--out", "two.db").code == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    words = name.split()
    again = nimdesk(*words, "--plan", "one.json", "--out", "three.db", "--csv", "three.csv", "--json")
    assert again.code == 0, again.err
    assert Path("one.csv").read_bytes() == Path("three.csv").read_bytes()
    assert json.loads(again.out)["digest"] == json.loads(first.out)["digest"]
    twice = nimdesk(*words, "--plan", "one.json", "--seed", "7")
    assert twice.err == "nimdesk: --plan says everything that --seed would say; give one of them.\n"
    other = "match" if name != "match" and name != "rate" else "study"
    refused = nimdesk(other, "--plan", "one.json")
    assert refused.code == 2
    assert "is not one of a" in refused.err


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_csv_is_a_file_by_its_ending_or_else_a_folder(name: str, nimdesk: Nimdesk) -> None:
    assert nimdesk(*EXPERIMENTS[name], "--csv", "table.csv", "--out", "x.db").code == 0
    assert nimdesk(*EXPERIMENTS[name], "--csv", "tables", "--out", "x.db").code == 0
    assert {"plan.json", "report.md", "made.json"} <= {each.name for each in Path("tables").iterdir()}
    main = Path("table.csv").read_text(encoding="utf-8")
    assert main in [each.read_text(encoding="utf-8") for each in Path("tables").glob("*.csv")]
    assert "digest" in json.loads(Path("table.csv.made.json").read_text())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_csv_that_cannot_be_written_is_refused_before_the_work(name: str, nimdesk: Nimdesk) -> None:
    refused = nimdesk(*EXPERIMENTS[name], "--csv", "no/such/folder.csv", "--out", "x.db")
    assert (refused.code, "is not a folder" in refused.err) == (2, True)
    assert not Path("x.db").exists()


@pytest.mark.parametrize(
    ("command", "table"),
    [
        (("analyse", "nim:1,2", "--iterations", "9"), "trace"),
        (("solve", "nim:1,2"), "moves"),
        (("grundy", "0.77", "--to", "9"), "grundy"),
        (("review", "game.nimdesk", "--budget", "9"), "review"),
    ],
)
def test_so_it_is_where_there_is_one_table_alone(command: tuple[str, ...], table: str, nimdesk: Nimdesk) -> None:
    game = GameInProgress(parse_position("nim:1,2 1-1 2-2"), (Human(), Human()))
    save_game(game, Path("game.nimdesk"))
    seed = ("--seed", "1") if table in ("trace", "review") else ()
    assert nimdesk(*command, *seed, "--csv", "a.csv", "--figure", "a.svg").code == 0
    assert nimdesk(*command, *seed, "--csv", "tables").code == 0
    both = [Path(name).read_text(encoding="utf-8").splitlines() for name in ("a.csv", f"tables/{table}.csv")]
    assert both[0][0] == both[1][0]
    assert len(both[0]) == len(both[1]) > 1
    assert Path("a.svg").stat().st_size > 0


@pytest.mark.parametrize("name", ["match", "rate"])
def test_the_figure_of_games_ends_at_what_the_table_says(name: str, nimdesk: Nimdesk) -> None:
    command = (*EXPERIMENTS[name], "--out", "x.db", "--json", "--figure", "x.svg")
    document = json.loads(nimdesk(*command, "--figure-of", "score").out)
    with Path("x.figure.csv").open(encoding="utf-8") as file:
        *_, last = (row for row in csv.DictReader(file) if row["faint"] == "0")
    (pairing,) = document["pairings"]
    assert float(last["y"]) == pytest.approx(pairing["score"])
    assert float(last["x"]) == document["done"]
    nimdesk(*command, "--figure-of", "ratings")
    with Path("x.figure.csv").open(encoding="utf-8") as file:
        bars = [float(row["y"]) for row in csv.DictReader(file)]
    assert bars == pytest.approx([each["elo"] or 0.0 for each in document["ratings"]["ratings"]])
    assert nimdesk("experiment", "status", "x.db", "--figure", "y.svg", "--csv", "y.csv").code == 0
    refused = nimdesk("experiment", "status", "x.db", "--figure", "y.svg", "--figure-of", "optimal")
    assert "These results have no figure of “optimal”; they have: score, ratings, llr." in refused.err


def test_the_figure_of_a_test_has_the_ratio_and_both_ends(nimdesk: Nimdesk) -> None:
    match = ("match", "uct:iterations=50", "random", "nim:3,4,5", "--games", "60", "--sprt", "0,100", "--pairs")
    document = json.loads(nimdesk(*match, "--json", "--figure", "x.svg", "--figure-of", "llr").out)
    curves: dict[str, list[float]] = {}
    with Path("x.figure.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["curve"], []).append(float(row["y"]))
    assert curves["uct:iterations=50 – random"][-1] == pytest.approx(document["pairings"][0]["llr"])
    assert (curves["H0 at -2.944"], curves["H1 at 2.944"]) == (
        pytest.approx([-2.944439] * 2),
        pytest.approx([2.944439] * 2),
    )


def test_one_budget_is_that_of_all_players_that_have_none(nimdesk: Nimdesk) -> None:
    words = ("uct", "flat:playouts=2", "random", "nim:1,2", "--games", "1", "--budget", "7", "--save-plan", "p.json")
    assert nimdesk("match", *words).code == 0
    players = json.loads(Path("p.json").read_text())["players"]
    assert {name: each.get("options", {}) for name, each in players.items()} == {
        "uct:iterations=7": {"iterations": 7},
        "flat:playouts=2": {"playouts": 2},
        "random": {},
    }
    nobody = nimdesk("match", "random", "uct:iterations=9", "nim:1,2", "--budget", "7")
    assert nobody.err == "nimdesk: No player takes the budget “7”: each has set its own, or never has any.\n"
    timed = json.loads(nimdesk("analyse", "nim:3,4,5", "--agent", "uct", "--budget", "20ms", "--json").out)
    assert (timed["options"]["time_s"], timed["stopped"]) == (0.02, "time")


def test_an_agent_is_named_alike_everywhere(nimdesk: Nimdesk, window: list[object]) -> None:
    search = ("analyse", "nim:3,4,5", "--json", "--agent")
    short = json.loads(nimdesk(*search, "uct:iterations=9,seed=1").out)
    long = json.loads(nimdesk(*search, "uct", "--iterations", "9", "--seed", "1").out)
    assert (short["options"], short["moves"]) == (long["options"], long["moves"])
    assert nimdesk("play", "--position", "nim:3,4,5", "--second", "uct:iterations=9").code == 0
    ((_, (_, second)),) = window  # type: ignore[misc]
    assert second.full_label == "uct:iterations=9"
    twice = nimdesk("solve", "nim:1,2", "--position", "nim:1,2")
    assert twice.err == "nimdesk: The position is named twice; give it as an argument, or by --position.\n"


@pytest.mark.parametrize(
    "command",
    [
        (*MATCH, "--out", "x.db"),
        (*STUDY, "--out", "x.db"),
        (*TUNE, "--out", "x.db"),
        (*ATLAS, "--out", "x.db"),
        ("analyse", "nim:1,2", "--iterations", "9"),
        ("solve", "nim:1,2"),
        ("grundy", "0.77", "--to", "9"),
        ("elo", "3", "2", "1"),
    ],
    ids=lambda command: command[0],
)
def test_json_is_one_object_with_what_was_found_and_what_made_it(command: tuple[str, ...], nimdesk: Nimdesk) -> None:
    document = json.loads(nimdesk(*command, "--json").out)
    assert list(document)[-2:] == ["finding", "made"]
    assert document["finding"].isprintable()
    assert "python" in document["made"][0]


@pytest.mark.parametrize("command", [("games",), ("agents",), ("experiment", "list"), ("cite",)])
def test_so_is_a_list(command: tuple[str, ...], nimdesk: Nimdesk) -> None:
    assert "python" in json.loads(nimdesk(*command, "--json").out)["made"][0]


@pytest.mark.parametrize(
    "command",
    [("analyse", "nim:abc"), ("match", "uct"), ("study", "--no-such-flag"), ("no-such-command",), ("elo", "x"),
     ("solve", "nim:1,2", "--csv", "no/such/folder.csv"), ("verify", "none.cert"), ("compare", "a.db", "b.db")],
)  # fmt: skip
def test_what_is_wrong_is_an_object_too(command: tuple[str, ...], nimdesk: Nimdesk) -> None:
    result = nimdesk(*command, "--json")
    assert result.code == 2
    error = json.loads(result.out)["error"]
    assert result.err == f"nimdesk: {error['sentence']}\n"
    assert error["kind"].endswith("Error")


def test_an_answer_that_is_printed_already_stays_the_only_object(nimdesk: Nimdesk) -> None:
    Path("t.csv.made.json").mkdir()
    result = nimdesk("analyse", "nim:1,2", "--iterations", "9", "--csv", "t.csv", "--json")
    assert result.code == 2
    assert "position" in json.loads(result.out)
    assert "cannot be written" in result.err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("analyse", "nim:1,2", "--iterations", "9", "--seed", "1", "--trace", "x.csv"), "--csv"),
        (("analyze", "nim:1,2", "--iterations", "9", "--seed", "1", "--trace=x.csv"), "--csv"),
        (
            ("atlas", "convergence", "--game", "nim-2x2", "uct", "--budgets", "5", "--seeds", "2"),
            "--position",
        ),
    ],
)
def test_old_forms_are_understood_with_a_word(old: tuple[str, ...], new: str, nimdesk: Nimdesk) -> None:
    result = nimdesk(*old)
    assert result.code == 0, result.err
    assert f"is {new} now; the next version will not know the old form any more." in result.err
    assert nimdesk("lab", "--bundle", "none.nimbundle.json").err.startswith("nimdesk: --bundle is left out now;")


def test_the_figure_of_an_elo_has_the_line_at_which_its_interval_ends(nimdesk: Nimdesk) -> None:
    assert nimdesk("elo", "35", "0", "11", "--figure", "x.svg").code == 0
    with Path("x.figure.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["faint"] == "1"]
    assert {row["curve"] for row in rows} == {"end of the interval"}
    assert [float(row["y"]) for row in rows] == pytest.approx([-(1.96**2) / 2] * 2)


def test_elo_of_counts_is_printed(nimdesk: Nimdesk) -> None:
    assert nimdesk("elo", "35", "0", "11").out.startswith("+201.1 Elo [+89.2, +327.0], stronger with")
    wrong = nimdesk("elo", "1", "2")
    assert wrong.err.startswith("nimdesk: 2 counts are not understood; give wins, draws and losses, or how many pairs")
    assert nimdesk("elo", "0", "0", "0").err == "nimdesk: All counts are 0; there must be a game at least.\n"


def test_a_search_is_saved_for_the_laboratory_and_repeated(nimdesk: Nimdesk) -> None:
    searched = ("analyse", "nim:3,4,5", "--agent", "uct:iterations=200", "--seed", "3")
    assert nimdesk(*searched, "--bundle", "s.nimbundle.json").code == 0
    again = json.loads(nimdesk("replay", "s.nimbundle.json", "--json", "--figure", "s.svg").out)
    assert [(run["same"], run["verdict"]) for run in again["runs"]] == [(True, "the same numbers")]
    wrong = nimdesk(*searched, "--bundle", "s.json")
    assert wrong.err == "nimdesk: The name of a bundle ends in .nimbundle.json; “s.json” does not.\n"


def test_a_certificate_is_verified_as_json(nimdesk: Nimdesk) -> None:
    assert nimdesk("solve", "mnk:3,3,3", "--certificate", "draw.cert").code == 0
    document = json.loads(nimdesk("verify", "draw.cert", "--json").out)
    assert document["proven"] is True
    assert document["finding"].startswith("Proven: mnk:3,3,3 is a draw")
    Path("bad.cert").write_bytes(b"nothing")
    bad = nimdesk("verify", "bad.cert", "--json")
    assert (bad.code, json.loads(bad.out)["proven"]) == (1, False)
