"""Kills a program that plays fast and keeps what it plays, again and again: is everything there that it called kept?

``python killed_again_and_again.py FOLDER KILLS SEED`` forks one player after the other, each of which goes on with the
game that the last one left, kills it after a random time, and compares the library with what the player told. It
prints the number of kills and of plies that were kept.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
from pathlib import Path

from synthetic import make_snapshot, new_game

from nimdesk.games import AnyPosition
from nimdesk.play import record  # loaded before the fork, so that the players lose no time
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library

LONGEST_S = 0.06


def player(path: Path, tell: int, seed: int) -> None:
    """Play for ever; tell of each ply that was kept, by a line with the position and the seed of its search."""
    chance = random.Random(seed)
    library = Library.open(path)
    stored = library.shown_in(1)
    # With the search that rests: a game that is over then takes it away.
    kept = None if stored is None else library.read(stored.id)
    while True:
        if kept is None or kept.game.position.outcome is not None:
            kept = KeptGame(new_game(chance.choice(["mnk:5,5,4", "nim:9,9,9", "mnk:7,6,4:gravity"])))
        game = kept.game
        if game.plies and chance.random() < 0.1:
            game.jump(chance.randrange(len(game.plies)))  # and on with a variation
        new = [move for move in game.position.legal_moves if game.node.child(move) is None]
        if not new:
            game.look_at(game.node.onward[-1])
            continue
        search = make_snapshot(game.position, 20, chance.randrange(2**40))
        game.play(chance.choice(new), by="MCTS", elapsed_s=chance.random(), snapshot=search)
        game.clock.set(game.node, chance.randrange(100))
        kept.note_clock()
        over = game.position.outcome is not None
        kept.note_resting(None if over else make_snapshot(game.position, 20, chance.randrange(2**40)), hint=False)
        if not over and chance.random() < 0.2:
            game.lose(game.position.turn, "Its player failed.")
        change = kept.change()
        assert change is not None
        library.write(change, 1)
        kept.written(change)
        os.write(tell, f"{kept.id} {text(game.position)} {search.seed} {state(kept)}\n".encode())


def main(folder: Path, kills: int, seed: int) -> None:
    assert record
    chance = random.Random(seed)
    path = folder / "games.db"
    told: dict[tuple[int, str], int] = {}
    for number in range(kills):
        listen, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(listen)
            player(path, tell, seed + number)
        os.close(tell)
        if chance.random() < 0.7:  # else it may be killed while it begins
            select.select([listen], [], [], 60)
        time.sleep(chance.uniform(0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(listen) as words:
            lines = [line.split() for line in words.read().splitlines() if line.count(" ") == 3]
        for game, position, search, _state in lines:
            told[int(game), position] = int(search)
        last = (lines[-1][1], lines[-1][3]) if lines else None
        compare(path, told, last, thoroughly=number % 25 == 24)
    print(kills, len(told))


def compare(path: Path, told: dict[tuple[int, str], int], last: tuple[str, str] | None, *, thoroughly: bool) -> None:
    """All that was told is there; and one ply at most that was not told, which was in flight. ``thoroughly``: all
    searches as well, not only that of the ply in flight.

    ``last`` is what was told last: the position on the board, and the state of its game besides its moves.
    """
    library = Library.look_into(path)
    if library is None:
        assert not told
        return
    with library:
        there: dict[tuple[int, str], tuple[int, int, AnyPosition]] = {}
        for entry in library.entries():
            stored = library.game(entry.id)
            assert stored is not None
            for number, node in KeptGame.read(stored).numbered:
                assert node.parent is not None
                there[entry.id, text(node.position)] = entry.id, number, node.parent.position
        assert set(told) <= set(there), f"lost: {set(told) - set(there)}"
        untold = set(there) - set(told)
        assert len(untold) <= 1, f"more than one move was in flight: {untold}"
        for key in there if thoroughly else untold:
            game, number, position = there[key]
            ((_, search),) = library.searches(game, {number: position})
            assert key in untold or search.seed == told[key], f"another search: {key}"
            told[key] = search.seed
        stored = library.shown_in(1)
        kept = None if stored is None else library.read(stored.id)
        shown = None if kept is None else (text(kept.game.position), state(kept))
        assert last is None or shown == last or (kept is not None and (kept.id, text(kept.game.position)) in untold)


def state(kept: KeptGame) -> str:
    """The clock, the search that rests and whether a side lost by forfeit, as one word."""
    rests = "-" if kept.resting is None else kept.resting.snapshot.seed
    return f"{kept.game.clock.used_s(kept.game.node):.0f}/{rests}/{kept.game.forfeit is not None}"


def text(position: AnyPosition) -> str:
    return position.text.replace(" ", "_")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
