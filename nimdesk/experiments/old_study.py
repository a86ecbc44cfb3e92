"""Files of studies as nimdesk wrote them before a study was a plan: read here, and made files of today by ``store``.

Tables: ``about(name, value)`` with the study's short form as ``plan``; ``searches(agent, position, number, result)``,
where the result is MessagePack.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from nimdesk.experiments.plan import Plan
from nimdesk.experiments.results import StudyResult
from nimdesk.experiments.schedule import schedule_of

APPLICATION_ID = 0x4E445354
TABLE = "searches"
META = ("about", "name")


class _Search(msgspec.Struct, frozen=True, array_like=True):
    agent: int
    position: int
    number: int
    choices: tuple[int, ...]
    spent: tuple[int, ...]
    visits: tuple[tuple[int, ...], ...]
    settled: int | None


def results(connection: sqlite3.Connection, plan: Plan) -> Iterator[StudyResult]:
    """All searches in the file; ``ValueError`` where one cannot be read or is none of the plan's."""
    study = schedule_of(plan).study
    assert study is not None
    for (data,) in connection.execute(f"SELECT result FROM {TABLE} ORDER BY agent, position, number"):
        old = msgspec.msgpack.decode(data, type=_Search)
        there = 0 <= old.agent < len(study.agents) and 0 <= old.position < len(study.positions)
        if not there or not 0 <= old.number < study.part.repeats:
            raise ValueError("a search of another study is in it")
        # Some agents that use no chance were once thought to: their further searches are all the same.
        if old.number < study.searches(old.agent):
            number = study.number(old.agent, old.position, old.number)
            yield StudyResult(number, old.choices, old.spent, old.visits, old.settled)


def remove(connection: sqlite3.Connection) -> None:
    """Drop the tables; part of the caller's transaction."""
    connection.execute(f"DROP TABLE {TABLE}")
    connection.execute(f"DROP TABLE {META[0]}")
