"""What stands in the settings for a form that was filled in: whatever it is, the form is whole afterwards."""

from __future__ import annotations

import json
from random import Random

import pytest
from json_mutations import mutated
from pytestqt.qtbot import QtBot

from nimdesk.ui.experiments.match_form import MatchForm
from nimdesk.ui.experiments.plan_form import PlanForm
from nimdesk.ui.experiments.study_form import StudyForm


@pytest.mark.parametrize("kind", [StudyForm, MatchForm])
def test_a_form_takes_any_text_for_a_draft(qtbot: QtBot, kind: type[StudyForm | MatchForm]) -> None:
    form: PlanForm = kind(lambda: "nim:3,4,5")
    qtbot.addWidget(form)
    before = form.draft()
    document, taken = json.loads(before), 0
    for seed in range(400):
        text = mutated(document, Random(seed), huge=2_000).decode(errors="replace")
        taken += form.take_draft(text)
        assert form.picks.rows
        kept = form.draft()
        assert form.take_draft(kept)
        assert form.draft() == kept
    assert 50 < taken < 400
    assert form.take_draft(before)
    assert form.draft() == before
    assert form.plan is not None
