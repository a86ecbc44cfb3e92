"""Small studies for the tests."""

import threading
from typing import Any

from nimdesk.experiments.study import Study, StudyAgent, StudyPlan, study_of
from nimdesk.experiments.study_results import StudyResults
from nimdesk.experiments.study_run import run_study
from nimdesk.experiments.study_search import prove

# A corner must be answered in the middle: one move of eight draws, the others lose.
ONE_GOOD_MOVE = "mnk:3,3,3 a1"


def plan(*agents: StudyAgent | str, **changes: Any) -> StudyPlan:
    parts = tuple(StudyAgent(agent=each) if isinstance(each, str) else each for each in agents)
    values: dict[str, Any] = {"positions": ("nim:3,4,5",), "budgets": (10, 50, 200), "seeds": 4}
    return StudyPlan(agents=parts or (StudyAgent(agent="uct"),), **(values | changes))


def study(*agents: StudyAgent | str, **changes: Any) -> Study:
    return study_of(plan(*agents, **changes))


def begun(made: Study, *, keep_visits: bool = False) -> StudyResults:
    """Results without a search."""
    truths = prove(made)
    assert truths is not None
    return StudyResults(made, truths, keep_visits=keep_visits)


def finished(made: Study, *, threads: int = 1, keep_visits: bool = False) -> StudyResults:
    results = begun(made, keep_visits=keep_visits)
    assert run_study(results, threading.Event(), threads=threads)
    return results
