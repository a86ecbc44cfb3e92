"""Games that come and go: begun anew, set up, pasted, brought back, and shown from the other pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QKeySequence

from nimdesk.agents import Agent
from nimdesk.agents.opening_rules import OpeningRule
from nimdesk.games import AnyPosition, Side
from nimdesk.play import GameInProgress, Node, Player, opponent
from nimdesk.play.results import Finished, results_in, suited
from nimdesk.play.words import person_side
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.keeping import GameKeeper
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.other_pages import LaboratoryDoor
from nimdesk.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from nimdesk.play.links import Link
    from nimdesk.ui.laboratory.page import LaboratoryPage

_TOLD_MS, _KEPT_MS = 8000, 5000


class Games:
    """What the menu "Game" offers, and how a game or a position gets onto the screen."""

    def __init__(
        self,
        window: MainWindow,
        controller: GameController,
        laboratory: LaboratoryDoor,
        keeper: GameKeeper,
        preferences: Preferences,
    ) -> None:
        self._window, self._controller = window, controller
        self._laboratory, self._keeper = laboratory, keeper
        self._adapts = preferences.now.adapt
        preferences.obey("adapt", self.adapt)
        self._finished: list[Finished] = []
        self._over: Node | None = None
        keeper.replaced.connect(self._on_replaced)
        keeper.opened.connect(self._show_board)
        controller.game_replaced.connect(self._show_results)
        controller.position_changed.connect(self._on_position)
        self._on_replaced()

    def connect(self, connect: Callable[[str, Callable[[], object]], object]) -> None:
        """Tie the actions to what they do."""
        connect("new_game", self.ask_new)
        connect("restart", lambda: self.start(self._controller.game.position_at(0)))
        connect("swap", self.swap)
        connect("game_before", self.back)
        connect("library", self.show_library)
        connect("copy", self.copy)
        connect("copy_link", self.copy_link)
        connect("copy_text", self.copy_text)

    def start(
        self, position: AnyPosition, players: tuple[Player, Player] | None = None, *, quiet: bool | None = None
    ) -> None:
        """Start a game from this position, with these players or the present ones; in the laboratory, study it.

        It is as ``quiet`` as the present one, unless something else is asked for.
        """
        if self._laboratory.open:
            self._laboratory.study(position)
            return
        self._window.modes.show_mode(PLAY)
        self._begin(position, players or self._controller.game.players, quiet)
        self._window.area.board.setFocus()

    def swap(self) -> None:
        """Start the same game anew, with the players' sides swapped."""
        game = self._controller.game
        first, second = game.players
        self._begin(game.position_at(0), (second, first))
        self._window.area.board.setFocus()

    def _begin(self, position: AnyPosition, players: tuple[Player, Player], quiet: bool | None = None) -> None:
        """Begin a game; where a person wants that, against the level that suits, if the same one would be met again."""
        person, told = person_side(players), ""
        if self._adapts and person is not None:
            level = players[person.other]
            found = suited(level.name, position.game.text, self._finished) if isinstance(level, Agent) else None
            if found is not None and level in self._controller.game.players:
                better, told = opponent(found[0].name), found[1]
                players = (players[0], better) if person is Side.FIRST else (better, players[1])
        now = self._controller.sitting.quiet
        self._controller.new_game(GameInProgress(position, players), quiet=now if quiet is None else quiet)
        if told:
            self._controller.explain(told)

    def adapt(self, on: bool) -> None:
        """Whether the next games are against the level that suits the person."""
        self._adapts = on

    # How a person has done

    def read_results(self) -> None:
        """Ask the library for the games that were played to the end, and show how a person did in them."""
        self._keeper.ask(lambda library: library.finished(), done=self._on_finished, quietly=True)

    def _on_finished(self, finished: list[Finished]) -> None:
        self._finished = finished
        self._show_results()

    def _show_results(self) -> None:
        results = results_in(self._controller.game.game.text, self._finished)
        self._controller.show_results(results)
        for sheet in self._window.sheets:
            sheet.show_results(results)

    def _on_position(self) -> None:
        """A game that has just ended counts."""
        game = self._controller.game
        over = game.node if game.position.outcome is not None else None
        if over is not None and over is not self._over:
            self.read_results()
        self._over = over or self._over

    def play_from(self, position: AnyPosition) -> None:
        """Leave the laboratory for this position: for its place in the game on the board, or for a new game."""
        self._window.modes.show_mode(PLAY)
        nodes = self._controller.game.root.walk()
        node = next((node for node in nodes if node.position.text == position.text), None)
        if node is not None:
            self._controller.look_at(node)
            self._show_board()
        else:
            self.start(position)

    def show(self, game: GameInProgress) -> None:
        """Put this game on the board, to be looked at; its computers wait."""
        self._window.modes.show_mode(PLAY)
        self._controller.new_game(game)
        self._controller.sitting.opened = True
        self._controller.pause()
        self._window.area.board.setFocus()

    def back(self) -> None:
        """Bring back the game that was on the board before this one, as it was left."""
        if self._keeper.before is not None:
            self._keeper.show(self._keeper.before)
            self._show_board()

    def show_library(self) -> None:
        """Show all games played on this machine."""
        from nimdesk.ui.play.library import LibraryDialog  # lazy: not before the first paint

        LibraryDialog(self._keeper, self._window).open()

    def _show_board(self) -> None:
        self._window.modes.show_mode(PLAY)
        self._window.area.board.setFocus()

    def _on_replaced(self) -> None:
        before = self._window.actions_by_name["game_before"]
        before.setEnabled(self._keeper.before is not None)
        if self._keeper.before is not None:
            keys = before.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            self._window.status.showMessage(f"The game before is kept; {keys} brings it back.", _KEPT_MS)

    def ask_new(self) -> None:
        """Show the form for a new game, or in the laboratory for another one to study."""
        from nimdesk.ui.play.new_game import NewGameSheet  # lazy: not before the first paint

        study = self._laboratory.open
        sheet = NewGameSheet(self._shown, self._controller.game.players, self._window, study=study)
        sheet.quiet.setChecked(self._controller.sitting.quiet)
        if sheet.exec():
            if study:
                self.start(sheet.position)
            elif sheet.rule is None:
                self.start(sheet.position, sheet.players, quiet=sheet.quiet.isChecked())
            else:
                self.open_by(sheet.rule, sheet.position, sheet.players, quiet=sheet.quiet.isChecked())
        sheet.deleteLater()

    def open_by(self, rule: OpeningRule, start: AnyPosition, players: tuple[Player, Player], *, quiet: bool) -> None:
        """Begin a game with an opening by this rule, which tells who plays which side."""
        from nimdesk.ui.play.opening import OpeningSheet  # lazy: not before the first paint

        sheet = OpeningSheet(rule, start, players, self._window)
        if sheet.exec():
            self._controller.new_game(GameInProgress(sheet.position, sheet.players, sheet.told), quiet=quiet)
            self._controller.explain(sheet.told)
            self._show_board()
        sheet.deleteLater()

    def copy(self) -> None:
        """Copy the position shown, as text, to the clipboard."""
        self._copy(self._shown.text)

    def copy_link(self) -> None:
        """Copy a link to the position shown, in the laboratory with the searches there, to the clipboard."""
        from nimdesk.play.links import Link, SharedSearch  # lazy: not before the first paint

        link, page = Link(self._shown), self._laboratory.page
        if page is not None and self._laboratory.open:
            searches = tuple(SharedSearch(each.agent, each.seed) for each in page.model.agents.studied)
            limit = page.model.searches.limit
            cost = page.model.searches.axis.cost.value
            link = Link(self._shown, searches, None if limit is None else (cost, limit))
        self._copy(link.text)

    def copy_text(self) -> None:
        """Copy the board shown, drawn in letters, to the clipboard."""
        from nimdesk.figures.boards import position_text  # lazy: not before the first paint

        QGuiApplication.clipboard().setText(position_text(self._shown))
        self._window.status.showMessage("The board was copied as text.", _KEPT_MS)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._window.status.showMessage(f"Copied: {text}", _KEPT_MS)

    def open_text(self, text: str) -> None:
        """Show what a text is: a link, a game of another program, or a position; ``NimdeskError`` if it is none."""
        from nimdesk.formats import Asked, format_for, read_bytes, read_position  # lazy: not before the first paint
        from nimdesk.play.exchange import game_from
        from nimdesk.play.links import is_link, read_link

        if is_link(text):
            self._show_link(read_link(text))
            return
        form = format_for(Path(), text.lstrip())
        if form is not None and (form.name in ("psq", "sgf") or "\n" in text.strip()):
            reading = read_bytes(text.lstrip().encode("utf-8", "replace"), Path("text"), Asked(), form)
            self.show(game_from(reading.records[0]))
            first = "This is the first of several games." if len(reading.records) > 1 else ""
            self.explain(" ".join(filter(None, (first, *reading.told))))
            return
        position, told = read_position(text, Asked(self._shown.game))
        self.start(position)
        self.explain(told)

    def _show_link(self, link: Link) -> None:
        """Show the position of a link; its searches in the laboratory, where F5 runs them."""
        if link.searches:
            self._laboratory.study(link.position, partial(_set_up, link))
        else:
            self.start(link.position)

    @property
    def _shown(self) -> AnyPosition:
        """The position on the screen."""
        page = self._laboratory.page
        studied = page is not None and self._laboratory.open
        return page.model.place.position if page is not None and studied else self._controller.position

    def explain(self, sentence: str) -> None:
        """Say this beside the board, or in the status line of another page; "" takes away what was said there."""
        if self._window.modes.mode == PLAY:
            self._controller.explain(sentence)
        else:
            self._window.status.showMessage(sentence, _TOLD_MS)


def _set_up(link: Link, page: LaboratoryPage) -> None:
    """Let the laboratory study the searches of a link, up to its limit."""
    from nimdesk.search.timeline import Cost  # lazy: not before the first paint
    from nimdesk.ui.laboratory.studied import Studied
    from nimdesk.ui.plots.frame import Axis

    page.model.agents.set_all(tuple(Studied(each.agent, each.seed) for each in link.searches))
    if link.limit is not None:
        cost, limit = link.limit
        page.model.searches.set_axis(Axis(Cost(cost), log=True))
        page.model.searches.set_limit(limit)
