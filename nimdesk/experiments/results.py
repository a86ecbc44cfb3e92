"""The result of a finished task, as stored and sent between processes; and the progress of a run.

Each kind has its own (``Kind.result``), told apart by the tag ``kind``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

from nimdesk.experiments.parts import MAX_TASKS

ShortText = Annotated[str, Meta(max_length=10_000)]


class Result(msgspec.Struct, frozen=True, tag_field="kind", gc=False):
    """Base of all: the number of the task in the plan."""

    number: Annotated[int, Meta(ge=0, lt=MAX_TASKS)]


_R = TypeVar("_R", bound=Result)
_pack = msgspec.msgpack.Encoder().encode


class Packed(Generic[_R]):
    """Results in the order in which they came. Each is made when it is asked for, so that there may be a million.

    One thread adds to them while others read.
    """

    def __init__(self, kind: type[_R]) -> None:
        """``kind`` is what they are, all of them."""
        self._decoder: msgspec.msgpack.Decoder[_R] = msgspec.msgpack.Decoder(kind)
        self._numbers: list[int] = []
        self._packed: list[bytes] = []

    def add(self, result: _R) -> None:
        """The next one."""
        self._packed.append(_pack(result))
        self._numbers.append(result.number)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._numbers)

    def __getitem__(self, place: int) -> _R:
        """The one that came at this place, from 0."""
        return self._decoder.decode(self._packed[place])

    def __iter__(self) -> Iterator[_R]:
        """All of them in the order in which they came."""
        return map(self._decoder.decode, self._packed)

    def by_number(self) -> Iterator[_R]:
        """All of them in the order of the plan."""
        return map(self.__getitem__, sorted(range(len(self)), key=self._numbers.__getitem__))

    def numbered(self, number: int) -> _R | None:
        """The one with this number in the plan, if it is there."""
        return self[self._numbers.index(number)] if number in self._numbers else None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: ``done`` of ``total`` tasks, ``fresh`` of them in the ``elapsed_s`` of this run."""

    done: int
    total: int
    fresh: int
    elapsed_s: float
    rate: float
    """Tasks per second in this run."""
    tests: str = ""
    """How far it is besides, in words, such as its sequential tests."""

    @property
    def left_s(self) -> float | None:
        """Roughly how long the rest takes, None while that is unknown."""
        return (self.total - self.done) / self.rate if self.rate else None


def duration(seconds: float) -> str:
    """Such as "16 s", "4 min", "2.5 h"."""
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    return f"{round(whole / 60)} min" if whole < 5400 else f"{whole / 3600:.1f} h"


def progress_text(now: Progress, what: str = "") -> str:
    """Such as "120 of 800 searches, 85 a second, 8 s left"; ``what`` is the word after the total, if any."""
    left = "" if now.left_s is None else f", {duration(now.left_s)} left"
    tests = f", {now.tests}" if now.tests else ""
    return f"{now.done:,} of {now.total:,}{f' {what}' if what else ''}, {now.rate:,.3g} a second{left}{tests}"
