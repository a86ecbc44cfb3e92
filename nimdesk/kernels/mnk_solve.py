"""The proof search of the m,n,k solver: one yes-or-no question, with a stack that stops and resumes anywhere.

The question: can the *attacker* complete a line within so many plies, against every defence? The other side defends;
if it completes a line first, the answer is no. Win, draw and loss are two such questions, and the distance to a win
is the smallest number of plies for which the answer is yes.

Depth-first alpha-beta with a null window, a table of proven bounds, symmetric positions merged near the root, and
what is forced played without looking around: complete a line, block one; two threats win. Without gravity also: a
move that makes two threats at once wins in three plies, so the opponent must answer it beforehand with a cell of those
lines or with a threat of its own; and the attacker cannot win once the potential of Erdős and Selfridge (On a
combinatorial game, 1973), the sum of 2**-missing over the lines the defender has not touched, is below 1 with the
defender to move. All of these are exact: nothing is cut that could change an answer.
"""

from typing import Any

from nimdesk.kernels import mnk_solve_table as tt
from nimdesk.kernels.jit import inlined, kernel
from nimdesk.kernels.mnk_solve_board import (
    ATTACKER,
    BOUND,
    DEPTH,
    F_BEGIN,
    F_BEST,
    F_BOUND,
    F_END,
    F_MOVE,
    F_NODES,
    F_PLIES,
    F_TABLE,
    FORCING,
    MODE,
    NODES,
    OPEN,
    PLIES,
    POTENTIAL,
    THREAT_XOR,
    THREATS,
    TURN,
    YES,
    Board,
    current_key,
    put,
    take_back,
)
from nimdesk.kernels.mnk_solve_table import NEVER

# Values of ``state[MODE]``: look at a new position, try its next move, hand its answer back, or all done.
ENTER, NEXT, ANSWER, DONE = 0, 1, 2, 3
THREAT_BONUS = 1 << 24
TABLE_BONUS = 1 << 28


@inlined
def _answer(b: Board, yes: bool, bound: int) -> None:
    b.state[YES] = yes
    b.state[BOUND] = bound
    b.state[MODE] = ANSWER


@inlined
def _mover_wins(b: Board, attacking: bool, plies: int) -> None:
    if attacking:
        _answer(b, True, plies)
    else:
        _answer(b, False, NEVER)


@inlined
def _no_within(b: Board, plies: int) -> None:
    """The attacker has no win within so many plies; with no more cells than that, none at all."""
    _answer(b, False, NEVER if plies >= b.state[OPEN] else plies)


@inlined
def _tag(b: Board) -> int:
    return int(b.state[ATTACKER] + 2 * b.state[TURN] + 4 * b.state[FORCING])


@inlined
def _frame(b: Board, bound: int, use_table: bool) -> int:
    """Begin the frame of this position with no moves yet; its depth."""
    depth = b.state[DEPTH]
    begin = b.frame[depth - 1, F_BEGIN] + b.state[OPEN] + 1 if depth > 0 else 0
    b.frame[depth, F_PLIES] = b.state[PLIES]
    b.frame[depth, F_BEGIN] = begin
    b.frame[depth, F_END] = begin
    b.frame[depth, F_BOUND] = bound
    b.frame[depth, F_NODES] = b.state[NODES]
    b.frame[depth, F_BEST] = NEVER
    b.frame[depth, F_TABLE] = use_table
    b.state[MODE] = NEXT
    return int(depth)


@inlined
def _add_move(b: Board, depth: int, cell: int, score: int) -> None:
    end = b.frame[depth, F_END]
    b.moves[end] = cell
    b.scores[end] = score
    b.frame[depth, F_END] = end + 1


@inlined
def _probe(b: Board, table: Any) -> int:
    """Answer from the table if it can; otherwise the move it recommends, or ``NEVER``. ``frame_key`` gets the key."""
    depth = b.state[DEPTH]
    current_key(b, b.frame_key[depth])
    at = tt.find(table, b.frame_key[depth], _tag(b))
    if at < 0:
        return NEVER
    if tt.high(table, at) <= b.state[PLIES]:
        _answer(b, True, tt.high(table, at))
    elif tt.low(table, at) >= b.state[PLIES]:
        _answer(b, False, tt.low(table, at))
    return tt.best(table, at)


@inlined
def _enter_free(b: Board, table: Any) -> None:
    """Look at a position without gravity: answer at once, or begin its frame with the moves worth trying."""
    mover = b.state[TURN]
    other, attacker, plies, k = 1 - mover, b.state[ATTACKER], b.state[PLIES], b.k
    attacking = mover == attacker
    if plies < (1 if attacking else 2):
        _no_within(b, plies)
        return
    if b.state[THREATS + mover] > 0:
        _mover_wins(b, attacking, 1)
        return
    if b.state[THREATS + other] >= 2:
        _mover_wins(b, not attacking, 2)
        return
    potential = b.state[POTENTIAL + attacker]
    if potential < (1 << (k - 1) if attacking else 1 << k) or b.state[OPEN] == 0:
        _answer(b, False, NEVER)
        return
    if plies < (3 if attacking else 4):
        _no_within(b, 2 if attacking else 3)
        return
    if b.state[THREATS + other] == 1:
        depth = _frame(b, NEVER if attacking else 0, False)
        _add_move(b, depth, b.state[THREAT_XOR + other], 0)
        return
    suggested = _probe(b, table)
    if b.state[MODE] == ANSWER:
        return
    _scan(b, mover, attacking, suggested)


@inlined
def _scan(b: Board, mover: int, attacking: bool, suggested: int) -> None:
    """Score the empty cells; answer if that settles the position, else begin its frame."""
    other, k, plies = 1 - mover, b.k, b.state[PLIES]
    depth = _frame(b, NEVER if attacking else 0, True)
    must, any_must = (-1, -1, -1), False
    most, best_gain = 0, 0
    for i in range(b.state[OPEN]):
        cell = b.open[i]
        own_gain, foe_gain = 0, 0
        own_first, own_more, foe_first, foe_second, foe_more = -1, False, -1, -1, False
        for j in range(b.line_start[cell], b.line_start[cell + 1]):
            line = b.line_of[j]
            own, foe = b.counts[2 * line + mover], b.counts[2 * line + other]
            if foe == 0:
                own_gain += 1 << own
                most = max(most, own if attacking else 0)
                if own == k - 2:
                    end = b.gaps[line] ^ cell
                    if own_first < 0:
                        own_first = end
                    elif end != own_first:
                        own_more = True
            if own == 0:
                foe_gain += 1 << foe
                most = max(most, 0 if attacking else foe)
                if foe == k - 2:
                    end = b.gaps[line] ^ cell
                    if foe_first < 0:
                        foe_first = end
                    elif end != foe_first:
                        if foe_second < 0:
                            foe_second = end
                        elif end != foe_second:
                            foe_more = True
        if own_more:
            _mover_wins(b, attacking, 3)
            return
        if foe_second >= 0:
            ends = (-1, -1) if foe_more else (foe_first, foe_second)
            if any_must:
                must = (
                    must[0] if must[0] == cell or must[0] == ends[0] or must[0] == ends[1] else -1,
                    must[1] if must[1] == cell or must[1] == ends[0] or must[1] == ends[1] else -1,
                    must[2] if must[2] == cell or must[2] == ends[0] or must[2] == ends[1] else -1,
                )
            else:
                must, any_must = (cell, ends[0], ends[1]), True
        best_gain = max(best_gain, own_gain)
        score = own_gain + foe_gain
        if own_first >= 0:
            score += THREAT_BONUS
        if cell == suggested:
            score += TABLE_BONUS
        _add_move(b, depth, cell, score)
    # Without a double threat at hand the attacker needs two more plies.
    soonest = 5 if attacking else (4 if any_must else 6)
    if plies < soonest:
        _no_within(b, soonest - 1)
        return
    if attacking and b.state[POTENTIAL + mover] + best_gain < 1 << k:
        _answer(b, False, NEVER)
        return
    if most < k - (plies + (1 if attacking else 0)) // 2:
        _no_within(b, plies)
        return
    if any_must:
        _keep(b, depth, must)
        if not attacking:
            b.frame[depth, F_BOUND] = 4
    if attacking and b.state[FORCING]:
        _keep(b, depth, (-1, -1, -1))


@inlined
def _keep(b: Board, depth: int, must: Any) -> None:
    """Of the frame's moves keep those that are named or make a threat."""
    kept = b.frame[depth, F_BEGIN]
    for i in range(kept, b.frame[depth, F_END]):
        cell = b.moves[i]
        score = b.scores[i]
        if score & (TABLE_BONUS - 1) >= THREAT_BONUS or cell == must[0] or cell == must[1] or cell == must[2]:
            b.moves[kept] = cell
            b.scores[kept] = score
            kept += 1
    b.frame[depth, F_END] = kept


@inlined
def _enter_gravity(b: Board, table: Any) -> None:
    """Look at a position with gravity: answer at once, or begin its frame with the moves worth trying."""
    mover = b.state[TURN]
    other, attacker, plies = 1 - mover, b.state[ATTACKER], b.state[PLIES]
    attacking = mover == attacker
    if plies < (1 if attacking else 2):
        _no_within(b, plies)
        return
    blocks, block = 0, 0
    for column in range(b.columns):
        if b.heights[column] < b.rows:
            cell = b.heights[column] * b.columns + column
            if b.threats[2 * cell + mover] > 0:
                _mover_wins(b, attacking, 1)
                return
            if b.threats[2 * cell + other] > 0:
                blocks, block = blocks + 1, cell
    if blocks >= 2:
        _mover_wins(b, not attacking, 2)
        return
    if b.state[POTENTIAL + attacker] == 0 or b.state[OPEN] == 0:
        _answer(b, False, NEVER)
        return
    if attacking and plies < 3:
        _no_within(b, 2)
        return
    if blocks == 1:
        depth = _frame(b, NEVER if attacking else 0, False)
        _add_move(b, depth, block, 0)
        return
    suggested = _probe(b, table)
    if b.state[MODE] == ANSWER:
        return
    depth = _frame(b, NEVER if attacking else 0, True)
    for column in range(b.columns):
        if b.heights[column] < b.rows:
            cell = b.heights[column] * b.columns + column
            above = cell + b.columns
            if b.heights[column] + 1 < b.rows and b.threats[2 * above + other] > 0:
                if not attacking:
                    b.frame[depth, F_BOUND] = 2
                continue
            score = 0
            for j in range(b.line_start[cell], b.line_start[cell + 1]):
                line = b.line_of[j]
                own, foe = b.counts[2 * line + mover], b.counts[2 * line + other]
                score += (1 << (2 * own) if foe == 0 else 0) + (1 << (2 * foe) if own == 0 else 0)
            _add_move(b, depth, cell, score + (TABLE_BONUS if cell == suggested else 0))
    if not attacking and plies < 4 and b.frame[depth, F_END] > b.frame[depth, F_BEGIN]:
        _no_within(b, 3)


@inlined
def _finish(b: Board, table: Any, yes: bool, bound: int, move: int) -> int:
    """Answer for the frame at hand, and remember it; the number of table places newly filled."""
    filled = 0
    depth = b.state[DEPTH]
    if not yes and bound >= b.state[OPEN]:
        bound = NEVER
    if b.frame[depth, F_TABLE]:
        work = b.state[NODES] - b.frame[depth, F_NODES] + 1
        if yes:
            filled = tt.store(table, b.frame_key[depth], _tag(b), 0, bound, move, work)
        else:
            filled = tt.store(table, b.frame_key[depth], _tag(b), bound, NEVER, move, work)
    _answer(b, yes, bound)
    return int(filled)


@inlined
def _next(b: Board, table: Any) -> int:
    """Play the best move left, or finish the frame."""
    depth = b.state[DEPTH]
    begin, end = b.frame[depth, F_BEGIN], b.frame[depth, F_END]
    if begin == end:
        bound = b.frame[depth, F_BOUND]
        return _finish(b, table, b.state[TURN] != b.state[ATTACKER], bound, NEVER)
    at = begin
    for i in range(begin + 1, end):
        if b.scores[i] > b.scores[at]:
            at = i
    cell = b.moves[at]
    b.moves[at], b.scores[at] = b.moves[end - 1], b.scores[end - 1]
    b.frame[depth, F_END] = end - 1
    b.frame[depth, F_MOVE] = cell
    put(b, cell)
    b.state[DEPTH] = depth + 1
    b.state[PLIES] = b.frame[depth, F_PLIES] - 1
    b.state[MODE] = ENTER
    return 0


@inlined
def _hand_back(b: Board, table: Any) -> int:
    """Give the answer to the frame above: it may settle that one too."""
    depth = b.state[DEPTH] - 1
    if depth < 0:
        b.state[MODE] = DONE
        return 0
    move = b.frame[depth, F_MOVE]
    take_back(b, move)
    b.state[DEPTH] = depth
    b.state[PLIES] = b.frame[depth, F_PLIES]
    yes = b.state[YES] != 0
    bound = min(b.state[BOUND] + 1, NEVER)
    if yes == (b.state[TURN] == b.state[ATTACKER]):
        return _finish(b, table, yes, bound, move)
    if yes:
        b.frame[depth, F_BOUND] = max(b.frame[depth, F_BOUND], bound)
    else:
        b.frame[depth, F_BOUND] = min(b.frame[depth, F_BOUND], bound)
    b.state[MODE] = NEXT
    return 0


@kernel
def ask(b: Board, attacker: int, plies: int, forcing: int) -> None:
    """Put the question to a board at rest; ``run`` answers it.

    With ``forcing`` the attacker may only make threats and answer them, so that a no is no proof.
    """
    b.state[ATTACKER] = attacker
    b.state[PLIES] = plies
    b.state[FORCING] = forcing
    b.state[DEPTH] = 0
    b.state[MODE] = ENTER
    b.frame[0, F_MOVE] = -1


@kernel
def give_up(b: Board) -> None:
    """Bring the board back to rest from the middle of a question."""
    for depth in range(b.state[DEPTH] - 1, -1, -1):
        take_back(b, b.frame[depth, F_MOVE])
    b.state[DEPTH] = 0
    b.state[MODE] = DONE


@kernel
def run(b: Board, table: Any, budget: int) -> int:
    """Work on the question for about ``budget`` positions; the number of table places filled.

    ``state[MODE]`` is ``DONE`` once it is answered: ``state[YES]``, and ``state[BOUND]`` (for yes: a win within so
    many plies; for no: none within so many, ``NEVER`` for no win at all), ``frame[0, F_MOVE]`` the first move that
    settled it, or -1.
    """
    filled = 0
    last = b.state[NODES] + budget
    while b.state[MODE] != DONE:
        if b.state[MODE] == ENTER:
            if b.state[NODES] >= last:
                break
            b.state[NODES] += 1
            if b.gravity:
                _enter_gravity(b, table)
            else:
                _enter_free(b, table)
        elif b.state[MODE] == NEXT:
            filled += _next(b, table)
        else:
            filled += _hand_back(b, table)
    return filled


@kernel
def place_mark(b: Board, cell: int) -> None:
    """``put`` for Python."""
    put(b, cell)


@kernel
def remove_mark(b: Board, cell: int) -> None:
    """``take_back`` for Python."""
    take_back(b, cell)


@kernel
def position_key(b: Board, key: Any) -> None:
    """``current_key`` for Python; the same for symmetric boards within the board's symmetric plies."""
    current_key(b, key)
