"""Faults of ``mutate`` that change nothing that anybody could see, each with the reason."""

HARMLESS: dict[tuple[str, str, str, str], str] = {
    (
        "nimdesk/games/mnk/solver/search.py",
        "TABLE_SCORE = 1 << 33",
        "33",
        "34",
    ): "The table's move comes before threats all the same.",
    (
        "nimdesk/games/mnk/solver/search.py",
        "if at >= 0:",
        "at >= 0",
        "(at > 0)",
    ): "Of the whole table one row is not read, and a position that stands there is searched again.",
    (
        "nimdesk/games/mnk/line_solver.py",
        "if nodes_left <= 0 or time_left <= 0:",
        "time_left <= 0",
        "(time_left < 0)",
    ): "Time left is never exactly nothing.",
    ("nimdesk/ui/play/thinking.py", "self._play_timer.start(0)", "0", "1"): "A move comes a millisecond later.",
    (
        "nimdesk/ui/play/thinking.py",
        "self._play_timer.start(max(delay_ms, 0))",
        "0",
        "1",
    ): "A move comes a millisecond later.",
    (
        "nimdesk/ui/play/conduct.py",
        "self.slow_motion_s = 0.0",
        "self.slow_motion_s = 0.0",
        "pass",
    ): "The session has set it before the first search.",
    ("nimdesk/locks.py", "_LONGEST = 20", "20", "21"): "No number of a process has so many digits.",
    ("nimdesk/locks.py", "_TRIES = 20", "20", "21"): "Nobody loses a lock twenty times in a row.",
    (
        "nimdesk/locks.py",
        "return not content or (content.isdigit() and len(content) <= _LONGEST)",
        "len(content) <= _LONGEST",
        "(len(content) < _LONGEST)",
    ): "No number of a process has so many digits.",
    (
        "nimdesk/locks.py",
        "msvcrt.locking(file, msvcrt.LK_NBLCK, 1)",
        "msvcrt.locking(file, msvcrt.LK_NBLCK, 1)",
        "pass",
    ): "Windows alone.",
    ("nimdesk/locks.py", "self._path.unlink(missing_ok=True)", "True", "False"): "Windows alone, and suppressed.",
    (
        "nimdesk/atomic.py",
        "os.fsync(descriptor)",
        "os.fsync(descriptor)",
        "pass",
    ): "Only a power cut would show it.",
    (
        "nimdesk/experiments/store.py",
        'connection.execute("PRAGMA synchronous = NORMAL")',
        'connection.execute("PRAGMA synchronous = NORMAL")',
        "pass",
    ): "A write takes longer, and is as safe.",
}
"""By file, line, what was there and what takes its place."""
