"""Small studies for the tests."""

from typing import Any

from nimdesk.experiments.files import Found
from nimdesk.experiments.plan import Plan, PlayerPart, study_plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.schedule import Schedule, Study, StudyTask
from nimdesk.experiments.study_tally import StudyTally
from nimdesk.experiments.tasks import run_tasks

# A corner must be answered in the middle: one move of eight draws, the others lose.
ONE_GOOD_MOVE = "mnk:3,3,3 a1"


def plan(*agents: PlayerPart | str, **changes: Any) -> Plan:
    parts = [PlayerPart(agent=each) if isinstance(each, str) else each for each in agents]
    values: dict[str, Any] = {"positions": ["nim:3,4,5"], "budgets": [10, 50, 200], "repeats": 4}
    return study_plan(parts or [PlayerPart(agent="uct")], **(values | changes))


def schedule(*agents: PlayerPart | str, **changes: Any) -> Schedule:
    return schedule_of(plan(*agents, **changes))


def study(*agents: PlayerPart | str, **changes: Any) -> Study:
    made = schedule(*agents, **changes).study
    assert made is not None
    return made


def tasks(made: Study) -> list[StudyTask]:
    return [made.task(number) for number in range(made.tasks)]


def begun(made: Schedule, *, keep_visits: bool = False) -> StudyTally:
    """Results without a search."""
    found = Found(made, keep_visits=keep_visits)
    found.prove()
    assert found.study is not None
    return found.study


def finished(made: Schedule, *, keep_visits: bool = False) -> StudyTally:
    tally = begun(made, keep_visits=keep_visits)
    for result in run_tasks(made, range(made.total), None, tally.regrets)[0]:
        tally.add(result)  # type: ignore[arg-type]
    return tally
