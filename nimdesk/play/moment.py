"""A game at the board at one moment: what is going on, what is searched and known, and what a person points at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import step_sentence
from nimdesk.play import words
from nimdesk.play.game import Forfeit, GameInProgress, Human
from nimdesk.play.results import Results
from nimdesk.search import Snapshot

if TYPE_CHECKING:
    from nimdesk.play.move_review import MoveReview

FOLLOWED = 1000
"""This many simulations of a search in slow motion can be followed; then it runs at full speed."""


class State(Enum):
    """What is going on at the board."""

    HUMAN = auto()
    """A person is to move."""
    THINKING = auto()
    """The computer searches for its move (or waits a moment before it plays it)."""
    SUGGESTING = auto()
    """The computer searches for a proposal, for whoever is to move."""
    PAUSED = auto()
    """A computer is to move, and waits to be told to go on."""
    OVER = auto()
    """The game is over at the position shown."""


@dataclass
class Sitting:
    """A game at the board, with what is said and agreed there and no file keeps."""

    game: GameInProgress
    paused: bool = False
    """Whether computers wait to be told to go on."""
    opened: bool = False
    """Whether it was opened to be looked at, and nothing has been played since."""
    taken_back: bool = False
    """Whether moves were taken back, so that the next one begins the main line."""
    suggestion: Move | None = None
    """The move proposed in the position on the board."""
    proposal: str = ""
    """What the search behind it says, in one sentence."""
    explained: str = ""
    """One sentence that stands below the headline until the next move."""
    offers_hint: bool = False
    """Whether a person is told of the hint, until the next move."""
    results: Mapping[str, Results] = field(default_factory=dict)
    """How a person has done in this game against each agent, by the agent's name."""
    quiet: bool = False
    """Whether the search is kept from the people at the board until the game is over."""

    @property
    def position(self) -> AnyPosition:
        """The position on the board."""
        return self.game.position

    @property
    def person_to_move(self) -> bool:
        """Whether a person may choose a move now, also while a proposal is searched."""
        return isinstance(self.game.player_to_move, Human)

    @property
    def forfeit(self) -> Forfeit | None:
        """Who lost without a losing move, where the end of the game is looked at."""
        return self.game.forfeit if self.game.at_end else None

    def clear(self) -> None:
        """Take back what was said about the position."""
        self.suggestion, self.proposal, self.explained, self.offers_hint = None, "", "", False


@dataclass(frozen=True)
class Search:
    """What the computer is doing, and the search that this frame shows, which may be an earlier one."""

    snapshot: Snapshot | None = None
    title: str = ""
    """What to call the search shown."""
    asked: bool = False
    """Whether a person asked for the search shown, by a hint or a review: it is that of no player."""
    ended: Snapshot | None = None
    """The search as it ended, where ``snapshot`` is an earlier moment of it, which was missed and is caught up."""
    behind: Snapshot | None = None
    """The search of the position on the board that rests, where a hint is shown in its place."""
    busy: bool = False
    """Whether a search runs, or its move waits to be played."""
    suggesting: bool = False
    """Whether it is for a proposal."""
    preparing: bool = False
    """Whether it cannot run yet, for so long that it is worth a word."""
    held: bool = False
    """Whether a search of this position waits to go on."""
    slow_motion_s: float = 0.0
    """Over how many seconds its first simulations are spread."""
    elapsed_s: float = 0.0
    """How long ago it began; 0 until it has shown something, since what prepares it spends no budget."""
    turn_s: float = 0.0
    """How long the side to move has thought about its turn."""

    def of(self, position: AnyPosition) -> Snapshot | None:
        """The search to show, if it is of this position."""
        return self.snapshot if self.snapshot is not None and self.snapshot.position == position else None


class Judged(NamedTuple):
    """What a move did to the value of its position, for the side that played it."""

    before: Value
    after: Value
    sentence: str


class TruthLine(NamedTuple):
    """The line about what is proven: whether it is there, what it says, and why that is so."""

    wanted: bool = False
    sentence: str = ""
    explanation: str = ""


@dataclass(frozen=True)
class Known:
    """What is proven, as far as it is to be shown, and what a review found."""

    truth: Truth | None = None
    """Of the position on the board."""
    of_search: Truth | None = None
    """Of the position whose search is shown."""
    proven: tuple[Truth | None, ...] = ()
    """Of each position of the game."""
    judged: tuple[Judged | None, ...] | None = None
    """What each move of the game did; None while that is hidden."""
    reviewed: tuple[MoveReview, ...] = ()
    """Every move as a review judged it, of this game or of one before it; empty: there is no review."""
    line: TruthLine = field(default_factory=TruthLine)
    """What is said of the truth beside the board."""


class StepShown(NamedTuple):
    """What is shown of a forced win while a person goes through its line."""

    line: tuple[Move, ...] = ()
    """The moves so far."""
    answers: tuple[Move, ...] = ()
    """All moves that answer the last of them, where that is a threat."""
    sentence: str = ""

    def of(self, line: TruthLine) -> TruthLine:
        """The line about what is proven, with the sentence on this move in its place."""
        return line._replace(sentence=self.sentence) if self.sentence else line


NO_STEP = StepShown()


def step_shown(known: Known, pointer: Pointer) -> StepShown:
    """The moves of the forced win that a person has gone through, and the sentence on the last of them."""
    win = None if known.truth is None else known.truth.forced
    if win is None or known.truth is None or not pointer.step:
        return NO_STEP
    steps = win.steps()[: pointer.step]
    threat, last = steps[-1]
    answers = tuple(answer for answer, _ in threat.answers) if last == threat.move else ()
    sentence = step_sentence(known.truth.position, win, len(steps))
    return StepShown(tuple(move for _, move in steps), answers, sentence)


def stepped(known: Known, pointer: Pointer, by: int) -> Pointer:
    """So many moves on in the forced win, or back; after all of them comes none, and before that all of them."""
    win = None if known.truth is None else known.truth.forced
    return pointer if win is None else replace(pointer, step=(pointer.step + by) % (len(win.steps()) + 1))


def step_actions(known: Known, page: str = "") -> tuple[tuple[str, bool], ...]:
    """The actions of a page that go through a forced win, by name, and whether each would do something now."""
    there = known.truth is not None and known.truth.forced is not None
    return ((f"{page}win_on", there), (f"{page}win_back", there))


@dataclass(frozen=True)
class BoardLook:
    """What a person has set about the board."""

    overlay: bool = True
    """Whether the shares of the visits are drawn on it."""
    number: str = "share"
    """Which number a move shows: ``share``, ``visits``, ``value`` or ``none``."""
    animated: bool = True
    """Whether moves are seen to happen."""


@dataclass(frozen=True)
class Pointer:
    """What a person points at, and the lines of play that are to be seen because of it."""

    board: Move | None = None
    """The move pointed at on the board."""
    searched: Snapshot | None = None
    """The search pointed at in the plot; it stays for a moment after the pointer has left, to come to another curve."""
    plot: Move | None = None
    """The move pointed at there."""
    line: tuple[Move, ...] = ()
    """The line pointed at in the list of the best lines."""
    reviewed: tuple[Move, ...] = ()
    """The line that a review shows from this position."""
    step: int = 0
    """How many plies of a win by threats are shown, from this position on; 0 shows none of it."""
    frozen: Snapshot | None = None
    """The search that a plot which is frozen goes on to draw."""

    @property
    def move(self) -> Move | None:
        """The move pointed at anywhere."""
        return self.board or self.plot


def state_of(sitting: Sitting, *, busy: bool, suggesting: bool) -> State:
    """What is going on."""
    if sitting.position.outcome is not None or sitting.forfeit is not None:
        return State.OVER
    if suggesting:
        return State.SUGGESTING
    if sitting.person_to_move:
        return State.HUMAN
    return State.THINKING if busy else State.PAUSED


def search_to_show(game: GameInProgress, newest: Snapshot | None, *, hint: bool) -> tuple[Snapshot | None, str]:
    """The newest search of the position on the board, or else the last one kept before it; and what to call it.

    ``hint`` says that the newest is for a proposal.
    """
    cursor, plies = game.cursor, game.plies
    if newest is not None:
        what = "Hint for" if hint else "Thinking about"
        return newest, f"{what} move {cursor + 1}, {game.game.side_name(game.position.turn)}"
    for number in range(min(cursor + 1, len(plies)), 0, -1):
        if (snapshot := plies[number - 1].snapshot) is not None:
            return snapshot, words.shown_title(game, number, here=number == cursor + 1)
    return None, ""


def slowed_s(agent: Agent, slow_motion_s: float) -> float:
    """How long a search of this agent takes longer for being followed; one without simulations is not slowed down."""
    return slow_motion_s if agent.traits.counts == "iterations" else 0.0
