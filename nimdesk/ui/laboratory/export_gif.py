"""Animated GIF (GIF89a), which Qt reads and does not write: a palette for each frame, and only what changed."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""An image (height, width, 3), red, green, blue."""
_MAX_CODES = 4096
_TRANSPARENT = 255
_COLORS = 255
"""Of each palette; the last of the 256 places is for what stays as it was."""
_SPREAD = 96
"""So many of them at most are chosen for their distance from others."""


class GifWriter:
    """Collects frames of one size; ``data`` is the file, which plays without end."""

    def __init__(self, width: int, height: int) -> None:
        """For frames of this size, 1 to 65,535 pixels each way."""
        self._size = (height, width, 3)
        self._before: Pixels | None = None
        self._parts = [
            b"GIF89a" + struct.pack("<HHBBB", width, height, 0x70, 0, 0),
            b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00",
        ]

    def add(self, pixels: Pixels, delay_s: float) -> None:
        """One more frame, shown this long."""
        if pixels.shape != self._size:
            raise ValueError(f"a frame is {pixels.shape}, but the animation is {self._size}")
        before, self._before = self._before, pixels
        top, left, bottom, right = (0, 0, *pixels.shape[:2]) if before is None else _changed_box(before, pixels)
        part = pixels[top:bottom, left:right]
        same = np.zeros(part.shape[:2], np.bool_)
        if before is not None:
            same = (part == before[top:bottom, left:right]).all(axis=2)
        indices = np.full(same.shape, _TRANSPARENT, np.uint8)
        palette, indices[~same] = quantized(part[~same])
        centiseconds = max(2, round(delay_s * 100))
        # Left in place when the next frame comes; the last colour is transparent.
        self._parts.append(b"\x21\xf9\x04" + struct.pack("<BHBB", 0x05, centiseconds, _TRANSPARENT, 0))
        self._parts.append(b"\x2c" + struct.pack("<HHHHB", left, top, right - left, bottom - top, 0x87))
        self._parts.append(palette.tobytes())
        self._parts.append(b"\x08" + b"".join(_blocks(packed(indices.tobytes()))) + b"\x00")

    def data(self) -> bytes:
        """The whole file, of the frames added by now."""
        return b"".join(self._parts) + b"\x3b"


def _changed_box(before: Pixels, pixels: Pixels) -> tuple[int, int, int, int]:
    """The smallest box with all that changed: top, left, bottom, right; one pixel if nothing did."""
    changed = (before != pixels).any(axis=2)
    if not changed.any():
        return 0, 0, 1, 1
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1


def quantized(pixels: Pixels) -> tuple[Pixels, NDArray[np.uint8]]:
    """A palette (256, 3) of at most 255 colours, and each pixel's place in it, for pixels (…, 3).

    Up to 255 colours are kept exactly. Of more, those seen most stay as they are, with some from all over the range,
    and the others become the nearest of them.
    """
    colors, inverse, counts = np.unique(_as_numbers(pixels).ravel(), return_inverse=True, return_counts=True)
    rgb = np.stack((colors >> 16, colors >> 8 & 255, colors & 255), axis=1).astype(np.uint8)
    palette = np.zeros((256, 3), np.uint8)
    places = np.arange(len(colors))
    if len(colors) > _COLORS:
        chosen, places = _fewer(rgb, counts)
        rgb = rgb[chosen]
    palette[: len(rgb)] = rgb
    indices: NDArray[np.uint8] = places.astype(np.uint8)[inverse.reshape(pixels.shape[:-1])]
    return palette, indices


def _as_numbers(pixels: Pixels) -> NDArray[np.int32]:
    wide = pixels.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _fewer(rgb: Pixels, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which colours stay (255), and for every colour the nearest of those."""
    # First from each part of the cube that has any, so that no rare colour is far from all that stay.
    spread = _most_seen(rgb, counts, 3)[:_SPREAD]
    often = _most_seen(rgb, counts, 5)
    chosen = np.concatenate((spread, often[~np.isin(often, spread)]))[:_COLORS]
    kept = rgb[chosen].astype(np.int32)
    nearest = np.empty(len(rgb), np.int64)
    for start in range(0, len(rgb), 4096):
        some = rgb[start : start + 4096].astype(np.int32)
        distance = ((some[:, np.newaxis] - kept[np.newaxis]) ** 2).sum(axis=2)
        nearest[start : start + 4096] = distance.argmin(axis=1)
    return chosen, nearest


def _most_seen(rgb: Pixels, counts: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Of all colours with the same highest bits the one seen most; the groups seen most come first."""
    coarse = (rgb >> (8 - bits)).astype(np.int64)
    groups = coarse[:, 0] << 2 * bits | coarse[:, 1] << bits | coarse[:, 2]
    totals = np.bincount(groups, weights=counts, minlength=1 << 3 * bits)
    order = np.lexsort((-counts, groups))
    firsts = order[np.flatnonzero(np.diff(groups[order], prepend=-1))]
    made: NDArray[np.int64] = firsts[np.argsort(-totals[groups[firsts]], kind="stable")]
    return made


def packed(indices: bytes) -> bytes:
    """Indices of 8 bits as GIF's variable-length LZW codes; there must be at least one."""
    clear, end = 256, 257
    out = bytearray()
    buffer, bits, width = clear, 9, 9
    table: dict[int, int] = {}
    following, code = 258, indices[0]
    find = table.get
    for index in memoryview(indices)[1:]:
        key = code << 8 | index
        longer = find(key)
        if longer is not None:
            code = longer
            continue
        buffer |= code << bits
        bits += width
        while bits >= 8:
            out.append(buffer & 255)
            buffer >>= 8
            bits -= 8
        if following < _MAX_CODES:
            table[key] = following
            # The decoder is one entry behind, so it widens one entry later.
            if following == 1 << width and width < 12:
                width += 1
            following += 1
        else:
            buffer |= clear << bits
            bits += width
            table.clear()
            following, width = 258, 9
        code = index
    for last in (code, end):
        buffer |= last << bits
        bits += width
        if last == code and following == 1 << width and width < 12:
            width += 1
    while bits > 0:
        out.append(buffer & 255)
        buffer >>= 8
        bits -= 8
    return bytes(out)


def _blocks(data: bytes) -> Iterator[bytes]:
    """At most 255 bytes at a time, each with its length before it."""
    for start in range(0, len(data), 255):
        block = data[start : start + 255]
        yield bytes((len(block),)) + block
