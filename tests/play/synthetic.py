"""Games and searches made up for tests, without a kernel."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.truth import Value
from nimdesk.play import GameInProgress, Human, Player
from nimdesk.search import MoveStats, Snapshot, Step, StopReason, Trace

STARTS = ("nim:1,3,5,7", "nim:21:max3:misere", "mnk:3,3,3", "mnk:4,3,3:gravity")


def make_trace(position: AnyPosition, rows: int, seed: int = 0) -> Trace:
    """A trace such as a search makes: visits add up to the iterations, values are sums of 0, 1/2 and 1."""
    random = np.random.default_rng(seed)
    iterations = np.cumsum(random.integers(1, 50, rows)).astype("int64")
    steps = np.diff(iterations, prepend=0)
    columns = len(position.legal_moves)
    visits = np.cumsum(random.multinomial(steps, random.dirichlet(np.ones(columns))), axis=0).astype("uint32")
    values = np.floor(visits * random.random(columns) * 2) / 2
    playouts = np.floor(iterations * 0.9).astype("int64") if seed % 3 else None
    choice = random.integers(0, columns, rows)
    nodes = iterations + 1 if seed % 7 else None
    elapsed_s = np.cumsum(random.random(rows))
    return Trace(position.legal_moves, iterations, elapsed_s, visits, values, choice, playouts, nodes, seed % 4)


def make_snapshot(position: AnyPosition, rows: int = 5, seed: int = 0) -> Snapshot:
    """A search that ended, with a trace of so many rows; 0 rows for no trace, as an agent without a search has."""
    trace = make_trace(position, rows, seed) if rows else None
    visits = [0] * len(position.legal_moves) if trace is None else trace.visits[-1].tolist()
    moves = tuple(
        MoveStats(move, count, 1 / 3 if count else None, _variation(position, index) if count else (), *_proof(index))
        for index, (move, count) in enumerate(zip(position.legal_moves, visits, strict=True))
    )
    return Snapshot(
        position=position,
        agent="uct",
        seed=seed,
        iterations=0 if trace is None else int(trace.iterations[-1]),
        elapsed_s=0.1 + 0.2,
        moves=moves,
        best_move=moves[0].move,
        tree_nodes=7,
        tree_bytes=224,
        tree_full=bool(seed % 2),
        stopped=list(StopReason)[seed % len(StopReason)],
        trace=trace,
        comment="As “proven” as can be." if seed % 2 else "",
        steps=(Step(1, 5, 0.1, moves[-1].move, Value.UNKNOWN), Step(2, 9, 0.3, moves[0].move, Value.LOSS)) * (seed % 2),
        playouts=None if trace is None or trace.playouts is None else int(trace.playouts[-1]),
        reused=seed % 4,
        proven=Value.WIN,  # as its moves are, of which some win
        distance=5 if seed % 2 else None,
        chosen_after=1 if trace is not None and seed % 5 == 3 else None,
    )


def _proof(index: int) -> tuple[Value | None, int | None]:
    return [(None, None), (Value.WIN, 5), (Value.LOSS, None), (Value.DRAW, None)][index % 4]  # type: ignore[return-value]


def _variation(position: AnyPosition, index: int) -> tuple[object, ...]:
    first = position.legal_moves[index]
    after = position.play(first)
    return (first, *after.legal_moves[-1:])


def same_snapshot(one: Snapshot | None, other: Snapshot | None) -> bool:
    """Whether everything in the two is identical, bit for bit in the trace."""
    if one is None or other is None:
        return one is other
    names = [name for name in Snapshot.__struct_fields__ if name != "trace"]
    if any(getattr(one, name) != getattr(other, name) for name in names):
        return False
    if one.trace is None or other.trace is None:
        return one.trace is other.trace
    pairs = [
        (getattr(one.trace, name), getattr(other.trace, name))
        for name in ("iterations", "elapsed_s", "visits", "value_sum", "playouts", "choice", "nodes")
    ]
    return one.trace.moves == other.trace.moves and all(
        a is b is None
        if a is None or b is None
        else a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        for a, b in pairs
    )


def new_game(text: str, first: Player | None = None, second: Player | None = None) -> GameInProgress:
    """A game from this position; both sides Human unless said otherwise."""
    return GameInProgress(parse_position(text), (first or Human(), second or Human()))


@st.composite
def games(draw: st.DrawFn) -> GameInProgress:
    """A game of any kind with any players, some plies long; some plies with a search, some with a trace."""
    game = new_game(draw(st.sampled_from(STARTS)), draw(_players), draw(_players))
    for _ in range(draw(st.integers(0, 9))):
        if game.position.outcome is not None:
            break
        rows = draw(st.sampled_from([None, 0, 1, 3, 12]))
        snapshot = None if rows is None else make_snapshot(game.position, rows, draw(st.integers(0, 2**63 - 1)))
        game.play(
            draw(st.sampled_from(game.position.legal_moves)),
            by=draw(st.sampled_from(["Human", "MCTS", ""])),
            elapsed_s=draw(st.none() | st.floats(0, 1e6)),
            snapshot=snapshot,
        )
    return game


@st.composite
def trees(draw: st.DrawFn) -> GameInProgress:
    """A game with variations: moves played from places all over its tree, some with a search."""
    game = new_game(draw(st.sampled_from(STARTS)))
    for number in range(draw(st.integers(0, 14))):
        if draw(st.booleans()):
            game.look_at(draw(st.sampled_from(list(game.root.walk()))))
        if game.position.outcome is None:
            snapshot = make_snapshot(game.position, 3, number) if draw(st.booleans()) else None
            move = draw(st.sampled_from(game.position.legal_moves))
            game.play(move, by=draw(st.sampled_from(["Human", "MCTS"])), elapsed_s=number / 8, snapshot=snapshot)
    return game


_players = st.one_of(
    st.just(Human()),
    st.builds(lambda seed: make_agent("random", {"seed": seed}), st.none() | st.integers(0, 2**63 - 1)),
    st.builds(
        lambda iterations, c: make_agent("uct", {"iterations": iterations, "exploration": c}),
        st.integers(1, 10**9),
        st.floats(0, 100),
    ),
)
