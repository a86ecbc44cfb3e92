"""Results of a match in which a player took part that is not here now: an engine, or a plug-in of somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from runs import finished

import nimdesk.api as nd
from nimdesk.agents import CATALOGUE
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.playing import game_of
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import Matches, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan, study_plan
from nimdesk.experiments.report import csv_files
from nimdesk.experiments.run import Run
from nimdesk.experiments.schedule import schedule_of
from nimdesk.play import Human

GUEST = "guest"
NOTE = (
    "Not here: G. The results can be read; nothing can be added to them, and whether they can be reproduced is not "
    "known."
)


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A match with the guest, who is here until ``leave``."""
    monkeypatch.setitem(CATALOGUE, GUEST, replace(CATALOGUE["flat"], name=GUEST))
    players = {"G": PlayerPart(agent=GUEST, options={"playouts": 3}), "random": PlayerPart(agent="random")}
    return new_plan("match", players, matches=[MatchPart(players=["G", "random"], positions=["mnk:3,3,3"], games=2)])


def leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CATALOGUE, GUEST)


def test_they_are_read_as_before(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "guest.db"
    finished(plan, path)
    before = read(path)
    leave(monkeypatch)
    after = read(path)
    assert after.done == after.total == 4
    assert csv_files(after) == csv_files(before)
    assert NOTE in after.schedule.notes
    assert NOTE not in before.schedule.notes
    results = nd.open(path)
    assert isinstance(results, nd.Results)
    assert len(results.to_pandas()) == 2


def test_their_games_open_as_those_of_two_people(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "guest.db"
    finished(plan, path)
    leave(monkeypatch)
    found = read(path)
    for result in found[MatchTally].results:
        game = game_of(found.schedule[Matches], result, searches=True)
        assert game.players == (Human(), Human())
        assert [ply.move.text for ply in game.plies] == [ply.move for ply in result.plies]
        assert {ply.by for ply in game.plies} == {GUEST, "Random"}
        assert [ply.by for ply in game.plies if ply.snapshot] == ["Random"] * (len(game.plies) // 2)


def test_nothing_can_be_run_with_it(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(monkeypatch)
    with pytest.raises(PlanError, match="there is no agent “guest”"):
        schedule_of(plan)
    schedule = schedule_of(plan, to_read=True)
    assert schedule.agents["G"].full_label == "guest:playouts=3"
    with pytest.raises(NimdeskError, match="The agent “guest” is not here"):
        schedule.agents["G"].new_searcher()
    path = tmp_path / "guest.db"
    run = Run(schedule, path)
    run.start()
    assert run.wait(60)
    assert "There is no agent “guest”" in str(run.error)
    assert not path.exists()


def test_a_study_or_an_option_that_is_none_is_refused_as_ever(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_plan([PlayerPart(agent=GUEST)], ["nim:1,2"], [10], 2)
    leave(monkeypatch)
    with pytest.raises(PlanError, match="There is no agent “guest”"):
        schedule_of(study, to_read=True)
    for here in ("flat", "uct-002"):
        wrong = replace(plan, players={**plan.players, "G": PlayerPart(agent=here, options={"depth": 3})})
        with pytest.raises(PlanError, match="depth"):
            schedule_of(wrong, to_read=True)
