"""What can be asked of the oracle, and its answers: each question with the types of both, from which schemas are made.

Values are of the exact solvers alone (``games.truth``), the judgement of a move is that of a review. Where nothing is
proven within the time, the value is "unknown", and ``tried`` says what was looked at; no estimate stands in for it.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nimdesk.agents import DEFAULT_AGENT, agent_with
from nimdesk.cli.analyse import snapshot_json, truth_json
from nimdesk.errors import OptionError
from nimdesk.experiments.tuning import with_budget
from nimdesk.figures.boards import board_svg, board_text
from nimdesk.games import AnyPosition, load_plugin_games, parse_position, presets, solved
from nimdesk.games.base import describe_outcome, describe_turn
from nimdesk.games.kit import notation_help
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.games.truth_words import truth_sentence
from nimdesk.play.move_review import exactly
from nimdesk.play.words import answer_words
from nimdesk.search import StopReason, drive
from nimdesk.search.options import MAX_SEED, MAX_TIME_S
from nimdesk.version import __version__

PROTOCOL = 1
"""The version of the questions and answers: one more whenever a program that knows this one would go wrong."""
_MOST_KEPT = 4_096
_TIME_S = 10.0

PositionText = Annotated[
    str, Meta(min_length=1, max_length=20_000, description="A game and the moves played, such as mnk:3,3,3 b2 a1.")
]
MoveText = Annotated[str, Meta(min_length=1, max_length=200, description="A legal move in notation, such as b2.")]
ProofSeconds = Annotated[
    float, Meta(ge=0.01, le=MAX_TIME_S, description="How long the solver may take; what is not proven is unknown.")
]
ValueWord = Literal["win", "draw", "loss", "unknown"]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the parameters: a name that is not known is an error."""


class HelloAsked(Asked, frozen=True, kw_only=True):
    """``protocol`` is the version that the asking program was written for."""

    protocol: int = PROTOCOL


class TruthAsked(Asked, frozen=True, kw_only=True):
    """A position, and how long its proof may take."""

    position: PositionText
    time_s: ProofSeconds = _TIME_S


class JudgeAsked(TruthAsked, frozen=True, kw_only=True):
    """A position, a move in it, and how long the proof may take."""

    move: MoveText


class AnalyseAsked(Asked, frozen=True, kw_only=True):
    """A position and who searches it; ``budget`` and ``seed`` are short for the agent's options of that meaning."""

    position: PositionText
    agent: str = DEFAULT_AGENT
    budget: int | str | None = None
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None
    options: dict[str, int | float | bool | str | None] = {}


class GamesAsked(Asked, frozen=True, kw_only=True):
    """Nothing."""


class RenderAsked(Asked, frozen=True, kw_only=True):
    """A position, and the form of its picture."""

    position: PositionText
    form: Literal["text", "svg"] = "text"


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers, and what it can be asked."""

    protocol: int
    program: str
    methods: list[str]


class MoveWorth(msgspec.Struct, frozen=True, kw_only=True):
    """A legal move: its value for the side that plays it, and the plies to the end with best play, null if unknown."""

    move: str
    value: ValueWord
    distance: int | None


class ThreatMade(msgspec.Struct, frozen=True, kw_only=True):
    """A move of a win by threats, and all moves that answer it; none after the move that wins."""

    move: str
    answers: list[str]


class WinByThreats(msgspec.Struct, frozen=True, kw_only=True):
    """A proven win, each move of which has to be answered: ``plies`` to its end at most, as ``line`` has them."""

    by: Literal["fours", "fours and threes"]
    plies: int
    line: list[str]
    threats: list[ThreatMade]


class ThreatsFound(msgspec.Struct, frozen=True, kw_only=True):
    """The ``win`` of the side to move; or else the ``danger``, what the other side would win by if it moved now.

    All moves but the ``parries`` lose to the danger; null where there is none.
    """

    win: WinByThreats | None
    danger: WinByThreats | None
    parries: list[str] | None


class TruthAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What is proven of a position; ``value`` is for the side to move.

    ``distance`` is in plies to the end with best play. ``best`` are the moves that keep the value, ``quickest`` those
    of them that win soonest or lose latest. ``complete`` says that the value of every move is known. Where it is not,
    ``tried`` says what was done; otherwise it is empty. ``threats`` is what is found of wins by threats, or null.
    """

    position: str
    turn: str
    value: ValueWord
    distance: int | None
    moves: list[MoveWorth]
    best: list[str]
    quickest: list[str]
    complete: bool
    sentence: str
    tried: str
    nodes: int
    elapsed_s: float
    threats: ThreatsFound | None = None


class JudgeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a move gave away, by what is proven; values are for the side that plays it.

    ``before`` is what the position is worth, ``after`` what it is worth after the move. ``lost`` is the difference in
    points (win 1, draw 0.5, loss 0), null where one of them is unknown. ``distance_lost`` is by how many plies a win
    takes longer, or a loss comes sooner, than with the best move; null where the value was not kept, or distances are
    not known. ``mark`` is "", "?" or "??"; the other fields are those of ``truth`` for the position before the move.
    """

    position: str
    move: str
    before: ValueWord
    after: ValueWord
    lost: float | None
    distance_before: int | None
    distance_after: int | None
    distance_lost: int | None
    best: list[str]
    quickest: list[str]
    complete: bool
    mark: str
    sentence: str
    tried: str
    nodes: int
    elapsed_s: float


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A well-known game."""

    name: str
    notation: str
    about: str


class GamesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The well-known games, and how any other is written."""

    games: list[Preset]
    notation: str


class RenderAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of a position, as lines of text or as an SVG document; ``turn`` says who is to move, or who won."""

    position: str
    turn: str
    form: Literal["text", "svg"]
    picture: str


class Oracle:
    """Answers questions; what is proven of a position is kept, for the thousands that were asked last."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        """Once ``stop`` is set, work under way is given up with ``KeyboardInterrupt``."""
        self._stop = stop or threading.Event()
        self._known: OrderedDict[str, Truth] = OrderedDict()

    def hello(self, asked: HelloAsked) -> Hello:
        """Say who answers, and what it can be asked."""
        if asked.protocol != PROTOCOL:
            raise OptionError(f"The protocol is {asked.protocol}; this nimdesk speaks {PROTOCOL}.")
        return Hello(protocol=PROTOCOL, program=f"nimdesk {__version__}", methods=list(METHODS))

    def truth(self, asked: TruthAsked) -> TruthAnswer:
        """The exact value of a position and of every move, with the number of plies to the end."""
        truth = self._proven(parse_position(asked.position), asked.time_s)
        more = {
            "turn": describe_turn(truth.position),
            "best": [move.text for move in truth.best_moves],
            "quickest": [move.text for move in truth.quickest_moves],
            "complete": truth.complete,
            "sentence": truth_sentence(truth),
            "tried": _tried(truth),
        }
        return msgspec.convert(truth_json(truth) | more, TruthAnswer)

    def judge(self, asked: JudgeAsked) -> JudgeAnswer:
        """What a move gave away: the exact value before and after it, and the moves that were best."""
        position = parse_position(asked.position)
        if position.outcome is not None:
            raise OptionError(f"There is no move to judge in {position.text}: {describe_outcome(position)}.")
        move = position.parse_move(asked.move)
        truth = self._proven(position, asked.time_s)
        played = truth.of(move)
        answer: dict[str, Any] = {
            "position": position.text,
            "move": move.text,
            "before": truth.value.value,
            "after": played.value.value,
            "distance_before": truth.distance,
            "distance_after": played.distance,
            "distance_lost": _distance_lost(truth, played),
            "quickest": [each.text for each in truth.quickest_moves],
            "complete": truth.complete,
            "tried": _tried(truth),
            "nodes": truth.nodes,
            "elapsed_s": truth.elapsed_s,
        }
        if Value.UNKNOWN in (truth.value, played.value):
            best, lost, mark, sentence = truth.best_moves, None, "", "What the move gave away is not known."
        else:
            found = exactly(position.ply + 1, "", truth, played, (), None)
            best, lost, mark, sentence = found.best, found.lost, found.mark.value, found.sentence
        told = {"lost": lost, "best": [each.text for each in best], "mark": mark, "sentence": sentence}
        return JudgeAnswer(**(answer | told))

    def analyse(self, asked: AnalyseAsked) -> dict[str, object]:
        """What a search thinks of every move: an estimate, but for what it has proven."""
        position = parse_position(asked.position)
        if position.outcome is not None:
            raise OptionError(f"There is nothing to analyse in {position.text}: {describe_outcome(position)}.")
        agent = agent_with(asked.agent, asked.options)
        if asked.budget is not None:
            agent = with_budget(agent, str(asked.budget))
        if asked.seed is not None:
            agent = agent.with_seed(asked.seed)
        searcher = agent.new_searcher(position)
        searcher.start(position, agent.new_seed())
        reason = drive(searcher, stop=self._stop)
        self._go_on()
        snapshot = searcher.snapshot().ended(StopReason.STOPPED if reason is None else reason)
        return snapshot_json(snapshot, agent) | {"finding": answer_words(agent, snapshot)}

    def games(self, _asked: GamesAsked) -> GamesAnswer:
        """The well-known games with their notation, and how any other is written."""
        load_plugin_games()
        listed = [Preset(name=each.name, notation=each.game.text, about=each.about) for each in presets()]
        return GamesAnswer(games=listed, notation=notation_help())

    def render(self, asked: RenderAsked) -> RenderAnswer:
        """A picture of a position, as lines of text or as SVG."""
        position = parse_position(asked.position)
        picture = board_svg(position) if asked.form == "svg" else board_text(position)
        return RenderAnswer(position=position.text, turn=describe_turn(position), form=asked.form, picture=picture)

    def _proven(self, position: AnyPosition, time_s: float) -> Truth:
        """What can be proven within the time, or was before."""
        text = position.text
        if (known := self._known.get(text)) is not None:
            self._known.move_to_end(text)
            return known
        truth, done = solved(position, time_s, self._stop)
        self._go_on()
        if done:
            self._known[text] = truth
            if len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        return truth

    def _go_on(self) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt


def _tried(truth: Truth) -> str:
    """What was done where not all is known."""
    if truth.value is not Value.UNKNOWN and (truth.complete or not truth.moves):
        return ""
    return f"The solver looked at {truth.nodes:,} positions in {truth.elapsed_s:.3g} s, and stopped there."


def _distance_lost(before: Truth, played: MoveTruth) -> int | None:
    if played.value is not before.value or before.value is Value.UNKNOWN:
        return None
    if before.value is Value.DRAW:
        return 0
    if before.distance is None or played.distance is None:
        return None
    return abs(played.distance - before.distance)


@dataclass(frozen=True, slots=True)
class Method:
    """A question: its parameters, its answer, and who answers it."""

    asked: type[Asked]
    answer: type[Any]
    call: Callable[[Oracle, Any], Any]

    @property
    def about(self) -> str:
        """What it answers, in one line."""
        return re.split(r"\n\s*\n", cleandoc(self.call.__doc__ or ""))[0]


METHODS: dict[str, Method] = {
    "hello": Method(HelloAsked, Hello, Oracle.hello),
    "truth": Method(TruthAsked, TruthAnswer, Oracle.truth),
    "judge": Method(JudgeAsked, JudgeAnswer, Oracle.judge),
    "analyse": Method(AnalyseAsked, dict[str, Any], Oracle.analyse),
    "games": Method(GamesAsked, GamesAnswer, Oracle.games),
    "render": Method(RenderAsked, RenderAnswer, Oracle.render),
}
"""All that can be asked, by the name in a request."""
