"""The proof search of the m,n,k solver: one yes-or-no question, with a stack that stops and resumes anywhere.

The question: can the *attacker* complete a line within so many plies, against every defence? The other side defends;
if it completes a line first, the answer is no. Win, draw and loss are two such questions, and the distance to a win
is the smallest number of plies for which the answer is yes.

Depth-first alpha-beta with a null window, a table of proven bounds, symmetric positions merged near the root, and
what is forced played without looking around: complete a line, block one; two threats win. Without gravity also: a
move in a cell where neither side can complete a line in the plies left is no better than a pass, and so than any
other move, since a mark never hurts its owner (where k alone wins it may: there such moves are all alike, and one is
tried for all); a move that makes two threats at once wins in three plies, so the opponent must answer it beforehand
with a cell of those lines or with a threat of its own; and the attacker cannot win once the potential of Erdős and
Selfridge (On a combinatorial game, 1973), the sum of 2**-missing over the lines the defender has not touched, is below
1 with the defender to move. All of these are exact: nothing is cut that could change an answer.
"""

from typing import Any

import numpy as np

from nimdesk.games.mnk.solver import table as tt
from nimdesk.games.mnk.solver.board import (
    AT_REST,
    ATTACKER,
    BOUND,
    C_HEIGHT,
    C_LINES,
    C_OPEN,
    C_THREAT,
    DEPTH,
    F_BEGIN,
    F_BOUND,
    F_END,
    F_MOVE,
    F_NODES,
    F_PLIES,
    F_TABLE,
    FILLED,
    FORCING,
    L_COUNT,
    L_GAP,
    MARKS_OF,
    MODE,
    NODES,
    OPEN,
    PLIES,
    POTENTIAL,
    PUT,
    TAKE_BACK,
    THREAT_XOR,
    THREATS,
    TURN,
    YES,
    Board,
    current_key,
    turn_mark,
)
from nimdesk.games.mnk.solver.table import NEVER
from nimdesk.kernels.jit import inlined, kernel

# Values of ``state[MODE]``, beside ``AT_REST``: look at a new position, try its next move, remember what the frame
# came to, hand an answer back, or clear the board.
ENTER, NEXT, FINISH, ANSWER, GIVE_UP = 1, 2, 3, 4, 5
# An answer as one number: the bound, and this if it is yes. No answer yet: -1.
SAYS_YES = 1024
NO_ANSWER = -1
# Scores for the order of moves: the table's move first, then threats, then the sum of both sides' gains.
SCORE_SHIFT = 16
THREAT_SCORE = 1 << 32
TABLE_SCORE = 1 << 33


@inlined
def _wins(attacking: int, plies: int) -> int:
    """The answer where the attacker (1) or the defender (0) wins in so many plies."""
    return SAYS_YES + plies if attacking else NEVER


@inlined
def _forced(b: Board, attacking: int, mover: int) -> int:
    """What needs no looking around, without gravity: an answer, or ``NO_ANSWER``."""
    state, plies = b.state, b.state[PLIES]
    if plies < 2 - attacking:
        return int(plies)
    if state[THREATS + mover] > 0:
        return _wins(attacking, 1)
    if state[THREATS + 1 - mover] >= 2:
        return _wins(1 - attacking, 2)
    if state[OPEN] == 0 or state[POTENTIAL + state[ATTACKER]] < np.int64(1) << (b.k - attacking):
        return NEVER
    return 3 - attacking if plies < 4 - attacking else NO_ANSWER


@inlined
def _forced_gravity(b: Board, attacking: int, mover: int) -> int:
    """The same with gravity; -2 - cell if there is but one cell to block."""
    state, plies = b.state, b.state[PLIES]
    if plies < 2 - attacking:
        return int(plies)
    blocks, block = 0, 0
    for column in range(b.columns):
        height = b.cells[column, C_HEIGHT]
        if height < b.rows:
            cell = height * b.columns + column
            if b.cells[cell, C_THREAT + mover] > 0:
                return _wins(attacking, 1)
            if b.cells[cell, C_THREAT + 1 - mover] > 0:
                blocks, block = blocks + 1, cell
    if blocks >= 2:
        return _wins(1 - attacking, 2)
    if state[OPEN] == 0 or state[POTENTIAL + state[ATTACKER]] == 0:
        return NEVER
    if attacking and plies < 3:
        return 2
    return -2 - block if blocks == 1 else NO_ANSWER


@inlined
def _begin_frame(b: Board, depth: int, attacking: int) -> None:
    """A frame without moves."""
    frame = b.frame
    begin = frame[depth - 1, F_BEGIN] + b.state[OPEN] + 1 if depth > 0 else 0
    frame[depth, F_PLIES] = b.state[PLIES]
    frame[depth, F_BEGIN] = begin
    frame[depth, F_END] = begin
    frame[depth, F_BOUND] = NEVER if attacking else 0
    frame[depth, F_NODES] = b.state[NODES]
    frame[depth, F_TABLE] = 0


@inlined
def _probe(b: Board, table: Any, depth: int) -> int:
    """The row of the position in the table, or -1; ``frame_key`` gets its key."""
    key = b.frame_key[depth]
    current_key(b, key)
    b.frame[depth, F_TABLE] = 1 + b.state[ATTACKER] + 2 * b.state[TURN] + 4 * b.state[FORCING]
    return int(tt.find(table, key, b.frame[depth, F_TABLE] - 1))


@inlined
def _matters_beside(b: Board, cell: int, mover: int, own_least: int, foe_least: int) -> bool:
    """Whether a mark in the cell takes a line from a side that could complete it in the plies left."""
    for i in range(b.beside[cell], b.beside[cell + 1]):
        line = b.beside_of[i]
        own, foe = b.lines[line, L_COUNT + mover], b.lines[line, L_COUNT + 1 - mover]
        if (foe == 0 and own & MARKS_OF >= own_least) or (own == 0 and foe & MARKS_OF >= foe_least):
            return True
    return False


@inlined
def _scan(b: Board, depth: int, attacking: int, mover: int, suggested: int) -> int:
    """Without gravity: list the moves worth trying in the frame, unless a look at all cells gives the answer."""
    k, plies, frame, moves, lines = b.k, b.state[PLIES], b.frame, b.moves, b.lines
    begin = frame[depth, F_BEGIN]
    end_of_moves = begin
    must_0, must_1, must_2, any_must = -1, -1, -1, False
    # Fewer marks than these, and a line cannot be completed in the plies left.
    own_least = k - (plies + 1) // 2
    foe_least = k - plies // 2
    most, best_gain, left_out, kept_alike = 0, np.int64(0), False, False
    for i in range(b.state[OPEN]):
        cell: Any = np.int64(b.cells[i, C_OPEN])
        own_gain, foe_gain = np.int64(0), np.int64(0)
        own_first, own_more, foe_first, foe_second, foe_more = -1, False, -1, -1, False
        matters = False
        if b.exact:
            matters = _matters_beside(b, cell, mover, own_least, foe_least)
        for j in range(b.cells[cell, C_LINES], b.cells[cell + 1, C_LINES]):
            line = b.line_of[j]
            ours, theirs = lines[line, L_COUNT + mover], lines[line, L_COUNT + 1 - mover]
            if theirs == 0:
                own = ours & MARKS_OF
                own_gain += np.int64(1) << own
                if own >= own_least:
                    matters = True
                if attacking and own > most:
                    most = own
                if own == k - 2:
                    end = lines[line, L_GAP] ^ cell
                    if own_first < 0:
                        own_first = end
                    elif end != own_first:
                        own_more = True
            if ours == 0:
                foe = theirs & MARKS_OF
                foe_gain += np.int64(1) << foe
                if foe >= foe_least:
                    matters = True
                if not attacking and foe > most:
                    most = foe
                if foe == k - 2:
                    end = lines[line, L_GAP] ^ cell
                    if foe_first < 0:
                        foe_first = end
                    elif end != foe_first:
                        if foe_second < 0:
                            foe_second = end
                        elif end != foe_second:
                            foe_more = True
        if own_more:
            frame[depth, F_MOVE] = cell
            return _wins(attacking, 3)
        if foe_second >= 0:
            if foe_more:
                foe_first, foe_second = cell, cell
            if any_must:
                must_0 = must_0 if must_0 in (cell, foe_first, foe_second) else -1
                must_1 = must_1 if must_1 in (cell, foe_first, foe_second) else -1
                must_2 = must_2 if must_2 in (cell, foe_first, foe_second) else -1
            else:
                must_0, must_1, must_2, any_must = cell, foe_first, foe_second, True
        if own_gain > best_gain:
            best_gain = own_gain
        if not matters:
            if kept_alike or not b.exact:
                left_out = True
                continue
            kept_alike = True
        score = own_gain + foe_gain
        if own_first >= 0:
            score += THREAT_SCORE
        if cell == suggested:
            score += TABLE_SCORE
        moves[end_of_moves] = score << SCORE_SHIFT | cell
        end_of_moves += 1
    # Without a double threat at hand the attacker needs two more plies.
    soonest = 5 if attacking else (4 if any_must else 6)
    if plies < soonest:
        return soonest - 1
    if attacking and b.state[POTENTIAL + mover] + best_gain < np.int64(1) << k:
        return NEVER
    if most < k - (plies + attacking) // 2:
        return int(plies)
    if left_out and attacking:
        frame[depth, F_BOUND] = plies
    if any_must or (attacking and b.state[FORCING]):
        # Any other move lets the opponent make its double threat: it wins three plies later.
        kept = begin
        for i in range(begin, end_of_moves):
            move = moves[i]
            cell = move & 0xFFFF
            if move >> SCORE_SHIFT & THREAT_SCORE or cell in (must_0, must_1, must_2):
                moves[kept] = move
                kept += 1
        end_of_moves = kept
        if not attacking:
            frame[depth, F_BOUND] = 4
    frame[depth, F_END] = end_of_moves
    return NO_ANSWER


@inlined
def _scan_columns(b: Board, depth: int, attacking: int, mover: int, suggested: int) -> int:
    """With gravity: list the moves that do not let the opponent complete a line on top of them."""
    end = b.frame[depth, F_BEGIN]
    for column in range(b.columns):
        height = b.cells[column, C_HEIGHT]
        if height < b.rows:
            cell = height * b.columns + column
            if height + 1 < b.rows and b.cells[cell + b.columns, C_THREAT + 1 - mover] > 0:
                if not attacking:
                    b.frame[depth, F_BOUND] = 2
                continue
            score = np.int64(0)
            for j in range(b.cells[cell, C_LINES], b.cells[cell + 1, C_LINES]):
                line = b.line_of[j]
                own, foe = b.lines[line, L_COUNT + mover], b.lines[line, L_COUNT + 1 - mover]
                if foe == 0:
                    score += np.int64(1) << 2 * (own & MARKS_OF)
                if own == 0:
                    score += np.int64(1) << (foe & MARKS_OF)
            if cell == suggested:
                score += TABLE_SCORE
            b.moves[end] = score << SCORE_SHIFT | cell
            end += 1
    b.frame[depth, F_END] = end
    if not attacking and b.state[PLIES] < 4 and end > b.frame[depth, F_BEGIN]:
        return 3
    return NO_ANSWER


@inlined
def _enter(b: Board, table: Any, depth: int) -> int:
    """Look at a position: answer at once, or begin its frame with the moves worth trying."""
    mover = b.state[TURN]
    attacking = 1 if mover == b.state[ATTACKER] else 0
    answer = _forced_gravity(b, attacking, mover) if b.rows else _forced(b, attacking, mover)
    if answer >= 0:
        return int(answer)
    _begin_frame(b, depth, attacking)
    if not b.rows and b.state[THREATS + 1 - mover] == 1:
        answer = -2 - b.state[THREAT_XOR + 1 - mover]
    if answer < NO_ANSWER:
        b.moves[b.frame[depth, F_BEGIN]] = -2 - answer
        b.frame[depth, F_END] += 1
        return NO_ANSWER
    at = _probe(b, table, depth)
    suggested = NEVER
    if at >= 0:
        if tt.high(table, at) <= b.state[PLIES]:
            return int(SAYS_YES + tt.high(table, at))
        if tt.low(table, at) >= b.state[PLIES]:
            return int(tt.low(table, at))
        suggested = tt.best(table, at)
    if b.rows:
        return int(_scan_columns(b, depth, attacking, mover, suggested))
    return int(_scan(b, depth, attacking, mover, suggested))


@inlined
def _pick(b: Board, depth: int) -> int:
    """Take the best untried move out of the frame."""
    moves, begin, end = b.moves, b.frame[depth, F_BEGIN], b.frame[depth, F_END] - 1
    at = end
    for i in range(begin, end):
        if moves[i] > moves[at]:
            at = i
    move = moves[at] & 0xFFFF
    moves[at] = moves[end]
    b.frame[depth, F_END] = end
    b.frame[depth, F_MOVE] = move
    return int(move)


@kernel
def run(b: Board, table: Any, budget: int) -> None:
    """Work on the question for ``budget`` positions at most; ``state[MODE]`` is ``AT_REST`` once it is answered.

    The answer: ``state[YES]``, ``state[BOUND]`` (for yes: a win within so many plies; for no: none within so many,
    ``NEVER`` for no win at all) and ``frame[0, F_MOVE]`` (the first move that settled it, or -1). In the mode
    ``GIVE_UP`` the board comes to rest without one. ``state[FILLED]`` counts the places filled in the table.
    """
    state, frame = b.state, b.frame
    mode, depth, yes, bound, move = state[MODE], state[DEPTH], state[YES] != 0, state[BOUND], np.int64(NEVER)
    last = state[NODES] + budget
    while True:
        if mode == ENTER:
            if state[NODES] >= last:
                break
            state[NODES] += 1
            answer = _enter(b, table, depth)
            mode = NEXT
            if answer >= 0:
                yes, bound, mode = answer >= SAYS_YES, answer & NEVER, ANSWER
                # No win within as many plies as there are cells: none at all.
                if not yes and bound >= state[OPEN]:
                    bound = NEVER
        elif mode == NEXT:
            if frame[depth, F_BEGIN] == frame[depth, F_END]:
                yes, bound, move, mode = state[TURN] != state[ATTACKER], frame[depth, F_BOUND], np.int64(NEVER), FINISH
            else:
                turn_mark(b, _pick(b, depth), PUT)
                state[PLIES] = frame[depth, F_PLIES] - 1
                depth += 1
                mode = ENTER
        elif mode == FINISH:
            if not yes and bound >= state[OPEN]:
                bound = NEVER
            if frame[depth, F_TABLE]:
                key, tag, work = b.frame_key[depth], frame[depth, F_TABLE] - 1, state[NODES] - frame[depth, F_NODES] + 1
                low, high = (0, bound) if yes else (bound, NEVER)
                state[FILLED] += tt.store(table, key, tag, low, high, move, work)
            mode = ANSWER
        elif mode == AT_REST:
            break
        elif depth == 0:
            mode = AT_REST
        else:
            depth -= 1
            move = frame[depth, F_MOVE]
            turn_mark(b, move, TAKE_BACK)
            if mode == ANSWER:
                state[PLIES] = frame[depth, F_PLIES]
                bound = min(bound + 1, NEVER)
                if yes == (state[TURN] == state[ATTACKER]):
                    mode = FINISH
                else:
                    mode = NEXT
                    so_far = frame[depth, F_BOUND]
                    frame[depth, F_BOUND] = max(bound, so_far) if yes else min(bound, so_far)
    state[MODE], state[DEPTH], state[YES], state[BOUND] = mode, depth, yes, bound


def ask(b: Board, attacker: int, plies: int, *, turn: int, cell: int = -1, forcing: bool = False) -> None:
    """Put a question to a board at rest; ``run`` answers it.

    Can ``attacker`` win within ``plies`` with ``turn`` to move, if the first mark goes to ``cell`` (-1: to any)? With
    ``forcing`` the attacker may only make threats and answer them, so that a no is no proof.
    """
    state, frame = b.state, b.frame
    state[ATTACKER], state[PLIES], state[FORCING], state[TURN] = attacker, plies, forcing, turn
    state[DEPTH], state[MODE] = 0, ENTER
    frame[0] = 0
    frame[0, F_MOVE] = -1
    if cell >= 0:
        frame[0, F_PLIES], frame[0, F_BOUND] = plies, NEVER if attacker == turn else 0
        frame[0, F_END], b.moves[0] = 1, cell
        state[MODE] = NEXT
