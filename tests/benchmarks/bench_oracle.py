"""How long ``nimdesk serve`` takes to judge a move, from line to line, in a process of its own.

    python tests/benchmarks/bench_oracle.py [--positions 200] [--games 30]

Not collected by pytest.

Positions are random ones with a given number of stones (moves in other games) that are not over, all different, so that
no answer is known from before; the move is a random legal one. The service is warm: it has judged a position of each
game. Then the moves of whole random games of Connect Four are judged in their order, as those of an arena's log are.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from nimdesk.games import AnyPosition, parse_position

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from serving import Service

FOUR = "mnk:7,6,4:gravity"
NIMS = ("nim:1,3,5,7", "nim:3,4,5", "nim:21:max3", "nim:9,12,17,30", "nim:2,3,4,5:misere")
TAKES = ("take:0.77:5,7,9", "take:{1,3,4}:10,12", "take:wythoff:5,8", "take:0.07:8,6+wythoff:2,3")
SMALL = ("mnk:3,3,3", "mnk:4,3,3", "mnk:4,4,3", "mnk:4,4,4", "mnk:4,4,4:gravity", "mnk:4,4,3:gravity")
GROUPS: tuple[tuple[str, tuple[str, ...], int, int, float], ...] = (
    ("Nim", NIMS, 0, 5, 10),
    ("take-away", TAKES, 0, 4, 10),
    ("boards up to 4x4", SMALL, 0, 12, 20),
    ("Connect Four, 0 to 9 stones", (FOUR,), 0, 9, 10),
    *((f"Connect Four, {stones} stones", (FOUR,), stones, stones, 500.0) for stones in range(10, 20)),
    ("Connect Four, 10 to 19 stones", (FOUR,), 10, 19, 500),
    ("Connect Four, 20 to 41 stones", (FOUR,), 20, 41, 10),
)


def positions(games: tuple[str, ...], least: int, most: int, chance: random.Random) -> Iterator[AnyPosition]:
    seen: set[str] = set()
    for _ in range(1_000_000):
        position, plies = parse_position(chance.choice(games)), chance.randint(least, most)
        while position.outcome is None and position.ply < plies:
            position = position.play(chance.choice(position.legal_moves))
        if position.outcome is None and position.ply == plies and position.text not in seen:
            seen.add(position.text)
            yield position


def measured(service: Service, asked: list[tuple[AnyPosition, str]]) -> list[float]:
    times = []
    for position, move in asked:
        begin = time.perf_counter()
        found = service.ask("judge", position=position.text, move=move)
        times.append(1000 * (time.perf_counter() - begin))
        assert found["before"] != "unknown", found
    return sorted(times)


def show(name: str, times: list[float], target: float | None = None) -> None:
    def at(part: float) -> float:
        return times[min(len(times) - 1, int(part * len(times)))]

    wanted = "" if target is None else f"{target:8.0f}"
    print(f"{name:32s} {len(times):6d} {at(0.5):9.2f} {at(0.95):9.2f} {times[-1]:9.2f} {wanted}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--games", type=int, default=30)
    arguments = parser.parse_args()
    chance = random.Random(1)
    with Service() as service:
        for game in {game for _, games, *_ in GROUPS for game in games}:
            for plies in (0, 2, 20) if game == FOUR else (0, 2):
                position = next(positions((game,), plies, plies, chance))
                service.ask("judge", position=position.text, move=position.legal_moves[0].text)
        print(f"{'judge, milliseconds':32s} {'moves':>6s} {'median':>9s} {'p95':>9s} {'longest':>9s} {'p95 asked':>8s}")
        for name, games, least, most, target in GROUPS:
            several = positions(games, least, most, chance)
            count = 50 if "10 to 19" not in name and target == 500 else arguments.positions
            asked = [
                (each, chance.choice(each.legal_moves).text) for each, _ in zip(several, range(count), strict=False)
            ]
            show(name, measured(service, asked), target)
        log = []
        for _ in range(arguments.games):
            position = parse_position(FOUR)
            while position.outcome is None:
                move = chance.choice(position.legal_moves)
                log.append((position, move.text))
                position = position.play(move)
        begin = time.perf_counter()
        show(f"{arguments.games} whole games", measured(service, log))
        print(f"{len(log):,} moves of whole games in {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
