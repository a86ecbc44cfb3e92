"""Every number that the laboratory shows and exports is what a fresh search, stopped at that very count, says."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from desk import Desk, OpenDesk

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.cells import percent
from nimdesk.games import AnyPosition
from nimdesk.games.base import describe_move
from nimdesk.play.bundle import load_bundle, runs_csv
from nimdesk.search import Limit, Snapshot, measures
from nimdesk.search.timeline import Cost, Timeline, cost_of, cost_words
from nimdesk.ui.laboratory.export_contents import full_csv, view_csv
from nimdesk.ui.laboratory.export_pictures import svg_of
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.moves_model import MEAN, MOVE, SHARE, VISITS
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.studied import Studied, title_of
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.plots.curves import CurvesPlot
from nimdesk.ui.plots.frame import Axis, View
from nimdesk.ui.plots.pane import AgentsPlot

SEED, LIMIT = 4, 120.0
# Levels 2, 3 and 5 run the code of levels 1 and 4, with other numbers.
AGENTS = [make_agent(name) for name in CATALOGUE if name not in ("level2", "level3", "level5")]
AGENTS += [make_agent("uct", options) for options in ({"final": "mean"}, {"final": "secure"}, {"threads": 2})]
GROUPS = [AGENTS[at : at + 4] for at in range(0, len(AGENTS), 4)]


class Shown:
    """The laboratory with these agents, after a race over iterations."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        desk.window.modes.show_mode(LABORATORY)
        self.page = desk.laboratory
        self.model: Laboratory = desk.laboratory.model

    def race(self, agents: list[Agent]) -> None:
        self.model.searches.set_axis(Axis(Cost.ITERATIONS))
        self.model.agents.set_all(tuple(Studied(agent.unlimited(), SEED) for agent in agents))
        self.model.searches.set_limit(LIMIT)
        self.model.searches.run()
        self.desk.wait(lambda: not self.model.searches.running)
        assert [run.problem for run in self.model.searches.runs] == [""] * len(agents)
        self.page.display.draw_now()

    def table(self) -> dict[int, list[str]]:
        """The columns of the table that are seen, without the mark of the leader."""
        table = self.page.panel(MovesTable)
        seen = [column for column in (MOVE, VISITS, SHARE, MEAN) if not table.isColumnHidden(column)]
        rows = range(table.rows.rowCount())
        return {each: [str(table.rows.data(table.rows.index(row, each))) for row in rows] for each in seen}


@pytest.fixture(params=["nim:2,3,4", "mnk:3,3,3 b2"])
def shown(request: pytest.FixtureRequest, open_desk: OpenDesk) -> Shown:
    made = Shown(open_desk(request.param))
    made.desk.wait(lambda: made.model.proof.truth is not None and made.model.proof.truth.complete)
    return made


def fresh(agent: Agent, position: AnyPosition, like: Snapshot) -> Snapshot:
    """A search of its own, stopped where ``like`` was."""
    searcher = agent.new_searcher(position)
    searcher.start(position, SEED)
    limit = Limit(nodes=like.tree_nodes or None) if like.trace is None else Limit(iterations=like.iterations)
    if like.best_move is not None:
        searcher.advance(limit)
    return searcher.snapshot()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_what_is_shown_and_exported_is_what_the_search_says(shown: Shown, tmp_path: Path) -> None:
    position = shown.model.place.position
    for number, group in enumerate(GROUPS):
        agents = [agent for agent in group if agent.plays(position)]
        shown.race(agents)
        for at in range(len(agents)):
            shown.model.agents.set_focus(at)
            moments_agree(shown)
            curves_agree(shown)
        files_agree(shown, tmp_path / f"{number}.nimbundle.json")
        races_agree(shown)


def moments_agree(shown: Shown) -> None:
    """On every axis: the state, the slider, the plot's mark, the sentence, the board, the table."""
    model, run = shown.model, shown.model.searches.focused
    agent, position, line = run.key.agent, run.key.position, run.timeline
    assert line is not None
    for number, cost in enumerate(Cost):
        model.searches.set_axis(Axis(cost))
        spent = line.costs(cost)
        if spent is None or len(line) < 2:
            continue
        row = (number + 1) * (len(line) - 1) // 5
        model.clock.set_moment(float(spent[row]))
        state = model.clock.shown()
        assert state is not None
        expected = fresh(agent, position, state)
        assert numbers(state) == numbers(expected), (agent.label, cost)
        here = shown.page.model.shown.at.spent
        assert here == spent[line.row_at(cost, float(spent[row]))]
        if cost is not Cost.SECONDS:
            assert here == cost_of(expected, cost)
        assert shown.page.scrubber.words.text().startswith(f"{cost_words(cost, here or 0)} of")
        assert shown.page.views.frame().moment == here
        if expected.best_move is not None:
            assert f"would play {describe_move(expected.best_move)}" in shown.page.model.shown.sentence
        board_agrees(shown, expected)
        table_agrees(shown, state)
    model.searches.set_axis(Axis(Cost.ITERATIONS))
    model.clock.show_newest()
    newest = model.clock.shown()
    assert newest is not None
    assert numbers(newest) == numbers(fresh(agent, position, newest))
    board_agrees(shown, newest)
    table_agrees(shown, newest)


def numbers(snapshot: Snapshot) -> tuple[object, ...]:
    """All that a row of a curve says."""
    sampled = snapshot.trace is not None
    return (
        snapshot.iterations,
        snapshot.playouts,
        snapshot.tree_nodes,
        snapshot.best_move,
        [stats.visits for stats in snapshot.moves] if sampled else [],
        [None if s.mean_value is None else round(s.mean_value, 5) for s in snapshot.moves] if sampled else [],
    )


def board_agrees(shown: Shown, expected: Snapshot) -> None:
    overlay = shown.page.board_panel.board.shown.overlay
    if expected.trace is not None:
        visited = {stats.move: stats.visits for stats in expected.moves if stats.visits}
        assert {move: item.visits for move, item in overlay.items()} == visited
        total = sum(visited.values())
        assert all(item.share == item.visits / total for item in overlay.values())
    else:
        assert not any(item.visits or item.share for item in overlay.values()), "nodes are no visits"
    leaders = [move for move, item in overlay.items() if item.leader]
    assert leaders in ([], [expected.best_move])


def table_agrees(shown: Shown, state: Snapshot) -> None:
    total = max(1, state.total_visits)
    expected = {}
    for stats in state.moves:
        name = f"{stats.move.text}{' ▲' if stats.move == state.best_move else ''}"
        mean = "–" if stats.mean_value is None else f"{stats.mean_value:.3f}"
        expected[name] = {VISITS: f"{stats.visits:,}", SHARE: percent(stats.visits / total), MEAN: mean}

    shown.page.display.draw_now()
    table = shown.table()
    cells = zip(*table.values(), strict=True)
    rows = {row[0]: dict(zip(list(table)[1:], row[1:], strict=True)) for row in cells}
    assert rows == {name: {each: of[each] for each in table if each != MOVE} for name, of in expected.items()}
    titles = shown.page.panel(MovesTable).rows.title(VISITS)
    seen = table.keys() - {MOVE}
    assert (seen, titles) in (
        ({VISITS, SHARE, MEAN}, "Visits") if state.trace is not None else ({VISITS, SHARE}, "Nodes"),
        (set(), "Visits"),
    )


def curves_agree(shown: Shown) -> None:
    """Plot, its leader, strip and labels; and the data of each view of moves."""
    run = shown.model.searches.focused
    line, newest = run.timeline, run.snapshot
    assert line is not None
    assert newest is not None
    if newest.trace is None:
        assert shown.page.views.frame().why_not().startswith(f"{run.key.agent.info.title} plays no simulations")
        return
    trace, pane = fresh(run.key.agent, run.key.position, newest).trace, shown.page.views.panes[0]
    assert trace is not None
    assert newest.best_move is not None
    for view in (view for view in View if view.of_moves):
        pane.set_view(view)
        frame = shown.page.views.frame(view)
        if frame.why_not():
            assert view is View.BOUND
            continue
        assert frame.moves.leaders.tolist() == trace.choice.tolist()
        assert frame.moves.moves[frame.moves.leader] == newest.best_move
        if isinstance(pane.plot, CurvesPlot) and pane.plot.names:
            assert pane.plot.names[0].text.split()[0] == newest.best_move.text or not pane.plot.end.x.size
        means, bound = measures.means(trace), run.key.agent.bound(run.key.position.game)
        expected = {
            View.SHARE: trace.shares(),
            View.STACK: trace.shares(),
            View.HEAT: trace.shares(),
            View.VISITS: trace.visits,
            View.VISITS_HEAT: trace.visits,
            View.MEAN: means,
            View.MEAN_HEAT: means,
            View.BOUND: None if bound is None else means + measures.bonuses(trace, bound),
        }[view]
        assert expected is not None
        rows = rows_of(view_csv([frame]))
        assert [int(row["iterations"]) for row in rows] == trace.iterations.tolist()
        for column, move in enumerate(trace.moves):
            told = [float(row[move.text] or "nan") for row in rows]
            np.testing.assert_allclose(told, expected[:, column], rtol=1e-12)


def files_agree(shown: Shown, path: Path) -> None:
    """All data, the bundle, and what opens from it."""
    shown.desk.session.laboratory.take_away.save(path)
    text = full_csv(shown.model.moment())
    bundle, document = load_bundle(path), json.loads(path.read_text())
    assert runs_csv([(letter, run) for letter, run in zip("ABCD", bundle.runs, strict=False)]) == text
    for letter, run, saved in zip("ABCD", shown.model.searches.runs, document["runs"], strict=False):
        newest, line = run.snapshot, run.timeline
        assert newest is not None
        assert line is not None
        again = fresh(run.key.agent, run.key.position, newest)
        rows = [row for row in rows_of(text) if row["run"] == letter]
        assert [row["plays"] for row in rows] == chosen_texts(line)
        assert saved["search"]["tree_nodes"] == again.tree_nodes
        if again.trace is None:
            continue
        assert again.trace.nodes is not None
        assert again.trace.playouts is not None
        assert saved["search"]["trace"]["nodes"] == again.trace.nodes.tolist()
        assert [int(row["iteration"]) for row in rows] == again.trace.iterations.tolist()
        assert [int(row["playouts"]) for row in rows] == again.trace.playouts.tolist()
        nodes = again.trace.nodes.tolist() if again.tree_bytes else [""] * len(rows)
        assert [int(row["nodes"]) if row["nodes"] else "" for row in rows] == nodes
        for column, move in enumerate(again.trace.moves):
            assert [int(row[f"visits:{move.text}"]) for row in rows] == again.trace.visits[:, column].tolist()
            sums = [float(row[f"value_sum:{move.text}"]) for row in rows]
            assert sums == again.trace.value_sum[:, column].tolist()


def chosen_texts(line: Timeline) -> list[str]:
    return [line.moves[column].text if column >= 0 else "" for column in line.choice.tolist()]


def races_agree(shown: Shown) -> None:
    """The curves of the agents, on every axis, stand at their values; the picture tells who is in it, nobody else."""
    model, truth = shown.model, shown.model.proof.truth
    pane = shown.page.views.panes[0]
    for cost in (Cost.NODES, Cost.ITERATIONS):
        model.searches.set_axis(Axis(cost))
        for view in (view for view in View if not view.of_moves):
            pane.set_view(view)
            frame = shown.page.views.frame(view)
            if frame.why_not():
                continue
            assert isinstance(pane.plot, AgentsPlot)
            for curve, drawn in zip(frame.curves, pane.plot.curves, strict=True):
                expected = {
                    View.ENTROPY: curve.timeline.entropy_bits(),
                    View.OPTIMAL: curve.timeline.optimal_shares(truth),
                    View.REGRET: curve.timeline.regrets(truth),
                }[view]
                np.testing.assert_array_equal(curve.values, expected)
                assert set(drawn.y.tolist()) == set(curve.values[~np.isnan(curve.values)].tolist())
        if not frame.why_not():
            picture_agrees(shown, {curve.line.letter for curve in frame.curves}, frame.missing)
    pane.set_view(View.SHARE)
    for at, run in enumerate(model.searches.runs):
        model.agents.set_focus(at)
        if run.snapshot is not None and run.snapshot.trace is not None:
            words = picture_agrees(shown, {"ABCD"[at]}, [])
            assert f"of {'ABCD'[at]} · {model.place.position.text}" in words
        words, newest = shown.page.agents.rows[at].state.text(), run.snapshot
        assert newest is not None
        if newest.best_move is None:  # on a busy machine a certificate is still being checked when the others are done
            assert (words, newest.stopped) == ("no results yet", None)
            continue
        nodes = f"{newest.tree_nodes:,} node" if newest.tree_nodes else newest.stopped.value
        spent = f"{newest.iterations:,} iteration" if newest.iterations else nodes
        assert words.startswith(spent)


def picture_agrees(shown: Shown, letters: set[str], missing: list[str]) -> str:
    """The words of the picture name these agents, nobody else, and those without figures."""
    sheet = shown.desk.session.laboratory.take_away.view_sheet(0)
    assert sheet is not None
    words = " ".join(re.findall(r"<text[^>]*>\s*([^<]*?)\s*</text>", svg_of(sheet).decode()))
    for letter, studied in zip("ABCD", shown.model.agents.studied, strict=False):
        title = title_of(studied.agent, full=True)
        assert (f"{letter}: {title}" in words) is (letter in letters), (letter, words)
        assert (f"Without {letter}" in words or f", {letter}: no" in words) is (letter in missing) or len(missing) > 1
    return words


def test_an_earlier_version_says_no_nodes_that_nobody_counted(open_desk: OpenDesk, tmp_path: Path) -> None:
    shown = Shown(open_desk("nim:2,3,4"))
    shown.race([make_agent("uct")])
    files, path = shown.desk.session.laboratory.take_away, tmp_path / "old.nimbundle.json"
    files.save(path)
    before = [rows for row in rows_of(full_csv(shown.model.moment())) if (rows := row | {"nodes": ""})]
    document = json.loads(path.read_text())
    del document["runs"][0]["search"]["trace"]["nodes"]
    path.write_text(json.dumps(document))
    shown.model.searches.start_over()
    files.open(path)
    assert rows_of(full_csv(shown.model.moment())) == before, "all else is the same"
    shown.model.searches.set_axis(Axis(Cost.NODES))
    assert "saved without the nodes" in shown.page.views.frame().why_not()
    shown.model.searches.set_axis(Axis(Cost.ITERATIONS))
    shown.model.searches.run()
    shown.desk.wait(lambda: not shown.model.searches.running)
    shown.model.searches.set_axis(Axis(Cost.NODES))
    assert shown.page.views.frame().why_not() == ""
