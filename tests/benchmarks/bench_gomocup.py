"""Games of two programs of the Gomocup protocol under the rule of the manager Piskvork, with the times of every move.

    uv run python tests/benchmarks/bench_gomocup.py --games 200 --turn-ms 200
    uv run python tests/benchmarks/bench_gomocup.py --second ./pbrain-rapfi --games 20 --log games.jsonl

The rule, as its ``Tplayer::checkTimeOut`` has it: whoever takes longer from the opponent's move to its own than the
time for a turn, or than is left of the match, and 1,000 ms of tolerance (its default), has lost. What a program
needs from START to OK counts for the match alone. The opponent is stopped meanwhile (SIGSTOP), as there and in
GomocupJudge. A fault is an answer that is no move, a move that cannot be played, memory beyond the limit, or an end of
the program. Openings are random stones near the middle, each played with both colours. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import selectors
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from nimdesk.agents.gomocup.stones import FREE_STYLE, cell_of, cell_text, game_of
from nimdesk.errors import NimdeskError

TOLERANCE_MS = 1_000
UNLIMITED_MS = 2**31 - 1
OWN_COMMAND = f"{sys.executable} -m nimdesk engine"


class FaultError(Exception):
    """A program has lost, and why."""


class Program:
    """One program, stopped while it is not its turn."""

    def __init__(self, command: str, options: argparse.Namespace) -> None:
        self.options = options
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self.process.stdout is not None
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.process.stdout, selectors.EVENT_READ)
        self.buffer, self.memory_mb, self.used_ms = b"", 0.0, 0.0
        # Some reserve their memory when they hear of it, which is no matter for the first turn.
        for info in (f"timeout_turn {options.turn_ms}", f"timeout_match {options.match_ms}", "rule 0", "game_type 2"):
            self.say(f"INFO {info}")
        self.say(f"INFO max_memory {options.memory_mb << 20}")
        began = time.monotonic()
        self.say(f"START {options.size}")
        while not (line := self.hear(120.0)).startswith("OK"):
            if line.startswith(("ERROR", "UNKNOWN")):
                raise FaultError(f"did not start: {line}")
        self.started_ms = (time.monotonic() - began) * 1000

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{line}\r\n".encode())
            self.process.stdin.flush()
        except OSError:
            raise FaultError("has ended") from None

    def hear(self, wait_s: float) -> str:
        """The next line that is no MESSAGE or DEBUG."""
        until = time.monotonic() + wait_s
        assert self.process.stdout is not None
        while True:
            while b"\n" not in self.buffer:
                left_s = until - time.monotonic()
                if left_s <= 0 or not self.waiting.select(left_s):
                    raise FaultError("time out")
                data = os.read(self.process.stdout.fileno(), 65536)
                if not data:
                    raise FaultError("has ended")
                self.buffer += data
            line, _, self.buffer = self.buffer.partition(b"\n")
            text = line.decode(errors="replace").strip()
            if text and not text.startswith(("MESSAGE", "DEBUG")):
                return text

    def turn(self, lines: list[str]) -> tuple[str, float]:
        """The answer to these lines, and its milliseconds."""
        os.kill(self.process.pid, signal.SIGCONT)
        match_ms = self.options.match_ms
        left_ms = match_ms - self.used_ms if match_ms else UNLIMITED_MS
        began = time.monotonic()
        for line in (f"INFO time_left {left_ms:.0f}", *lines):
            self.say(line)
        answer = self.hear((min(self.options.turn_ms, left_ms) + TOLERANCE_MS) / 1000)
        took_ms = (time.monotonic() - began) * 1000
        self.used_ms += took_ms
        self.weigh()
        os.kill(self.process.pid, signal.SIGSTOP)
        return answer, took_ms

    def weigh(self) -> None:
        """Look at the memory that is this process's alone, as GomocupJudge counts it."""
        rows = [line.split() for line in Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()]
        self.memory_mb = max(self.memory_mb, sum(int(row[1]) for row in rows if row[0].startswith("Private_")) / 1024)
        if self.options.weigh and self.memory_mb > self.options.memory_mb:
            raise FaultError(f"takes {self.memory_mb:.0f} MB of {self.options.memory_mb}")

    def restart(self) -> None:
        """Begin another game."""
        os.kill(self.process.pid, signal.SIGCONT)
        self.used_ms = 0.0
        self.say("RESTART")
        if self.hear(5.0) != "OK":
            raise FaultError("did not restart")

    def end(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)
        self.say("END")
        try:
            self.process.wait(2.0)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def opening(size: int, number: int) -> list[str]:
    dice, middle = random.Random(number), size // 2
    near = [f"{x},{y}" for x in range(middle - 3, middle + 4) for y in range(middle - 3, middle + 4)]
    return dice.sample(near, 4)


def play(players: tuple[Program, Program], stones: list[str], size: int, times: list[list[float]]) -> tuple[str, str]:
    """One game: who won ("0", "1", "" for a draw) and how; the milliseconds of each move are added to ``times``."""
    game = game_of(size, size, FREE_STYLE)
    position = game.start()
    for stone in stones:
        position = position.play(cell_of(stone, game))
    while position.outcome is None:
        side = len(position.moves) % 2
        played = [cell_text(move, game) for move in position.moves]
        own = [f"{cell},{1 if number % 2 == side else 2}" for number, cell in enumerate(played)]
        first = len(played) - len(stones) < 2
        try:
            answer, took_ms = players[side].turn(["BOARD", *own, "DONE"] if first else [f"TURN {played[-1]}"])
            times[side].append(took_ms)
            position = position.play(cell_of(answer, game))
        except (FaultError, NimdeskError) as fault:
            return str(1 - side), f"fault of {side}: {fault}"
    winner = position.winner
    return ("" if winner is None else str(int(winner))), position.outcome.reason


def begun(options: argparse.Namespace) -> tuple[Program, Program]:
    return Program(options.first, options), Program(options.second, options)


def began_anew(programs: tuple[Program, Program], options: argparse.Namespace) -> tuple[Program, Program]:
    for program in programs:
        os.killpg(program.process.pid, signal.SIGKILL)
        program.process.wait()
    return begun(options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", default=OWN_COMMAND)
    parser.add_argument("--second", default=OWN_COMMAND)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--turn-ms", type=int, default=200)
    parser.add_argument("--match-ms", type=int, default=0, help="0 is no limit")
    parser.add_argument("--memory-mb", type=int, default=350)
    parser.add_argument("--weigh", action=argparse.BooleanOptionalAction, default=True, help="is more memory a fault?")
    parser.add_argument("--log", type=Path, help="a line of JSON for each game")
    options = parser.parse_args()
    programs = begun(options)
    points, faults, all_times = [0.0, 0.0], list[str](), [list[float](), list[float]()]
    for number in range(options.games):
        swapped = number % 2 == 1
        order = (programs[1], programs[0]) if swapped else programs
        times = [list[float](), list[float]()]
        stones = opening(options.size, number // 2)
        winner, how = play(order, stones, options.size, times)
        for place in (0, 1):
            all_times[place ^ swapped] += times[place]
            points[place ^ swapped] += 0.5 if winner == "" else float(winner == str(place))
        if options.log is not None:
            with options.log.open("a", encoding="utf-8") as file:
                row = {"game": number, "swapped": swapped, "opening": stones, "winner": winner, "how": how}
                file.write(json.dumps({**row, "ms": [[round(ms, 1) for ms in side] for side in times]}) + "\n")
        if how.startswith("fault"):
            faults.append(f"game {number}: {how}, {'swapped' if swapped else 'as named'}")
            programs = began_anew(programs, options)
        else:
            for program in programs:
                program.restart()
    for name, program, times_ms, score in zip(("first", "second"), programs, all_times, points, strict=True):
        late = sum(ms > options.turn_ms for ms in times_ms) if options.turn_ms else 0
        times = f"median {median(times_ms or [0]):.0f} ms, longest {max(times_ms, default=0):.0f} ms"
        print(
            f"{name}: {score:g} of {options.games}; {len(times_ms)} moves, {times}, {late} beyond {options.turn_ms} "
            f"ms; {program.memory_mb:.0f} MB; START {program.started_ms:.0f} ms"
        )
        program.end()
    print(f"faults and losses on time: {len(faults)}", *faults, sep="\n  ")


if __name__ == "__main__":
    main()
