"""What the functions of the library return: a sentence, a form for notebooks, a table, a figure, and true numbers."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import norm

import nimdesk as nd
from nimdesk import cli
from nimdesk.agents import make_agent
from nimdesk.play.bundle import Bundle, SavedRun, save_bundle

UCT = nd.agent("uct:iterations=50")


@pytest.fixture(autouse=True)
def _no_plots_left() -> Iterator[None]:
    yield
    plt.close("all")


def saved_searches(folder: Path) -> object:
    search = nd.analyse("nim:3,4,5", "uct", iterations=50, seed=1)
    save_bundle(Bundle(search.position, (SavedRun(search.agent, 1, search.snapshot),)), folder / "a.nimbundle.json")
    return nd.open(folder / "a.nimbundle.json")


def checked(folder: Path) -> object:
    command("solve", "mnk:3,3,3", "--certificate", str(folder / "draw.cert"))
    return nd.open(folder / "draw.cert")


def command(*words: str) -> int:
    return cli.run(words, lambda *_, **__: 0, lambda *_: [])


MATCH = {"games": 4, "sprt": (0, 50), "pairs": True, "seed": 1}
ANSWERS: dict[str, Callable[[Path], Any]] = {
    "Search": lambda _: nd.analyse("nim:3,4,5", "uct", iterations=50, seed=1),
    "Solution": lambda _: nd.solve("nim:3,4,5"),
    "Results": lambda _: nd.match([UCT, "random"], "nim:1,2", **MATCH),  # type: ignore[arg-type]
    "Comparison": lambda _: nd.compare(*(nd.study("nim:1,2", budgets=[5, 9], seeds=3, seed=seed) for seed in (1, 2))),
    "Grundy": lambda _: nd.grundy("0.77", to=99),
    "PlayedGame": lambda _: nd.play_game(UCT, "perfect", "nim:1,2"),
    "Review": lambda _: nd.review("nim:3,4,5 1-1 2-1", budget=50),
    "SavedSearches": saved_searches,
    "Proof": checked,
    "Elo": lambda _: nd.elo(9, 5, 3),
}


def test_every_answer_is_shown() -> None:
    assert set(ANSWERS) == {name for name in nd.__all__ if isinstance(getattr(nd, name), type)}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_has_a_sentence_a_form_a_table_and_a_figure(name: str, tmp_path: Path) -> None:
    answer = ANSWERS[name](tmp_path)
    assert type(answer) is getattr(nd, name)
    assert answer.finding.isprintable()
    assert repr(answer).startswith("<")
    assert repr(answer).endswith(">")
    assert "<p>" in answer._repr_html_()
    assert len(answer.to_pandas()) > 0
    if name == "Proof":
        assert not hasattr(answer, "plot"), "a proof has no numbers to be drawn"
    else:
        assert answer.plot().has_data()
    with pytest.warns(DeprecationWarning, match="is called “finding” now"):
        assert answer.sentence == answer.finding


def test_names_in_a_form_for_notebooks_are_text() -> None:
    study = nd.study("nim:1,2", budgets=[5], seeds=1)
    study.found.name = "<script>"
    assert "<script>" not in study._repr_html_()
    assert "&lt;" in nd.compare(study, study)._repr_html_() or "<script>" not in nd.compare(study, study)._repr_html_()


def test_grundy_values_of_kayles_are_those_of_the_books() -> None:
    kayles = nd.grundy("0.77", to=2_000)
    assert kayles.values[:12] == [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]
    period = kayles.period
    assert period is not None
    assert (period.length, period.start, period.proven) == (12, 71, True)
    assert kayles.nim_sum([3, 4]) == 3 ^ 1
    assert list(kayles.to_pandas().value) == kayles.values


def test_elo_is_that_of_the_mean_score_and_nearly_normal_with_many_games() -> None:
    counts = (379, 10_170, 22_000, 10_300, 402)  # pairs with 0, ½, 1, 1½ and 2 points, as fishtest prints them
    found = nd.elo(*counts, sprt=(0, 5))
    share = np.array(counts) / sum(counts)
    points = np.arange(5) / 4
    mean = float(share @ points)
    error = math.sqrt(float(share @ (points - mean) ** 2) / sum(counts))

    def elo(score: float) -> float:
        return -400 * math.log10(1 / score - 1)

    z = float(norm.ppf(0.975))
    assert found.elo == pytest.approx(elo(mean))
    assert found.interval == pytest.approx((elo(mean - z * error), elo(mean + z * error)), abs=0.01)
    assert found.los == pytest.approx(float(norm.cdf((mean - 0.5) / error)), abs=1e-3)
    # The generalised SPRT is close to that of a normal mean.
    at = [1 / (1 + 10 ** (-each / 400)) for each in (0, 5)]
    assert found.llr == pytest.approx((at[1] - at[0]) * (2 * mean - sum(at)) / (2 * error**2), rel=0.01)
    assert found.decision == "H0"
    assert "402 with 2, 10,300 with 1½, 22,000 with 1, 10,170 with ½, 379 with 0 points" in found.finding
    assert nd.elo(10, 0, 0).elo == math.inf


def test_a_review_is_that_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = nd.play_game(UCT, "random", "nim:3,4,5", seed=2, file=tmp_path / "game.nimdesk")
    capsys.readouterr()
    assert command("review", str(tmp_path / "game.nimdesk"), "--budget", "300", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    for given in (game, tmp_path / "game.nimdesk", str(tmp_path / "game.nimdesk")):
        review = nd.review(given, budget=300)
        assert [each.plain for each in review.moves] == said["moves"]
        assert review.finding == said["finding"]
    bare = nd.review(game.last_position, budget=300)
    assert [each.lost for each in bare.moves] == [each["lost"] for each in said["moves"]]


def test_a_certificate_answers_every_move(tmp_path: Path) -> None:
    proof = checked(tmp_path)
    assert isinstance(proof, nd.Proof)
    assert proof.position.text == "mnk:3,3,3"
    answers = proof.to_pandas()
    assert [move.text for move in proof.position.legal_moves][: len(answers)] == list(answers.move)
    assert all(
        move in {each.text for each in proof.position.play(first).legal_moves}
        for first, move in zip(proof.position.legal_moves, answers.answer, strict=False)
    )
    assert answers.why.str.len().min() > 0


def test_a_match_begins_after_each_opening_with_one_budget_for_all() -> None:
    found = nd.match(
        ["uct", "uct:exploration=0.5", "random"], "mnk:3,3,3", games=1, budget=20, openings=["b2", "a1 b2"]
    )
    (part,) = found.plan.matches
    assert part.positions == ["mnk:3,3,3 b2", "mnk:3,3,3 a1 b2"]
    options = {name: each.options for name, each in found.plan.players.items()}
    assert options == {
        "uct:iterations=20": {"iterations": 20},
        "uct:iterations=20,exploration=0.5": {"iterations": 20, "exploration": 0.5},
        "random": {},
    }
    gauntlet = nd.match(["uct:iterations=9", "random", "flat:playouts=2"], "nim:1,2", games=1, format="gauntlet")
    assert len(gauntlet.pairings) == 2


def test_openings_are_those_of_a_file_with_the_same_lines(tmp_path: Path) -> None:
    lines, file = ["1-1", "nim:3,4,5 3-4", "2-2"], tmp_path / "lines.txt"
    file.write_text("\n".join(lines))
    starts = ["nim:3,4,5", "nim:2,3,4"]
    ours, theirs = (nd.match(["random", "random"], starts, games=1, openings=each).plan for each in (lines, file))
    assert ours.matches[0].positions == theirs.matches[0].positions
    assert ours.digest == theirs.digest


def test_an_agent_in_a_word_is_the_agent_with_options() -> None:
    agent = nd.agent("uct:exploration=0.5,iterations=10")
    assert agent == make_agent("uct", {"exploration": 0.5, "iterations": 10})
    assert repr(agent) == "<uct:iterations=10,exploration=0.5>"


def test_a_test_that_is_drawn_ends_at_its_ratio() -> None:
    found = nd.match([UCT, "random"], "nim:3,4,5", games=60, sprt=(0, 100), pairs=True)
    (pairing,) = found.pairings
    curve, *_ends = found.plot(measure="llr").lines
    assert np.asarray(curve.get_ydata())[-1] == pytest.approx(pairing.llr)
    bars = found.plot(measure="ratings").patches
    rated = found.ratings
    assert rated is not None
    assert [bar.get_width() for bar in bars[:2]] == [each.elo for each in rated.ratings]  # type: ignore[attr-defined]


def test_an_atlas_is_that_of_the_command(tmp_path: Path) -> None:
    ours = nd.atlas("nim-2x3", "uct", budgets="10,100", seeds=5)
    out = str(tmp_path / "atlas.db")
    words = ("--position", "nim-2x3", "--agent", "uct", "--budgets", "10,100", "--seeds", "5", "--out", out)
    assert command("atlas", "convergence", *words) == 0
    there = nd.open(out)
    assert isinstance(there, nd.Results)
    assert there.to_pandas().equals(ours.to_pandas())
