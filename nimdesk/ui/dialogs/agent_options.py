"""A dialog with the options of one agent."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from nimdesk.agents import Agent, AgentOptions
from nimdesk.ui.look.forms import OptionsForm
from nimdesk.ui.look.widgets import label, plain


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
    ) -> None:
        """The options named in ``hidden`` are not shown and keep their values."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.agent = agent
        self.form = OptionsForm(agent.info, agent.options, hidden=hidden)
        self.form.options_changed.connect(self._on_options)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(label(about, wrap=True))
        layout.addWidget(self.form)
        layout.addStretch(1)
        layout.addWidget(plain(buttons))
        self.resize(420, 260)

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
        # Asked first: after some events, such as the last, there is no dialog left to ask.
        laid_out = event.type() == QEvent.Type.LayoutRequest
        done = super().event(event)
        if laid_out and (layout := self.layout()) is not None:
            # The least height of a layout with wrapped words is one for another width: fields would be squeezed.
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
        return done
