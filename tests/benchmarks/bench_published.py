"""All published tables, run in full: how long each takes, and the reference report.

    uv run python tests/benchmarks/bench_published.py --out /tmp/tables              run what is left of all of them
    uv run python tests/benchmarks/bench_published.py --out /tmp/tables --games 20   a quick look
    uv run python tests/benchmarks/bench_published.py --out /tmp/tables --report resources/published-tables.md

Not collected by pytest. Results are kept in ``--out``, so that a second call only writes the report again.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
from collections import Counter
from pathlib import Path

import msgspec

from nimdesk.disk.provenance import cores
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BUILT_IN, Comparison
from nimdesk.experiments.published.figures import READINGS
from nimdesk.experiments.published.sections import VERDICTS
from nimdesk.experiments.report import markdown
from nimdesk.experiments.run import Run
from nimdesk.experiments.schedule import schedule_of
from nimdesk.version import __version__

HEAD = """# The published tables, run with nimdesk

Every table of documents 000, 002, 003 and 004 that nimdesk has as a built-in plan (`nimdesk experiment list`), run in
full with nimdesk {version}; made by `tests/benchmarks/bench_published.py`. All figures but those of time can be had
again, to the last digit, by `nimdesk experiment run NAME`. What can be told of the published figures, in all tables:

{verdicts}

| Table | Figures | Agree | Differ | Cannot be told | 0 % or 100 % on both sides | Not compared |
| :-- | --: | --: | --: | --: | --: | --: |
{counts}

"""


def smaller(plan: Plan, games: int | None) -> Plan:
    if games is None:
        return plan
    change = msgspec.structs.replace
    matches = [change(part, games=games) for part in plan.matches]
    return change(plan, matches=matches, searches=[change(part, repeats=games) for part in plan.searches])


def counted(name: str, compared: list[Comparison]) -> str:
    verdicts = Counter(each.verdict for each in compared)
    extreme = verdicts["both 0 %"] + verdicts["both 100 %"]
    columns = (len(compared), verdicts["agrees"], verdicts["differs"], verdicts["cannot tell"], extreme, verdicts[""])
    return f"| {name} | {' | '.join(map(str, columns))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--games", type=int, help="another number of games or searches")
    parser.add_argument("--threads", type=int, default=cores())
    parser.add_argument("--report", type=Path, help="write the reference report to this file")
    parser.add_argument("names", nargs="*", default=list(BUILT_IN))
    args = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, {args.threads} threads")
    parts, counts = list[str](), list[str]()
    for name in args.names:
        plan = smaller(BUILT_IN[name].plan, args.games)
        path = args.out / f"{name}-{plan.digest[:8]}.db"
        run = Run(schedule_of(plan), path, workers=args.threads)
        begin = os.times()
        run.start()
        run.wait()
        if run.error is not None:
            raise run.error
        end, now = os.times(), run.progress()
        cpu = end.user + end.system - begin.user - begin.system
        load = os.getloadavg()[0]
        print(
            f"{name:18} {now.total:7,} {now.elapsed_s:8.1f} s  {cpu:8.1f} s of processor  load {load:.1f}", flush=True
        )
        text = "#" + markdown(run.found).replace("\n## ", "\n### ")
        # The report stands beside the readings.
        parts.append(re.sub(rf"{re.escape(READINGS)}(\S*)", r"[the readings](readings.md\1)", text))
        counts.append(counted(name, BUILT_IN[name].compare(run.found)))
    if args.report is not None:
        head = HEAD.format(version=__version__, verdicts=VERDICTS, counts="\n".join(counts))
        args.report.write_text("\n".join([head, *parts]), encoding="utf-8")


if __name__ == "__main__":
    main()
