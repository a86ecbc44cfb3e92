"""Files of studies from before a study was a plan.

Their tables are ``about(name, value)``, with the study's short form as ``plan``, and ``searches(agent, position,
number, result)``, where the result is MessagePack.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from nimdesk.experiments.plan import Plan
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.studies.work import Study, StudyResult
from nimdesk.play.schema import Count

OLD_APPLICATION_ID = 0x4E445354
OLD_TABLE = "searches"
OLD_META = ("about", "name")
OLD_TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE searches ( agent INTEGER, position INTEGER, number INTEGER, result BLOB NOT NULL, "
    "PRIMARY KEY (agent, position, number) ) STRICT, WITHOUT ROWID",
)


class _OldSearch(msgspec.Struct, frozen=True, array_like=True):
    agent: int
    position: int
    number: int
    choices: tuple[Count, ...]
    spent: tuple[Count, ...]
    visits: tuple[tuple[Count, ...], ...]
    settled: Count | None


def old_results(connection: sqlite3.Connection, plan: Plan) -> Iterator[StudyResult]:
    """All searches in the file of an old study; ``ValueError`` if one is unreadable or does not belong to the plan."""
    study = schedule_of(plan).of(Study)
    if study is None:
        raise ValueError("its plan is not that of a study")
    for (data,) in connection.execute(f"SELECT result FROM {OLD_TABLE} ORDER BY agent, position, number"):
        try:
            old = msgspec.msgpack.decode(data, type=_OldSearch)
        except (TypeError, ValueError, RecursionError):
            raise ValueError("a search in it cannot be read") from None
        there = 0 <= old.agent < len(study.agents) and 0 <= old.position < len(study.positions)
        if not there or not 0 <= old.number < study.part.repeats:
            raise ValueError("a search of another study is in it")
        # Some agents without chance were once thought to use it: their further searches are copies.
        if old.number < study.searches(old.agent):
            number = study.number(old.agent, old.position, old.number)
            yield StudyResult(number, old.choices, old.spent, old.visits, old.settled)
