"""A game as text: who plays, every move, and what the search behind it thought of each move that it had."""

from __future__ import annotations

from collections.abc import Iterator

from nimdesk.agents import Agent
from nimdesk.games.base import Side, describe_move, describe_turn
from nimdesk.play.game import GameInProgress, player_title
from nimdesk.search import Snapshot


def game_log(game: GameInProgress) -> str:
    """The main line of the game, a line a move; below it the moves of its search, if that is kept, best first.

    Moves that came with the start, or were drawn as an opening, are "given": none of the players made them.
    """
    start = game.position_at(0)
    lines = [f"{start.game.title} ({start.game.text})"]
    for side in Side:
        player = game.players[side]
        name = player.full_label if isinstance(player, Agent) else player_title(player)
        lines.append(f"{start.game.side_name(side)}: {name}")
    for number, ply in enumerate(game.plies, 1):
        before, after = game.position_at(number - 1), game.position_at(number)
        left = f"; {after.summary}" if after.summary else ""
        words = describe_move(ply.move)
        move = words if words == ply.move.text else f"{words} ({ply.move.text})"
        who = f"{before.game.side_name(before.turn)}{'' if ply.by else ' (given)'}"
        lines += ["", f"{number}. {who}: {move}{left}"]
        if ply.snapshot is not None:
            lines += _thoughts(ply.snapshot)
    lines += ["", game.forfeit.reason if game.forfeit is not None else describe_turn(game.last_position)]
    return "\n".join(lines) + "\n"


def _thoughts(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.in_python:
        yield f"   searched in Python, {snapshot.iterations:,} simulations"
    for stats in sorted(snapshot.moves, key=lambda each: (each.move != snapshot.best_move, -each.visits)):
        counted = f"{stats.visits:>12,} {snapshot.counted}" if snapshot.counted else ""
        mean = "" if stats.mean_value is None else f"  mean {stats.mean_value:.4f}"
        proven = f"  proven: {stats.proof}" if stats.proof else ""
        if known := counted + mean + proven:
            yield f"   {stats.move.text:<8}{known}"
    if snapshot.comment:
        yield f"   {snapshot.comment}"
