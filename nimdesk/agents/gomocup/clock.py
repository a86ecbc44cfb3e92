"""How long a program may think about a move, by what its manager has told it."""

from __future__ import annotations

UNLIMITED_MS = 2**31 - 1
"""What the protocol writes for a match without end."""
_SMALLEST_MARGIN_S = 0.015
# What was late by so much may be late by that half again; the memory of it fades in some twenty moves.
_CAUTION, _FADING = 1.5, 0.9
# No margin takes more than this share of a move's time, and no move more than this share of the time that is left.
_MOST_MARGIN, _SHARE = 0.5, 0.1


class Clock:
    """The limits told by INFO, and how late answers have been: the margin is learned while playing."""

    def __init__(self) -> None:
        self._turn_s: float | None = None
        self._left_s: float | None = None
        self._late_s = 0.0

    def told(self, key: str, milliseconds: int) -> None:
        """One of the three times of INFO. A match without limit has 0, or what the protocol writes for endless."""
        seconds = milliseconds / 1000
        if key == "timeout_turn":
            self._turn_s = max(seconds, 0.0)
        elif key == "timeout_match":
            self._left_s = seconds if milliseconds > 0 else None
        else:
            self._left_s = None if milliseconds >= UNLIMITED_MS else seconds

    @property
    def allowed_s(self) -> float | None:
        """How long the answer may take from the command on; None where nothing was told, 0 for as fast as possible."""
        times = [] if self._turn_s is None else [self._turn_s]
        if self._left_s is not None:
            times.append(max(self._left_s, 0.0) * _SHARE)
        return min(times) if times else None

    @property
    def search_s(self) -> float | None:
        """After how long a search is to end, so that the answer is there in time."""
        allowed = self.allowed_s
        if allowed is None:
            return None
        margin = _SMALLEST_MARGIN_S + _CAUTION * self._late_s
        return allowed - min(margin, allowed * _MOST_MARGIN)

    def spent(self, planned_s: float | None, took_s: float) -> None:
        """An answer took so long from its command on, of which ``planned_s`` was the time to search."""
        if planned_s:
            self._late_s = max(took_s - planned_s, self._late_s * _FADING)
        if self._left_s is not None:
            self._left_s -= took_s
