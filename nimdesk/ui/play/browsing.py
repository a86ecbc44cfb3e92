"""Looking back and forward in the game, and pruning its tree of variations."""

from __future__ import annotations

from nimdesk.agents import Agent
from nimdesk.play import GameInProgress, Node, Pruned
from nimdesk.ui.play.conduct import Conduct
from nimdesk.ui.play.searching import SearchService


class Browsing(Conduct):
    """The conduct of a game, and the ways through it."""

    def __init__(self, game: GameInProgress, service: SearchService, suggester: Agent) -> None:
        super().__init__(game, service, suggester)
        self._pruned: list[tuple[GameInProgress, Pruned]] = []

    def undo(self) -> None:
        """Take back to the person's own last turn (without a person: one move).

        A move played then is the game, and what was taken back a variation.
        """
        target = self._game.undo_target()
        if target != self._game.cursor:
            self.jump(target)
            self._taken_back = True
            self.state_changed.emit()

    def redo(self) -> None:
        """Take forward what Undo took back."""
        self.jump(self._game.redo_target())

    def jump(self, cursor: int) -> None:
        """Look at the board after that many moves of the line, or of what goes on where it ends."""
        line = self._game.line
        if cursor >= len(line) and line[-1].children:
            self.look_at(line[-1].children[0])
        else:
            self.look_at(line[min(max(cursor, 0), len(line) - 1)])

    def look_at(self, node: Node) -> None:
        """Look at this place of the game's tree; a search for a move rests until its position is back and goes on."""
        self._taken_back = False
        if node is self._game.node:
            return
        self._thinking.leave()
        self._clear()
        self._game.look_at(node)
        self._show(animate=False)
        self._go_on()

    def promote(self) -> None:
        """Make the line that leads to the place looked at the main line."""
        self._game.promote(self._game.node)
        self.show_again()

    def prune(self) -> None:
        """Delete the move looked at and all after it; ``restore`` brings the last such moves back."""
        if self._game.node is self._game.root:
            return
        self._thinking.halt()
        self._clear()
        node = self._game.node
        self._pruned.append((self._game, self._game.prune(node)))
        assert node.parent is not None
        self._game.look_at(node.parent)
        self._show(animate=False)

    def restore(self) -> None:
        """Bring back what ``prune`` deleted last in this game."""
        if self.can_restore:
            self._thinking.leave()
            self._clear()
            self._game.restore(self._pruned.pop()[1])
            self._show(animate=False)

    @property
    def can_restore(self) -> bool:
        """Whether there is something to bring back."""
        return bool(self._pruned) and self._pruned[-1][0] is self._game

    def show_again(self) -> None:
        """Show the position anew: its game has got the searches behind its moves, or other variations."""
        self._show(animate=False)
