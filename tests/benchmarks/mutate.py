"""Would the tests find a fault? Puts single faults into a copy of the program, one at a time; not collected by pytest.

    python tests/benchmarks/mutate.py [AREA ...] [--sample N] [--seed N] [--nearest N] [--survivors] [--list]

Each fault (see ``faults``) is met by the tests of its area, those first that found others in the same file or are named
like it. They stop at the first failure, or when one takes four minutes. The answers are kept in ``.test_cache/mutate``:
the next run goes on where this one stopped, and ``--survivors`` tries those again that no test found. Faults that
change nothing are in ``harmless``. Kernels are compiled anew for each fault in them: some seconds to a minute.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from faults import Fault, faults
from harmless import HARMLESS

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = ROOT / ".test_cache" / "mutate"
RECORD = WORK / "record.jsonl"
TREE = WORK / "tree"
COPIED = ("nimdesk", "resources", "tests", "packaging", "pyproject.toml", "README.md", "LICENSE", "uv.lock")
SOUND = WORK / "sound.json"
# How long one test may take, all of them, and a wait in one.
TEST_S, ALL_S, WAIT_MS = 240, 3600, 20_000
KILLED, SURVIVED, HANGS = "killed", "survived", "killed by hanging"


@dataclass(frozen=True, slots=True)
class Area:
    """Part of the program, and the tests that are to find its faults."""

    sources: str
    tests: str


AREAS = {
    "rules": Area("nimdesk/games/*/rules.py nimdesk/games/base.py", "tests/games"),
    "solver": Area(
        "nimdesk/games/mnk/solver/*.py nimdesk/games/mnk/*_solver.py nimdesk/games/mnk/plan.py "
        "nimdesk/games/mnk/book.py nimdesk/games/nim/theory.py nimdesk/games/nim/value_table.py "
        "nimdesk/games/take/theory.py nimdesk/games/take/grundy*.py nimdesk/games/take/codes.py",
        "tests/theory tests/search/test_the_same_search.py tests/games/test_take_rules.py "
        "tests/kernels/test_compiler_process.py "
        "tests/kernels/test_bounds.py::test_the_values_of_heaps_are_worked_out_within_their_arrays",
    ),
    "kernels": Area(
        "nimdesk/kernels/*.py nimdesk/games/*/kernel*.py nimdesk/games/*/identity.py",
        "tests/search/test_the_same_search.py "
        "tests/kernels/test_compiled_rules.py tests/kernels/test_undo.py tests/kernels/test_identity.py "
        "tests/search/test_mcts_is_the_reference.py tests/search/test_uct_is_the_reference.py "
        "tests/search/test_textbook_depth_first.py tests/search/test_flat_searcher.py tests/search/test_variants.py "
        "tests/search tests/kernels tests/games/test_bad_kernels.py",
    ),
    "statistics": Area(
        "nimdesk/experiments/statistics.py nimdesk/experiments/tally.py nimdesk/experiments/rating.py "
        "nimdesk/search/measures.py",
        "tests/experiments/test_statistics.py tests/experiments/test_tally.py tests/search/test_measures.py "
        "tests/experiments/test_study_tally.py tests/experiments/test_tuning_and_rating.py",
    ),
    "store": Area(
        "nimdesk/experiments/store.py nimdesk/experiments/files.py nimdesk/disk/databases.py nimdesk/disk/atomic.py "
        "nimdesk/disk/locks.py nimdesk/play/library.py nimdesk/play/kept.py",
        "tests/settings tests/experiments/test_store.py tests/experiments/test_tally.py tests/play "
        "tests/experiments/test_before.py tests/experiments/test_lists_of_runs.py tests/experiments/test_atlas.py "
        "tests/experiments/test_run.py tests/experiments/test_many_results.py tests/experiments/test_study_tally.py "
        "tests/experiments/test_full_disk.py tests/fuzzing tests/ui/test_keeping.py",
    ),
    "controller": Area(
        "nimdesk/ui/play/controller.py nimdesk/ui/play/conduct.py nimdesk/ui/play/searching.py "
        "nimdesk/ui/play/thinking.py",
        "tests/ui/test_search_service.py tests/ui/test_conduct.py tests/ui/test_keeping.py tests/ui/test_one_moment.py "
        "tests/ui/test_play_page.py::test_the_clock_of_a_turn_stands_while_"
        "other_moves_are_looked_at",
    ),
    "plugins": Area(
        "nimdesk/agents/plugin*.py nimdesk/plugins/process.py nimdesk/plugins/side.py nimdesk/search/external.py "
        "nimdesk/games/kernel_check.py nimdesk/games/kernel_trial.py",
        "tests/agents/test_agent_options.py tests/agents/test_bad_plugins.py tests/agents/test_plugins.py "
        "tests/cli/test_cli_plugins.py tests/games/test_bad_kernels.py",
    ),
}


@dataclass(frozen=True, slots=True)
class Known:
    """What became of a fault, under a name that outlives changes elsewhere in its file."""

    file: str
    fault: tuple[str, str, str, int]
    result: str
    by: str = ""


def recorded() -> dict[tuple[str, tuple[str, str, str, int]], Known]:
    """The newest answer for each fault."""
    if not RECORD.exists():
        return {}
    rows = (json.loads(line) for line in RECORD.read_text().splitlines())
    found = [Known(row["file"], tuple(row["fault"]), row["result"], row["by"]) for row in rows]
    return {(each.file, each.fault): each for each in found}


def faults_of(area: Area, seed: int = 0) -> list[tuple[str, Fault]]:
    """All of them, in an order that mixes the files and is the same each time with the same seed."""
    files = sorted({path for pattern in area.sources.split() for path in ROOT.glob(pattern)})
    names = [path.relative_to(ROOT).as_posix() for path in files]
    found = [(name, fault) for name in names for fault in faults((ROOT / name).read_bytes())]
    return sorted(found, key=lambda each: hashlib.sha256(repr((seed, each[0], each[1].name)).encode()).digest())


def is_harmless(file: str, fault: Fault) -> bool:
    """Whether it is known to change nothing."""
    return (file, fault.inside, fault.context, fault.was, fault.now) in HARMLESS


def copy_tree() -> None:
    """The program as it is now, in a folder that stays, so that its kernels stay compiled."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        if (ROOT / name).is_file():
            shutil.copy2(ROOT / name, TREE / name)
            continue
        found = [path for path in (ROOT / name).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        wanted = {path.relative_to(ROOT) for path in found}
        for path in wanted:
            old, new = TREE / path, (ROOT / path).stat()
            if not old.exists() or (old.stat().st_mtime, old.stat().st_size) != (new.st_mtime, new.st_size):
                old.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, old)
        for path in list((TREE / name).rglob("*.py")):
            if path.relative_to(TREE) not in wanted:
                path.unlink()


def tests_for(file: str, area: Area) -> list[str]:
    """The area's tests, those first that found most faults of this source file, or share words with its name."""
    found = []
    for name in area.tests.split():
        inside = sorted((TREE / name).rglob("test_*.py"))
        found += [path.relative_to(TREE).as_posix() for path in inside] or [name]
    finders = [each.by.removeprefix("FAILED ").split("::")[0] for each in recorded().values() if each.file == file]

    def words(name: str) -> set[str]:
        return set(re.split(r"[/_.]", name.replace("solver", ""))) - {"", "test", "tests", "py", "kernel", "kernels"}

    tests = dict.fromkeys(found)
    return sorted(tests, key=lambda test: (-finders.count(test.split("::")[0]), -len(words(test) & words(file))))


def tested(tests: list[str], *, wait_ms: int) -> tuple[str, str]:
    """Whether the tests pass in the copy; and the first that does not."""
    quick = {"QT_QPA_PLATFORM": "offscreen", "NIMDESK_TEST_WAIT_MS": str(wait_ms)}
    environment = {**os.environ, **quick, "PYTHONPATH": str(TREE), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no"]
    command += ["-o", f"faulthandler_timeout={TEST_S}", *tests]
    process = subprocess.Popen(
        command, cwd=TREE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=ALL_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return HANGS, f"{ALL_S} s"
    finally:
        with suppress(ProcessLookupError):  # what the tests have started and a fault left running
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode == 0:
        return SURVIVED, ""
    if b"Timeout (" in said:
        return HANGS, f"{TEST_S} s"
    lines = [line for line in said.decode(errors="replace").splitlines() if line.startswith(("FAILED", "ERROR"))]
    return KILLED, (lines or [f"exit code {process.returncode}"])[0][:160]


def forget_kernels(kept: set[Path]) -> None:
    """Remove what was compiled from faulty sources."""
    for folder in set((TREE / ".test_cache").glob("kernels-*")) - kept:
        shutil.rmtree(folder, ignore_errors=True)


def check_without_fault(area: Area) -> None:
    """End the program if the area's tests fail as it is; only those that have not passed with these sources before."""
    sources = sorted({path for pattern in area.sources.split() for path in TREE.glob(pattern)})
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources))
    now = {}
    for test in tests_for("", area):
        each = digest.copy()
        each.update((TREE / test.split("::")[0]).read_bytes())
        now[test] = each.hexdigest()
    known = json.loads(SOUND.read_text()) if SOUND.exists() else {}
    if new := [test for test, its in now.items() if its not in known.get(test, [])]:
        # The first time, kernels are compiled, which takes longer than a wait for a window.
        result, by = tested(new, wait_ms=10 * WAIT_MS)
        if result != SURVIVED:
            sys.exit(f"The tests fail without a fault: {by}")
        SOUND.write_text(json.dumps(known | {test: [*known.get(test, []), now[test]] for test in new}))


def tried(area: str, todo: list[tuple[str, Fault]], nearest: int | None) -> Iterator[tuple[str, Fault, str, str]]:
    """Put each fault in, one after the other, and say what became of it."""
    copy_tree()
    check_without_fault(AREAS[area])
    kept = set((TREE / ".test_cache").glob("kernels-*"))
    for name, fault in todo:
        # Of the copy: someone may work at the program meanwhile.
        path, source, times = TREE / name, (TREE / name).read_bytes(), (TREE / name).stat()
        path.write_bytes(fault.put_into(source))
        try:
            yield name, fault, *tested(tests_for(name, AREAS[area])[:nearest], wait_ms=WAIT_MS)
        finally:
            path.write_bytes(source)
            os.utime(path, (times.st_atime, times.st_mtime))
            forget_kernels(kept)


def report(names: list[str]) -> None:
    """The share of real faults that the tests found, and those that they did not."""
    known = recorded()
    for name in names:
        there = faults_of(AREAS[name])
        answers = [
            (known[file, fault.name], is_harmless(file, fault)) for file, fault in there if (file, fault.name) in known
        ]
        harmless = [each for each, can_be in answers if each.result == SURVIVED and can_be]
        left = [each for each, can_be in answers if each.result == SURVIVED and not can_be]
        real = len(answers) - len(harmless)
        found = f"{(real - len(left)) / real:.1%}" if real else "–"
        print(
            f"{name}: {len(there)} faults, {len(answers)} tried, {len(harmless)} of them harmless; "
            f"{real - len(left)} of {real} found ({found})"
        )
        for each in left:
            context, was, now, _ = each.fault
            print(f"  {each.file}: {context}\n      {was}  ->  {now}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}; all by default")
    parser.add_argument("--sample", type=int, default=40, help="so many faults more in each area")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which they come: another, another sample")
    parser.add_argument("--survivors", action="store_true", help="only those that no test found")
    parser.add_argument("--only", default="", help="only files whose names contain this")
    parser.add_argument("--nearest", type=int, help="first look with so many test files; then do --survivors with all")
    parser.add_argument("--list", action="store_true", help="only report what is known")
    options = parser.parse_args()
    names = options.areas or list(AREAS)
    if unknown := set(names) - set(AREAS):
        parser.error(f"there is no area {', '.join(sorted(unknown))}")
    WORK.mkdir(parents=True, exist_ok=True)
    for name in () if options.list else names:
        known = recorded()
        wanted = SURVIVED if options.survivors else None
        todo = [
            (file, fault)
            for file, fault in faults_of(AREAS[name], options.seed)
            if options.only in file
            and not is_harmless(file, fault)
            and (known[file, fault.name].result if (file, fault.name) in known else None) == wanted
        ][: options.sample]
        for number, (file, fault, result, by) in enumerate(tried(name, todo, options.nearest) if todo else (), 1):
            with RECORD.open("a") as record:
                record.write(json.dumps({"file": file, "fault": fault.name, "result": result, "by": by}) + "\n")
            where = f"{file}:{fault.line}"
            print(f"{number}/{len(todo)} {result}: {where} {fault.was!r} -> {fault.now!r} {by}", flush=True)
    report(names)


if __name__ == "__main__":
    main()
