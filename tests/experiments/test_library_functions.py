"""``import nimdesk as nd``: the functions of the library, beside the command line and the searches themselves."""

import json
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import nimdesk as nd
from nimdesk.cli.analyse import snapshot_json, truth_json
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NimdeskError, NotationError, OptionError
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import new_plan
from nimdesk.experiments.run import Run
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.searches import SearchPart
from nimdesk.games.truth import Value
from nimdesk.play import GameInProgress, Human
from nimdesk.play.record import save_game

NOTEBOOKS = sorted((resources_dir() / "notebooks").glob("*.py"))


@pytest.fixture(autouse=True)
def _no_plots_left() -> Iterator[None]:
    yield
    plt.close("all")


def test_the_names_of_the_library_stay() -> None:
    assert nd.__all__ == [
        "Comparison", "Elo", "Grundy", "PlayedGame", "Proof", "Results", "Review", "SavedSearches", "Search",
        "Solution", "__version__", "agent", "analyse", "atlas", "compare", "convert", "elo", "grundy", "match", "open",
        "play_game", "position", "rate", "review", "solve", "study", "tune", "verify",
    ]  # fmt: skip
    kinds = [type(getattr(nd, name)).__name__ for name in nd.__all__]
    assert kinds[10:] == ["str"] + ["function"] * 17
    assert dir(nd) == nd.__all__, "what the Tab key offers is the library"
    with pytest.raises(AttributeError, match="has no attribute 'no_such_thing'"):
        nd.no_such_thing  # noqa: B018


def test_searches_alone_are_a_table_of_their_choices() -> None:
    part = SearchPart(players=["r"], positions=["nim:1,2", "nim:3"], repeats=3)
    run = Run(schedule_of(new_plan("s", {"r": PlayerPart(agent="random")}, searches=[part])), None)
    run.start()
    assert run.wait()
    results = nd.Results(run.found)
    assert results.to_pandas()[["position", "searches"]].to_numpy().tolist() == [["nim:1,2", 3], ["nim:3", 3]]
    for measure in (None, "score"):
        with pytest.raises(OptionError, match="These results have no curve"):
            results.plot(measure=measure)


def test_analyse_is_the_command_of_that_name() -> None:
    words = ["analyse", "nim:3,4,5", "--agent", "uct", "--iterations", "2000", "--seed", "7", "--json"]
    said = json.loads(subprocess.run([sys.executable, "-m", "nimdesk", *words], check=True, capture_output=True).stdout)
    search = nd.analyse("nim:3,4,5", "uct", iterations=2000, seed=7)
    ours = snapshot_json(search.snapshot, search.agent)
    assert said.pop("made")[0]["nimdesk"] == nd.__version__
    assert said.pop("finding") == search.finding
    for each in (said, ours):
        del each["elapsed_s"]
    assert json.loads(json.dumps(ours)) == said


@pytest.mark.parametrize("limit", [(), ("--time-s", "0.02"), ("--limit", "50")])
def test_who_names_nobody_gets_the_same_agent_by_every_road(limit: tuple[str, ...]) -> None:
    words = ["analyse", "mnk:5,5,4", "--seed", "7", *limit, "--json"]
    said = json.loads(subprocess.run([sys.executable, "-m", "nimdesk", *words], check=True, capture_output=True).stdout)
    options = {flag.removeprefix("--").replace("-", "_"): float(value) for flag, value in ([limit] if limit else [])}
    search = nd.analyse("mnk:5,5,4", seed=7, **options)
    assert (said["agent"], said["options"]) == tuple(search.agent.to_json().values())
    assert said["stopped"] == search.snapshot.stopped.name.lower()
    if limit[:1] != ("--time-s",):
        assert [each["visits"] for each in said["moves"]] == [stats.visits for stats in search.moves]


def test_the_table_holds_the_trace_row_by_row() -> None:
    search = nd.analyse(nd.position("mnk:3,3,3 b2"), "uct", iterations=500, seed=3)
    table, trace = search.to_pandas(), search.trace
    assert trace is not None
    assert list(table.columns) == ["iterations", "nodes", "elapsed_s", "move", "visits", "mean_value"]
    assert len(table) == trace.visits.size
    assert (table.visits.to_numpy().reshape(trace.visits.shape) == trace.visits).all()
    assert (table.iterations.unique() == trace.iterations).all()
    assert trace.nodes is not None
    assert (table.groupby("iterations").nodes.first().to_numpy() == trace.nodes).all()
    last = table[table.iterations == 500].set_index("move")
    for stats in search.moves:
        assert (last.visits[stats.move.text], last.mean_value[stats.move.text]) == (stats.visits, stats.mean_value)


def test_an_agent_without_visits_has_a_table_of_its_end_and_no_curves() -> None:
    search = nd.analyse("nim:3,4,5", "minimax")
    table = search.to_pandas()
    assert list(table.move) == [stats.move.text for stats in search.moves]
    assert set(table.nodes) == {search.snapshot.tree_nodes}
    with pytest.raises(OptionError, match="plays no simulations"):
        search.plot()


@pytest.mark.parametrize("measure", ["share", "mean"])
def test_the_curves_are_those_of_the_leading_moves(measure: str) -> None:
    search, truth = nd.analyse("nim:3,4,5", "uct", iterations=20_000, seed=1), nd.solve("nim:3,4,5")
    trace = search.trace
    assert trace is not None
    axes = search.plot(measure=measure, truth=truth)  # type: ignore[arg-type]
    labels = [line.get_label() for line in axes.lines if not str(line.get_label()).startswith("_")]
    ranked = [trace.moves[column].text for column in np.argsort(trace.visits[-1], kind="stable")[::-1][:5]]
    good = {each.text for each in truth.best_moves}
    assert labels == [f"{move} ✓" if move in good else move for move in ranked]
    leader = trace.moves.index(search.best_move)  # type: ignore[arg-type]
    wanted = trace.shares() if measure == "share" else trace.value_sum / np.maximum(trace.visits, 1)
    drawn = np.asarray(axes.lines[0].get_ydata())
    assert drawn[-1] == pytest.approx(wanted[-1, leader])


def test_a_search_is_shown_in_a_notebook_without_running_what_its_names_say() -> None:
    shown = nd.analyse("nim:3,4,5", "uct", iterations=500, seed=1)._repr_html_()
    assert "plays" in shown
    assert shown.count("<tr>") == 13
    assert shown.count("<polyline") == 5


def test_what_is_printed_is_a_sentence_in_the_notation_of_the_game() -> None:
    search = nd.analyse("nim:3,4,5", "mcts", seed=1)
    assert repr(search) == "<nim:3,4,5: mcts plays 1-2 (proven: wins)>"
    assert repr([stats.move for stats in search.moves[:3]]) == "[1-1, 1-2, 1-3]"
    assert repr(nd.solve("nim:3,4,5")) == "<nim:3,4,5: win in 11 with 1-2>"
    played = nd.match(["perfect", "random"], "nim:3,4", games=2, seed=1)
    assert repr(played) == f"<{played.finding}>"
    both = nd.compare(played, played)
    assert repr(both) == f"<{both.finding}>"


def test_one_search_of_each_agent_shows_no_difference() -> None:
    one, other = (nd.study("nim:3,4,5", agent, budgets=[200], seeds=1, seed=1) for agent in ("uct", "mcts"))
    table = nd.compare(one, other).to_pandas().set_index("quantity")
    assert table.difference["mean regret"] == -1
    assert list(table.index) == ["optimal", "mean regret"]
    assert list(table.one_counted) == list(table.other_counted) == [1, 1]
    assert table.low["mean regret"] < 0 < table.high["mean regret"]


def test_solve_is_the_truth() -> None:
    truth = nd.solve("mnk:3,3,3")
    assert (truth.value, {each.value for each in truth.moves}) == (Value.DRAW, {Value.DRAW})
    assert truth_json(nd.solve("nim:1,3,5,7"))["value"] == "loss"


def test_a_match_is_that_of_the_plan_whatever_the_number_of_threads(tmp_path: Path) -> None:
    players = [nd.agent("uct", iterations=40), "random"]
    one = nd.match(players, "nim:3,4,5", games=4, seed=1, threads=1)
    two = nd.match(players, ["nim:3,4,5"], games=4, seed=1, threads=2, file=tmp_path / "games.db")
    again = nd.open(tmp_path / "games.db")
    assert isinstance(again, nd.Results)
    assert one.plan.digest == two.plan.digest
    assert len(one.to_pandas()) == 2
    assert one.to_pandas().equals(two.to_pandas())
    assert two.to_pandas().equals(again.to_pandas())
    (line, _half) = one.plot().lines
    (pairing,) = one.pairings
    assert (line.get_xdata()[-1], line.get_ydata()[-1]) == (8, pairing.score)  # type: ignore[index]


def test_a_game_is_played_to_its_end_with_the_search_behind_each_move(tmp_path: Path) -> None:
    uct = nd.agent("uct", iterations=50)
    game = nd.play_game(uct, "random", "nim:1,3,5", seed=4, file=tmp_path / "game.nimdesk")
    again = nd.play_game(uct, "random", "nim:1,3,5", seed=4)
    other = nd.play_game(uct, "random", "nim:1,3,5", seed=5)
    saved = nd.open(tmp_path / "game.nimdesk")
    assert isinstance(saved, GameInProgress)
    assert game.last_position.text == again.last_position.text == saved.last_position.text
    assert game.last_position.text != other.last_position.text
    assert game.result is not None
    for each in (game, saved):
        searched = [(ply.snapshot.best_move, ply.snapshot.iterations) for ply in each.plies[::2] if ply.snapshot]
        assert searched == [(ply.move, 50) for ply in each.plies[::2]]
    with pytest.raises(NimdeskError, match=r"the name of its file ends in \.nimdesk"):
        nd.play_game("random", "random", "nim:1,3,5", file=tmp_path / "game.txt")


def test_a_study_counts_optimal_choices_at_each_budget() -> None:
    study = nd.study("nim:3,4,5", ["uct", nd.agent("uct", exploration=0.5)], budgets=[50, 10], seeds=5)
    table = study.to_pandas()
    assert list(table.budget) == [10, 50, 10, 50]
    assert (table.searches == 5).all()
    assert (table.optimal_share == table.optimal / 5).all()
    axes = study.plot()
    assert [list(line.get_ydata()) for line in axes.lines] == [
        list(table.optimal_share[:2]),
        list(table.optimal_share[2:]),
    ]


def test_files_open_as_what_they_are(tmp_path: Path) -> None:
    game = GameInProgress(nd.position("nim:3,4,5"), (Human(), Human()))
    save_game(game, tmp_path / "one.nimdesk")
    opened = nd.open(tmp_path / "one.nimdesk")
    assert isinstance(opened, GameInProgress)
    assert opened.last_position == game.last_position
    with pytest.raises(NimdeskError, match="is no file that nimdesk opens: its name ends in"):
        nd.open(tmp_path / "notes.png")


def test_faults_are_sentences() -> None:
    with pytest.raises(NotationError):
        nd.analyse("nim:abc")
    with pytest.raises(OptionError, match="the game is over"):
        nd.analyse("nim:1 1-1")
    with pytest.raises(OptionError, match="Options go with the name"):
        nd.analyse("nim:3,4,5", nd.agent("uct"), iterations=5)
    with pytest.raises(NimdeskError, match="no agent"):
        nd.agent("no-such-agent")


def test_numbers_of_numpy_are_numbers_in_every_function() -> None:
    n = np.int64
    search = nd.analyse("nim:3,4,5", "flat", playouts=1e3, seed=n(1), limit=n(100))
    assert search.moves == nd.analyse("nim:3,4,5", "flat", playouts=1_000, seed=1, limit=100).moves
    assert sum(stats.visits for stats in search.moves) == 100
    assert nd.solve("nim:3,4,5", time_s=np.float32(5)).value is Value.WIN
    uct = nd.agent("uct", iterations=np.float64(20), exploration=np.float32(0.5))
    games = [nd.play_game(uct, "random", "nim:1,3,5", seed=seed).last_position.text for seed in (n(4), 4.0, 4)]
    assert len(set(games)) == 1
    plans = [
        [
            nd.match([uct, "random"], ["nim:1,2"], games=kind(2), opening_plies=kind(0), seed=kind(3), threads=kind(1)),
            nd.rate([uct, "random"], "nim:1,2", games=kind(2), seed=kind(3)),
            nd.study("nim:1,2", budgets=np.array([20, 10], kind), seeds=kind(3), seed=kind(5), solver_nodes=kind(1e6)),
            nd.study("nim:1,2", budgets=kind(20), seeds=kind(3)),
            nd.tune("uct", "exploration=0.1..3", "nim:1,2", budget=kind(10), values=kind(3), games=kind(1),
                    confirm=kind(1), elo1=kind(30), alpha=0.05, seed=kind(3)),
        ]
        for kind in (int, np.int32, float)
    ]  # fmt: skip
    digests = [[each.plan.digest for each in row] for row in plans]
    assert digests[0] == digests[1] == digests[2]


REFUSED: list[tuple[str, Callable[[], object], str]] = [
    ("seeds", lambda: nd.study("nim:1,2", seeds=[1, 2]), "The argument seeds is “[1, 2]”; it must be a whole number"),  # type: ignore[arg-type]
    (
        "budget",
        lambda: nd.study("nim:1,2", budgets=[10, "x"]),
        "The argument budgets is “x”; it must be a whole number",
    ),  # type: ignore[list-item]
    ("none", lambda: nd.study("nim:1,2", budgets=[]), "The argument budgets is empty"),
    ("half", lambda: nd.match(["uct", "random"], "nim:1,2", games=1.5), "from 1 to 1,000,000"),  # type: ignore[arg-type]
    ("truth", lambda: nd.match(["uct", "random"], "nim:1,2", games=True), "games is “True”"),
    ("alone", lambda: nd.match(["uct"], "nim:1,2"), "A match needs two players or more"),
    ("seconds", lambda: nd.solve("nim:1,2", time_s="soon"), "time_s is “soon”; it must be a number from 0.01 to 86400"),  # type: ignore[arg-type]
    ("position", lambda: nd.analyse(3), "A position is written as in nim:3,4,5"),  # type: ignore[arg-type]
    ("agent", lambda: nd.analyse("nim:1,2", 3), "An agent is given by its name"),  # type: ignore[arg-type]
    ("file", lambda: nd.open(3), "A file is given by its name"),  # type: ignore[arg-type]
    ("limit", lambda: nd.analyse("nim:1,2", limit=0), "The argument limit is “0”; it must be a whole number from 1 to"),
    ("range", lambda: nd.tune("uct", [3], "nim:1,2"), "A range is written as in exploration=0.1..3"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("act", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_no_such_argument_is_refused_in_one_sentence(act: Callable[[], object], says: str) -> None:
    with pytest.raises(NimdeskError) as caught:
        act()
    assert says in str(caught.value)
    assert str(caught.value).endswith(".")
    assert str(caught.value).isprintable()


def test_it_works_where_qt_and_the_notebook_libraries_are_missing() -> None:
    code = """
import sys
for name in ("PySide6", "pyqtgraph", "pandas", "matplotlib"):
    sys.modules[name] = None
import nimdesk as nd
search = nd.analyse("nim:3,4,5", iterations=100, seed=1)
try:
    search.to_pandas()
except Exception as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout == "This needs pandas, which is not installed; “pip install nimdesk[notebook]” brings it.\n"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook: Path) -> None:
    runpy.run_path(str(notebook))


def test_a_tuning_of_two_options_and_a_rating_are_those_of_the_commands(tmp_path: Path) -> None:
    where = {"games": 2, "seed": 3}
    tuned = nd.tune("uct", ["exploration=0.5,1", "final=mean"], "nim:1,2,3", budget=20, confirm=20, **where)  # type: ignore[arg-type]
    assert tuned.tuning is not None
    assert tuned.tuning.options == ("exploration", "final")
    assert len(tuned.tuning.candidates) == 3 * 2 - 1
    assert tuned.finding == tuned.tuning.sentence
    words = ["tune", "uct", "exploration=0.5,1", "final=mean", "--position", "nim:1,2,3", "--budget", "20"]
    words += ["--confirm", "20", "--games", "2", "--seed", "3", "--out", str(tmp_path / "tuned.db"), "--json"]
    said = json.loads(subprocess.run([sys.executable, "-m", "nimdesk", *words], check=True, capture_output=True).stdout)
    assert said["tuning"]["candidates"] == json.loads(json.dumps([asdict(each) for each in tuned.tuning.candidates]))
    assert nd.match(["random", "uct"], "nim:1,2", games=2).tuning is None

    rated = nd.rate([nd.agent("uct", iterations=20), "random", "perfect"], "nim:1,2,3", **where)  # type: ignore[arg-type]
    assert rated.ratings is not None
    assert {each.player for each in rated.ratings.ratings} == {"uct:iterations=20", "random", "perfect"}


def test_two_studies_compared_have_the_difference_of_their_shares(tmp_path: Path) -> None:
    one = nd.study("nim:1,2,3", "uct", budgets=[10, 100], seeds=20, file=tmp_path / "one.results.db")
    other = nd.study("nim:1,2,3", nd.agent("uct", exploration=0.3), budgets=[10, 100], seeds=20)
    found = nd.compare(tmp_path / "one.results.db", other)
    table = found.to_pandas()
    optimal = table[table.quantity == "optimal"]
    shares = [results.to_pandas().optimal_share.to_numpy() for results in (one, other)]
    assert optimal.difference.to_numpy() == pytest.approx(shares[1] - shares[0])
    assert ((optimal.low <= optimal.difference) & (optimal.difference <= optimal.high)).all()
    assert found.finding == found.differences.sentence
    assert len(found.plot().lines) == 2
    with pytest.raises(OptionError, match="cannot be compared"):
        nd.compare(one, nd.match(["random", "uct"], "nim:1,2", games=1))
