"""What a kind of experiment is.

A kind is one file (or folder), which a plan knows by one field (``plan.KINDS``). It has the part of the plan that asks
for it (an ``Asked``), what that comes to (its ``Work``: numbered tasks), the result of a task as it is stored, and what
all results come to (its ``Tally``: counts, tables, sections, a sentence). Schedules, runs and reports know no kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

from msgspec.structs import replace

from nimdesk.agents import Agent
from nimdesk.disk.documents import clause, sentence
from nimdesk.disk.paths import RESULTS, file_name, results_dir
from nimdesk.errors import NimdeskError, PlanError, quoted, suggestion
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.measured import Difference
from nimdesk.experiments.parts import Head, Part, position_of
from nimdesk.experiments.results import Result
from nimdesk.experiments.sections import Section
from nimdesk.experiments.tables import Table, TimeRow
from nimdesk.games import AnyPosition


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """A plan whose players are looked up. ``positions`` by their texts are added by each kind that names them."""

    plan: Head
    digest: str
    agents: dict[str, Agent]
    positions: dict[str, AnyPosition] = field(default_factory=dict)

    def look_up(self, where: str, players: Sequence[str], positions: Sequence[str]) -> None:
        """Add these positions; ``PlanError`` for one, or a player, that does not exist in this part of the plan."""
        for i, name in enumerate(players):
            if name not in self.agents:
                known = {each: quoted(each) for each in self.agents}
                hint = suggestion(name, known, f"there are: {', '.join(known.values())}.", meaning=known)
                raise PlanError(
                    f"The plan cannot be used: in “{where}.players[{i}]”: there is no player “{name}”; {hint}"
                )
        for i, text in enumerate(positions):
            self.positions[text] = _position(f"{where}.positions[{i}]", text)


def _position(field: str, text: str) -> AnyPosition:
    try:
        position = position_of(text)
    except NimdeskError as error:
        raise PlanError(sentence(f"The plan cannot be used: in “{field}”: {clause(error)}")) from None
    if position.outcome is not None:
        raise PlanError(f"The plan cannot be used: in “{field}”: the game is over in “{text}”.")
    return position


_T = TypeVar("_T")
Trial: TypeAlias = tuple[str, str, Agent, AnyPosition]
"""The name of a player and the text of a position, as the plan has them; and both."""


class Work(ABC):
    """All tasks of one kind in a plan, numbered from ``first``. A task is made from its number on demand."""

    first: int = 0
    notes: Sequence[str] = ()
    """Sentences that a reader of the results should know."""

    @property
    @abstractmethod
    def tasks(self) -> int:
        """The number of tasks."""

    @abstractmethod
    def task(self, number: int) -> Any:
        """The task of this number; its ``number`` says which it is."""

    @abstractmethod
    def trials(self) -> Iterable[Trial]:
        """Every player at every position that it will have to search."""

    def refusal(self, name: str, text: str, error: NimdeskError) -> NimdeskError:
        """What to say of a player that cannot begin a search of this position."""
        why = sentence(f"“{name}” cannot play “{text}”: {clause(error)}")
        return PlanError(f"The plan cannot be used: {why}")


class Tally(ABC):
    """What the results of one kind come to. Each is added once, in any order, which changes no digit."""

    @property
    def known(self) -> Any:
        """What is proven before the first task and given to each of them."""
        return None

    @property
    def is_proven(self) -> bool:
        """Whether that is known, so that results can be added."""
        return True

    @property
    def progress(self) -> str:
        """How far it is besides the number of tasks, for a line of progress."""
        return ""

    @property
    def decided(self) -> str:
        """What was decided before all tasks were done, for a list of runs."""
        return ""

    def prove(self, check: Callable[[], object] = bool) -> None:  # noqa: B027 -- most have nothing to prove
        """Find out what must be ``known``; ``check`` is called now and then, and may raise."""

    def fits(self, result: Any) -> bool:
        """Whether a result, of the right type, can belong to this work."""
        return True

    @abstractmethod
    def add(self, result: Any) -> None:
        """Count one result."""

    @property
    @abstractmethod
    def done(self) -> int:
        """How many tasks are counted."""

    @property
    @abstractmethod
    def total(self) -> int:
        """How many there are to count, as far as known now."""

    def counts(self, number: int) -> bool:
        """Whether the task of this number belongs to the results, as far as known now."""
        return True


class OneOfEach(ABC):
    """Something that has one thing for each kind, such as a work or a tally, and is asked for it by its type."""

    __slots__ = ()

    @property
    @abstractmethod
    def each(self) -> Iterable[Any]:
        """Those things."""

    def of(self, wanted: type[_T]) -> _T | None:
        """The one of this type, if the plan asks for its kind."""
        return next((each for each in self.each if isinstance(each, wanted)), None)

    def __getitem__(self, wanted: type[_T]) -> _T:
        """The one of this type; of a kind of which a plan has a list, it is always there, be it empty."""
        found = self.of(wanted)
        if found is None:
            raise KeyError(wanted)
        return found


class Asked(Part, frozen=True, kw_only=True):
    """What a plan asks of a kind: its field in the plan, or one of the list there."""

    repeats_field: ClassVar[str] = "repeats"
    """The field that says how often each game or search is made."""
    repeated_tasks: ClassVar[str] = "searches"
    """What is made that often, such as games."""

    @property
    def count(self) -> int:
        """How often each game or search is made."""
        return int(getattr(self, self.repeats_field))

    def repeated(self, number: int) -> Self:
        """A copy with this number of each."""
        return replace(self, **{self.repeats_field: number})

    @property
    def texts(self) -> list[str]:
        """The positions that it names; unless overridden, those of its field ``positions``."""
        return list(getattr(self, "positions", []))

    @property
    def ways(self) -> int:
        """How often each position comes up with other players."""
        return 1

    @property
    def is_open(self) -> bool:
        """Whether only the results tell how many tasks there are."""
        return False

    @property
    def is_timed(self) -> bool:
        """Whether the clock ends its tasks, so that others at the same time would slow them down."""
        return False


def named_file(name: str, digest: str) -> Path:
    """The file of results named after a plan."""
    return results_dir() / f"{file_name(f'{name}-{digest[:8]}')}{RESULTS}"


def _nothing(_of: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Kind:
    """A kind of experiment: its work, how that is run and counted, and what is said of it."""

    name: str
    """Its field in a plan: a list of parts, or one part."""
    words: str
    """What it is called, such as "a study"."""
    tasks: str = ""
    """What its tasks are called after their number, for a kind that is ``alone``."""
    alone: bool = False
    """Whether a plan of it asks for nothing else. Its players are called by their labels; it sets their limits."""
    works_out_positions: bool = False
    """Whether its positions, which may be many, are worked out anew for each schedule."""
    key: Callable[[Any], object] = _nothing
    """What identifies a plan of it, if that is not the whole document."""
    path: Callable[[str, str], Path] = named_file
    """The default file of results, by the name of the plan and its digest."""

    form: tuple[str, type[Any]] | None = None
    """A shorter document that stands for a plan of it: its format, and its type with a method ``fields``."""

    work: Callable[[Sequence[Any], Setup, int], Work]
    """The tasks of these parts of a plan, numbered from a first one; ``PlanError`` for what does not exist."""
    run: Callable[[Any, Any, Any, Brakes | None], Result]
    """Do a task of a work, given what is ``Tally.known``, in any thread or process; ``StoppedError`` by the brakes."""
    result: type[Result]
    """What is stored of a finished task."""
    unreadable: str = "a result in it is of another kind than its task"
    """What is said of a result that cannot belong to the plan."""
    tally: Callable[[Any, bool], Tally]
    """An empty tally of a work; whether it keeps of each result also what only a table of all searches needs."""

    finding: Callable[[Any], str]
    """What a tally says, in a sentence; "" if nothing is known yet."""
    sections: Callable[[Any], Iterable[Section]]
    """All that there is to say of a tally, as tables in words."""
    notes: Callable[[Any], Iterable[str]] = _nothing
    """Sentences that a reader of a tally should know besides ``Work.notes``."""
    differences: Callable[[Any, Any], Iterable[Difference]] = lambda _one, _other: ()
    """What two tallies have both measured."""
    times: Callable[[Any], Iterable[TimeRow]] = _nothing
    """Seconds a move or a search, which are measurements."""
    tables: tuple[Table[Any], ...] = ()
    """Its CSV files whose columns are explained; their rows are made from a tally."""
    csv: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """Its other CSV files by name, made from a tally."""
    about: Callable[[Any], dict[str, object]] = lambda _tally: {}
    """What is said of a tally beside its CSV file, besides the digest of the plan."""
    data: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Plain values for ``--json`` and the library, made from a tally, with numbers in full; None is left out.

    The first is the main table: a list of rows, each with its values by column.
    """

    command: Callable[[Any], list[str]] | None = None
    """The words of a terminal command that runs a plan of it, where there is one that needs no file."""
    script: Callable[[Any, Path], str] | None = None
    """A script by the library that runs a plan of it, or goes on with it, with results in this file."""

    def csv_of(self, tally: Tally) -> dict[str, str]:
        """All its CSV files by name."""
        return {
            **{table.name: table.csv(tally) for table in self.tables},
            **{name: make(tally) for name, make in self.csv.items()},
        }
