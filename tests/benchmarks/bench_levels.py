"""How strong the levels are: each against the one below, on five games; and the table of it.

    uv run python tests/benchmarks/bench_levels.py --out /tmp/levels.db
    uv run python tests/benchmarks/bench_levels.py --out /tmp/levels.db --games 20 --report resources/levels.md

The games are those of ``resources/levels.json``. Results are kept in ``--out``, so that a second call goes on, or only
writes the table again. Not collected by pytest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from nimdesk.agents.levels import LEVELS, SHORT_PLIES, TINY_PLIES, Habits, Level
from nimdesk.experiments.matches.tally import MatchTally, PairingTally
from nimdesk.experiments.plan import load_plan
from nimdesk.experiments.run import Run
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.statistics import wilson
from nimdesk.games import parse_position

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
PLAN, REPORT = RESOURCES / "levels.json", RESOURCES / "levels.md"
LOW, HIGH = 0.70, 0.85

HEAD = f"""# The levels, and how strong they are

Six opponents for people, with the same names in every game. Each searches with *MCTS*, shows its curves, and then plays
what it found; or another move that is nearly as good; or, by its rate of slips, any other move that it looked at. It
says so beside its curves. The same seed gives the same move on every machine.

What a level does depends on how many moves the game can last: in a game of at most {SHORT_PLIES} moves a little
searching is perfect play, so that there levels differ by their slips alone. Where the game evaluates positions (five in
a row on 13 × 13 and more), they explore with c = 0.3 in place of 0.7, as *MCTS* does.

| Level | A game of at most | Iterations | Slips | Near-equals | Takes a win in one | Stops a win in one |
| :-- | :-- | --: | --: | --: | :-- | :-- |
"""
RESULTS = """
*Slips* is how often it plays any other move, *near-equals* how often it chooses at random among moves with at least
half of the leader's visits. *Best* makes these iterations first. Then it plays by theory, or by the solver of the game
where that answers within as many positions as it visits in a second, which includes wins by threats; where neither
answers, it searches on for 1 to 3 s on a quick desktop. An empty m,n,k board it opens in the middle.

## Each level against the one below

The score of the higher level (a win 1, a draw ½), with Wilson's 95% interval, from random openings that are played
twice, with sides changed: {all_of} games, fewer of *Best*, whose moves take seconds. “Equal here” says that the game is
too small for six different levels. Those of the first five levels come again with

```
nimdesk experiment run resources/levels.json
```

"""


def level_rows() -> Iterator[str]:
    """What each level does, as rows of the table."""
    for level in LEVELS:
        sizes = ((f"{TINY_PLIES} moves", level.tiny), (f"{SHORT_PLIES} moves", level.short), ("any number", level.long))
        for size, habits in sizes:
            yield f"| {level.number} {level.title} | {size} | {_cells(habits)} |"


def _cells(habits: Habits) -> str:
    seen = ("yes" if sees else "no" for sees in (habits.sees_wins, habits.sees_threats))
    return " | ".join((f"{habits.iterations:,}", f"{habits.slips:.1%}", f"{habits.lively:.0%}", *seen))


def result_rows(tally: MatchTally) -> Iterator[str]:
    """One row for each pair of levels on each game."""
    last = ""
    for pairing in tally.pairings:
        position = pairing.settings[0].setting.position
        if position != last:
            game = parse_position(position).game
            yield f"\n### {game.title} (`{position}`)\n\n| | Games | Score | 95% | |\n| :-- | --: | --: | :-- | :-- |"
            last = position
        yield _result(pairing)


def _result(pairing: PairingTally) -> str:
    wins, draws, losses = pairing.counts
    games, points = wins + draws + losses, wins + draws / 2
    if not games:
        return f"| {_level(pairing.pairing.players[0]).title} | 0 | | | |"
    low, high = wilson(points, games)
    higher, lower = (_level(name) for name in pairing.pairing.players)
    game = parse_position(pairing.pairing.settings[0].position).game
    share = points / games
    steps = "a smaller step" if share < LOW else "a larger step" if share > HIGH else ""
    if low <= 0.5 <= high:
        steps = "not told apart"
    # Two levels with the same habits are equal, whatever chance says.
    word = "equal here" if higher.habits(game) == lower.habits(game) else steps
    return f"| {higher.title} – {lower.title} | {games:,} | {share:.1%} | {low:.1%} to {high:.1%} | {word} |"


def _level(name: str) -> Level:
    return next(level for level in LEVELS if level.name == name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file of the results")
    parser.add_argument("--games", type=int, help="another number of games of each pair")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--report", type=Path, help="write the tables to this file")
    args = parser.parse_args()
    plan = load_plan(PLAN)
    if args.games is not None:
        plan = plan.repeated(args.games)
    run = Run(schedule_of(plan), args.out, workers=args.threads)
    run.start()
    run.wait()
    if run.error is not None:
        raise run.error
    rows = "\n".join(result_rows(run.found[MatchTally]))
    print(rows)
    if args.report is not None:
        text = (
            HEAD + "\n".join(level_rows()) + "\n" + RESULTS.format(all_of=f"{run.found.done:,}") + rows.lstrip() + "\n"
        )
        args.report.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
