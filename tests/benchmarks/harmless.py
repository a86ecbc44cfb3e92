"""Faults of ``mutate`` that change nothing that anybody could see, each with the reason."""

HARMLESS: dict[tuple[str, str, str, str], str] = {
    (
        "nimdesk/games/mnk/solver/search.py",
        "TABLE_SCORE = 1 << 33",
        "33",
        "34",
    ): "The table's move comes before threats all the same.",
    (
        "nimdesk/games/mnk/line_solver.py",
        "if nodes_left <= 0 or time_left <= 0:",
        "time_left <= 0",
        "(time_left < 0)",
    ): "Time left is never exactly nothing.",
}
"""By file, line, what was there and what takes its place."""
