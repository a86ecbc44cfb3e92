"""Small studies for the tests."""

from typing import Any

from nimdesk.experiments.files import Found
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, study_plan
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.experiments.studies.work import Study, StudyTask
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
    made = schedule(*agents, **changes)[Study]
    assert made is not None
    return made


def tasks(made: Study) -> list[StudyTask]:
    return [made.task(number) for number in range(made.tasks)]


def begun(made: Schedule, *, keep_visits: bool = False) -> StudyTally:
    """Results without a search."""
    found = Found(made, in_full=keep_visits)
    found.prove()
    return found[StudyTally]


def finished(made: Schedule, *, keep_visits: bool = False) -> StudyTally:
    tally = begun(made, keep_visits=keep_visits)
    for result in run_tasks(made, range(made.total), None, {"study": tally.regrets})[0]:
        tally.add(result)  # type: ignore[arg-type]
    return tally
