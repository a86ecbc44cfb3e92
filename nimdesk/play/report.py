"""A game's review for people who were not there: who played, what decided it, and the moments to look at."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.base import describe_turn
from nimdesk.play.game import GameInProgress, player_title
from nimdesk.play.move_review import Mark, MoveReview
from nimdesk.play.review import decided, findings, worth_words, worths_of
from nimdesk.play.story import Curve
from nimdesk.play.words import budget_words, person_side, player_name

MOST_MOMENTS = 8


class Moment(msgspec.Struct, frozen=True):
    """A position in which something was given away: with how play goes on best."""

    position: AnyPosition
    line: tuple[Move, ...]
    title: str
    sentence: str
    better: str


class GameReport(msgspec.Struct, frozen=True):
    """All that a report says; ``moments`` are in the order of the game."""

    title: str
    players: tuple[str, ...]
    result: str
    sentences: tuple[str, ...]
    moves: str
    last: AnyPosition
    curve: Curve
    moments: tuple[Moment, ...]
    left_out: int
    """How many more moves gave something away."""
    how: str
    """By what the moves were judged."""


def report_of(game: GameInProgress, moves: Sequence[MoveReview]) -> GameReport:
    """The report of a game whose every move was judged, as the review says it."""
    moves = sorted(moves, key=lambda each: each.ply)
    last = game.last_position
    bad = [each for each in moves if each.mark is not Mark.NONE]
    told = _worst(bad, None if (turn := decided(last, moves)) is None else turn.ply)
    return GameReport(
        title=game.game.title,
        players=tuple(f"{game.game.side_name(side)}: {_player(game, side)}" for side in Side),
        result=f"{describe_turn(last)}.",
        sentences=findings(last, moves),
        moves=_listed(moves),
        last=last,
        curve=_curve(game, moves),
        moments=tuple(_moment(game, each) for each in told),
        left_out=len(bad) - len(told),
        how=_how(moves),
    )


def _worst(bad: Sequence[MoveReview], deciding: int | None) -> list[MoveReview]:
    """The moves that gave away most, among them the one that decided the game."""
    worst = sorted(bad, key=lambda each: (each.ply != deciding, -each.lost, each.ply))[:MOST_MOMENTS]
    return sorted(worst, key=lambda each: each.ply)


def _moment(game: GameInProgress, move: MoveReview) -> Moment:
    side = game.game.side_name(move.side)
    return Moment(
        position=game.position_at(move.ply - 1),
        line=move.line,
        title=f"Move {move.ply}, {side}: {move.move.text} {move.mark.value}   {worth_words(move)}",
        sentence=move.sentence,
        better=" ".join(each.text for each in move.best),
    )


def _player(game: GameInProgress, side: Side) -> str:
    player = game.players[side]
    budget = budget_words(player) if isinstance(player, Agent) else ""
    return ", ".join(filter(None, [player_title(player), budget]))


def _listed(moves: Sequence[MoveReview]) -> str:
    """The moves as they are written down, with their marks."""
    texts = [f"{each.move.text}{each.mark.value}" for each in moves]
    rounds = [texts[at : at + 2] for at in range(0, len(texts), 2)]
    return "  ".join(f"{number}. {' '.join(each)}" for number, each in enumerate(rounds, 1))


def _curve(game: GameInProgress, moves: Sequence[MoveReview]) -> Curve:
    worths = worths_of(game.last_position, moves)
    first, second = (player_name(game.players, each, game.game) for each in Side)
    return Curve(
        tuple(each.move.text for each in moves),
        len(moves),
        person_side(game.players) or Side.FIRST,
        (first, second),
        worths,
        tuple(each.score if each is not None and each.exact else None for each in worths),
    )


def _how(moves: Sequence[MoveReview]) -> str:
    searched = next((each.searched for each in moves if each.searched is not None), None)
    if searched is None:
        return "Every position was solved: what is said of the moves is proven."
    chosen = [each for each in moves if not each.given]
    solved = sum(each.exact for each in chosen)
    return (
        f"{solved:,} of {len(chosen):,} moves are judged by proofs, the others by estimates of a search "
        f"({searched.agent}, {searched.iterations:,} simulations a position)."
    )
