"""What tells and does not ask: keys, how to read the window, about."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from nimdesk import __version__
from nimdesk.ui.look.actions import ACTIONS, BOARD_KEYS
from nimdesk.ui.look.widgets import plain

_HOW_TO_READ = """
<h2>How to read this window</h2>
<p><b>You play, the computer searches.</b> MCTS knows nothing about the game but its rules. It plays many quick
games in its head. Each of these <i>simulations</i> starts with one of the legal moves and ends with random moves.</p>
<p><b>It prefers what went well.</b> Before each simulation it picks the move with the largest
<i>mean + c · √(ln N / n)</i>: good so far (mean, from 0 for a loss to 1 for a win), or little tried (n small against
N). So good moves are visited more and more often.</p>
<p><b>The curves show it make up its mind.</b> Each line is one move: its share of all visits, over the number of
simulations. At first all moves are tried alike. When one line leaves the others, the search has found something;
where lines cross, it changed its mind. In the end the most visited move is played.</p>
<p><b>On the board</b> the same shares lie on the moves themselves: a larger disc, or a taller bar, is a larger share.
Point at a move, a curve or a row of the legend, and the other two light up.</p>
<p><b>Try this:</b> choose <i>Nim 3-4-5</i>. Set <i>Play → Suggest with…</i> to 500 iterations and press F2 a few
times, then to 300,000. Only one of the twelve first moves wins: take 2 from pile 1. Watch how long the search needs to
see it. <i>Truth</i> in the toolbar shows what is proven of every move.</p>
<p><b>Slow motion</b> (View menu) spreads a search over a few seconds so that it can be watched; it changes nothing
about the moves. A search limited by seconds runs at full speed.</p>
"""


def how_to_read(parent: QWidget) -> QDialog:
    """A short guide to the window for someone who has never read about UCT."""
    return _page(parent, "How to read this window", _HOW_TO_READ)


def shortcuts(parent: QWidget) -> QDialog:
    """All keys, made from the actions themselves."""
    rows = [f"<tr><td><b>{keys}</b></td><td>{words}</td></tr>" for keys, words in BOARD_KEYS]
    for menu in dict.fromkeys(spec.menu for spec in ACTIONS):
        rows.append(f"<tr><td colspan='2'><h3>{menu}</h3></td></tr>")
        for spec in ACTIONS:
            if spec.menu == menu and spec.key:
                keys = QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)
                rows.append(f"<tr><td><b>{keys}</b></td><td>{spec.tip}</td></tr>")
    table = f"<h3>On the board</h3><table cellpadding='4'>{''.join(rows)}</table>"
    return _page(parent, "Keyboard shortcuts", table)


def about(parent: QWidget) -> QDialog:
    """Version, purpose, licence."""
    text = (
        f"<h2>nimdesk {__version__}</h2><p>A desktop laboratory for game-tree search: play Nim and m,n,k games, and "
        "watch the search make up its mind.</p><p>MIT licence. Built on Qt for Python, pyqtgraph, NumPy and Numba.</p>"
        "<p>UCT: L. Kocsis and C. Szepesvári, <i>Bandit based Monte-Carlo planning</i>, ECML 2006.</p>"
    )
    return _page(parent, "About nimdesk", text)


def listing(parent: QWidget, lines: tuple[str, ...]) -> QDialog:
    """The listing of a search, line by line, or why there is none."""
    nothing = "The search shown keeps no listing. Minimax and the value table tell how they came to their move."
    text = f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else f"<p>{nothing}</p>"
    return _page(parent, "Search listing", text)


def _page(parent: QWidget, title: str, html: str) -> QDialog:
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    text = QTextBrowser()
    text.setHtml(html)
    text.setOpenExternalLinks(True)
    text.setAccessibleName(title)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    layout.addWidget(text)
    layout.addWidget(plain(buttons))
    dialog.resize(620, 520)
    return dialog
