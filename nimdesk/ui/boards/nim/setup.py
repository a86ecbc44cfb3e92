"""Nim set up by hand: typed for a new game, counted pile by pile for a position to study."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QCheckBox, QFormLayout, QGridLayout, QLineEdit

from nimdesk.errors import GameParameterError, quoted
from nimdesk.games import AnyPosition, NimGame, NimPosition
from nimdesk.games.nim.rules import MAX_PILE, MAX_PILES
from nimdesk.ui.boards.forms import PositionForm, number_box
from nimdesk.ui.look.widgets import label, tip

_MISERE = "M&isère: whoever takes the last stick loses"


class TypedPiles(PositionForm):
    """The piles as a list of numbers, the largest take, and who wins."""

    def __init__(self) -> None:
        super().__init__()
        self.piles = QLineEdit("1,3,5,7")
        self.piles.setToolTip(tip(f"Sizes of the piles, 1 to {MAX_PILE} each, separated by commas or spaces"))
        self.max_take = QLineEdit()
        self.max_take.setPlaceholderText("no limit")
        self.max_take.setToolTip("How many sticks one move may take at most; empty for no limit")
        self.misere = QCheckBox(_MISERE)
        self.first_field = self.piles
        form = QFormLayout(self)
        form.addRow("&Piles", self.piles)
        form.addRow("&Largest take", self.max_take)
        form.addRow(self.misere)
        self.piles.textChanged.connect(self._tell)
        self.max_take.textChanged.connect(self._tell)
        self.misere.toggled.connect(self._tell)

    def show_position(self, position: AnyPosition) -> None:
        game = position.game
        assert isinstance(game, NimGame)
        self.piles.setText(",".join(map(str, game.piles)))
        self.max_take.setText("" if game.max_take is None else str(game.max_take))
        self.misere.setChecked(game.misere)

    def position(self) -> AnyPosition:
        """The start of the game that is typed."""
        sizes, limit = self.piles.text().replace(",", " ").split(), self.max_take.text().strip()
        if not sizes:
            raise GameParameterError("There are no piles; give their sizes, like 1,3,5,7.")
        if re.search(r",\s*,|^\s*,", self.piles.text()):
            raise GameParameterError("Between two commas there is no number; give sizes like 1,3,5,7.")
        if (wrong := next((size for size in sizes if not _is_number(size)), None)) is not None:
            raise GameParameterError(
                f"{quoted(wrong)} is no size of a pile; give whole numbers from 1 to {MAX_PILE}, like 1,3,5,7."
            )
        if limit and not _is_number(limit):
            raise GameParameterError(
                f"The largest take is {quoted(limit)}; it must be a whole number from 1 to {MAX_PILE}, or empty."
            )
        return NimGame(tuple(map(int, sizes)), int(limit) if limit else None, self.misere.isChecked()).start()


def _is_number(text: str) -> bool:
    # Nine digits are more than any bound allows, and keep int() quick on pasted nonsense.
    return re.fullmatch(r"-?[0-9]{1,9}", text) is not None


class CountedPiles(PositionForm):
    """A number for each pile that there may be, the largest take, and who wins."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout()
        self.piles = [number_box(0, MAX_PILE) for _ in range(MAX_PILES)]
        for index, box in enumerate(self.piles):
            box.setAccessibleName(f"Sticks in pile {index + 1}")
            box.setSpecialValueText("none")
            box.setPrefix(f"{index + 1}:  ")
            box.valueChanged.connect(self._tell)
            grid.addWidget(box, index // 4, index % 4)
        self.first_field = self.piles[0]
        self.max_take = number_box(0, MAX_PILE)
        self.max_take.setSpecialValueText("no limit")
        self.max_take.valueChanged.connect(self._tell)
        self.misere = QCheckBox(_MISERE)
        self.misere.toggled.connect(self._tell)
        form = QFormLayout(self)
        form.addRow(label("Sticks in each pile:"))
        form.addRow(grid)
        form.addRow("&Largest take", self.max_take)
        form.addRow(self.misere)

    def show_position(self, position: AnyPosition) -> None:
        assert isinstance(position, NimPosition)
        for box, size in zip(self.piles, [size for size in position.piles if size], strict=False):
            box.setValue(size)
        self.max_take.setValue(position.game.max_take or 0)
        self.misere.setChecked(position.game.misere)

    def position(self) -> NimPosition:
        """A start with these piles; empty ones do not count."""
        piles = tuple(box.value() for box in self.piles if box.value())
        if not piles:
            raise GameParameterError("There is no stick on the board; give at least one pile.")
        return NimGame(piles, self.max_take.value() or None, self.misere.isChecked()).start()
