"""A sequential test shows its log-likelihood ratio, while it runs and afterwards, and what an early stop does."""

import random
from typing import Literal

import pytest
from runs import counted, finished

from nimdesk.api import Results
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.sequential import bias_words
from nimdesk.experiments.matches.tables import PAIRINGS, PAIRS
from nimdesk.experiments.matches.tally import MatchTally, PairingTally
from nimdesk.experiments.matches.work import GameResult, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.report import finding, markdown, sections
from nimdesk.experiments.results import Progress, progress_text
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.sections import Section
from nimdesk.experiments.statistics import Sprt, signed
from nimdesk.experiments.tables import Cell, Table

BY_GAMES, BY_PAIRS = Sprt(elo0=0, elo1=100), Sprt(elo0=0, elo1=100, unit="pairs")


def plan_of(test: Sprt | None, *others: str) -> Plan:
    names = ("a", "b", *others)
    part = MatchPart(players=list(names), positions=["nim:1,2"], games=200, sprt=test)
    return new_plan("tested", {name: PlayerPart(agent="random") for name in names}, matches=[part])


def played(test: Sprt | None, share: float, games: int = 400, *others: str) -> Found:
    """Games of which the player named first wins this share, and the second as many more or fewer."""
    made, chance = schedule_of(plan_of(test, *others)), random.Random(3)
    found: list[GameResult] = []
    for number in range(min(games, made.total)):
        swapped = number % 2 == 1
        won = chance.random() < share
        winner: Literal[0, 1] = 0 if won != swapped else 1
        found.append(GameResult(number, "nim:1,2", winner, ()))
    return counted(made, found)


def pairing_of(found: Found) -> PairingTally:
    return found[MatchTally].pairings[0]


def section_of(found: Found, title: str) -> Section:
    (section,) = [each for each in sections(found) if each.title == title]
    return section


def row_of(table: Table[PairingTally], found: Found) -> dict[str, Cell]:
    (row,) = table.rows(found[MatchTally])
    return {column.name: column.value(row) for column in table.columns}


@pytest.mark.parametrize(("test", "share"), [(BY_GAMES, 0.75), (BY_GAMES, 0.45), (BY_PAIRS, 0.75), (BY_PAIRS, 0.45)])
def test_the_ratio_of_a_decided_test_is_shown_with_its_bounds_and_with_what_it_counts(test: Sprt, share: float) -> None:
    found = played(test, share)
    met = pairing_of(found)
    llr = test.llr(*(met.pairs if test.unit else met.counts))
    assert met.decision == ("H1" if llr >= test.upper else "H0")
    assert met.llr == llr
    shown = f"LLR {signed(llr, 2)} (−2.94, +2.94)"
    pairs = " : ".join(map(str, met.pairs))
    said = finding(found)
    assert f"{met.decision} accepted after {met.games} games, {shown}" in said
    assert (f"pairs with 2, 1½, 1, ½, 0 points: {pairs}" in said) is bool(test.unit)
    assert shown in markdown(found)
    unit = "pairs" if test.unit else "games"
    assert section_of(found, "Sequential test").rows == [
        (
            "a", "b", "0 Elo", "100 Elo", f"{sum(met.tested)} {unit}", signed(llr, 2), "−2.94, +2.94",
            f"{met.decision} after {met.games} games",
        )
    ]  # fmt: skip
    row = row_of(PAIRINGS, found)
    assert (row["llr"], row["llr_lower"], row["llr_upper"]) == (llr, test.lower, test.upper)
    assert list(row_of(PAIRS, found).values()) == ["a", "b", *met.pairs]
    assert section_of(found, "Pairs of games").rows == [("a", "b", str(sum(met.pairs)), *map(str, met.pairs))]
    (of_library,) = Results(found).pairings
    assert (of_library.llr, of_library.decision, of_library.pairs) == (llr, met.decision, met.pairs)


@pytest.mark.parametrize(("share", "where"), [(0.75, "upwards, away from zero"), (0.4, "downwards, away from zero")])
def test_after_an_early_stop_the_elo_says_that_it_is_biased(share: float, where: str) -> None:
    found = played(BY_GAMES, share)
    assert pairing_of(found).bias == where.partition(",")[0]
    assert f"the test stopped early, which biases the Elo {where}" in finding(found)
    assert row_of(PAIRINGS, found)["elo_biased"] == pairing_of(found).bias
    pairings = section_of(found, "Pairings")
    assert pairings.rows[0][8].endswith("] *")
    assert pairings.note == "* The test stopped early, which biases the Elo away from zero."


def test_a_test_that_accepts_h0_of_a_better_player_biases_downwards_and_so_towards_zero() -> None:
    found = played(Sprt(elo0=100, elo1=200), 0.58)
    met = pairing_of(found)
    assert met.decision == "H0"
    assert met.elo[0] > 0
    assert bias_words(met) == "the test stopped early, which biases the Elo downwards"
    assert section_of(found, "Pairings").note == "* The test stopped early, which biases the Elo."


def test_what_has_not_stopped_early_is_not_called_biased() -> None:
    for found in (played(None, 0.75), played(BY_GAMES, 0.75, games=8)):
        assert pairing_of(found).bias == ""
        assert "bias" not in finding(found)
        assert "bias" not in markdown(found)


def test_an_open_test_says_how_far_it_is() -> None:
    found = played(BY_GAMES, 0.75, games=8)
    met = pairing_of(found)
    assert met.decision is None
    assert met.llr == pytest.approx(BY_GAMES.llr(*met.counts))
    assert f"the test is open, LLR {signed(met.llr, 2)} (−2.94, +2.94)" in finding(found)
    assert section_of(found, "Sequential test").rows[0][-1] == "open"
    assert found.progress == f"LLR {signed(met.llr, 2)} (−2.94, +2.94)"
    now = Progress(8, 400, 8, 2.0, 4.0, found.progress)
    assert progress_text(now).endswith(f" left, LLR {signed(met.llr, 2)} (−2.94, +2.94)")


def test_of_many_tests_it_is_said_how_many_are_decided_and_how_far_the_last_one_is() -> None:
    assert played(BY_GAMES, 0.75, 0, "c").progress == "0 of 3 tests decided"
    assert played(BY_GAMES, 0.75, 400, "c").progress == "1 of 3 tests decided"
    found = played(BY_GAMES, 0.75, 810, "c")
    last = found[MatchTally].pairings[2]
    assert [each.decision for each in found[MatchTally].pairings] == ["H1", "H1", None]
    assert found.progress == f"LLR {signed(last.llr, 2)} (−2.94, +2.94)"
    assert played(None, 0.5).progress == ""


def test_a_run_tells_the_ratio_with_its_progress() -> None:
    run = finished(plan_of(BY_PAIRS), None)
    assert run.progress().tests == run.found.progress
    assert run.progress().tests.startswith("LLR ")
