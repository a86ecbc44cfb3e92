"""The sheet on which a game is opened by the pie rule or by swap2, until everybody has a side."""

from __future__ import annotations

import random
from functools import partial
from threading import Event

from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.agents import Agent
from nimdesk.agents.opening_rules import (
    CHOICES,
    RULES,
    Opening,
    OpeningChoice,
    OpeningPlayer,
    OpeningRule,
    Step,
)
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.limit import Limit
from nimdesk.play import Human, Player
from nimdesk.play.words import addressed, player_name
from nimdesk.search import Snapshot, drive
from nimdesk.ui.boards import BoardView, board_kit
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.widgets import label, open_with

_LONGEST_S = 10.0
"""How long a computer thinks about an opening at the most, whatever its budget."""


class OpeningSheet(QDialog):
    """After ``exec`` returned Accepted, ``position`` is where the game begins, with ``players`` by ``Side``, and
    ``told`` says in a sentence how that came about.
    """

    def __init__(
        self, rule: OpeningRule, start: AnyPosition, players: tuple[Player, Player], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Opening")
        self.position, self.players, self.told = start, players, ""
        self._start, self._seats, self._opening = start, players, Opening(rule)
        self._done = list[str]()
        self._before = list[tuple[AnyPosition, Opening, list[str]]]()
        """What there was before each thing that a person did."""
        self._job: Job | None = None
        self._openers: dict[Side, OpeningPlayer] = {}
        self._stop = Event()
        self._jobs = Bridge("nimdesk-opening", what="The opening", parent=self)
        self.words = label(role="headline", wrap=True)
        self.board: BoardView = board_kit(start.game).new_board(start, self)
        self.board.move_chosen.connect(self._on_move)
        self.choices: dict[OpeningChoice, QPushButton] = {choice: QPushButton() for choice in CHOICES}
        self.back, cancel = QPushButton("&Take back"), QPushButton("Cancel")
        for choice, button in self.choices.items():
            button.clicked.connect(lambda _checked=False, choice=choice: self._on_choice(choice))
        self.back.clicked.connect(self._take_back)
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        for button in self.choices.values():
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(cancel)
        layout = QVBoxLayout(self)
        layout.addWidget(label(RULES[rule], role="muted", wrap=True))
        layout.addWidget(self.words)
        layout.addWidget(self.board, 1)
        layout.addLayout(buttons)
        self.finished.connect(self._shut_down)
        open_with(self, 560, 660)
        self._go_on()

    def _shut_down(self, _result: int) -> None:
        self._stop.set()
        self._jobs.shutdown()

    # What a person does

    def _on_move(self, move: Move) -> None:
        self._note()
        step = self._opening.step(self.position.ply - self._start.ply)
        if step is not None and step.moves == 1:
            self._tell_moves(self._side(step))
        self.position = self.position.play(move)
        self._go_on()

    def _on_choice(self, choice: OpeningChoice) -> None:
        self._note()
        self._choose(choice)

    def _note(self) -> None:
        self._before.append((self.position, self._opening, list(self._done)))

    def _take_back(self) -> None:
        if self._job is not None:
            self._job.drop()
        self.position, self._opening, self._done = self._before.pop()
        self._openers = {}
        self._go_on()

    # What follows

    def _go_on(self) -> None:
        """Ask whoever is next; the opening is over once everybody has a side."""
        over = self.position.outcome is not None
        step = None if over else self._opening.step(self.position.ply - self._start.ply)
        self.board.set_position(self.position, animate=True)
        self.back.setEnabled(bool(self._before))
        player = None if step is None else self._seats[self._side(step)]
        person = isinstance(player, Human)
        self.board.set_interactive(person and step is not None and bool(step.moves))
        for choice, button in self.choices.items():
            button.setVisible(person and step is not None and choice in step.choices)
        if step is None:
            self._end()
            return
        self.words.setText(self._asked(step))
        for choice, button in self.choices.items():
            button.setText(self._offered(choice, self._side(step)))
        if isinstance(player, Agent):
            position, side = self.position, self._side(step)
            opener = self._openers.setdefault(side, self._opener(player))
            self._job = self._jobs.start(
                lambda _job: opener.answer(position, step, side),
                done=lambda answer: self._on_answer(step, answer),
                failed=self._on_failed,
            )
        elif step.moves:
            self.board.setFocus()
        else:
            self.choices[step.choices[0]].setFocus()

    def _on_answer(self, step: Step, answer: AnyPosition | OpeningChoice) -> None:
        self._job = None
        if isinstance(answer, str):
            self._choose(answer)
        elif answer.ply == self.position.ply:
            self._end()  # every move would end the game
        else:
            self._tell_moves(self._side(step))
            self.position = answer
            self._go_on()

    def _tell_moves(self, side: Side) -> None:
        """Note who has made the moves that were asked for."""
        alone = "one move" if self._opening.rule == "pie" else "three moves"
        self._done.append(f"{self._name(side)} made {'two more moves' if self._opening.choices else alone}")

    def _choose(self, choice: OpeningChoice) -> None:
        step = self._opening.step(self.position.ply - self._start.ply)
        assert step is not None
        side = self._side(step)
        other = self._start.game.side_name(side.other if choice == "swap" else side)
        did = "asked for two more moves" if choice == "more" else f"chose to play {other}"
        self._done.append(f"{self._name(side)} {did}")
        self._opening = self._opening.chosen(choice)
        self._go_on()

    def _on_failed(self, why: str) -> None:
        self._job = None
        self.words.setText(why)

    def _end(self) -> None:
        first, second = self._seats
        self.players = (second, first) if self._opening.swapped else (first, second)
        self.told = f"{RULES[self._opening.rule].partition(':')[0]}: {'; '.join(self._done)}."
        self.accept()

    def _opener(self, agent: Agent) -> OpeningPlayer:
        return OpeningPlayer(agent, self._opening.rule, partial(_searched, self._stop), random.Random())

    # The words

    def _side(self, step: Step) -> Side:
        """The side that the player of this step has as the opening begins."""
        return Side((self._start.turn + step.player) % 2)

    def _name(self, side: Side) -> str:
        name = player_name(self._seats, side, self._start.game)
        return name if not self._done else addressed(name)

    def _asked(self, step: Step) -> str:
        """What is to be done, and by whom."""
        side, game = self._side(step), self._start.game
        who, other = (player_name(self._seats, each, game) for each in (side, side.other))
        if isinstance(self._seats[side], Agent):
            return f"{who} {'chooses a side' if step.choices else 'looks for even moves'}…"
        asked = "" if who == "You" else f"{who}: "
        if step.choices:
            return f"{asked}Which side do you play from here? {game.side_name(self.position.turn)} is to move."
        number = "one move" if step.moves == 1 else f"{step.moves} moves, for both sides in turn"
        return f"{asked}Make {number}, so that neither side is ahead: then {addressed(other)} may choose a side."

    def _offered(self, choice: OpeningChoice, side: Side) -> str:
        game = self._start.game
        if choice == "more":
            return "&Make two more moves"
        return f"Play &{game.side_name(side if choice == 'stay' else side.other)}"


def _searched(stop: Event, agent: Agent, position: AnyPosition) -> Snapshot:
    searcher = agent.new_searcher(position)
    searcher.start(position, agent.new_seed())
    drive(searcher, Limit(time_s=_LONGEST_S), stop)
    return searcher.snapshot()
