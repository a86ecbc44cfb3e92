"""Results: counted as they come, and read from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from nimdesk.disk.paths import results_dir
from nimdesk.disk.provenance import Provenance
from nimdesk.errors import NimdeskError, ResultsError
from nimdesk.experiments.atlas.kind import atlases_dir
from nimdesk.experiments.kind import OneOfEach, Tally, named_file
from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.results import Result
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.store import SUFFIX, Store
from nimdesk.experiments.studies.kind import STUDY, studies_dir
from nimdesk.experiments.tasks import Known

_TOLD = 10_000


def _untold(*_how_far: object) -> None:
    """Hear of nothing, and never raise."""


class Found(OneOfEach):
    """The results of a schedule, counted as they come: a tally for each kind.

    Used by one thread at a time, except that any thread may read what a tally says that threads may.
    """

    def __init__(self, schedule: Schedule, path: Path | None = None, *, in_full: bool = False) -> None:
        """``path`` is the results' file, named in error messages; ``in_full`` as for ``Kind.tally``."""
        self.schedule, self.path = schedule, path
        self.tallies = {kind: kind.tally(work, in_full) for kind, work in schedule.works.items()}
        self.numbers: set[int] = set()
        """The finished tasks."""
        self.made: list[Provenance] = []
        """What made them, run after run."""
        self.is_whole = path is None
        """Whether all that is stored was read: False before that, and where it was given up."""
        self.name = self.note = ""
        """What a person calls them, and has noted; each "" if there is none."""

    @property
    def each(self) -> Iterable[Tally]:
        """Its tallies."""
        return self.tallies.values()

    @property
    def about(self) -> dict[str, object]:
        """What is said of its tables in the file beside them: the digest of the plan, and what each kind adds."""
        told: dict[str, object] = {"digest": self.schedule.digest}
        for kind, tally in self.tallies.items():
            told |= kind.about(tally)
        return told

    @property
    def known(self) -> Known:
        """What is proven, for those who do the tasks."""
        return {kind.name: tally.known for kind, tally in self.tallies.items()}

    @property
    def is_proven(self) -> bool:
        """Whether results can be added: a study's are counted against the truth."""
        return all(tally.is_proven for tally in self.tallies.values())

    def prove(self, check: Callable[[], object] = bool) -> None:
        """Prove what is needed; ``check`` is called now and then, and may raise."""
        for tally in self.tallies.values():
            if not tally.is_proven:
                tally.prove(check)

    def add(self, result: Result) -> None:
        """Count a result once. ``ResultsError`` for one that does not belong to the plan."""
        if result.number in self.numbers:
            return
        if result.number >= self.schedule.total:
            raise ResultsError(f"The results “{self.path}” cannot be used: they hold a game beyond the plan's last.")
        kind = self.schedule.kind(result.number)
        tally = self.tallies[kind]
        if not isinstance(result, kind.result) or not tally.fits(result):
            raise ResultsError(f"“{self.path}” is damaged: {kind.unreadable}.")
        tally.add(result)
        self.numbers.add(result.number)

    def read(self, store: Store, told: Callable[[int, int], object] = _untold) -> None:
        """Count the stored results, unless all of them are counted already.

        Of a large file ``told`` is called every now and then with how many are read, and how many there are; it may
        raise, and what was read by then is counted.
        """
        self.made = store.made()
        self.name, self.note = store.words
        stored = store.count()
        self.is_whole = stored == len(self.numbers)
        if self.is_whole:
            return
        for place, result in enumerate(store.results()):
            if place and place % _TOLD == 0:
                told(place, stored)
            self.add(result)
        self.is_whole = True

    @property
    def done(self) -> int:
        """Games and searches counted."""
        return sum(tally.done for tally in self.tallies.values())

    @property
    def total(self) -> int:
        """Games and searches to be counted: fewer once a sequential test has decided."""
        return sum(tally.total for tally in self.tallies.values())

    @property
    def progress(self) -> str:
        """How far it is besides ``done``, such as sequential tests."""
        return "; ".join(filter(None, (tally.progress for tally in self.tallies.values())))

    @property
    def decided(self) -> str:
        """What was decided before all was done."""
        return "; ".join(filter(None, (tally.decided for tally in self.tallies.values())))

    def counts(self, number: int) -> bool:
        """Whether the game or search of this number belongs to the results, as far as known now."""
        return self.tallies[self.schedule.kind(number)].counts(number)

    @property
    def complete(self) -> bool:
        """Whether everything is done."""
        return self.done >= self.total


def default_path(plan: Plan) -> Path:
    """The default file of a plan's results."""
    kinds = plan.kinds
    return (kinds[0].path if kinds else named_file)(plan.name, plan.digest)


def read(path: Path, told: Callable[[int, int], object] = _untold) -> Found:
    """The results in a file; ``ResultsError`` for one that is not nimdesk's, damaged, or newer.

    ``told`` is called as by ``Found.read``.
    """
    with Store.open_to_read(path) as store:
        found = Found(schedule_of(store.plan, to_read=True), path)
        found.prove()
        found.read(store, told)
    return found


def stored(found: Found, check: Callable[..., object] = _untold) -> Found:
    """``found`` with the results in its file, if there is one.

    ``check`` is called now and then, and may raise; while results are read, it is called as by ``Found.read``.
    """
    path = found.path
    found.prove(check)
    if path is not None and path.exists():
        with Store.open_to_read(path) as store:
            if store.plan.digest != found.schedule.digest:
                raise ResultsError(f"The results “{path}” are those of another plan; choose another file.")
            found.read(store, check)
    return found


@dataclass(frozen=True)
class RunEntry:
    """A file of results: its plan and how much of it is done, or why it cannot be read.

    ``decided`` is what sequential tests have accepted, such as "decided: H1 after 42 games", or "". ``name`` and
    ``note`` are a person's, ``date`` is when it was last run (or changed).
    """

    path: Path
    plan: Plan | None
    done: int
    total: int
    problem: str = ""
    decided: str = ""
    name: str = ""
    note: str = ""
    date: str = ""

    @property
    def title(self) -> str:
        """What it is called: the name that a person gave it, else that of its plan, else that of the file.

        A study or an atlas without a name is told by its agents and positions.
        """
        plan = self.plan
        if self.name or plan is None:
            return self.name or self.path.stem
        if not any(kind.alone for kind in plan.kinds):
            return plan.title or plan.name
        agents, positions = (
            f"{', '.join(each[:3])}{', …' * (len(each) > 3)}" for each in (list(plan.players), self.positions)
        )
        return f"{agents} on {positions}, {plan.repeats:,} seeds from {plan.seed}"

    @property
    def positions(self) -> list[str]:
        """What is played or searched."""
        return [] if self.plan is None else self.plan.texts

    @property
    def players(self) -> list[str]:
        """The players with their options, such as "uct (iterations = 500)"."""
        parts = {} if self.plan is None else self.plan.players
        options = {
            name: ", ".join(f"{key} = {value}" for key, value in part.options.items()) for name, part in parts.items()
        }
        return [f"{name} ({words})" if words else name for name, words in options.items()]

    def matches(self, words: str) -> bool:
        """Whether all of these words are in its title, date, positions, players, options or note."""
        text = " ".join([self.title, self.date, *self.positions, *self.players, self.note, self.path.name]).lower()
        return all(word in text for word in words.lower().split())


def list_runs(check: Callable[[], object] = bool) -> list[RunEntry]:
    """All files of results except studies, the newest first; ``check`` is called now and then, and may raise."""
    entries = [_entry(path, check) for path in _newest_first(results_dir(), f"*{SUFFIX}")]
    return [entry for entry in entries if entry.plan is None or STUDY not in entry.plan.kinds]


def _entry(path: Path, check: Callable[[], object] = bool) -> RunEntry:
    check()
    try:
        with Store.open_to_read(path) as store:
            schedule = schedule_of(store.plan, to_read=True)
            if not any(part.is_open for part in store.plan.parts):
                return RunEntry(path, store.plan, store.count(), schedule.total, **_words(store))
            found = Found(schedule, path)
            found.read(store, lambda _read, _stored: check())
            return RunEntry(path, store.plan, found.done, found.total, decided=found.decided, **_words(store))
    except NimdeskError as error:
        return RunEntry(path, None, 0, 0, str(error))


def _words(store: Store) -> dict[str, str]:
    (name, note), made = store.words, store.made()
    date = made[-1].date if made else datetime.fromtimestamp(_changed(store.path), UTC).isoformat()
    return {"name": name, "note": note, "date": date[:16].replace("T", " ")}


def latest_study() -> Plan | None:
    """The plan of the window's latest study, be there results or none yet."""
    return next(_studies(), None)


def earlier_studies(most: int) -> list[RunEntry]:
    """The window's latest studies, at most ``most``, the newest first, be there results or none yet.

    Their files are not looked through: how much is done is not worked out, and there is a date if one can be read.
    """
    plans = {default_path(plan): plan for plan in islice(_studies(), most)}
    # A file that cannot be read says so when it is chosen.
    return [replace(_listed(path) or RunEntry(path, plan, 0, 0), plan=plan) for path, plan in plans.items()]


def _studies() -> Iterator[Plan]:
    for file in _newest_first(studies_dir(), "*.json"):
        with suppress(NimdeskError):
            plan = load_plan(file)
            if STUDY in plan.kinds:
                yield plan


def earlier_atlases(most: int) -> list[RunEntry]:
    """The latest atlases made here, at most ``most``, the newest first; as ``earlier_studies`` has them."""
    return list(filter(None, map(_listed, _newest_first(atlases_dir(), f"*{SUFFIX}")[:most])))


def _listed(path: Path) -> RunEntry | None:
    """What a file says of itself; None for one that cannot be read."""
    with suppress(NimdeskError), Store.open_to_read(path, to_list=True) as store:
        return RunEntry(path, store.plan, 0, 0, **_words(store))
    return None


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern), key=_changed, reverse=True)
    except OSError:
        return []


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
