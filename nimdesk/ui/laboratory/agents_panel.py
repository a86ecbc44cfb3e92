"""The agents under study: one row each, with its options, its seed, and its progress."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import Agent, NumberField, RandomOptions
from nimdesk.agents.fields import option_fields
from nimdesk.play.laboratory import AgentSearch, LabShown
from nimdesk.play.words import search_words
from nimdesk.search import Snapshot, StopReason
from nimdesk.ui.dialogs import AgentOptionsDialog
from nimdesk.ui.laboratory.many_seeds import SEEDS, ManySeeds
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.run_bar import button_for
from nimdesk.ui.laboratory.searches import RESULTS_BYTES
from nimdesk.ui.laboratory.studied import LETTERS, AgentList, Studied, new_agent
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.painting import ink_on
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import ElidedLabel, arrange, label, name_choice, tip

_ABOVE, _BELOW = 4, 6
_SPACING = 4
_LEAST_CHOICE = 60
"""The width of the name of an agent where large words leave it none; it shows in full when the list opens."""
_DROPPED = f"Of searches not shown {RESULTS_BYTES / 1e6:.0f} MB are kept. Run (F5) repeats this one exactly."


def seed_field() -> NumberField:
    """A required seed, because the laboratory repeats every search."""
    field = next(field for field in option_fields(RandomOptions) if field.name == "seed")
    assert isinstance(field, NumberField)
    about = "The same seed, position and options give the same search."
    return replace(field, description=about, optional=False, default=1, empty="")


class AgentRow(QFrame):
    """One agent: its letter (press it to show its search), its kind, options, seed, and state."""

    def __init__(self, agents: AgentList, number: int) -> None:
        """``number`` is the place in the list, from 0; rows are reused for whatever agent is there."""
        super().__init__()
        self._agents, self._number, self._letter = agents, number, LETTERS[number]
        self._run_problem = ""
        self.setObjectName("agent")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.letter = QToolButton()
        self.letter.setText(self._letter)
        self.letter.setCheckable(True)
        self.letter.setToolTip("Show the search of this agent wherever one search is shown")
        self.letter.setAccessibleName(f"Show the search of agent {self._letter}")
        self.letter.clicked.connect(self._on_letter)
        self.choice = AgentChoice()
        self.choice.setMinimumWidth(_LEAST_CHOICE)
        self.choice.activated.connect(self._on_chosen)
        self.options = QToolButton()
        self.options.setText("Options…")
        self.options.setAccessibleName(f"Options of agent {self._letter}")
        self.options.clicked.connect(self._ask_options)
        self.remove = QToolButton(autoRaise=True)
        self.remove.setText("✕")
        self.remove.setToolTip("Study the others without this agent; its results are kept")
        self.remove.setAccessibleName(f"Remove agent {self._letter}")
        self.remove.clicked.connect(self._on_remove)
        self._seed_label, self.seed = label("Seed"), OptionEdit(seed_field())
        self.seed.setAccessibleName(f"Seed of agent {self._letter}")
        self._fit_seed("")
        self.seed.textChanged.connect(self._fit_seed)
        self.seed.value_committed.connect(self._on_seed)
        self.seed.problem_changed.connect(self._show_problem)
        self.title, self.state = ElidedLabel(), ElidedLabel("muted")
        self.problem = label(role="problem", wrap=True)
        self.problem.hide()
        self._lay_out()
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def _lay_out(self) -> None:
        self._seed_label.setBuddy(self.seed)
        first = self.letter, self.choice, self.options, self.remove
        above = arrange(QHBoxLayout(), *first, wide=self.choice, spacing=4)
        below = arrange(QHBoxLayout(), self.state, self._seed_label, self.seed, wide=self.state, spacing=4)
        arrange(QVBoxLayout(self), above, self.title, below, self.problem, margins=(6, 5, 6, 5), spacing=3)
        name_choice(self.choice, f"Agent {self._letter}")

    @property
    def _studied(self) -> Studied:
        return self._agents.studied[self._number]

    def show_agent(self, agent: Agent, seed: int, *, focused: bool, alone: bool) -> None:
        """Show this agent; ``alone``: there is no other one."""
        self.letter.setChecked(focused)
        self.remove.setVisible(not alone)
        self.choice.show_key(agent.name)
        fields = {field.name for field in agent.info.fields} - agent.liftable
        self.options.setEnabled(bool(fields) and agent not in self._agents.disguised)
        self.seed.set_value(seed)
        for widget in (self._seed_label, self.seed):  # an agent that draws no random numbers has no use for a seed
            widget.setVisible(agent.draws)
        title = self._agents.title_of(agent)
        self.title.setText(title)
        self.title.setVisible(title != agent.info.title)

    def show_search(self, search: AgentSearch, *, running: bool) -> None:
        """Show how far its search is."""
        text, about = run_words(search, running=running)
        if text != self.state.text():
            self.state.setText(text)
        self.state.setToolTip(tip(about))
        self._run_problem = search.problem
        self._show_problem()

    def _take_look(self) -> None:
        theme = LOOK.theme
        color = theme.curve(self._number)
        self.letter.setStyleSheet(
            f"QToolButton {{ color: {theme.text}; font-weight: bold; border: 2px solid {color.name()};"
            f" border-radius: 3px; padding: 1px 5px; background: {theme.base}; }}"
            f"QToolButton:checked {{ background: {color.name()}; color: {ink_on(color).name()}; }}"
            f"QToolButton:focus {{ border: 2px solid {theme.text}; }}"
        )

    def _show_problem(self) -> None:
        text = self.seed.problem or self._run_problem
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _on_letter(self) -> None:
        self._agents.set_focus(self._number)
        # The letter of the agent already in focus must stay down.
        self.letter.setChecked(True)

    def _on_remove(self) -> None:
        self._agents.remove(self._number)

    def _on_chosen(self, index: int) -> None:
        chosen = self.choice.choose(index)
        if isinstance(chosen, Agent):
            self._agents.set_agent(self._number, chosen)
        elif chosen not in (None, self._studied.agent.name):
            self._agents.set_agent(self._number, new_agent(str(chosen)))

    def _ask_options(self) -> None:
        studied, agent = self._studied, self._studied.agent
        about = f"{agent.info.about} Limits and the seed are set beside the search, not here."
        title = f"Agent {self._letter}: {agent.info.title}"
        dialog = AgentOptionsDialog(title, about, agent, self.window(), hidden=agent.liftable)
        # The row may have another agent now, for which these options were not meant.
        if dialog.exec() and dialog.agent != agent and studied in self._agents.studied[self._number :][:1]:
            self._agents.set_agent(self._number, dialog.agent)
        dialog.deleteLater()

    def _fit_seed(self, text: str) -> None:
        """Make room for ten digits, or for all: seeds of a study have twenty."""
        width = self.fontMetrics().horizontalAdvance
        self.seed.setFixedWidth(max(width("8" * 10), min(width(text), width("8" * 20))) + 16)

    def _on_seed(self) -> None:
        self._agents.set_seed(self._number, cast(int, self.seed.value))


class SeedsBar(QWidget):
    """How far the searches with other seeds are; it is shown only while they run."""

    def __init__(self, seeds: ManySeeds) -> None:
        super().__init__()
        self.words, self.bar, self.cancel = label(role="muted"), QProgressBar(), QToolButton()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(10)
        self.bar.setAccessibleName("Progress of the searches with other seeds")
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("End here; the seeds that are done stay")
        self.cancel.setAccessibleName("Cancel the searches with other seeds")
        self.cancel.clicked.connect(seeds.cancel)
        arrange(QHBoxLayout(self), self.words, self.bar, self.cancel, wide=self.bar, spacing=6)
        self.hide()

    def show_moment(self, now: LabShown) -> None:
        """Show how many are done."""
        self.setVisible(now.at.repeats is not None)
        if now.at.repeats is not None:
            done, wanted = now.at.repeats
            self.bar.setRange(0, wanted)
            self.bar.setValue(done)
            self.words.setText(f"{done:,} of {wanted:,} other seeds")


class AgentsPanel(QWidget):
    """One to four rows, and below them buttons for one more agent and for new seeds."""

    room_wanted = Signal()
    """``needed_height`` may have changed."""

    def __init__(self, model: Laboratory, actions: ActionSet) -> None:
        super().__init__()
        self._agents = model.agents
        self.rows: list[AgentRow] = []
        inner = QWidget()
        inner.installEventFilter(self)
        buttons = [button_for(actions, name) for name in ("lab_add", "lab_seeds", "lab_many")]
        self.number = QSpinBox()
        self.number.setRange(2, 1000)
        self.number.setValue(SEEDS)
        self.number.setAccessibleName("How many seeds")
        self.number.setToolTip("How many seeds in all, from that of each agent on")
        self.below: list[QWidget] = [*buttons, self.number]
        pairs = [arrange(QHBoxLayout(), *self.below[at : at + 2], spacing=_SPACING) for at in (0, 2)]
        self._row = arrange(QBoxLayout(QBoxLayout.Direction.LeftToRight), *pairs, None, spacing=_SPACING)
        for pair in pairs:
            self._row.setAlignment(pair, Qt.AlignmentFlag.AlignLeft)
        self.seeds = SeedsBar(model.seeds)
        self._list = arrange(QVBoxLayout(inner), self._row, self.seeds, None, spacing=_SPACING)
        scroll = QScrollArea()
        scroll.setWidget(inner)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._viewport = scroll.viewport()
        self._viewport.installEventFilter(self)
        arrange(QVBoxLayout(self), scroll, margins=(8, _ABOVE, 8, _BELOW))
        actions.connect("lab_add", self._agents.add)
        actions.connect("lab_seeds", self._agents.new_seeds)
        actions.connect("lab_many", self._on_many)
        self._shown: tuple[object, ...] = ()
        """The agents and seeds shown, and which is in focus."""
        self._many = model.seeds

    @property
    def needed_height(self) -> int:
        """The height that shows everything without scrolling."""
        return self._list.sizeHint().height() + _ABOVE + _BELOW

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._wrap()
        if event.type() == QEvent.Type.LayoutRequest:
            self.room_wanted.emit()
        return super().eventFilter(watched, event)

    def _wrap(self) -> None:
        """Put the buttons below the agents into two lines if one line has no room."""
        needed = sum(each.sizeHint().width() + _SPACING for each in self.below) - _SPACING
        way = QBoxLayout.Direction
        self._row.setDirection(way.LeftToRight if needed <= self._viewport.width() else way.TopToBottom)

    def show_moment(self, now: LabShown) -> None:
        """Show the agents, and how far their searches are."""
        searches = now.at.searches
        while len(self.rows) < len(searches):
            row = AgentRow(self._agents, len(self.rows))
            self._list.insertWidget(len(self.rows), row)
            self.rows.append(row)
        studied = (now.at.focus, *((each.agent, each.seed) for each in searches))
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(searches))
            if number < len(searches):
                search = searches[number]
                if studied != self._shown:
                    focused, alone = number == now.at.focus, len(searches) == 1
                    row.show_agent(search.agent, search.seed, focused=focused, alone=alone)
                row.show_search(search, running=now.at.running)
        self._shown = studied
        self.seeds.show_moment(now)

    def _on_many(self) -> None:
        self._many.start(self.number.value())


def run_words(search: AgentSearch, *, running: bool) -> tuple[str, str]:
    """The progress of a search, in short, and in full for a tool tip."""
    snapshot = search.newest
    if snapshot is None or _has_nothing(snapshot):
        if running and not search.problem:
            return "preparing…", ""
        return ("results dropped", _DROPPED) if search.dropped else ("no results yet", "")
    words = search_words(snapshot, "iteration")
    nodes = {0: "", 1: "1 node"}.get(snapshot.tree_nodes, f"{snapshot.tree_nodes:,} nodes")
    spent = words["iterations"] or nodes
    why = "the others are done" if snapshot.stopped is None else snapshot.stopped.value
    if search.replaying:
        why = "repeating the search, whose tree was dropped"
    elif running and not search.ended:
        why = "running" if snapshot.stopped is None else "at the limit, waiting for the others"
        if snapshot.stopped is StopReason.STOPPED:
            why = "waiting for the others"  # whose kernels are being compiled
    elif snapshot.stopped is StopReason.STOPPED:
        why = "stopped by you"
    dropped = " The tree was dropped to spare memory; going on repeats the search first." if search.tree_dropped else ""
    full = " The tree is full and grows no more." if snapshot.tree_full else ""
    tip = ", ".join(part for part in (words["rate"], words["tree"], f"{snapshot.elapsed_s:.3g} s") if part)
    return " · ".join(filter(None, (spent, why))), f"{tip}.{dropped}{full}"


def _has_nothing(snapshot: Snapshot) -> bool:
    """Whether it precedes the first result: the search was stopped while its kernels were compiled."""
    return snapshot.iterations == 0 and snapshot.tree_nodes <= 1 and snapshot.best_move is None
