"""The status line: how far the search has come, how fast it is, and how large its tree."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from nimdesk.search import Snapshot


class SearchStatus(QStatusBar):
    """Iterations, simulations a second, tree size, seed; other messages come and go at the left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: dict[str, QLabel] = {}
        for name, widest, tip in (
            ("iterations", "10,000,000 iterations", "Simulations done: each selects, expands, plays out and backs up"),
            ("rate", "10.00 M simulations/s", "Simulations for each second of searching"),
            ("tree", "tree 10,000,000 nodes, 500.0 MB", "Positions in the search tree, and the memory they take"),
            ("seed", "seed 9223372036854775807", "With the same seed, this search can be repeated"),
        ):
            shown = QLabel()
            shown.setToolTip(tip)
            # A size of its own, so that figures do not jump about 30 times a second, and Qt lays out nothing anew.
            shown.setFixedSize(shown.fontMetrics().horizontalAdvance(widest) + 14, shown.sizeHint().height())
            shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._labels[name] = shown
            self.addPermanentWidget(shown)
        # A sentence needs the whole line.
        self.messageChanged.connect(self._make_room)

    def _make_room(self, message: str) -> None:
        for shown in self._labels.values():
            shown.setVisible(not message)

    def show_snapshot(self, snapshot: Snapshot | None, *, slow_motion: bool = False) -> None:
        """Show the figures of this search; nothing for None. In slow motion a rate would say nothing."""
        texts = dict.fromkeys(self._labels, "") if snapshot is None else search_words(snapshot)
        if slow_motion and texts["rate"]:
            texts["rate"] = "slow motion"
        for name, text in texts.items():
            shown = self._labels[name]
            if text != shown.text():
                shown.setText(text)
                if (needed := shown.sizeHint().width()) > shown.width():
                    shown.setFixedWidth(needed)


def search_words(snapshot: Snapshot) -> dict[str, str]:
    """The figures in words; empty where a player does not search."""
    if snapshot.iterations == 0:
        return dict.fromkeys(("iterations", "rate", "tree", "seed"), "")
    kept = f" + {snapshot.reused:,} kept" if snapshot.reused else ""
    full = " (full)" if snapshot.tree_full else ""
    nodes = "1 node" if snapshot.tree_nodes == 1 else f"{snapshot.tree_nodes:,} nodes"
    return {
        "iterations": f"{snapshot.iterations:,} {'iteration' if snapshot.iterations == 1 else 'iterations'}{kept}",
        "rate": f"{_rate(snapshot.simulations_per_s)} simulations/s",
        "tree": f"tree {nodes}, {snapshot.tree_bytes / 1e6:,.1f} MB{full}",
        "seed": f"seed {snapshot.seed}",
    }


def _rate(per_s: float) -> str:
    if per_s >= 1e6:
        return f"{per_s / 1e6:.2f} M"
    return f"{per_s / 1e3:.0f} k" if per_s >= 1e4 else f"{per_s:.0f}"
