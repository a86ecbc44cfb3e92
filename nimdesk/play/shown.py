"""What the window shows of a game at one moment: one frozen value, from which every display takes its part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.base import describe_move
from nimdesk.games.truth import Truth
from nimdesk.games.truth_words import told
from nimdesk.play import words
from nimdesk.play.evaluations import worth_now
from nimdesk.play.game import Player
from nimdesk.play.moment import (
    FOLLOWED,
    NO_STEP,
    BoardLook,
    Known,
    Pointer,
    Search,
    Sitting,
    State,
    TruthLine,
    slowed_s,
    state_of,
    step_actions,
    step_shown,
)
from nimdesk.play.story import Story
from nimdesk.search import Snapshot

_CLOCK_S = 10.0
"""From so many seconds on a person's card shows the clock of the turn."""
_PAUSED = "Paused. Continue lets the computer go on."
_HELD = "Paused. Continue goes on with the same search."
_PREPARING = "Preparing the search. The first time with a kind of game it is compiled, which takes a few seconds."
_TELLING = ("truth", "feedback", "freeze", "whole_plot")
"""The actions about what a quiet game does not show."""
HINT_OFFER = "Not sure what to play? Hint (F2) shows how a strong search sees your move."
_QUIET_HINT_OFFER = "Not sure what to play? Hint (F2) proposes a move."
_WHAT_NEXT = {
    State.PAUSED: " Continue plays on from here.",
    State.HUMAN: " A move made here begins a variation.",
}


@dataclass(frozen=True)
class BoardShown:
    """What the board shows: the position of the game, or the one that was searched while its plot is pointed at."""

    position: AnyPosition
    interactive: bool
    """Whether a person may move."""
    searched: Snapshot | None
    """The search whose visits are drawn on the moves."""
    truth: Truth | None
    suggestion: Move | None
    highlight: Move | None
    """The move pointed at elsewhere."""
    line: tuple[Move, ...]
    """How play would go on, as numbered moves."""
    answers: tuple[Move, ...]
    """All moves that answer the last one of this line, where that is a threat of a forced win."""
    pairs: tuple[tuple[Move, Move], ...]
    number: str
    animated: bool


@dataclass(frozen=True)
class PlotShown:
    """What plot and legend show."""

    snapshot: Snapshot | None
    title: str
    truth: Truth | None
    highlight: Move | None
    """The move pointed at on the board."""
    ended: Snapshot | None = None
    """The search as it ended, where the snapshot is an earlier moment of it."""
    waiting: str = ""
    """What stands in place of a plot as long as there is no search to show; "" for an example."""


class ScoreShown(NamedTuple):
    """The expected score of the side below, None where nothing is known, and the words for it."""

    score: float | None
    words: str
    exact: bool


@dataclass(frozen=True)
class Shown:
    """All that the window shows of a game at one moment; every display of a frame takes its part from one of these."""

    state: State
    headline: str
    """Whose turn it is, or who won and why."""
    notice: str
    """One sentence: a proposal, an explanation, an error; may be empty."""
    result: str
    """How the game ended, in a word or two; "" where its end is not on the board."""
    sentence: str
    """What stands below the board: the notice, or why the game ended so and where it was decided."""
    truth: TruthLine
    board: BoardShown
    plot: PlotShown
    below: Side
    """Whose card is below the board: the person's; where there is none, or two, that of the side that began."""
    cards: tuple[words.CardWords, words.CardWords]
    """What the cards say, by ``Side``."""
    score: ScoreShown
    actions: tuple[tuple[str, bool], ...]
    """The names of the actions of the Play page, and whether each would do something now."""
    story: Story
    """The list of the moves and the graph of the game."""
    elsewhere: bool
    """Whether the board shows another position than the game's."""
    listing: tuple[str, ...]
    """How the search shown came to its move, or else the one behind it."""
    quiet: bool
    """Whether the game is quiet and goes on: no part but the story tells of a search or a proof, nor is that seen."""


def shown(sitting: Sitting, search: Search, known: Known, story: Story, look: BoardLook, pointer: Pointer) -> Shown:
    """What the window shows at this moment."""
    quiet = sitting.quiet and sitting.game.standing[1] is None
    if quiet:
        search, known = replace(search, snapshot=None, title=""), Known()
        pointer = Pointer(board=pointer.board)
    state = state_of(sitting, busy=search.busy, suggesting=search.suggesting)
    elsewhere = _elsewhere(sitting.position, pointer)
    headline, notice = _headline(sitting, state, search), _notice(sitting, state, search, quiet=quiet)
    if elsewhere is not None:
        notice = f"The board shows the position of this search, before move {elsewhere.position.ply + 1}."
    result = words.result_title(sitting.game) if state is State.OVER else ""
    why = headline.removeprefix(result).lstrip(".: ")
    person = words.person_side(sitting.game.players)
    below = Side.FIRST if person is None else person
    board = _board(sitting, search, known, look, pointer)
    drawn = pointer.frozen or search.snapshot
    truth_line = step_shown(known, pointer).of(known.line)
    # A move is marked in the plot where that is of the position on the board.
    highlight = pointer.board if drawn is not None and drawn.position == board.position else None
    return Shown(
        state=state,
        headline=headline,
        notice=notice,
        result=result,
        sentence=notice or (f"{why[:1].upper()}{why[1:]}. {story.ending.sentence}".strip() if result else ""),
        truth=truth_line._replace(wanted=known.line.wanted and not result),
        board=board,
        plot=PlotShown(
            search.snapshot, search.title, known.of_search, highlight, search.ended, _waiting(sitting, state, search)
        ),
        below=below,
        cards=(
            _card(Side.FIRST, sitting, state, search, quiet=quiet),
            _card(Side.SECOND, sitting, state, search, quiet=quiet),
        ),
        score=_score(sitting, search, known, below),
        actions=(
            *_actions(sitting, state, search, story),
            *step_actions(known),
            *((name, not quiet) for name in _TELLING),
        ),
        story=story,
        elsewhere=elsewhere is not None,
        listing=_listing(sitting, search),
        quiet=quiet,
    )


# The board


def _elsewhere(position: AnyPosition, pointer: Pointer) -> Snapshot | None:
    """The search of another position that the pointer asks the board to show; None where there is none."""
    searched = pointer.searched
    if searched is None or type(searched.position) is not type(position) or searched.position == position:
        return None
    return searched


def _board(sitting: Sitting, search: Search, known: Known, look: BoardLook, pointer: Pointer) -> BoardShown:
    position, snapshot = sitting.position, search.snapshot
    elsewhere = _elsewhere(position, pointer)
    pointed = None
    if pointer.searched is not None and type(pointer.searched.position) is type(position):
        pointed = pointer.searched.stats_of(pointer.plot)
    here = position if elsewhere is None else elsewhere.position
    searched = elsewhere or search.of(position)
    if pointed is not None:
        line = pointed.principal_variation
    elif elsewhere is not None:
        line = ()
    else:
        line = (pointer.line if searched is not None else ()) or pointer.reviewed
    step = step_shown(known, pointer) if elsewhere is None and not line else NO_STEP
    return BoardShown(
        position=here,
        interactive=elsewhere is None and sitting.person_to_move,
        searched=searched if look.overlay else None,
        truth=known.truth if elsewhere is None else known.of_search,
        # The pieces of a line, and their numbers, have the board to themselves.
        suggestion=sitting.suggestion if elsewhere is None and not (line or step.line) else None,
        highlight=None if pointed is None else pointed.move,
        line=line or step.line,
        answers=step.answers,
        pairs=snapshot.pairs_at(here) if look.overlay and snapshot is not None else (),
        number=look.number,
        animated=look.animated,
    )


# The words


def _headline(sitting: Sitting, state: State, search: Search) -> str:
    game, position, forfeit = sitting.game, sitting.position, sitting.forfeit
    if position.outcome is not None:
        return words.end_words(position, game.players, game.plies[game.cursor - 1] if game.cursor else None)
    if forfeit is not None:
        return words.forfeit_words(position, game.players, forfeit)
    doing = "" if state is not State.THINKING else "getting ready" if search.preparing else "thinking"
    return words.turn_words(position, game.players, doing)


def _notice(sitting: Sitting, state: State, search: Search, *, quiet: bool) -> str:
    game = sitting.game
    if search.preparing:
        return _PREPARING
    if sitting.explained:
        return f"{sitting.explained} {_PAUSED}" if state is State.PAUSED and sitting.paused else sitting.explained
    if sitting.proposal:
        move = sitting.suggestion
        return told("hint", move=describe_move(move)) if quiet and move is not None else sitting.proposal
    if sitting.forfeit is not None:
        return sitting.forfeit.reason
    if not game.at_end and sitting.taken_back and state is State.HUMAN:
        return "Taken back. The game goes on with your next move; what followed here stays as a variation."
    if not game.at_end:
        return f"You are looking at move {game.cursor} of {len(game.plies)}.{_WHAT_NEXT.get(state, '')}"
    if state is State.PAUSED:
        return _HELD if search.held else _PAUSED
    if state is not State.HUMAN:
        return ""
    known, offer = ("", _QUIET_HINT_OFFER) if quiet else (words.known_words(game), HINT_OFFER)
    return f"{known} {offer if sitting.offers_hint else game.game.hint}".strip()


def _waiting(sitting: Sitting, state: State, search: Search) -> str:
    """What stands where curves will be, or why there will be none."""
    if state is State.OVER:
        return "Nothing was searched in this game."
    if search.preparing:
        return "This kind of search is being compiled, once. Its curves appear here."
    players = [player for player in sitting.game.players if isinstance(player, Agent)]
    to_move = sitting.game.player_to_move
    who = to_move if isinstance(to_move, Agent) else players[0] if players else None
    if who is not None and who.traits.counts != "iterations":
        return f"{who.info.title} plays no simulations, so it has no curves. A hint (F2) shows those of another search."
    return "The search has begun; its first simulations appear here in a moment." if search.busy else ""


def _card(side: Side, sitting: Sitting, state: State, search: Search, *, quiet: bool) -> words.CardWords:
    """What the card of this side says."""
    game, position = sitting.game, sitting.position
    player = game.players[side]
    name, side_name = words.player_name(game.players, side, game.game), game.game.side_name(side)
    slow_s = slowed_s(player, search.slow_motion_s) if isinstance(player, Agent) else 0.0
    known = sitting.results.get(player.name) if isinstance(player, Agent) else None
    results = "" if known is None or words.person_side(game.players) is None else known.words
    about = "A person" if name == side_name else words.about_player(player, game.game, side_name, slow_s, results)
    if state is State.OVER:
        result = words.result_words(game.result, side)
        return words.CardWords(name, about, result, active=result == "Won", loud=True)
    if position.turn != side:
        played = game.cursor and (game.cursor - 1) % 2 == side and not quiet
        last = _own(player, game.analysis(game.cursor)) if played else None
        if last is not None and last is search.ended:
            last = search.snapshot
        return words.CardWords(name, about, words.search_state(last, running=False) if last is not None else "")
    if not isinstance(player, Agent):
        clock = f" · {words.seconds_words(search.turn_s)}" if search.turn_s >= _CLOCK_S else ""
        return words.CardWords(name, about, f"{'Your turn' if name == 'You' else 'To move'}{clock}", active=True)
    snapshot = search.of(position)
    if state is not State.THINKING:
        snapshot = _own(player, search.behind if search.asked else snapshot)
        figures = "" if snapshot is None else words.search_state(snapshot, running=False)
        waiting = f"Paused · {figures}" if figures and game.at_end else figures or "Waiting"
        return words.CardWords(name, about, waiting, active=True)
    thinking = f"thinking · {words.seconds_words(search.turn_s)}"
    if snapshot is None:
        return words.CardWords(name, about, "getting ready" if search.preparing else thinking, active=True, used=0.0)
    slow = slow_s > 0 and snapshot.iterations < FOLLOWED
    figures = words.search_state(snapshot, running=snapshot.stopped is None, slow=slow)
    used = words.budget_used(player, snapshot, max(search.elapsed_s, snapshot.elapsed_s), slow_s)
    return words.CardWords(name, about, figures or thinking, active=True, used=used)


def _own(player: Player, snapshot: Snapshot | None) -> Snapshot | None:
    """This search, if an agent of the player's name made it: another one may have had this side before."""
    made = isinstance(player, Agent) and snapshot is not None and snapshot.agent == player.name
    return snapshot if made else None


def _told_here(sitting: Sitting, search: Search) -> tuple[Snapshot, ...]:
    """What was searched of this moment: what is shown, what a hint took the place of, and what chose the last move."""
    if search.snapshot is None:
        return ()
    found = (search.snapshot, search.behind, sitting.game.analysis(sitting.game.cursor))
    return tuple(each for each in found if each is not None)


def _listing(sitting: Sitting, search: Search) -> tuple[str, ...]:
    """The listing of the first search of this moment that has one."""
    return next((each.listing for each in _told_here(sitting, search) if each.listing), ())


def _score(sitting: Sitting, search: Search, known: Known, below: Side) -> ScoreShown:
    """What the game is worth for the side below."""
    game = sitting.game
    truth = known.proven[game.cursor] if game.cursor < len(known.proven) else None
    worth = worth_now(sitting.position, search.snapshot, truth)
    others = (worth_now(sitting.position, each, truth) for each in _told_here(sitting, search))
    worth = next((each for each in others if each is not None and each.exact), worth)
    if worth is None:
        return ScoreShown(None, "Nothing estimates what this game is worth", exact=False)
    score, name = worth.of(below), words.player_name(game.players, below, game.game)
    kind = "proven" if worth.exact else "estimated by the search shown"
    return ScoreShown(score, told("score", who=words.addressed(name), score=f"{score:.2f}", kind=kind), worth.exact)


# The actions


def _actions(sitting: Sitting, state: State, search: Search, story: Story) -> tuple[tuple[str, bool], ...]:
    game, snapshot = sitting.game, search.snapshot
    return (
        ("undo", game.undo_target() != game.cursor),
        ("redo", game.can_redo),
        ("suggest", state in (State.HUMAN, State.PAUSED)),
        ("move_now", state in (State.THINKING, State.SUGGESTING)),
        ("stop", state is State.SUGGESTING),
        ("pause", state is State.THINKING and not sitting.paused),
        ("continue", state is State.PAUSED),
        ("step", state is State.PAUSED),
        ("restart", bool(game.plies)),
        ("swap", game.players[0] != game.players[1]),
        ("first", game.can_undo),
        ("previous", game.can_undo),
        ("next", game.can_redo),
        ("last", game.can_redo),
        ("promote", not game.node.on_main_line),
        ("prune", game.can_undo),
        ("restore", bool(game.pruned)),
        ("try_again", state is State.OVER and story.ending.try_from is not None),
        ("listing", bool(_listing(sitting, search))),
        ("film", snapshot is not None and snapshot.trace is not None),
    )
