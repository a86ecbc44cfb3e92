"""Wins by quiet moves: most of them threaten to win by a sequence of threats, and so have few answers.

Where no one sequence wins against all answers at once, threats may still, each of whose answers is met in its own way.
After a quiet move the defender is let pass first. If the attacker wins then, an answer only matters in a cell on which
that win relies: all others are met as the pass is. See Allis, van den Herik and Huntjens, Go-Moku and Threat-Space
Search (1993), for the answers, and I-Chen Wu and Ping-Hung Lin, Relevance-Zone-Oriented Proof Search for Connect6
(2010), for the pass. Which quiet move to look at next, proof numbers say (Allis, Searching for Solutions, 1994).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk import kernel_sequences as kernel
from nimdesk.games.mnk.kernel_sequences import make_sequences
from nimdesk.games.mnk.lines import FREE, number_of
from nimdesk.games.mnk.patterns import MAKES_FOUR, THREATENS
from nimdesk.games.mnk.rules import MnkPosition
from nimdesk.games.mnk.threats import WinsByThreats
from nimdesk.games.mnk.verify import MOST_EXTRA
from nimdesk.kernels.jit import first_use

_NEVER = 1 << 40
"""The number of a node that cannot be proven, or disproven."""
_QUICK, _PASSING, _THOROUGH = 300, 600, 2_000
"""Positions to try in a search for a sequence: at a new node, after a pass, and at a node to be looked into."""
_THREATS = 2_000
"""Positions to try, at a node to be looked into, in a search for a win by threats."""
_CANDIDATES = 12
"""The attacker's moves that are looked at, the best ones by their lines."""
_TREES = 4
"""So many proofs of other answers are tried before a search."""
_FEW = 3
"""With fewer marks, the attacker may make a move that threatens nothing, and win by quiet moves after a pass."""
_PASSED = 30
"""What is added to the proof number of such a move, for the answers that will have to be met."""


class Node:
    """A position in the search, and once it is won what proves that.

    ``cell`` led here, None after a pass. The attacker is to move where ``attacks``; then ``sequence`` wins, or the move
    of the only child left. Otherwise ``children`` follow the answers that matter, and ``passed`` all others; it is None
    where there is one answer alone. ``relies`` are the cells on which the win relies, as bits, given ``extra`` marks.
    """

    __slots__ = (
        "attacks",
        "cell",
        "children",
        "disproof",
        "extra",
        "is_new",
        "parent",
        "passed",
        "proof",
        "relies",
        "sequence",
    )

    def __init__(self, cell: int | None, parent: Node | None, *, attacks: bool, extra: int, proof: int = 1) -> None:
        self.cell, self.parent, self.attacks, self.extra = cell, parent, attacks, extra
        self.proof, self.disproof, self.relies, self.is_new = proof, 1, 0, True
        self.children: list[Node] | None = None
        self.passed: Node | None = None
        self.sequence: tuple[int, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left to do."""
        return self.proof == 0 or self.disproof == 0

    def settle(self, *, won: bool) -> None:
        """It is won, or will not be proven to be."""
        self.proof, self.disproof = (0, _NEVER) if won else (_NEVER, 0)

    def becomes(self, known: Node) -> None:
        """Take over what is known of the same position after other moves."""
        self.proof, self.disproof, self.relies = known.proof, known.disproof, known.relies
        self.sequence, self.children, self.passed = known.sequence, known.children, known.passed

    def first(self) -> int | None:
        """The cell with which the attacker wins here, once that is proven."""
        return self.sequence[0] if self.sequence else self.children[0].cell if self.children else None


class QuietWin:
    """The search for a win of the side to move, in steps."""

    def __init__(self, position: MnkPosition, *, may_go_on: Callable[[int], bool] = lambda _nodes: True) -> None:
        """``position`` is one on whose board lines are read as patterns.

        ``may_go_on`` is asked a few times a second or more, with ``nodes``; it may raise.
        """
        self._search, self._side = make_sequences(position, int(position.turn)), int(position.turn)
        self._threats = WinsByThreats(position, position.turn, threes=True)
        self._may_go_on = may_go_on
        self._root = self._search.lines.root_marks[:-1].tolist()
        self._settled: dict[tuple[frozenset[int], bool, int], Node] = {}
        self._outside: list[int] = []
        """The moves before the root of the search that is going on."""
        self.nodes = 0
        """How often a win by a sequence was looked for, or where the side completes a row."""
        job = partial(QuietWin, position.game.start())
        first_use("mnk-quiet", (self._search,), self._load, job)
        self.root = Node(None, None, attacks=True, extra=0)
        self._look(self.root, [])

    def _load(self) -> None:
        none = np.array([], np.int64)
        kernel.find(self._search, none, 0)
        kernel.holds(self._search, none, 0, 0)
        kernel.rows(self._search, none, 0)
        kernel.moves(self._search, none, 0)

    @property
    def is_won(self) -> bool:
        """Whether the root is proven."""
        return self.root.proof == 0

    def advance(self, steps: int) -> bool:
        """Look into so many positions, while it may go on; whether there is nothing left to do."""
        for _ in range(steps):
            if self.root.is_settled or not self._may_go_on(self.nodes):
                break
            self._step(self.root)
        return self.root.is_settled

    def _step(self, root: Node) -> None:
        """Look into the position that counts most, and tell those above it."""
        node = root
        while node.children is not None:
            left = [each for each in node.children if not each.is_settled]
            node = min(left, key=(lambda each: each.proof) if node.attacks else (lambda each: each.disproof))
        self._expand(node, self._played(node))
        up: Node | None = node
        while up is not None:
            before = up.proof, up.disproof
            if up is not node:
                self._update(up)
            if up.is_settled:
                self._settle(up, self._played(up))
            elif up is not node and (up.proof, up.disproof) == before:
                break
            up = up.parent

    def _played(self, node: Node) -> list[int]:
        """The moves that lead there, each twice the cell plus the side."""
        moves = []
        while node.parent is not None:
            if node.cell is not None:
                moves.append(2 * node.cell + (node.attacks ^ self._side))
            node = node.parent
        return [*self._outside, *moves[::-1]]

    def _key(self, node: Node, played: list[int]) -> tuple[frozenset[int], bool, int]:
        return frozenset(played), node.attacks, node.extra

    def _add(self, node: Node, before: list[int]) -> None:
        """Look at a node for the first time, or take what is known of its position."""
        played = before if node.cell is None else [*before, 2 * node.cell + (node.attacks ^ self._side)]
        node.is_new = False
        known = self._settled.get(self._key(node, played))
        if known is not None:
            node.becomes(known)
            return
        self._look(node, played)
        if node.is_settled:
            self._settle(node, played)

    def _settle(self, node: Node, played: list[int]) -> None:
        """Remember what was found out, unless the position was won before."""
        key = self._key(node, played)
        if node.proof == 0 or key not in self._settled:
            self._settled[key] = node

    def _look(self, node: Node, played: list[int]) -> None:
        """What is seen of a node at once."""
        node.is_new = False
        if node.attacks:
            self._find(node, played, _QUICK if node.cell is not None else _PASSING)
            return
        self.nodes += 1
        count = kernel.rows(self._search, np.array(played, np.int64), node.extra)
        # Asked now: what follows changes the lines.
        can_make_four = number_of(self._search.lines, 1 - self._side, MAKES_FOUR) > 0
        if count < 0:
            node.settle(won=False)
        elif count > 0:
            node.children = [Node(int(self._search.found[0]), node, attacks=True, extra=node.extra)]
            self._add(node.children[0], played)
            self._update(node)
        elif node.extra >= MOST_EXTRA:
            node.settle(won=False)
        else:
            node.passed = Node(None, node, attacks=True, extra=node.extra + 1)
            self._add(node.passed, played)
            if node.passed.proof == 0:
                self._answer(node, played)
            elif can_make_four or self._marks(played) < _FEW:
                # A defender that can make a four need not answer a three, so that hardly a sequence wins after a pass.
                node.children = [node.passed]
                self._update(node)
            else:
                node.settle(won=False)

    def _marks(self, played: list[int]) -> int:
        """How many the attacker has."""
        there: int = self._root.count(self._side)
        return there + sum(move & 1 == self._side for move in played)

    def _find(self, node: Node, played: list[int], most: int) -> None:
        """Look for a win by a sequence."""
        self.nodes += 1
        moves = np.array(played, np.int64)
        count = kernel.find(self._search, moves, most)
        if count > 0:
            node.sequence = tuple(self._search.found[:count].tolist())
            self._wins_by(node, moves)

    def _wins_by(self, node: Node, moves: NDArray[np.int64]) -> bool:
        """Whether the sequence wins; then it is settled."""
        self._search.found[: len(node.sequence)] = node.sequence
        wins = bool(kernel.holds(self._search, moves, len(node.sequence), node.extra))
        if wins:
            node.relies = self._relied()
            node.settle(won=True)
        return wins

    def _relied(self) -> int:
        """The cells of ``relies`` of the kernel, as bits."""
        return int.from_bytes(np.packbits(self._search.relies > 0, bitorder="little").tobytes(), "little")

    def _answer(self, node: Node, played: list[int]) -> None:
        """After a pass the attacker wins: what is left are the answers in cells on which that win relies."""
        assert node.passed is not None
        cells = [cell for cell in self._moves(played, 1 - self._side) if node.passed.relies >> cell & 1]
        known = [node.passed.sequence] if node.passed.sequence else []
        node.children = []
        for cell in cells:
            child = Node(cell, node, attacks=True, extra=node.extra)
            node.children.append(child)
            if not self._wins_by_one_of(known, child, [*played, 2 * cell + 1 - self._side]):
                self._add(child, played)
                if child.sequence:
                    known.append(child.sequence)
            if child.disproof == 0:
                break
        self._update(node)

    def _moves(self, played: list[int], side: int) -> list[int]:
        """The cells that can matter to the side, the best by their lines first."""
        count = kernel.moves(self._search, np.array(played, np.int64), side)
        cells: list[int] = (np.sort(self._search.moves[:count])[::-1] & 0xFFFF).tolist()
        return cells

    def _expand(self, node: Node, played: list[int]) -> None:
        """Look into a node that has no children."""
        if node.is_new:
            self._add(node, played[:-1])
            return
        if self._is_seen_to_win(node, played, _THREATS) or self._as_before(node, played):
            return
        cells = self._moves(played, self._side)[:_CANDIDATES]
        if len(cells) > 1:
            free = self._search.lines.marks
            first = [cell for cell in self._likely(node) if free[cell] == FREE]
            cells = [*first, *(cell for cell in cells if cell not in first)]
        if not cells:
            node.settle(won=False)
            return
        node.children = [
            Node(cell, node, attacks=False, extra=node.extra, proof=1 + rank // 2) for rank, cell in enumerate(cells)
        ]
        self._update(node)

    def _as_before(self, node: Node, played: list[int]) -> bool:
        """Whether the node is won as after a pass, or after another answer to the same move; then it is settled."""
        parent = node.parent
        if parent is None or parent.passed is None or parent.children is None:
            return False
        before = [each for each in (parent.passed, *parent.children) if each.proof == 0 and each.children is not None]
        return any(self._along(node, known, played) for known in before[-_TREES:])

    def _again(self, node: Node, known: Node | None, played: list[int]) -> bool:
        """Whether the node is seen to win, or is won as a known one but for what fails of that; then it is settled.

        Nothing is known where that is None, or has neither a sequence nor children.
        """
        if known is None or self._known_to_win(node, played):
            return node.proof == 0
        if known.sequence and self._wins_by_one_of([known.sequence], node, played):
            return True
        if self._is_seen_to_win(node, played, _THREATS):
            return True
        return known.children is not None and self._along(node, known, played)

    def _along(self, node: Node, known: Node, played: list[int]) -> bool:
        """The same for what follows the move of a known one."""
        assert known.children is not None
        (model,) = known.children
        assert model.cell is not None
        assert model.children is not None
        answers = {each.cell: each for each in model.children}

        def is_met(child: Node, there: list[int]) -> bool:
            return self._again(child, answers.get(child.cell, model.passed), there)

        return self._wins_with(node, model.cell, played, is_met)

    def _is_seen_to_win(self, node: Node, played: list[int], most: int) -> bool:
        """Whether the node is won by a sequence or, trying ``most`` positions, by threats; then it is settled."""
        self._find(node, played, _THOROUGH)
        return node.proof == 0 or self._by_threats(node, played, most)

    def _by_threats(self, node: Node, played: list[int], most: int) -> bool:
        """Whether the node is won by threats, each of whose answers is met in its own way; then it is settled.

        A threat after which sequences win is preferred, since what it takes to prove that is shorter.
        """
        cell = self._threats.first(played, most) if self._may_go_on(self.nodes) else -1
        if cell < 0:
            return False

        def is_won_at_once(child: Node, there: list[int]) -> bool:
            if not self._known_to_win(child, there):
                self._find(child, there, _QUICK)
            return child.proof == 0

        def is_met(child: Node, there: list[int]) -> bool:
            return is_won_at_once(child, there) or self._by_threats(child, there, most)

        cells, found = self._moves(played, self._side), self._search.lines.found
        threats = [each for each in cells if found[2 * each + self._side] >= THREATENS][:_CANDIDATES]
        short = any(self._wins_with(node, each, played, is_won_at_once) for each in threats)
        return short or self._wins_with(node, cell, played, is_met)

    def _known_to_win(self, node: Node, played: list[int]) -> bool:
        """Whether this position was won before; then it is settled."""
        before = self._settled.get(self._key(node, played))
        if before is None or before.proof > 0:
            return False
        node.becomes(before)
        return True

    def _wins_with(self, node: Node, cell: int, played: list[int], is_met: Callable[[Node, list[int]], bool]) -> bool:
        """Whether the node is won by this move; then it is settled.

        ``is_met`` tries to settle the position after a pass, and after each answer that matters.
        """
        mine = 2 * cell + self._side
        if self._root[cell] != FREE or mine in played or mine ^ 1 in played:
            return False
        before, played = played, [*played, mine]
        move = Node(cell, node, attacks=False, extra=node.extra)
        count = kernel.rows(self._search, np.array(played, np.int64), node.extra)
        move.relies = self._relied()
        if count < 0:
            return False
        cells = [int(self._search.found[0])] if count > 0 else []
        known: list[tuple[int, ...]] = []
        if count == 0:
            move.passed = Node(None, move, attacks=True, extra=node.extra + 1)
            if node.extra >= MOST_EXTRA or not is_met(move.passed, played):
                return False
            move.relies |= move.passed.relies
            known = [move.passed.sequence] if move.passed.sequence else []
            cells = [cell for cell in self._moves(played, 1 - self._side) if move.passed.relies >> cell & 1]
        move.children = []
        for answer in cells:
            child, there = Node(answer, move, attacks=True, extra=node.extra), [*played, 2 * answer + 1 - self._side]
            if not self._wins_by_one_of(known, child, there):
                if not is_met(child, there):
                    return False
                if child.sequence:
                    known.append(child.sequence)
            move.children.append(child)
            move.relies |= child.relies
        move.settle(won=True)
        node.children, node.relies = [move], move.relies | 1 << cell
        node.settle(won=True)
        self._settle(node, before)
        return True

    def _wins_by_one_of(self, known: list[tuple[int, ...]], node: Node, played: list[int]) -> bool:
        """Whether one of these sequences wins; then it is settled."""
        moves = np.array(played, np.int64)
        for node.sequence in known:
            if self._wins_by(node, moves):
                node.is_new = False
                return True
        node.sequence = ()
        return False

    def _likely(self, node: Node) -> list[int]:
        """What won after other answers to the same move, the most frequent first."""
        parent = node.parent
        if parent is None or parent.passed is None or parent.children is None:
            return []
        won = [each.first() for each in (parent.passed, *parent.children) if each.proof == 0]
        return [cell for cell, _ in Counter(won).most_common(4) if cell is not None]

    def _update(self, node: Node) -> None:
        """Take in what is known of the children."""
        children = node.children
        assert children is not None
        if node.attacks:
            node.proof = min(each.proof for each in children)
            node.disproof = min(sum(each.disproof for each in children), _NEVER)
            if node.proof == 0:
                won = next(each for each in children if each.proof == 0)
                assert won.cell is not None
                node.children, node.disproof, node.relies = [won], _NEVER, won.relies | 1 << won.cell
        elif node.passed is not None and children == [node.passed]:
            if node.passed.proof == 0:
                self._answer(node, self._played(node))
                return
            node.proof, node.disproof = min(node.passed.proof + _PASSED, _NEVER), node.passed.disproof
        else:
            node.proof = min(sum(each.proof for each in children), _NEVER)
            node.disproof = min((each.disproof for each in children), default=_NEVER)
            if node.proof == 0:
                node.disproof = _NEVER
                if node.extra > 0:
                    kernel.rows(self._search, np.array(self._played(node), np.int64), node.extra)
                    node.relies = self._relied()
                    for each in children if node.passed is None else (node.passed, *children):
                        node.relies |= each.relies
        if node.disproof == 0:
            node.proof, node.children = _NEVER, None
