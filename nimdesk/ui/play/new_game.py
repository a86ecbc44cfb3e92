"""The sheet that begins a new game: which game, who sits where, against whom; rules of one's own folded away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import DEFAULT_LEVEL, Agent
from nimdesk.agents.opening_rules import RULES, OpeningRule
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, Preset, kit_of, presets
from nimdesk.games.kit import preferences
from nimdesk.play import Human, Player, begins_quiet, first_opponent, opponent
from nimdesk.ui.boards import BoardPlace, board_for
from nimdesk.ui.dialogs import FormTabs
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import keyless, label, open_with, plain, tip
from nimdesk.ui.plots.toolbar import Segments, buttons_style

_COLUMNS, _PREVIEW_H = 4, 170
_PICTURE = QSize(152, 88)
_DRAWN = QSize(304, 176)
"""Boards are drawn in this size, and shown in half of it."""
_SAMPLE = (0, 1, 2, 0, 3)
"""Which of the moves nearest to the middle are played for a picture."""
SEATS = ("first", "second", "both", "watch")
_SEAT_CHOICES = (
    ("first", "First", "You make the first move"),
    ("second", "Second", "Your opponent makes the first move"),
    ("both", "Both", "Two people at one board, or you alone on both sides"),
    ("watch", "Watch", "Two computers play, and you look on"),
)


class GameTile(QAbstractButton):
    """A game to choose: a small board, its name, and one line about it."""

    def __init__(self, preset: Preset, others: Sequence[Preset], parent: QWidget | None = None) -> None:
        """It has room for the words about the ``others`` as well, so that all tiles are alike."""
        super().__init__(parent)
        self.preset, self._others = preset, others
        self._picture = _picture(preset, self.devicePixelRatioF())
        self.setCheckable(True)
        self.setText(keyless(preset.name))
        self.setAccessibleName(preset.name)
        self.setAccessibleDescription(f"{preset.about} {preset.game.rules_text}")
        self.setToolTip(tip(f"{preset.about} {preset.game.rules_text}"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def _lines(self, width: int) -> int:
        """How many lines the words about any game take in this width."""
        metrics, wrap = self.fontMetrics(), Qt.TextFlag.TextWordWrap
        heights = (metrics.boundingRect(0, 0, width - 22, 0, wrap, each.about).height() for each in self._others)
        return round(max(heights) / metrics.lineSpacing())

    def sizeHint(self) -> QSize:
        width = _PICTURE.width() + 24
        lines = 1 + self._lines(width)
        return QSize(width, _PICTURE.height() + lines * self.fontMetrics().lineSpacing() + 26)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint() - QSize(_PICTURE.width() // 4, _PICTURE.height() // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = LOOK.theme
        with QPainter(self) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
            frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            chosen = self.isChecked()
            painter.setPen(QPen(theme.color("accent" if chosen else "border"), 2.0 if chosen else 1.0))
            painter.setBrush(theme.color("base" if chosen or self.underMouse() else "alternate"))
            painter.drawRoundedRect(frame, 8, 8)
            line = self.fontMetrics().lineSpacing()
            words = (1 + self._lines(self.width())) * line
            room = QSize(round(frame.width()) - 20, round(frame.height()) - words - 24).boundedTo(_PICTURE)
            size = _PICTURE.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
            left, top = frame.center().x() - size.width() / 2, frame.bottom() - words - 12
            painter.drawPixmap(QRect(QPoint(round(left), round(frame.top()) + 9), size), self._picture)
            bold = QFont(self.font())
            bold.setBold(True)
            painter.setFont(bold)
            painter.setPen(theme.color("text"))
            name = QRectF(frame.left() + 10, top, frame.width() - 20, line)
            painter.drawText(name, Qt.AlignmentFlag.AlignLeft, self.preset.name)
            painter.setFont(self.font())
            painter.setPen(theme.color("muted"))
            about = QRectF(name.left(), top + line, name.width(), words - line)
            painter.drawText(about, Qt.TextFlag.TextWordWrap, self.preset.about)


class NewGameSheet(QDialog):
    """After ``exec`` returned Accepted, ``position`` is where the game starts and ``players`` are who plays it.

    It begins with the game and the players of now; nothing happens before Start. Where nobody is to play and the game
    is to be studied (``study``), it asks for no players.
    """

    def __init__(
        self,
        current: AnyPosition,
        players: tuple[Player, Player],
        parent: QWidget | None = None,
        *,
        study: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Study another game" if study else "New game")
        self._current, self._before, self._study = current, players, study
        known = presets()
        self.tiles = [GameTile(preset, known) for preset in known]
        self._group = QButtonGroup(self)
        self.seats = Segments("You play", _SEAT_CHOICES)
        self.opponents = (AgentChoice(), AgentChoice())
        self.tabs = FormTabs(current, lambda kit: kit.new_game_form())
        self.tabs.add_text(current)
        self.preview = BoardPlace(current.game)
        """The board of the rules that are typed."""
        self.quiet = QCheckBox("&Quiet game: the search is shown when the game is over")
        self.rules = QComboBox()
        self.rules.addItem("As usual", None)
        for rule, words in RULES.items():
            self.rules.addItem(words.partition(":")[0], rule)
        self.rules.setToolTip(tip("How a game is opened. " + " ".join(f"{words}." for words in RULES.values())))
        self.fold = QToolButton()
        self.about, self.agent_about = label(role="muted", wrap=True), label(role="muted", wrap=True)
        self.problem = label(role="problem", wrap=True)
        self._lay_out()
        self._begin_with_now()
        if study:
            self.start.setText("St&udy")
            for row in range(self._form.rowCount()):
                self._form.setRowVisible(row, False)
        self._group.buttonToggled.connect(self._on_tile)
        self.seats.chosen.connect(self._show_seats)
        self.tabs.changed.connect(self._check)
        for choice in self.opponents:
            choice.currentIndexChanged.connect(self._show_about_agents)
            choice.activated.connect(lambda _index: self.quiet.setChecked(begins_quiet(self.players)))
        self._check()
        # Qt's hint for what scrolls has a limit of its own; all tiles are seen where the screen has the room.
        lacking = self._tiles.sizeHint().height() - self._scroll.sizeHint().height()
        open_with(self, self.sizeHint().width(), self.sizeHint().height() + max(lacking, 0))

    # Building

    def _lay_out(self) -> None:
        self._tiles = QWidget()
        tiles = QGridLayout(self._tiles)
        tiles.setContentsMargins(0, 0, 0, 0)
        tiles.setSpacing(8)
        for index, tile in enumerate(self.tiles):
            self._group.addButton(tile)
            tiles.addWidget(tile, index // _COLUMNS, index % _COLUMNS)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._tiles)
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        self._scroll.setMinimumSize(self._tiles.minimumSizeHint().width() + bar, self.tiles[0].sizeHint().height())
        self.fold.setText("Custom rules")
        self.fold.setCheckable(True)
        self.fold.setAutoRaise(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setArrowType(Qt.ArrowType.RightArrow)
        self.fold.toggled.connect(self._unfold)
        self.tabs.hide()
        self.preview.setMinimumHeight(_PREVIEW_H)
        self.preview.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.preview.hide()
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(14)
        self.seats.setStyleSheet(buttons_style())
        seats = QHBoxLayout()
        seats.setSpacing(8)
        seats.addWidget(self.seats)
        seats.addStretch(1)
        opening = label("Opening")
        opening.setBuddy(self.rules)
        seats.addWidget(opening)
        seats.addWidget(self.rules)
        self._form.addRow("You play", seats)
        self._form.addRow("&Opponent", self.opponents[0])
        self._form.addRow("&Second", self.opponents[1])
        self._form.addRow("", self.agent_about)
        self._form.addRow("", self.quiet)
        for text in (self.about, self.problem):
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
            text.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.start = buttons.addButton("St&art", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 10)
        layout.setSpacing(7)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self.tabs)
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.fold)
        layout.addWidget(self.about)
        layout.addWidget(self.problem)
        layout.addLayout(self._form)
        layout.addStretch()
        layout.addWidget(plain(buttons))
        self.start.setDefault(True)
        self.setMinimumWidth(560)

    def _begin_with_now(self) -> None:
        people = [isinstance(player, Human) for player in self._before]
        self.seats.set_value({(True, False): "first", (False, True): "second", (True, True): "both"}.get(
            (people[0], people[1]), "watch"
        ))  # fmt: skip
        agents = [player for player in self._before if isinstance(player, Agent)]
        first = agents[0] if agents else first_opponent()
        for choice, agent in zip(self.opponents, (first, agents[1] if len(agents) > 1 else first), strict=True):
            choice.offer_for(self._current)
            choice.show_agent(agent)
        self._show_seats()
        tile = next((tile for tile in self.tiles if tile.preset.game == self._current.game), None)
        if tile is not None:
            tile.setChecked(True)
            tile.setFocus()
        else:
            self.fold.setChecked(True)

    # Following what is chosen

    def _unfold(self, unfolded: bool) -> None:
        """The rules that are typed in place of the tiles, or the tiles again."""
        self.fold.setArrowType(Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow)
        self.tabs.setVisible(unfolded)
        self.preview.setVisible(unfolded)
        self._scroll.setVisible(not unfolded)
        if unfolded and self.tabs.form.first_field is not None:
            self.tabs.form.first_field.setFocus()
        if not unfolded and self._group.checkedButton() is None:
            self.tiles[0].setChecked(True)
        self._check()

    def _on_tile(self, tile: QAbstractButton, chosen: bool) -> None:
        if chosen:
            self._scroll.ensureWidgetVisible(tile)
            self._check()

    def _chosen(self) -> AnyPosition:
        """Where the game would start; a ``NimdeskError`` says what is wrong."""
        tile = self._group.checkedButton()
        if self.fold.isChecked() or not isinstance(tile, GameTile):
            return self.tabs.position()
        return tile.preset.game.start()

    def _check(self) -> None:
        """What would be played, or what is wrong with it, or with who is to play it."""
        about = problem = ""
        try:
            position = self._chosen()
        except NimdeskError as error:
            problem = str(error)
        else:
            played = f" {position.ply} moves played." if position.ply else ""
            about = f"{position.game.title}: {position.game.rules_text}{played}"
            for choice in self.opponents:
                choice.offer_for(position)
            problem = self._refusal(position)
            self.rules.setEnabled(not position.ply)
            if self.fold.isChecked():
                self._show_preview(position)
        self.about.setText(about)
        self.about.setVisible(not problem)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.start.setEnabled(not problem)

    def _show_preview(self, position: AnyPosition) -> None:
        """Show where the game would start; what is impossible leaves the board as it is."""
        self.preview.show_game(position.game)
        board = self.preview.board
        board.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        board.rule_told = True
        board.set_position(position)

    def _show_seats(self) -> None:
        seat = self.seats.value
        names = {"watch": ("&First", "&Second")}.get(seat, ("&Opponent", ""))
        for choice, name, shown in zip(self.opponents, names, (seat != "both", seat == "watch"), strict=True):
            self._form.setRowVisible(choice, shown)
            title = self._form.labelForField(choice)
            if title is not None:
                title.setText(name)  # type: ignore[attr-defined]
        self._show_about_agents()

    def _show_about_agents(self) -> None:
        """What each opponent is, by its name, and whether all of it can be begun."""
        about = dict[str, str]()
        for choice in self._asked:
            agent, published = self._agent(choice), choice.published
            about[agent.info.title if published is None else published.title] = (
                agent.info.about if published is None else published.note
            )
        self.agent_about.setText("\n".join(f"{title}: {words}" for title, words in about.items()))
        self._check()

    @property
    def _asked(self) -> tuple[AgentChoice, ...]:
        """Where an opponent is to be chosen."""
        return () if self._study else self.opponents[: {"both": 0, "watch": 2}.get(self.seats.value, 1)]

    def _refusal(self, position: AnyPosition) -> str:
        """Which opponent cannot play this, as one sentence; "" where each can, as far as that is quick to tell."""
        agents = map(self._agent, self._asked)
        title = next((agent.info.title for agent in agents if not agent.plays(position)), "")
        return f"{title} cannot play {position.game.title}; choose another player." if title else ""

    def _agent(self, choice: AgentChoice) -> Agent:
        """The agent chosen; one who plays now keeps the options that it has."""
        chosen = choice.choose(choice.currentIndex())
        if isinstance(chosen, Agent):
            return chosen
        now = next((each for each in self._before if isinstance(each, Agent) and each.name == chosen), None)
        return now or opponent(chosen or DEFAULT_LEVEL.name)

    # What comes of it

    def _accept(self) -> None:
        self.position: AnyPosition = self._chosen()
        self.accept()

    @property
    def rule(self) -> OpeningRule | None:
        """By which rule the game is opened; a position with moves is open already."""
        rule: OpeningRule | None = self.rules.currentData()
        return None if self.position.ply else rule

    @property
    def players(self) -> tuple[Player, Player]:
        """Who plays, by ``Side``."""
        first, second = (self._agent(choice) for choice in self.opponents)
        seats: dict[str, tuple[Player, Player]] = {
            "first": (Human(), first),
            "second": (first, Human()),
            "both": (Human(), Human()),
        }
        return seats.get(self.seats.value, (first, second))


def _picture(preset: Preset, ratio: float) -> QPixmap:
    """The game's board with a few moves on it."""
    board = board_for(preset.game)
    board.be_pictured()
    board.resize(_DRAWN)
    board.set_position(_sample(preset.game.start()))
    picture = QPixmap(_DRAWN * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(LOOK.theme.color("board"))
    board.render(picture)
    # Left to Python, it would go with its cycles, in whichever thread then runs.
    board.deleteLater()
    picture.setDevicePixelRatio(ratio * _DRAWN.width() / _PICTURE.width())
    return picture


def _sample(position: AnyPosition) -> AnyPosition:
    """A few moves near the middle, where a game has one; else its start."""
    if kit_of(position).preferences is None:
        return position
    for place in _SAMPLE:
        ranked = sorted(zip(preferences(position), position.legal_moves, strict=True), key=lambda each: -each[0])
        if position.outcome is not None or place >= len(ranked):
            break
        position = position.play(ranked[place][1])
    return position
