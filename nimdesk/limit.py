"""How far a search or a proof may go."""

import msgspec


class Limit(msgspec.Struct, frozen=True):
    """Where to stop: at the first limit met; None means no such limit.

    ``iterations`` and ``nodes`` count from the start of the search, ``time_s`` counts seconds of searching since
    then (pauses between slices do not count).
    """

    iterations: int | None = None
    time_s: float | None = None
    nodes: int | None = None
