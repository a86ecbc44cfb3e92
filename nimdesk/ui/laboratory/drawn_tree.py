"""The view that draws the game tree: what is unfolded, what each position is worth, and what the search did there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from nimdesk.play.game_tree import TreeNode, game_tree, node_words
from nimdesk.play.laboratory import LabMoment, LabShown
from nimdesk.search.tree_types import Family, Line
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.readers import Asker, TreeAnswer, TreeReader, TreeRequest, iterations_shown, records
from nimdesk.ui.laboratory.run_bar import SnugButton
from nimdesk.ui.laboratory.studied import LETTERS
from nimdesk.ui.laboratory.tree_drawing import TreeDrawing
from nimdesk.ui.look.widgets import announce, arrange, label

KEY = "tree"
"""The view's name in the settings."""
TITLE = "Game tree"
TIP = "The tree of the game, unfolded by a click: what each position is worth, and where alpha-beta has cut"
MOST_NODES = 600
_SOON_MS, _SEARCHING_MS = 60, 300
_LINES = 3
_BEGIN = (
    "Click a position to unfold it. Its value is exact, for the side to move at the root: +1 won, 0 drawn, −1 lost."
)
_FULL = f"The drawing is full: it has {MOST_NODES} positions at most. Fold some, or study a later position (Enter)."
_OVER = "The game is over here, so there is no tree."


class DrawnTree(QWidget):
    """The drawing, and what is said of the node that is selected or pointed at."""

    key_changed = Signal()
    """``key_words`` are others."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._lab = model
        self.drawing = TreeDrawing()
        self.key_words = ""
        """One line on what the drawing shows, for the head of the view and under a picture of it."""
        self._unfolded: set[Line] = {()}
        self._families: dict[Line, Family | None] = {}
        self._number = -1
        """The number of the search whose tree is read."""
        self._read_of: object = None
        self._reader: TreeReader | None = None
        self._asker = Asker(model.searches.bridge, self._on_answered, self._on_failed)
        self._told: Line | None = None
        """The line of the node that the words are about."""
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._read)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.area = QScrollArea()
        self.area.setWidget(self.drawing)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.viewport().installEventFilter(self)
        self.deeper = SnugButton("One level more")
        self.deeper.setToolTip("Unfold every position drawn")
        self.fold = SnugButton("Fold")
        self.fold.setToolTip("Draw the moves of the root alone")
        self.words = label(_BEGIN, role="muted", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = arrange(QVBoxLayout(), self.deeper, self.fold, None, spacing=2)
        bar = arrange(QHBoxLayout(), self.words, buttons, wide=self.words, spacing=6)
        arrange(QVBoxLayout(self), self.area, bar, wide=self.area, spacing=3)
        self.drawing.setAccessibleDescription(
            "Arrows go from position to position, Space unfolds and folds, Enter studies the position"
        )

    def _connect(self) -> None:
        self.drawing.pressed.connect(self._toggle)
        self.drawing.selected.connect(self._on_selected)
        self.drawing.pointed.connect(self._on_pointed)
        self.drawing.chosen.connect(self._lab.place.play_line)
        self.deeper.clicked.connect(self.unfold_level)
        self.fold.clicked.connect(self.fold_all)
        self._lab.node_truths.changed.connect(self._draw_soon)
        self._drawn_soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._drawn_soon.timeout.connect(self.draw)

    # What is shown

    @property
    def root(self) -> TreeNode | None:
        """What is drawn."""
        return self.drawing.root

    @property
    def why_not(self) -> str:
        """Why there is nothing to draw, as a sentence; "" if there is."""
        return _OVER if self._at.position.outcome is not None else ""

    @property
    def settled(self) -> bool:
        """Whether nothing more is on its way: what the search knows of the nodes drawn, and what they are worth."""
        busy = self._asker.busy or self._lab.node_truths.busy
        return not (busy or self._soon.isActive() or self._drawn_soon.isActive())

    @property
    def _at(self) -> LabMoment:
        return self._lab.shown.at

    def show_moment(self, now: LabShown) -> None:
        """Follow the search in focus, and what is to be seen of the truth."""
        if not self.isVisible():
            return
        at = now.at
        if at.focused.number != self._number:
            self._begin(at)
        wanted = (self._number, at.state, at.running, at.known.line.wanted)
        if wanted != self._read_of:
            self._read_of = wanted
            self._read_soon()

    def _begin(self, at: LabMoment) -> None:
        """Draw another position, or what another search has done there."""
        self._asker.forget(self._reader)
        self._number, self._families = at.focused.number, {}
        self._reader = TreeReader(self._lab.searches.focused)
        if self.root is None or at.position != self.root.position:
            self._unfolded = {()}
            self.drawing.selection, self._told = (), None
            self.words.setText(_BEGIN)
        self.draw()

    def draw(self) -> None:
        """Draw what is known by now."""
        at = self._at
        if not self.isVisible():
            return
        known = at.known.line.wanted
        truths = self._lab.node_truths.known if known else {}
        tree = game_tree(at.position, self._unfolded, self._families, truths)
        self.drawing.show_tree(tree, self._seen)
        if known:
            self._lab.node_truths.want(node.position for node in tree.walk() if node.children)
        self._tell_key(tree)
        if self._told is not None:
            self._tell(self._told)

    def _tell_key(self, tree: TreeNode) -> None:
        at = self._at
        side = at.position.game.side_name(at.position.turn)
        searched = any(node.branch is not None for node in tree.walk())
        parts = [f"+1 0 −1: exact for {side}" if at.known.line.wanted else "values are hidden with the truth"]
        if searched and records(at.focused.agent):
            parts.append(f"[α, β]: as {LETTERS[at.focus]} came · //: cut off, as α ≥ β · thick: where a value is from")
        elif searched:
            parts.append(f"below: visits of {LETTERS[at.focus]}, as thick as the edge")
        words = " · ".join(parts)
        if words != self.key_words:
            self.key_words = words
            self.key_changed.emit()

    @property
    def _seen(self) -> QSize:
        return self.area.maximumViewportSize()

    def _draw_soon(self) -> None:
        if not self._drawn_soon.isActive():
            self._drawn_soon.start()

    def _read_soon(self) -> None:
        if not self._soon.isActive():
            # Each question keeps a running search waiting.
            self._soon.start(_SEARCHING_MS if self._at.running else _SOON_MS)

    def _read(self) -> None:
        """Ask the search what it knows of the nodes that are unfolded."""
        at, shown = self._at, self._at.state
        if not self.isVisible() or self._reader is None or at.position.outcome is not None:
            return
        if shown is None:
            self.draw()
            return
        # Also of nodes that are not unfolded: they may have been cut off.
        lines = [()] if self.root is None else [node.line for node in self.root.walk()]
        self._asker.ask(self._reader.question(TreeRequest(tuple(lines), iterations_shown(at), shown.tree_nodes)))

    def _on_answered(self, answer: object) -> None:
        self._families = answer.families if isinstance(answer, TreeAnswer) else {}
        self.draw()
        # Nodes were unfolded meanwhile, or what the search knows has brought others into the drawing.
        if (
            self._families
            and self.root is not None
            and {node.line for node in self.root.walk()} - self._families.keys()
        ):
            self._read_soon()

    def _on_failed(self, sentence: str) -> None:
        self.words.setText(sentence)

    # The person's actions

    def _toggle(self, line: Line) -> None:
        if line in self._unfolded:
            self._unfolded = {each for each in self._unfolded if each[: len(line)] != line}
        else:
            self._unfold([line])
        self._changed()
        below = [node.line for node in self.root.walk() if node.line[:-1] == line and node.line] if self.root else []
        if below:
            self._bring_into_view(below[len(below) // 2])

    def unfold_level(self) -> None:
        """Unfold every position that is drawn, as far as there is room."""
        if self.root is not None:
            self._unfold([node.line for node in self.root.walk() if node.can_unfold])
            self._changed()

    def _unfold(self, lines: list[Line]) -> None:
        if self.root is None:
            return
        count = sum(1 for _ in self.root.walk())
        by_line = {node.line: node for node in self.root.walk()}
        for line in lines:
            count += len(by_line[line].position.legal_moves)
            if count > MOST_NODES:
                self._told = None
                self.words.setText(_FULL)
                return
            self._unfolded.add(line)

    def fold_all(self) -> None:
        """Draw the moves of the root alone."""
        self._unfolded = {()}
        self._changed()

    def _changed(self) -> None:
        self.draw()
        self._read_soon()

    def _on_selected(self, line: Line) -> None:
        self._tell(line)
        announce(self.drawing, self.words.text())
        self._bring_into_view(line)
        self._lab.pointing.preview(line)

    def _bring_into_view(self, line: Line) -> None:
        place = self.drawing.place(line).toRect()
        self.area.ensureVisible(place.center().x(), place.center().y(), place.width(), place.height())

    def _on_pointed(self, line: Line) -> None:
        self._tell(line or self.drawing.selection)
        self._lab.pointing.preview(line)

    def _tell(self, line: Line) -> None:
        root = self.root
        node = None if root is None else next((node for node in root.walk() if node.line == line), None)
        self._told = None if node is None else line
        if root is not None and node is not None:
            self.words.setText(node_words(root, node))

    # Room

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_height()

    def _keep_height(self) -> None:
        # Longer and shorter words must not move the drawing away under the mouse.
        self.words.setFixedHeight(_LINES * self.fontMetrics().lineSpacing())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.drawing.show_in(self._seen)
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._keep_height()
        self.show_moment(self._lab.shown)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._soon.stop()
        self._read_of = None
        self._lab.pointing.preview(())
