"""The dialog that makes a program a player: a name for it, and what starts it."""

from __future__ import annotations

import shlex
from pathlib import Path

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents.engines import AddedEngine, add_engine
from nimdesk.agents.naming import check_free
from nimdesk.errors import OptionError
from nimdesk.ui.jobs.bridge import Bridge
from nimdesk.ui.look.widgets import label, plain, tip

_ABOUT = (
    "A program that speaks nimdesk's protocol of searches, in any language, or that of Gomocup if its name begins with "
    "“pbrain-”. It is started once now, to hear what it can."
)


class AddEngineDialog(QDialog):
    """Asks for a program and adds it as an agent; after ``exec`` returned Accepted, ``added`` is its name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add an engine")
        self.added = ""
        self.name, self.program, self.arguments = QLineEdit(), QLineEdit(), QLineEdit()
        self.browse = QPushButton("&Browse…")
        self.problem = label(role="problem", wrap=True)
        self.problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.ok, self.cancel = (
            buttons.button(each) for each in (buttons.StandardButton.Ok, buttons.StandardButton.Cancel)
        )
        self.ok.setText("&Add it")
        self._jobs = Bridge("nimdesk-engine", what="Adding the engine", parent=self)
        grid = QGridLayout()
        for row, (title, field, about) in enumerate(
            (
                ("&Program", self.program, "The file to start, or a command such as python."),
                ("A&rguments", self.arguments, "What follows it, such as the file of a script; often nothing."),
                ("&Name", self.name, "What it is called from now on: small letters, digits, “-” and “_”."),
            )
        ):
            words = label(title)
            words.setBuddy(field)
            field.setToolTip(tip(about))
            field.setAccessibleDescription(about)
            grid.addWidget(words, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self.browse, 0, 2)
        layout = QVBoxLayout(self)
        layout.addWidget(label(_ABOUT, wrap=True))
        layout.addLayout(grid)
        layout.addWidget(self.problem)
        layout.addWidget(plain(buttons))
        self.browse.clicked.connect(self._browse)
        buttons.accepted.connect(self._add)
        buttons.rejected.connect(self.reject)
        self.finished.connect(lambda _result: self._jobs.shutdown())
        self.resize(480, self.sizeHint().height())

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "The program", str(Path.home()))
        if chosen:
            self.program.setText(chosen)

    def _add(self) -> None:
        program, name = self.program.text().strip(), self.name.text().strip()
        try:
            check_free(name)
            command = (program, *shlex.split(self.arguments.text()))
        except OptionError as error:
            self._say(str(error))
            return
        except ValueError:
            self._say("The arguments have a quotation mark without its other half.")
            return
        if not program:
            self._say("Name the program to start.")
            return
        # Programs look for their own files beside them.
        there = next((path.parent for each in command if (path := Path(each)).is_absolute()), Path.home())
        self._wait(True)
        self._jobs.start(lambda _job: add_engine(name, command, there), done=self._done, failed=self._failed)

    def _done(self, engine: AddedEngine) -> None:
        self.added = engine.name
        self.accept()

    def _failed(self, why: str) -> None:
        self._wait(False)
        self._say(why)

    def _wait(self, waits: bool) -> None:
        """While the program is started nothing can be pressed: it has some seconds for its greeting."""
        for widget in (self.ok, self.cancel, self.browse, self.program, self.arguments, self.name):
            widget.setEnabled(not waits)
        if waits:
            self._say("")

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        layout = self.layout()
        if layout is not None:  # what is wrong takes lines that a dialog does not grow by itself for
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))

    def reject(self) -> None:
        """Leave without an engine, unless one is being started."""
        if self.cancel.isEnabled():
            super().reject()
