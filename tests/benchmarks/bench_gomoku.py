"""Games of five in a row between nimdesk's agents and programs of the Gomocup protocol, with intervals.

    uv run python tests/benchmarks/bench_gomoku.py mcts:iterations=12000 "./pbrain-rapfi max_node=2000" --games 40
    uv run python tests/benchmarks/bench_gomoku.py level6 "./pbrain-pela timeout_turn=55" --openings lines.txt

A player is an agent as on the command line, or the path of a program and what it is told by INFO. Each opening of the
set is played with both colours. It prints the score of the first player with Wilson's 95% interval (draws count half),
and the processor time of a move. Budgets in simulations and nodes do not depend on what else the machine does. With
``--stop`` it ends as soon as the score is surely on one side of one half. ``--log`` gets a line of JSON for each game.
Not collected by pytest.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

from nimdesk.agents.gomocup.stones import cell_of, cell_text
from nimdesk.agents.naming import agent_from_text
from nimdesk.experiments.openings import openings
from nimdesk.experiments.statistics import wilson
from nimdesk.games import AnyPosition, Move, parse_position
from nimdesk.limit import Limit

_TICKS = os.sysconf("SC_CLK_TCK")


class Own:
    """An agent of nimdesk."""

    def __init__(self, text: str) -> None:
        self.agent = agent_from_text(text)

    def cpu_s(self) -> float:
        return time.process_time()

    def begin(self) -> None:
        """Each search begins anew."""

    def move(self, position: AnyPosition, seed: int) -> Move:
        searcher = self.agent.new_searcher(position)
        searcher.start(position, seed)
        searcher.advance(Limit())
        move = searcher.snapshot().best_move
        assert move is not None
        return move


class Program:
    """A program of the Gomocup protocol, started anew for each game; it is told the board at first, then each move."""

    process: subprocess.Popen[str] | None = None

    def __init__(self, text: str, size: int) -> None:
        self.command, *infos = text.split()
        self.size = size
        usual = {"rule": "0", "timeout_turn": "100000", "timeout_match": "100000000", "time_left": "100000000"}
        self.infos = usual | dict(info.split("=") for info in infos)

    def begin(self) -> None:
        # Some overhear RESTART while they think.
        self.end()
        pipes = subprocess.PIPE
        self.process = subprocess.Popen(
            [self.command], stdin=pipes, stdout=pipes, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.knows = -1
        self.say(f"START {self.size}")
        self.hear("OK")
        for name, value in self.infos.items():
            self.say(f"INFO {name} {value}")

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()

    def say(self, *lines: str) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def hear(self, begin: str) -> str:
        """The next line that is no remark."""
        assert self.process is not None
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(begin) and not line.startswith(("MESSAGE", "DEBUG")):
                return line.strip()
        raise SystemExit("the program has ended")

    def cpu_s(self) -> float:
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def move(self, position: AnyPosition, seed: int) -> Move:
        game, own = position.game, position.ply % 2
        if self.knows == position.ply - 1:
            self.say(f"TURN {cell_text(position.moves[-1], game)}")
        else:
            stones = (
                f"{cell_text(move, game)},{1 if ply % 2 == own else 2}" for ply, move in enumerate(position.moves)
            )
            self.say("BOARD", *stones, "DONE")
        self.knows = position.ply + 1
        answer = self.hear("")
        if answer.startswith("ERROR"):
            # Rapfi misses a word now and then that comes right after its move.
            self.knows = -1
            return self.move(position, seed)
        return cell_of(answer, game)


Player = Own | Program


def play(
    players: tuple[Player, Player], position: AnyPosition, seed: int, cpu: dict[Player, list[float]]
) -> AnyPosition:
    """The end of a game from here; the seconds of every move are added to its player's."""
    for player in players:
        player.begin()
    while position.outcome is None:
        player = players[position.ply % 2]
        before = player.cpu_s()
        move = player.move(position, 1_000 * seed + position.ply)
        cpu[player].append(player.cpu_s() - before)
        position = position.play(move)
    return position


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs=2)
    parser.add_argument("--board", default="mnk:15,15,5")
    parser.add_argument("--openings", type=Path, default=Path("gomoku-15"))
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--from-game", type=int, default=0)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    start = parse_position(options.board)
    starts, _ = openings(options.openings, [options.board])
    players = [Program(t, start.game.m) if "pbrain" in t else Own(t) for t in options.players]
    cpu: dict[Player, list[float]] = {player: [] for player in players}
    counts = [0, 0, 0]
    for number in range(options.from_game, options.games):
        first = number % 2
        opening = parse_position(starts[number // 2 % len(starts)])
        # The first player has the first marks in games with an even number.
        end = play((players[first], players[1 - first]), opening, number, cpu)
        result = 1 if end.winner is None else 0 if int(end.winner) == first else 2
        counts[result] += 1
        if options.log is not None:
            row = {"players": options.players, "game": number, "result": 1 - result / 2, "position": end.text}
            with options.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row | {"opening": opening.ply}) + "\n")
        done, score = sum(counts), counts[0] + counts[1] / 2
        low, high = wilson(score, done)
        ms = [1000 * sum(cpu[player]) / max(1, len(cpu[player])) for player in players]
        told = f"{score:g}/{done} = {score / done:.3f} [{low:.3f}, {high:.3f}], {counts[0]} won, {counts[1]} drawn"
        print(f"{options.players[0]} – {options.players[1]}: {told}; {ms[0]:.0f} and {ms[1]:.0f} ms a move", flush=True)
        # Three standard errors, since it looks after every pair of games.
        low, high = wilson(score, done, 3.0)
        if options.stop and done >= 16 and not done % 2 and not low <= 0.5 <= high:
            break
    for player in players:
        if isinstance(player, Program):
            player.end()


if __name__ == "__main__":
    main()
