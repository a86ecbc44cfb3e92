"""Dialogs: they ask for a position or an agent's options, or tell of the window and of a search."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import Agent, AgentOptions
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, kit_of, load_plugin_games
from nimdesk.games.base import describe_turn
from nimdesk.games.kit import KITS
from nimdesk.play.game import opponent
from nimdesk.ui.boards import BoardKit, board_kit
from nimdesk.ui.boards.forms import PositionForm, TextForm
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.forms import OptionsForm
from nimdesk.ui.look.widgets import keyless, label, name_choice, open_with, plain
from nimdesk.version import __version__

_HINT = "nim:1,3,5,7 2-3   or   mnk:3,3,3 b2 a1"
_HELP = (
    "A game and the moves played: nim:21:max3:misere 1-2 takes 2 from pile 1, "
    "mnk:7,6,4:gravity d1 d2 plays column d twice."
)


class FormTabs(QTabWidget):
    """A form for each game, one of them shown; a game without a form of its own has a field for its notation."""

    changed = Signal()
    """Another form is shown, or its position has changed."""

    def __init__(self, current: AnyPosition, form_of: Callable[[BoardKit], PositionForm | None]) -> None:
        """Begin with this position in the form of its game; ``form_of`` makes the forms."""
        super().__init__()
        load_plugin_games()
        own = kit_of(current)
        for game in dict.fromkeys((*KITS.values(), own)):
            kit = board_kit(game)
            start = game.presets[0].game.text if game.presets else f"{game.name}:"
            form = form_of(kit) or TextForm(start, f"{game.notation or start}; the moves played may follow.", start)
            self._add(form, kit.tab or keyless(game.name.capitalize()), game.name)
            if game is own:
                form.show_position(current)
                self.setCurrentWidget(form)
        self.currentChanged.connect(self._tell)

    def add_text(self, current: AnyPosition) -> None:
        """Add a form for the notation of any game."""
        self._add(TextForm(_HINT, _HELP, current.text), "Position &text", "text")

    def position(self) -> AnyPosition:
        """What the form shown says; a ``NimdeskError`` says in one sentence what is wrong, with the form as well."""
        return self.form.position()

    def _add(self, form: PositionForm, title: str, game: str) -> None:
        form.changed.connect(self._tell)
        self.tabBar().setTabData(self.addTab(form, title), game)

    def _tell(self) -> None:
        self.changed.emit()

    @property
    def form(self) -> PositionForm:
        """The form shown."""
        form = self.currentWidget()
        assert isinstance(form, PositionForm)
        return form


class PositionEditor(QDialog):
    """Asks for a position, beginning with ``current``; after ``exec`` returned Accepted it is in ``position``."""

    def __init__(self, current: AnyPosition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Edit position")
        self.position: AnyPosition = current
        self.tabs = FormTabs(current, lambda kit: kit.position_form())
        self.words = label(wrap=True)
        self.problem = label(role="problem", wrap=True)
        for text in (self.words, self.problem):
            text.setMinimumHeight(2 * self.fontMetrics().height() + 4)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText("&Study it")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (self.tabs, self.words, self.problem, plain(buttons)):
            layout.addWidget(widget)
        self.tabs.changed.connect(self._check)
        self._check()
        if self.tabs.form.first_field is not None:
            self.tabs.form.first_field.setFocus()

    def _check(self) -> None:
        problem = ""
        try:
            self.position = self.tabs.position()
        except NimdeskError as error:
            problem = str(error)
        self.words.setText("" if problem else f"{self.position.game.title}. {describe_turn(self.position)}.")
        self.problem.setText(problem)
        # One or the other is shown in one place. It is hidden first: with both, the dialog would grow for good.
        shown, hidden = (self.problem, self.words) if problem else (self.words, self.problem)
        hidden.hide()
        shown.show()
        self.ok.setEnabled(not problem)


class AgentOptionsDialog(QDialog):
    """Edits the options of ``agent``; read it back after ``exec`` returned Accepted."""

    def __init__(
        self,
        title: str,
        about: str,
        agent: Agent,
        parent: QWidget | None = None,
        *,
        hidden: frozenset[str] = frozenset(),
        position: AnyPosition | None = None,
    ) -> None:
        """The options named in ``hidden`` are not shown and keep their values.

        With a ``position``, another agent that can play it may be chosen as well.
        """
        super().__init__(parent)
        self.setWindowTitle(title)
        self._hidden = hidden
        self.choice = AgentChoice()
        self.form = self._form_of(agent)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(label(about, wrap=True))
        if position is not None:
            layout.addWidget(self.choice)
            self.choice.offer_for(position)
            self.choice.show_agent(agent)
            self.choice.activated.connect(self._on_chosen)
            name_choice(self.choice, "Agent")
        layout.addWidget(self.form)
        layout.addStretch(1)
        layout.addWidget(plain(buttons))
        self.resize(420, 260)

    def _form_of(self, agent: Agent) -> OptionsForm:
        self.agent = agent
        form = OptionsForm(agent.info, agent.options, hidden=self._hidden)
        form.options_changed.connect(self._on_options)
        return form

    def _on_chosen(self, index: int) -> None:
        chosen = self.choice.choose(index)
        if chosen is None:
            return
        before, self.form = self.form, self._form_of(opponent(chosen) if isinstance(chosen, str) else chosen)
        layout = self.layout()
        assert layout is not None
        layout.replaceWidget(before, self.form)
        before.go()

    def _on_options(self, options: AgentOptions) -> None:
        self.agent = Agent(self.agent.name, options)

    def _accept(self) -> None:
        # A field that is still being typed into is committed by moving the focus away.
        self.setFocus()
        if not self.form.problem:
            self.accept()
        elif (field := self.form.wrong) is not None:
            field.setFocus(Qt.FocusReason.TabFocusReason)

    def event(self, event: QEvent) -> bool:
        # Asked before the event is handled: after some events, such as the last, the dialog is gone.
        laid_out = event.type() == QEvent.Type.LayoutRequest
        done = super().event(event)
        if laid_out and (layout := self.layout()) is not None:
            # A layout with wrapped words takes its minimum height from another width, so fields would be squeezed.
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
        return done


def about(parent: QWidget) -> QDialog:
    """The dialog with version, purpose and licence."""
    text = (
        f"<h2>nimdesk {__version__}</h2><p>A desktop laboratory for game-tree search: play Nim and m,n,k games, and "
        "watch the search make up its mind.</p><p>MIT licence. Built on Qt for Python, pyqtgraph, NumPy and Numba.</p>"
        "<p>UCT: L. Kocsis and C. Szepesvári, <i>Bandit based Monte-Carlo planning</i>, ECML 2006.</p>"
    )
    return _page(parent, "About nimdesk", text)


def listing(parent: QWidget, lines: tuple[str, ...]) -> QDialog:
    """A dialog with the listing of a search, line by line, or why there is none."""
    nothing = "The search shown keeps no listing. Minimax and the value table tell how they came to their move."
    text = f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else f"<p>{nothing}</p>"
    dialog = _page(parent, "Search listing", text)
    if lines:
        open_with(dialog, 960, 620)  # a line of a certificate or a table has a hundred letters
    return dialog


def readings(parent: QWidget, heading: str) -> QDialog:
    """A dialog with what would explain the figures of published tables, from this heading on."""
    text = QTextBrowser()
    text.setMarkdown((resources_dir() / "readings.md").read_text(encoding="utf-8"))
    dialog = text_dialog(parent, "The readings", text)
    dialog.resize(820, 620)

    def go_there() -> None:
        # Found from the end, the heading is at the top of the page once the page has its height.
        text.moveCursor(QTextCursor.MoveOperation.End)
        text.find(heading, QTextDocument.FindFlag.FindBackward)
        text.setTextCursor(QTextCursor(text.document().findBlock(text.textCursor().position())))
        text.verticalScrollBar().setValue(text.verticalScrollBar().value() + text.cursorRect().top())

    QTimer.singleShot(0, dialog, go_there)
    return dialog


def _page(parent: QWidget, title: str, html: str) -> QDialog:
    text = QTextBrowser()
    text.setHtml(html)
    return text_dialog(parent, title, text)


def text_dialog(parent: QWidget, title: str, text: QTextBrowser) -> QDialog:
    """A dialog with this text to read."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    text.setOpenExternalLinks(True)
    text.setAccessibleName(title)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    layout.addWidget(text)
    layout.addWidget(plain(buttons))
    dialog.resize(620, 520)
    return dialog
