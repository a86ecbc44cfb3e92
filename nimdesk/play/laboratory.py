"""What the laboratory shows at one moment: one frozen value, from which every panel takes its part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nimdesk.agents import Agent
from nimdesk.cells import percent
from nimdesk.games import AnyPosition, Move
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import told, value_words
from nimdesk.play.moment import NO_STEP, BoardLook, Known, Pointer, TruthLine, step_actions, step_shown
from nimdesk.play.shown import BoardShown
from nimdesk.search import Snapshot
from nimdesk.search.timeline import Cost, Timeline, cost_of, cost_words

PREPARING = "Preparing the search; the first time for a game this takes some seconds…"
SEARCHING = "The search has begun; its first results appear here in a moment."
MAX_AGENTS = 4
_MOMENTS = ("first", "earlier", "play", "later", "newest", "change_before", "change_after")


@dataclass(frozen=True)
class AgentSearch:
    """An agent under study, and its search of the position as far as it went.

    A search that was started over has another ``number``. ``timeline`` is None before the first row; ``problem`` says
    in one sentence why the search failed. It has ``finished`` where it came to its own end, so that it cannot continue.
    It is ``replaying`` where its tree was dropped and it catches up with what is shown; it was ``dropped`` where there
    were results before, which were dropped to spare memory, and has ``tree_dropped`` where there are results without
    their search, which can be repeated exactly. ``rows`` are the moments at which its nodes and its choice were seen,
    as a file keeps them. ``sample`` is the ``figures.seeds.Sample`` of the same search with other seeds, or None.
    """

    agent: Agent
    seed: int
    number: int = 0
    newest: Snapshot | None = None
    timeline: Timeline | None = None
    problem: str = ""
    finished: bool = False
    replaying: bool = False
    dropped: bool = False
    tree_dropped: bool = False
    rows: tuple[tuple[int, float, float, int], ...] = ()
    sample: Any = None

    @property
    def ended(self) -> bool:
        """Whether it came to its own end, or failed, so that it cannot continue."""
        return bool(self.problem) or self.finished

    @property
    def repeatable(self) -> bool:
        """Whether other seeds would give other searches: it plays simulations, and makes use of its seed."""
        return self.agent.draws and self.timeline is not None and self.timeline.trace is not None


@dataclass(frozen=True)
class LabMoment:
    """All that is so in the laboratory at one moment.

    ``searches`` are those of the agents under study, in the order of their rows; where one search is shown, it is the
    one at ``focus``. ``state`` is that search at the moment shown, an earlier one where ``moment`` is an amount of
    ``cost``, the newest where it is None. ``lit`` is the line of the simulation that is looked at step by step, as far
    as it is lit in the tree, or None. The x axis is of ``cost``, logarithmic if ``log``; each search may spend
    ``limit`` of it before it waits. The searches are ``preparing`` while they wait for kernels to be loaded or
    compiled; while ``proving``, more may be known soon. While searches are repeated with other seeds, ``repeats`` are
    how many are done, and how many are wanted.
    """

    position: AnyPosition
    searches: tuple[AgentSearch, ...]
    focus: int = 0
    state: Snapshot | None = None
    moment: float | None = None
    lit: tuple[Move, ...] | None = None
    cost: Cost = Cost.ITERATIONS
    log: bool = True
    limit: float | None = None
    running: bool = False
    preparing: bool = False
    known: Known = field(default_factory=Known)
    proving: bool = False
    repeats: tuple[int, int] | None = None
    can_back: bool = False
    can_forward: bool = False

    @property
    def focused(self) -> AgentSearch:
        """The search in focus."""
        return self.searches[self.focus]

    @property
    def begun(self) -> bool:
        """Whether any search has results."""
        return any(each.newest is not None for each in self.searches)

    @property
    def spent(self) -> float | None:
        """What the state shown has spent of the axis' cost; None while the newest is followed."""
        return None if self.moment is None or self.state is None else cost_of(self.state, self.cost)


@dataclass(frozen=True)
class LabShown:
    """All that the laboratory shows at one moment."""

    at: LabMoment
    headline: str
    """Whose turn it is, or how the game ended."""
    sentence: str
    """What the search in focus has come to, the last change of its leader, and whether that is optimal; before the
    first result, what it waits for.
    """
    truth: TruthLine
    """What is said of the truth beside the board."""
    board: BoardShown
    pointed: Move | None
    """The move pointed at anywhere."""
    actions: tuple[tuple[str, bool], ...]
    """The names of the laboratory's actions, and whether each would do something now."""


def lab_shown(at: LabMoment, look: BoardLook, pointer: Pointer) -> LabShown:
    """What the laboratory shows at this moment; ``pointer.plot`` is the move pointed at anywhere but on the board."""
    position, overlaid = at.position, at.state if look.overlay else None
    step = NO_STEP if pointer.line else step_shown(at.known, pointer)
    board = BoardShown(
        position=position,
        interactive=True,
        searched=overlaid,
        truth=at.known.truth,
        suggestion=None,
        highlight=pointer.plot,
        line=pointer.line or step.line,
        answers=step.answers,
        pairs=() if overlaid is None else overlaid.pairs_at(position),
        number=look.number,
        animated=look.animated,
    )
    return LabShown(
        at=at,
        headline=describe_turn(position),
        sentence=_sentence(at) if position.outcome is None else "",
        truth=step_shown(at.known, pointer).of(at.known.line),
        board=board,
        pointed=pointer.move,
        actions=(*_actions(at), *step_actions(at.known, "lab_")),
    )


def _actions(at: LabMoment) -> tuple[tuple[str, bool], ...]:
    can_run = at.position.outcome is None and not all(each.ended for each in at.searches)
    line = at.focused.timeline
    moments = line is not None and len(line) > 1 and line.costs(at.cost) is not None
    return (
        ("lab_back", at.can_back),
        ("lab_forward", at.can_forward),
        ("lab_parent", bool(at.position.moves)),
        ("lab_run", can_run and not at.running),
        ("lab_stop", at.running),
        ("lab_over", at.begun or any(each.problem for each in at.searches)),
        ("lab_side", len(at.searches) > 1),
        ("lab_add", len(at.searches) < MAX_AGENTS),
        ("lab_many", at.repeats is None and any(each.repeatable for each in at.searches)),
        *((f"lab_{name}", moments) for name in _MOMENTS),
    )


# The sentence


def _sentence(at: LabMoment) -> str:
    search, state = at.focused, at.state
    name = search.agent.info.title
    if search.problem:
        return f"{name}: {search.problem}"
    if state is not None and state.best_move is None and at.moment is not None:
        return f"Before its first simulation {name} prefers no move."
    if state is None or state.best_move is None:
        waiting = PREPARING if at.preparing else SEARCHING
        return waiting if at.running else f"{name} has not begun. Press F5."
    stats = state.stats_of(state.best_move)
    assert stats is not None
    if stats.proven is not None:
        share = f" (proven: it {stats.proof})"
    elif search.agent.choice_rule == "mean" and stats.mean_value is not None:
        share = f" with a mean value of {stats.mean_value:.2f}"
    else:
        share = f" with {percent(state.share(stats))} of the visits" if state.trace is not None else ""
    changes = "" if search.timeline is None else _changes(search.timeline, state, at.cost)
    play = told("would play", who=name, move=describe_move(state.best_move), share=share, changes=changes)
    return f"{play} {_verdict(state, state.best_move, at.known.truth)}".rstrip()


def _changes(line: Timeline, state: Snapshot, axis: Cost) -> str:
    """How often the choice has changed before this moment, and when it last did."""
    by_nodes = line.trace is None
    row = line.row_at(*((Cost.NODES, state.tree_nodes) if by_nodes else (Cost.ITERATIONS, state.iterations)))
    changed = [at for at in line.changes if at <= row]
    if not changed:
        return ""
    spent = line.costs(axis)
    times = "once" if len(changed) == 1 else f"{len(changed)} times"
    if spent is None:
        return f"; the leader changed {times}"
    when = cost_words(axis, float(spent[changed[-1]]))  # of seconds it is "after 2.5 s"
    return f"; the leader changed {times}, last {'' if axis is Cost.SECONDS else 'at '}{when}"


def _verdict(state: Snapshot, chosen: Move, truth: Truth | None) -> str:
    """Whether the move it would play is optimal, as a sentence; "" if unknown."""
    if truth is None or truth.position != state.position:
        return ""
    known = next((each for each in truth.moves if each.move == chosen), None)
    if known is None or Value.UNKNOWN in (truth.value, known.value):
        return ""
    if truth.value is Value.LOSS:
        return told("all lose")
    if known.value is truth.value:
        return told("optimal")
    best = truth.best_moves
    named = describe_move(best[0]) if len(best) == 1 else f"one of {len(best)} moves"
    kept = "wins" if truth.value is Value.WIN else "holds the draw"
    return told("mistake", worth=value_words(known.value, known.distance), better=f"{named} {kept}")
