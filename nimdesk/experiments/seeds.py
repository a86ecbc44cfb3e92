"""Seeds, from what they depend on."""

from __future__ import annotations

import hashlib

import msgspec

from nimdesk.search.options import MAX_SEED


def study_seed(seed: int, label: str, position: str, repeat: int) -> int:
    """The seed of a search of a study or an atlas, derived from the plan's."""
    key = [seed, label, position, repeat]
    return int.from_bytes(hashlib.sha256(msgspec.json.encode(key)).digest()[:8]) & MAX_SEED


def derived_seed(*parts: object) -> int:
    """A seed that depends on all of these, as they are written."""
    text = "\n".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) & MAX_SEED
