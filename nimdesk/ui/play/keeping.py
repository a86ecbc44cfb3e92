"""Keeps the game on the board in the library, as it is played, without the window ever waiting for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from nimdesk.errors import NimdeskError, StillLoadingError
from nimdesk.games import parse_game
from nimdesk.play.kept import Change, KeptGame, Resting
from nimdesk.play.library_thread import Shelf
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.play.controller import GameController

if TYPE_CHECKING:
    from nimdesk.play.library import Library

_R = TypeVar("_R")
_AGAIN_MS = 3000
_CLOCK_MS = 1000
_LAST_WRITE_S = 10.0


class GameKeeper(QObject):
    """Follows a controller; whatever changes in its game is written at once, one change after the other.

    While that fails the game goes on in memory, one sentence says so, and it is tried again every few seconds. No game
    waits for one that cannot be kept.
    """

    told = Signal(str)
    """One sentence about the library for the person at the screen."""
    replaced = Signal()
    """``kept`` is another game."""
    changed = Signal()
    """Something in ``kept`` changed that is kept."""
    opened = Signal()
    """A game of the library is on the board."""
    caught_up = Signal()
    """``behind`` is no longer true."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        """Takes a place for the window in this library; call ``follow`` when there is a controller."""
        super().__init__(parent)
        self._shelf = Shelf(path)
        # Short work that searches must not keep waiting: computers do not move before it is done.
        normal = QThread.Priority.NormalPriority
        self._bridge = Bridge("nimdesk-library", what="The library of games", priority=normal)
        self._left: list[KeptGame] = []
        self._waiting: list[Callable[[], object]] = []
        self._before: KeptGame | None = None
        self._adopted: KeptGame | None = None
        # The game that the library knows to be the window's.
        self._placed: KeptGame | None = None
        self._writing: Job | None = None
        self._reading: Job | None = None
        # Why each game that could not be kept could not, and which of them have been tried since the timer ran.
        self._problems: dict[KeptGame, str] = {}
        self._tried: set[KeptGame] = set()
        self._over = False
        self.deleted: list[tuple[int, ...]] = []
        """What was deleted together and can be brought back, the last at the end."""
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._again.timeout.connect(self._try_again)
        self._clock = QTimer(self, interval=_CLOCK_MS)
        self._clock.timeout.connect(self._on_clock)

    def last_game(self) -> tuple[KeptGame | None, str]:
        """The game that was on the board when the program ended, without its searches; one sentence if it is broken."""
        return self._shelf.last_game()

    def open_awaited(self) -> None:
        """Show the last game once its rules are loaded, unless another has been begun."""
        stored = self._shelf.awaited
        if stored is not None and not self._controller.game.plies:
            try:
                parse_game(stored.head.game)
            except StillLoadingError:
                return
            except NimdeskError as error:
                self.told.emit(f"The last game could not be brought back. {error}")
            else:
                self.open(stored.id)
        self._shelf.awaited = None

    def follow(self, controller: GameController, kept: KeptGame | None) -> None:
        """Keep what this controller plays; ``kept`` is what ``last_game`` gave, if it is that."""
        self._controller = controller
        self.kept = kept if kept is not None else KeptGame(controller.game)
        """The game on the board."""
        self._placed = kept
        controller.thinking.waits = lambda: self.behind
        controller.game_replaced.connect(self._on_replaced)
        controller.position_changed.connect(self._on_game)
        controller.players_changed.connect(self._on_game)
        controller.state_changed.connect(self._on_state)
        controller.snapshot_changed.connect(self._on_state)

    def begin(self) -> None:
        """The window is painted: read the searches behind the moves, the one on the board first."""
        self._write()
        self._clock.start()
        if not self.kept.reading:
            return
        kept, wanted, positions = self.kept, self.kept.searched, self.kept.positions

        def read(job: Job) -> KeptGame:
            def hear(node: int, snapshot: Snapshot) -> bool:
                job.send(self._on_search, kept, node, snapshot)
                job.answer_questions()
                return not job.stopped

            self._shelf.read_searches(kept.id, wanted, hear)
            self._shelf.read_resting(kept.id, positions, partial(job.send, kept.add_resting))
            return kept

        self._reading = self._bridge.start(read, done=self._on_all_searches, failed=self.told.emit)

    @property
    def failing(self) -> bool:
        """Whether a game could not be kept the last time."""
        return bool(self._problems)

    @property
    def unkept(self) -> str:
        """Why moves would be lost if the program ended now, as a sentence; "" where all are kept, or soon will be."""
        lost = (why for game, why in self._problems.items() if game.game.plies and (game.modified or not game.file))
        return next(lost, "")

    @property
    def behind(self) -> bool:
        """Whether a move was played that is not on the disk yet, and is on its way there."""
        return self._writing is not None and self.kept not in self._problems

    # Other games

    @property
    def before(self) -> KeptGame | None:
        """The game that was on the board before this one, if a move was played in it."""
        return self._before

    def show(self, kept: KeptGame) -> None:
        """Put a game that is kept already on the board, as it was left."""
        self._adopted = kept
        paused, resting = kept.paused, kept.resting
        self._controller.new_game(kept.game)
        if paused:
            self._controller.pause()
        self._bring_back(resting)

    def _bring_back(self, resting: Resting | None) -> None:
        if resting is not None:
            self._controller.bring_back(resting.snapshot, hint=resting.hint)

    def open(self, game: int) -> None:
        """Show a game of the library."""
        for kept in (self.kept, self._before):
            if kept is not None and kept.id == game:
                self._on_opened(kept)
                return
        self._bridge.ask(lambda _job: self._shelf.open(game), done=self._on_opened, failed=self.told.emit)

    def _on_opened(self, kept: KeptGame | None) -> None:
        if kept is None:
            self.told.emit("That game is no longer in the library.")
        elif kept is not self.kept:
            kept.paused = True
            self.show(kept)
            self.opened.emit()

    def ask(self, act: Callable[[Library], _R], done: Callable[[_R], object], *, quietly: bool = False) -> None:
        """Have ``act`` done with the library in its thread, with all that is played by now in it.

        Failures are told, unless it is asked ``quietly``: nobody waits for the answer.
        """
        failed = _hear_nothing if quietly else self.told.emit

        def ask() -> None:
            self._bridge.ask(lambda _job: self._shelf.do(act), done=done, failed=failed)

        if self.behind:
            self._waiting.append(ask)
        else:
            ask()

    def _catch_up(self) -> None:
        """Nothing is on its way to the disk any more: who waited for that may ask."""
        waiting, self._waiting = self._waiting, []
        for ask in waiting:
            ask()
        self.caught_up.emit()

    def delete(self, games: Sequence[int], done: Callable[[bool], object]) -> None:
        """Take these out of the library, but for those on a board; ``done`` hears whether all of them went."""
        wanted = [game for game in games if game != self.kept.id]

        def note(gone: tuple[int, ...]) -> None:
            if gone:
                self.deleted.append(gone)
            done(len(gone) == len(games))

        self._bridge.ask(lambda _job: self._shelf.delete(wanted), done=note, failed=self.told.emit)

    def mark_saved(self, file: str) -> None:
        """The game on the board is in this file as it is now."""
        self.kept.mark_saved(file)
        self._write()

    @Slot()
    def _on_replaced(self) -> None:
        left, game = self.kept, self._controller.game
        if left.game is game:
            return
        left.note_clock()
        self._left.append(left)
        if left.game.plies:
            self._before = left
        adopted, self._adopted = self._adopted, None
        self.kept = adopted if adopted is not None and adopted.game is game else KeptGame(game)
        self._left = [each for each in self._left if each is not self.kept]
        if self._before is self.kept:
            self._before = None
        self.replaced.emit()
        self._write()

    # Writing

    @Slot()
    def _on_state(self) -> None:
        if self._note():
            self._write()

    @Slot()
    def _on_game(self) -> None:
        self.changed.emit()
        self._note()
        self._write()

    @Slot()
    def _on_clock(self) -> None:
        if self.kept.clock_due:
            self.kept.note_clock()
            self._write()

    def _note(self) -> bool:
        """Take over what is kept besides the moves: the pause, the clock, the search that rests; whether it is news."""
        controller, kept = self._controller, self.kept
        if controller.game is not kept.game:
            return False
        snapshot, hint = controller.thinking.resting or (None, False)
        news = kept.note_resting(snapshot, hint=hint) or kept.paused != controller.sitting.paused
        kept.paused = controller.sitting.paused
        if news:
            kept.note_clock()
        return news

    @Slot()
    def _write(self) -> None:
        """Write what the library lacks, the games that were left first, but before those that could not be kept."""
        if self._writing is not None or self._over:
            return
        left = [game for game in self._left if game not in self._problems]
        for game in (*left, self.kept, *self._problems):
            if game in self._tried:
                continue
            shown = game is self.kept
            if shown and self._controller.game is not game.game:
                continue
            if (change := self._change() if shown else game.change()) is not None:
                self._start(game, change, shown=shown)
                return
            self._let_go(game)

    @Slot()
    def _try_again(self) -> None:
        self._tried.clear()
        self._write()

    def _let_go(self, game: KeptGame) -> None:
        """The library has all of this game."""
        self._left = [each for each in self._left if each is not game]
        self._problems.pop(game, None)

    def _change(self) -> Change | None:
        """What the library lacks of the game on the board, and be it that this is the one."""
        return self.kept.change(of_nothing=self._placed is not self.kept)

    def _start(self, kept: KeptGame, change: Change, *, shown: bool) -> None:
        self._writing = self._bridge.ask(
            lambda _job: self._shelf.write(change, shown=shown),
            done=partial(self._on_written, kept, change, shown),
            failed=partial(self._on_failed, kept),
        )

    def _on_written(self, kept: KeptGame, change: Change, shown: bool, news: str) -> None:
        self._writing = None
        kept.written(change)
        if shown:
            self._placed = kept
        if news:
            # A new library has been begun, which knows of no game.
            for each in (self.kept, *self._left):
                each.forget()
        mended = self._problems.pop(kept, "") and (shown or not self._problems)
        if mended or news:
            self.told.emit(news or "The game is kept again.")
        self._write()
        if not self.behind:
            self._catch_up()

    def _on_failed(self, kept: KeptGame, sentence: str) -> None:
        self._writing = None
        self._again.start()
        self._tried.add(kept)
        news = kept not in self._problems and sentence not in self._problems.values()
        self._problems[kept] = sentence
        if news:
            self.told.emit(f"{sentence} The game goes on, and is kept again as soon as that works.")
        self._write()
        if not self.behind:
            self._catch_up()

    # Reading

    def _on_search(self, kept: KeptGame, node: int, snapshot: Snapshot) -> None:
        before = self._controller.shown_snapshot
        kept.add_search(node, snapshot)
        if self._controller.shown_snapshot is not before:
            self._controller.snapshot_changed.emit()

    def _on_all_searches(self, kept: KeptGame) -> None:
        self._reading = None
        shown = kept.game is self._controller.game
        if shown:
            self._bring_back(kept.resting)
        kept.end_reading()
        if shown:
            self._controller.show_again()
        self._write()

    def close(self) -> None:
        """Write what is left and end the thread; call it after the window is hidden."""
        if self._over:
            return
        self._over = True
        self._again.stop()
        self._clock.stop()
        self.kept.note_clock()
        for job in (self._reading, self._writing):
            if job is not None:
                job.stop()
        changes = [(change, False) for each in self._left if (change := each.change()) is not None]
        if (change := self._change()) is not None:
            changes.append((change, True))
        ended = threading.Event()

        def write(change: Change, shown: bool, _job: Job) -> None:
            self._shelf.write_last(change, shown=shown)

        def end(_job: Job) -> None:
            self._shelf.close()
            ended.set()

        for change, shown in changes:  # each by itself, whatever becomes of another
            self._bridge.start(partial(write, change, shown), done=_hear_nothing, failed=_hear_nothing)
        self._bridge.start(end, done=_hear_nothing, failed=_hear_nothing)
        ended.wait(_LAST_WRITE_S)
        self._bridge.shutdown()
        self._shelf.leave()


def _hear_nothing(_: object) -> None:
    """Nobody is to hear of it."""
