"""Figures for print: what they draw is the search itself, and the script beside a picture draws it again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import asdict
from PIL import Image

import nimdesk as nd
from nimdesk.agents import make_agent
from nimdesk.errors import NimdeskError, OptionError
from nimdesk.figures.compared import of_comparison
from nimdesk.figures.content import Content, Searched, caption, in_full, of_searches, of_study
from nimdesk.figures.drawing import figure_of, read_panels, save
from nimdesk.figures.files import Look, check, look_of, write_figure
from nimdesk.figures.measure import MEASURES, MeasureName
from nimdesk.search import measures
from nimdesk.search.timeline import Cost, Recorder

# What a script ends with on a full disk.
FULL = subprocess.CompletedProcess([], 1, "", "Traceback:\nOSError: [Errno 28] No space left on device: 'out.png'\n")


def searched(search: nd.Search, letter: str = "") -> Searched:
    recorder = Recorder()
    recorder.add(search.snapshot)
    return Searched(
        search.agent, search.position.game, search.snapshot.seed, recorder.timeline(search.snapshot), letter
    )


@pytest.fixture(scope="module")
def search() -> nd.Search:
    return nd.analyse("nim:3,4,5", "uct", iterations=2_000, seed=1)


@pytest.fixture(scope="module")
def mean(search: nd.Search) -> Content:
    return of_searches(search.position, [searched(search)], "mean", cost=Cost.NODES, truth=nd.solve("nim:3,4,5"))


def test_the_curves_are_the_numbers_of_the_search(search: nd.Search, mean: Content) -> None:
    trace = search.trace
    assert trace is not None
    assert trace.nodes is not None
    assert search.best_move is not None
    (panel,) = mean.plot["panels"]
    first, column = panel["curves"][0], trace.moves.index(search.best_move)
    assert first["label"].removesuffix(" ✓") == search.best_move.text
    assert first["x"] == trace.nodes.tolist()
    np.testing.assert_array_equal(first["y"], measures.means(trace)[:, column])
    error = measures.standard_errors(trace)[-1, column]
    assert first["high"][-1] - first["y"][-1] == pytest.approx(error)
    assert [curve["faint"] for curve in panel["curves"]] == [False] * 5 + [True] * 7
    assert [curve["label"] for curve in panel["curves"] if "✓" in curve["label"]] == ["1-2 ✓"]
    for words in (
        "exploration = 1.414",
        "iterations = 2000",
        "seed 1",
        "one standard error",
        f"nimdesk {nd.__version__}",
    ):
        assert words in mean.caption


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("uct", "exploration = 1.4142135623730951, log_n = parent"),
        ("deepening", "Alpha-beta, deepening (nodes = 1000000, depth = to the end)"),
        ("minimax", "Minimax"),
    ],
)
def test_a_caption_leaves_out_what_is_not_limited_and_speaks_no_python(name: str, words: str) -> None:
    told = in_full(make_agent(name))
    assert words in told
    assert not re.search(r"None|True|False|\(\)", told)


@pytest.mark.parametrize(("name", "measure"), [("uct", "share"), ("mcts", "share"), ("flat", "mean")])
def test_a_figure_shows_at_first_what_the_agent_chooses_by(name: str, measure: MeasureName) -> None:
    search = nd.analyse("nim:3,4,5", name, seed=1)
    usual, asked_for = (each.get_ylabel() for each in (search.plot(), search.plot(measure=measure)))
    assert usual == asked_for == MEASURES[measure].words + " for First" * (measure == "mean")


def test_searches_side_by_side_have_a_panel_each_and_measures_of_agents_a_curve_each(search: nd.Search) -> None:
    both = [searched(search, "A"), searched(search, "B")]
    shares = of_searches(search.position, both)
    assert [panel["title"][:2] for panel in shares.plot["panels"]] == ["A:", "B:"]
    regret = of_searches(search.position, both, "regret", truth=nd.solve("nim:3,4,5"))
    (panel,) = regret.plot["panels"]
    assert [set(curve["y"]) <= {0.0, 1.0} for curve in panel["curves"]] == [True, True]
    with pytest.raises(OptionError, match="nothing to draw"):
        of_searches(search.position, both, "regret")


@pytest.mark.parametrize("measure", ["share", "entropy"])
def test_a_caption_names_the_searches_that_are_drawn_and_says_who_has_no_curve(search: nd.Search, measure: str) -> None:
    depth_first = nd.analyse("nim:3,4,5", "minimax")
    content = of_searches(search.position, [searched(search, "A"), searched(depth_first, "B")], measure)  # type: ignore[arg-type]
    drawn = json.dumps(content.plot["panels"])
    assert ("A: uct" in drawn, "B: minimax" in drawn) == (True, False)
    assert "A: MCTS, textbook (" in content.caption
    assert "B: Minimax" not in content.caption
    assert "Without B: minimax: no " in content.caption


def test_how_much_memory_a_tree_may_take_is_no_name_of_a_curve() -> None:
    search = nd.analyse("nim:3,4,5", "uct", iterations=50, seed=1, exploration=0.5, memory_mb=64)
    assert searched(search, "A").name == "A: uct:exploration=0.5"


def test_a_heat_map_has_a_row_for_each_move_visited(search: nd.Search, tmp_path: Path) -> None:
    shares = of_searches(search.position, [searched(search)], "share", heat=True)
    assert search.best_move is not None
    assert "The colour is the share of visits" in shares.caption
    (panel,) = shares.plot["panels"]
    assert panel["curves"][0]["label"] == search.best_move.text
    assert len(panel["curves"]) == sum(stats.visits > 0 for stats in search.moves)
    assert not any(curve["faint"] or curve["low"] for curve in panel["curves"])
    for log_y in (False, True):
        with Image.open(write_figure(shares, Look(dpi=50, log_y=log_y), tmp_path / "heat.png", {})[0]) as image:
            colors = image.convert("RGB").getcolors(100_000)
        # The colours of the map, from white to dark blue, and of its legend.
        assert colors is not None
        assert len(colors) > 50
    save(shares.plot, asdict(Look()), tmp_path / "heat.svg", "", "", "")
    assert "<image" not in (tmp_path / "heat.svg").read_text(), "as PGF it is one file"


def test_a_study_is_drawn_with_its_intervals() -> None:
    results = nd.study(["nim:3,4,5", "nim:2,3"], "uct", budgets=[10, 50], seeds=4)
    content = of_study(results.found)
    assert [panel["title"] for panel in content.plot["panels"]] == ["nim:3,4,5", "nim:2,3"]
    assert "uct: MCTS, textbook (exploration = 1.414" in content.caption
    assert "seed " not in content.caption
    table = results.to_pandas()
    curve = content.plot["panels"][0]["curves"][0]
    assert (curve["y"], curve["low"], curve["high"]) == tuple(
        table[table.position == "nim:3,4,5"][name].tolist() for name in ("optimal_share", "low", "high")
    )


def test_the_script_beside_a_picture_draws_the_same_again(mean: Content, tmp_path: Path) -> None:
    picture, table, script, made = write_figure(mean, Look(width_mm=85, dpi=100), tmp_path / "mean.png", {"of": "nim"})
    names = [path.name for path in (picture, table, script, made)]
    assert names == ["mean.png", "mean.figure.csv", "mean.figure.py", "mean.figure.csv.made.json"]
    with Image.open(picture) as image:
        assert abs(image.width - 85 / 25.4 * 100) < 1
        assert image.text["Description"] == mean.caption  # type: ignore[attr-defined]
        assert f"nimdesk {nd.__version__}" in image.text["Comment"]  # type: ignore[attr-defined]
    again = tmp_path / "again.png"
    subprocess.run([sys.executable, str(script), str(again)], check=True)
    assert again.read_bytes() == picture.read_bytes()
    for drawn, read in zip(mean.plot["panels"][0]["curves"], read_panels(table)[0]["curves"], strict=True):
        assert (read["label"], read["faint"]) == (drawn["label"], drawn["faint"])
        for name in ("x", "y", "low", "high"):
            np.testing.assert_array_equal(read[name], drawn[name])  # type: ignore[literal-required]


def test_dollars_in_a_name_are_dollars_and_the_powers_of_an_axis_stay_maths(search: nd.Search, tmp_path: Path) -> None:
    names = [r"$\frac{1$.db", "a $5 b $6", r"one \$ and $"]
    content = of_searches(search.position, [searched(search, name) for name in names])
    for panel in content.plot["panels"]:
        panel["curves"][0]["label"] = "$x^2$"  # the same everywhere, so that one legend tells it once
    picture, _table, script, _ = write_figure(content, Look(width_mm=170), tmp_path / "a.svg", {})
    drawn = picture.read_text(encoding="utf-8")
    # Each text stands as a comment above the letters that are drawn; as maths it would have fewer of them.
    letters = {words: shape.count("<use") for words, shape in re.findall("<!-- (.*?) -->(.*?)</g>", drawn, re.DOTALL)}
    for words in (*(f"{name}: uct" for name in names), "$x^2$"):
        assert letters[words] == len(words)
    assert letters[r"$\mathdefault{10^{2}}$"] == len("102")
    again = tmp_path / "again.svg"
    subprocess.run([sys.executable, str(script), str(again)], check=True)
    assert again.read_bytes() == picture.read_bytes()


def test_a_name_that_begins_with_an_underscore_is_in_the_legend(search: nd.Search) -> None:
    both = [searched(search, "_a.db"), searched(search, "b.db")]
    (legend,) = figure_of(of_searches(search.position, both, "entropy").plot, asdict(Look())).legends
    assert [text.get_text().strip() for text in legend.get_texts()] == ["_a.db: uct", "b.db: uct"]


def test_the_names_of_files_and_plans_are_one_line_of_letters_that_can_be_seen(tmp_path: Path) -> None:
    """In a PGF a line break would end the comment and begin TeX; in an SVG other letters are no XML."""
    hostile = "a\n\\input{b}\x1b[2J\0\ufffe"
    study = nd.study("nim:2,3", "uct", budgets=[10], seeds=2).found
    drawn = of_comparison(study, study, (hostile, "b"))
    labels = [curve["label"] for panel in drawn.plot["panels"] for curve in panel["curves"]]
    assert labels[0] == "a \\input{b}�[2J��: uct"
    for words in (drawn.title, drawn.caption, *labels):
        assert words.isprintable()
    ElementTree.parse(write_figure(drawn, Look(), tmp_path / "a.svg", {})[0])
    assert caption([f"Of {hostile}."]).startswith("Of a \\input{b}�[2J��. Computed with")


def test_what_cannot_be_drawn_is_a_sentence(mean: Content, tmp_path: Path) -> None:
    assert look_of("width_mm=174, font=sans, legend=no") == Look(width_mm=174, font="sans", legend=False)
    for text, words in (
        ("width=3", "no measure of a figure"),
        ("width_mm=3", "“width_mm”: expected"),
        ("dpi=x", "“dpi”"),
    ):
        with pytest.raises(OptionError, match=words):
            look_of(text)
    with pytest.raises(OptionError, match=r"ends in \.pdf"):
        check(tmp_path / "a.jpg")
    with pytest.raises(OptionError, match="is not a folder"):
        check(tmp_path / "none" / "a.pdf")
    with pytest.raises(NimdeskError, match="no font “No such font”"):
        write_figure(mean, Look(font="No such font"), tmp_path / "a.pdf", {})
    assert not list(tmp_path.iterdir())


def test_without_room_for_temporary_files_the_reason_is_told(
    mean: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.figures.files.subprocess.run", lambda *_, **__: FULL)
    with pytest.raises(NimdeskError, match=r"^The figure cannot be drawn, .* temporary files: no space is left on the"):
        write_figure(mean, Look(), tmp_path / "a.png", {})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(NimdeskError, match=r"^The figure cannot be drawn, .* temporary files: there is no such file"):
        write_figure(mean, Look(), tmp_path / "a.png", {})
    assert not list(tmp_path.iterdir())


def test_pgf_without_latex_is_a_sentence(mean: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NimdeskError, match="PGF needs LaTeX on this machine"):
        write_figure(mean, Look(), tmp_path / "mean.pgf", {})
    assert not list(tmp_path.iterdir())


def typeset(program: str, folder: Path, body: str) -> tuple[bool, str]:
    """Whether an article with these words, and nothing but the package pgf, becomes a PDF; and what was said."""
    article = rf"\documentclass{{article}}\usepackage{{pgf}}\begin{{document}}{body}\end{{document}}"
    (folder / "article.tex").write_text(article)
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "article.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.returncode == 0, done.stdout.decode(errors="replace")[-2_000:]


def test_an_article_includes_a_pgf_in_its_own_letters_with_nothing_but_the_package_pgf(tmp_path: Path) -> None:
    there = [name for name in ("lualatex", "pdflatex", "xelatex") if which(name) and typeset(name, tmp_path, "A")[0]]
    if not there:
        pytest.skip("there is no LaTeX with the package pgf on this machine")
    agent = make_agent("uct", {"playouts": "perfect_opponent", "iterations": 50, "seed": 1})
    search = nd.analyse("nim:3,4,5", agent)
    both = [searched(search, "A_&# $5 $"), searched(search, "50% ^~\\")]
    content = of_searches(search.position, both, truth=nd.solve("nim:3,4,5"))
    picture, *_ = write_figure(content, Look(width_mm=85), tmp_path / "mean.pgf", {})
    text = picture.read_text(encoding="utf-8")
    assert text.startswith(f"%% {content.title}. {content.caption}")
    width = re.search(r"\\pgfpathrectangle\{\\pgfpointorigin\}\{\\pgfqpoint\{([\d.]+)in\}", text)
    assert width is not None
    assert float(width[1]) * 25.4 == pytest.approx(85, abs=0.01)
    for program in there:
        included, said = typeset(program, tmp_path, r"\input{mean.pgf}")
        assert included, said
        assert "Missing character" not in (tmp_path / "article.log").read_text(errors="replace")
