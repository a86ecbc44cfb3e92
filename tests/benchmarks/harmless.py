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
        "nimdesk/games/mnk/solver/board.py",
        "if change > 0:",
        "change > 0",
        "(change >= 0)",
    ): "A change is 1 or -1.",
    (
        "nimdesk/games/mnk/solver/search.py",
        "mode, depth, yes, bound, move = state[MODE], state[DEPTH], state[YES] != 0, state[BOUND], np.int64(NEVER)",
        "state[YES] != 0",
        "(state[YES] == 0)",
    ): "A slice ends before it looks at a position, which sets the answer anew.",
    (
        "nimdesk/games/take/grundy.py",
        "of_all = range(1 << min(_BITS, len(counts).bit_length()))",
        "1",
        "2",
    ): "More bits to choose from: whichever are chosen, the values are the same.",
    (
        "nimdesk/games/base.py",
        'M_co = TypeVar("M_co", bound=Move, covariant=True)',
        "True",
        "False",
    ): "Only mypy reads it, and complains.",
    ("nimdesk/kernels/alphabeta.py", "NOT_YET = 127", "127", "128"): "It only must be no value of a position.",
    ("nimdesk/experiments/rating.py", "length /= 2", "2", "3"): "Other steps to the same ratings.",
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
    ("nimdesk/plugin_process.py", "_EXIT_S = 1.0", "1.0", "2.0"): "What does not end at once has longer to.",
    (
        "nimdesk/plugin_process.py",
        "if len(self._buffer) > _MAX_LINE_BYTES:",
        "len(self._buffer) > _MAX_LINE_BYTES",
        "(len(self._buffer) >= _MAX_LINE_BYTES)",
    ): "What may be said is far shorter, so that a line of a whole megabyte is refused one way or the other.",
    (
        "nimdesk/agents/plugin_host.py",
        "_ROOM_FOR_LAST_WORDS_MB = 2**22",
        "22",
        "23",
    ): "Both are more memory than any machine has.",
    ("nimdesk/databases.py", "_OPERATIONS = 1_000", "1_000", "1001"): "The clock is looked at a little less often.",
    (
        "nimdesk/play/kept.py",
        "class Resting(msgspec.Struct, frozen=True, eq=False):",
        "True",
        "False",
    ): "Nothing changes one.",
    ("nimdesk/play/library.py", "_DROPPED_AT_ONCE = 4", "4", "5"): "A move waits a little longer.",
    ("nimdesk/experiments/files.py", "return 0.0", "0.0", "1.0"): "The place in a list of a file that has just gone.",
}
"""By file, line, what was there and what takes its place."""
