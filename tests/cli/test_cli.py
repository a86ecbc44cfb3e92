"""The command line as a person meets it: what it prints, and that it prints what the search found."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import pytest
from calling import NIM, Nimdesk, Result

from nimdesk.agents import CATALOGUE, AgentInfo, AgentOptions, UctOptions, make_agent
from nimdesk.agents.naming import agent_from_flags, flag
from nimdesk.cli.options import DEFAULT_AGENT
from nimdesk.games import parse_position, presets
from nimdesk.search import Limit, Searcher, Snapshot
from nimdesk.search.timeline import trace_csv
from nimdesk.version import __version__

# Nothing that a search could prove in the time of a test.
OPEN = "mnk:9,9,5"


def _snapshot(text: str, seed: int, agent: str = DEFAULT_AGENT, **options: object) -> Snapshot:
    searcher = make_agent(agent, options).new_searcher()
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit())
    return searcher.snapshot()


@pytest.mark.parametrize(
    ("agent", "flags", "stopped"), [("mcts", [], "proven"), ("uct", ["--agent", "uct"], "iterations")]
)
def test_analyse_json_is_the_search(agent: str, flags: list[str], stopped: str, nimdesk: Nimdesk) -> None:
    words = ["--seed=7", "--iterations", "3_000", "--exploration", "0.5", "--json"]
    result = nimdesk("analyse", NIM, "2-3", *words, *flags)
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert data.pop("made")[0]["nimdesk"] == __version__
    assert f" plays {data['best_move']}" in data.pop("finding")
    expected = _snapshot(f"{NIM} 2-3", 7, agent, iterations=3_000, exploration=0.5)
    assert expected.best_move is not None
    assert data.pop("elapsed_s") > 0
    assert data == {
        "position": "nim:1,3,5,7 2-3",
        **make_agent(agent, {"iterations": 3_000, "exploration": 0.5, "seed": 7}).to_json(),
        "best_move": expected.best_move.text,
        "iterations": expected.iterations,
        "nodes": expected.tree_nodes,
        "stopped": stopped,
        "seed": 7,
        "proven": expected.proven.value if expected.proven else None,
        "distance": expected.distance,
        "comment": expected.comment,
        "moves": [
            {
                "move": stats.move.text,
                "visits": stats.visits,
                "mean_value": stats.mean_value,
                "proven": stats.proven.value if stats.proven else None,
                "distance": stats.distance,
                **(
                    {"principal_variation": [move.text for move in line]} if (line := stats.principal_variation) else {}
                ),
            }
            for stats in expected.moves
        ],
    }
    assert any(stats.proven for stats in expected.moves) == (agent == "mcts")


def test_a_search_without_a_tree_tells_no_nodes(nimdesk: Nimdesk) -> None:
    search = ("analyse", NIM, "--agent", "flat", "--playouts", "20", "--seed", "1")
    assert json.loads(nimdesk(*search, "--json").out)["nodes"] is None
    assert "nodes" not in nimdesk(*search).out


def test_analyse_for_people(nimdesk: Nimdesk) -> None:
    result = nimdesk("analyse", "mnk:3,3,3 b2", "--seed", "1", "--iterations", "2e3", "--agent", "uct")
    assert (result.code, result.err) == (0, "")
    lines = [line.rstrip() for line in result.out.splitlines()]
    snapshot = _snapshot("mnk:3,3,3 b2", 1, "uct", iterations=2_000)
    best = max(snapshot.moves, key=lambda stats: stats.visits)
    assert lines[0] == "mnk:3,3,3 b2: O to move"
    assert lines[1].split() == ["Move", "Visits", "Share", "Mean", "value", "for", "O", "Principal", "variation"]
    mean = f"{best.mean_value:.4f}"
    line = [move.text for move in best.principal_variation]
    assert lines[2].split() == [best.move.text, f"{best.visits:,}", f"{best.visits / 2_000:.1%}", mean, *line]
    assert len(lines) == 2 + 8 + 2
    assert lines[-2].startswith("2,000 iterations in ")
    assert f"{snapshot.tree_nodes:,} tree nodes · stopped: all iterations done" in lines[-2]
    assert lines[-1] == f"best move: {best.move.text} · agent: uct · seed: 1"


def test_a_long_table_is_cut_and_says_so(nimdesk: Nimdesk) -> None:
    result = nimdesk("analyse", "mnk:9,9,5", "--iterations", "1000", "--seed", "1")
    snapshot = _snapshot("mnk:9,9,5", 1, iterations=1_000)
    # By default few moves are opened at a time, and those in the table have all the visits.
    assert 0 < sum(stats.visits > 0 for stats in snapshot.moves) < 30
    assert "and 51 more moves with 0 visits (--json has them)" in result.out
    result = nimdesk("analyse", "mnk:9,9,5", "--iterations", "1000", "--seed", "1", "--agent", "uct")
    snapshot = _snapshot("mnk:9,9,5", 1, "uct", iterations=1_000)
    rest = sum(sorted(stats.visits for stats in snapshot.moves)[:51])
    assert f"and 51 more moves with {rest} visits (--json has them)" in result.out


def test_a_random_choice(nimdesk: Nimdesk) -> None:
    data = json.loads(nimdesk("analyse", NIM, "--agent", "Random", "--seed", "5", "--json").out)
    assert (data["agent"], data["stopped"], data["iterations"]) == ("random", "no_search", 0)
    assert data["moves"][0] == {"move": "1-1", "mean_value": None, "proven": None, "distance": None}
    text = nimdesk("analyse", NIM, "--agent", "random", "--seed", "5").out
    assert text.splitlines()[1:] == [
        "this player does not search",
        f"best move: {data['best_move']} · agent: random · seed: 5",
    ]


@pytest.mark.parametrize("position", ["nim:2,3", "mnk:3,3,3 a1 b2 c3 c1"])
@pytest.mark.parametrize("name", [name for name in CATALOGUE if name not in ("flat", "flat-perfect", "certificate")])
def test_every_agent_prints_what_it_counts_and_nothing_else(nimdesk: Nimdesk, name: str, position: str) -> None:
    agent, at = make_agent(name), parse_position(position)
    if not agent.plays(at):
        return
    seed = 5 if agent.draws else 0
    flags = ["--seed", "5"] * agent.draws
    searcher = agent.new_searcher(at)
    searcher.start(at, seed)
    searcher.advance(Limit())
    expected = searcher.snapshot()
    data = json.loads(nimdesk("analyse", *position.split(), "--agent", name, *flags, "--json").out)
    assert data["seed"] == (5 if agent.draws else None)
    assert data["best_move"] == (expected.best_move.text if expected.best_move else None)
    for kind in ("visits", "nodes"):
        counts = [move.get(kind) for move in data["moves"]]
        assert counts == [stats.visits if expected.counted == kind else None for stats in expected.moves]
    lines = nimdesk("analyse", *position.split(), "--agent", name, *flags).out.splitlines()
    assert lines[-1].endswith(f"agent: {name}{' · seed: 5' * agent.draws}")
    if any(stats.proven for stats in expected.moves) or expected.counted:
        titles = lines[1].split()
        assert [title for title in ("Visits", "Nodes") if title in titles] == [expected.counted.capitalize()] * bool(
            expected.counted
        )
        assert ("Mean" in titles) == (expected.counted == "visits")
        assert ("variation" in titles) == any(stats.principal_variation for stats in expected.moves)
        printed = {line.split()[0]: line.split()[1:3] for line in lines[2 : 2 + len(expected.moves)]}
        for stats in expected.moves if expected.counted else ():
            assert printed[stats.move.text] == [f"{stats.visits:,}", f"{expected.share(stats):.1%}"]


def test_without_a_seed_the_one_used_is_told(nimdesk: Nimdesk) -> None:
    first = json.loads(nimdesk("analyse", NIM, "--iterations", "500", "--json").out)
    again = json.loads(nimdesk("analyse", NIM, "--iterations", "500", "--json", "--seed", str(first["seed"])).out)
    assert again["moves"] == first["moves"]


def test_seconds_alone_lift_the_limit_on_iterations(nimdesk: Nimdesk) -> None:
    assert agent_from_flags("uct", {"time_s": "2"}).options == UctOptions(iterations=None, time_s=2.0)
    both = agent_from_flags("uct", {"time_s": "2", "iterations": "5"})
    assert both.options == UctOptions(iterations=5, time_s=2.0)
    assert agent_from_flags("uct", {"time_s": ""}).options == UctOptions()
    data = json.loads(nimdesk("analyse", NIM, "--agent", "uct", "--time-s", "0.12", "--json").out)
    assert data["stopped"] == "time"
    assert data["iterations"] > 10_000
    assert 0.12 <= data["elapsed_s"] < 1


def test_a_search_that_proves_the_result_says_so(nimdesk: Nimdesk) -> None:
    out = nimdesk("analyse", "nim:3,4,5", "--seed", "1").out
    assert "stopped: the result is proven" in out
    assert "best move: 1-2 · agent: mcts · seed: 1" in out


def test_the_title_of_an_agent_names_it_too() -> None:
    assert agent_from_flags("MCTS", {}).name == "mcts"
    assert agent_from_flags("MCTS, textbook", {}).name == "uct"


def test_the_tree_is_drawn_as_text_for_latex_and_graphviz(nimdesk: Nimdesk, tmp_path: Path) -> None:
    search = ("analyse", "mnk:3,3,3", "b2", "a1")
    for agent in ("uct", "alphabeta"):
        path = tmp_path / f"{agent}.tex"
        drawn = nimdesk(*search, "--agent", agent, "--figure", str(path), "--figure-nodes", "9")
        assert f"{path}\nSearch tree of mnk:3,3,3 b2 a1: the 9 moves" in drawn.err
        assert path.read_text(encoding="utf-8").count("textbf") == 9
    refused = nimdesk(*search, "--agent", "flat", "--figure", str(tmp_path / "no.dot"))
    assert "flat keeps no tree" in refused.err
    for flags in (("--figure-of", "mean"), ("--figure-look", "legend=no")):
        refused = nimdesk(*search, "--figure", str(tmp_path / "no.dot"), *flags)
        assert "takes only width_mm, size_pt and --figure-nodes" in refused.err
    refused = nimdesk(*search, "--figure-nodes", "9")
    assert "goes with --figure FILE.dot or FILE.tex" in refused.err


def test_a_dash_is_no_file(nimdesk: Nimdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = nimdesk("analyse", "nim:3,4,5", "--iterations", "10", "--csv", "-")
    assert (result.code, result.out) == (2, "")
    assert "“-” is no file; give a name" in result.err
    assert not list(tmp_path.iterdir())


def test_the_trace_file_is_the_trace(nimdesk: Nimdesk, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("old")
    result = nimdesk("analyse", "nim:3,4,5", "--seed", "9", "--iterations", "2000", "--csv", str(path))
    assert (result.code, result.err) == (0, "")
    snapshot = _snapshot("nim:3,4,5", 9, iterations=2_000)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["trace.csv", "trace.csv.made.json"]
    made = json.loads((tmp_path / "trace.csv.made.json").read_text())
    assert (made["position"], made["agent"], made["seed"]) == ("nim:3,4,5", "mcts", 9)
    assert made["options"]["iterations"] == 2000
    assert made["made"][0]["nimdesk"] == __version__
    _without_times = [[row[0], *row[2:]] for row in csv.reader(io.StringIO(trace_csv(snapshot)))]
    assert [[row[0], *row[2:]] for row in csv.reader(io.StringIO(path.read_text()))] == _without_times


def test_the_trace_is_written_also_where_nobody_reads_on(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    words = ["analyse", "nim:1,2", "--iterations", "50", "--csv", str(path)]
    with subprocess.Popen([sys.executable, "-m", "nimdesk", *words], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.close()
        program.wait(60)
    assert path.read_text().startswith("iteration,elapsed_s,playouts,nodes,plays,visits:1-1")


def test_the_trace_of_a_search_that_deepens_is_its_depths(nimdesk: Nimdesk, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    result = nimdesk("analyse", "nim:1,2,3", "--agent", "deepening", "--nodes", "200", "--listing", "--csv", str(path))
    assert result.code == 0, result.err
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["depth"] for row in rows] == ["1", "2", "3", "4"]
    assert [int(row["nodes"]) for row in rows] == sorted(int(row["nodes"]) for row in rows)
    searcher = make_agent("deepening", {"nodes": 200}).new_searcher()
    searcher.start(parse_position("nim:1,2,3"), 0)
    searcher.advance(Limit())
    expected = [(step.best_move.text, "") for step in searcher.snapshot().steps]
    assert [(row["best_move"], row["value"]) for row in rows] == expected
    assert "undecided within 4 moves; 200 nodes." in result.out
    assert [line.split()[0] for line in result.out.splitlines()[-5:]] == ["depth", "1", "2", "3", "4"]


def test_an_agent_without_a_trace_says_so(nimdesk: Nimdesk, tmp_path: Path) -> None:
    result = nimdesk("analyse", "nim:1,2,3", "--agent", "perfect", "--csv", str(tmp_path / "trace.csv"))
    assert result.code == 2
    assert "The agent perfect keeps no trace of its search" in result.err


def test_trace_csv_holds_every_number_exactly() -> None:
    snapshot = _snapshot("mnk:3,3,3 a1", 2, "uct", iterations=5_000)
    trace = snapshot.trace
    assert trace is not None
    text = trace_csv(snapshot)
    assert text.endswith("\n")
    assert "\r" not in text
    header, *rows = csv.reader(io.StringIO(text))
    pairs = [f"{column}:{move.text}" for move in trace.moves for column in ("visits", "value_sum")]
    assert header == ["iteration", "elapsed_s", "playouts", "nodes", "plays", *pairs]
    assert [row.pop(4) for row in rows] == [trace.moves[column].text for column in trace.choice]
    numbers = np.array(rows, "float64")
    assert (numbers[:, 0] == trace.iterations).all()
    assert (numbers[:, 1] == trace.elapsed_s).all()
    assert trace.playouts is not None
    assert (numbers[:, 2] == trace.playouts).all()
    assert trace.nodes is not None
    assert (numbers[:, 3] == trace.nodes).all()
    assert (numbers[:, 4::2] == trace.visits).all()
    assert (numbers[:, 5::2] == trace.value_sum).all()
    assert rows[-1][0] == "5000"
    assert all(cell.isdecimal() for row in rows for cell in (row[0], row[2], row[3], *row[4::2]))


def test_games(nimdesk: Nimdesk) -> None:
    text = nimdesk("games").out
    data = json.loads(nimdesk("games", "--json").out)["games"]
    assert data == [{"name": p.name, "notation": p.game.text, "about": p.about} for p in presets()]
    for preset in presets():
        assert parse_position(preset.game.text) == preset.game.start()
        assert all(part in text for part in (preset.name, preset.game.text, preset.about))


def test_agents(nimdesk: Nimdesk) -> None:
    text = _plain(nimdesk("agents").out)
    data = json.loads(nimdesk("agents", "--json").out)["agents"]
    assert [entry["name"] for entry in data] == list(CATALOGUE)
    for entry in data:
        info = CATALOGUE[entry["name"]]
        assert (entry["title"], entry["about"]) == (info.title, info.about)
        assert f"{info.name} ({info.title}) {info.about}" in text
        defaults = {option["name"]: option["default"] for option in entry["options"]}
        assert make_agent(info.name, defaults) == make_agent(info.name)
        assert all(flag(name) in text for name in defaults)
    exploration = next(option for option in data[1]["options"] if option["name"] == "exploration")
    assert (exploration["kind"], exploration["minimum"], exploration["maximum"]) == ("float", 0.0, 100.0)


def _plain(text: str) -> str:
    return " ".join(text.split())


class _BracketOptions(AgentOptions, frozen=True, kw_only=True):
    depth: Annotated[
        int,
        msgspec.Meta(ge=1, le=6, title="Depth", description="Plies [b]looked[/b] ahead, in [1, 6] :smile: [red]"),
    ] = 4


def _no_searcher(options: Any) -> Searcher:
    raise NotImplementedError


def test_help_lists_the_options_of_every_agent(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    info = AgentInfo("deep", "Deep", "Looks [far] ahead.", _BracketOptions, _no_searcher)
    monkeypatch.setitem(CATALOGUE, "deep", info)
    text = _plain(nimdesk("analyse", "--help").out)
    for entry in CATALOGUE.values():
        for field in entry.fields:
            assert flag(field.name) in text
            assert f"{_plain(field.description)} ({field.bounds_text}; default: " in text
    assert (
        "For deep: Plies [b]looked[/b] ahead, in [1, 6] :smile: [red] (a whole number from 1 to 6; default: 4)" in text
    )
    assert "Looks [far] ahead." in nimdesk("agents").out
    error = nimdesk("analyse", NIM, "--agent", "deep", "--depth", "7").err
    assert error == "nimdesk: Depth is “7”; it must be a whole number from 1 to 6.\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["play", "--help"], ["demo", "-h"], ["analyze", "-h"]])
def test_help(arguments: list[str], nimdesk: Nimdesk) -> None:
    result = nimdesk(*arguments)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Usage: nimdesk")
    assert max(map(len, result.out.splitlines())) <= 100


def test_help_speaks_to_a_newcomer(nimdesk: Nimdesk) -> None:
    text = nimdesk("--help").out
    assert "Without a command, the window opens." in text
    lines = text.splitlines()
    examples = set(re.findall(r"^    nimdesk ([a-z]+)(?![a-z.])", text, re.MULTILINE))
    listed = {line.split()[0] for line in lines[lines.index("Commands:") + 1 :] if line[:3].strip()}
    assert {"play", "analyse", "solve", "study"} <= examples <= listed, "each example names a command that there is"


def test_version(nimdesk: Nimdesk) -> None:
    assert nimdesk("--version") == Result(0, f"nimdesk {__version__}\n", "")
