"""Opening a plan, whose positions are read beside the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.schedule import read_positions
from nimdesk.ui.experiments.exports import PLANS, Files
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.jobs.bridge import Bridge, Job


class PlanOpening:
    """Opens one plan at a time: the last one asked for. What a person fills in meanwhile is not replaced by it."""

    def __init__(
        self, files: Files, head: RunHead, take: Callable[[Plan], object], filled_in: Callable[[], str]
    ) -> None:
        """``take`` shows a plan, or raises a ``NimdeskError``; ``filled_in`` returns what a person has filled in."""
        self._files, self._head, self._take, self._filled_in = files, head, take, filled_in
        self.jobs = Bridge("nimdesk-opening", parent=files.over)
        self._job: Job | None = None

    def ask(self) -> None:
        """Ask for a file, and open it."""
        path = self._files.to_open("Open a plan", PLANS)
        if path is not None:
            self.open(lambda: load_plan(path))

    def open(self, load: Callable[[], Plan], take: Callable[[Plan], object] | None = None) -> None:
        """Have the plan shown, by ``take`` if that is given, once its positions are read."""
        if self._job is not None:
            self._job.drop()
        done = partial(self._on_read, take or self._take, self._filled_in())
        self._job = self.jobs.start(lambda _job: read_positions(load()), done=done, failed=self._head.say)

    def _on_read(self, take: Callable[[Plan], object], before: str, plan: Plan) -> None:
        if self._filled_in() == before:
            self._head.attempt(lambda: take(plan))
        else:
            self._head.say("The plan was not opened: something else was filled in meanwhile.")
