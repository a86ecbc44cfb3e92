"""The GIF writer: what Qt reads back is what was put in, and the code is LZW as every decoder has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QImage, QImageReader

from nimdesk.ui.laboratory.export_film import pixels_of
from nimdesk.ui.laboratory.export_gif import GifWriter, packed, quantized


def unpacked(data: bytes) -> bytes:
    """LZW of GIF for 8 bits, decoded as the standard describes it."""
    table: list[bytes] = []
    width, at, out, before = 9, 0, bytearray(), b""
    bits = int.from_bytes(data, "little")
    while True:
        code, at = bits >> at & ((1 << width) - 1), at + width
        if code == 257:
            return bytes(out)
        if code == 256:
            table, width, before = [bytes((each,)) for each in range(256)] + [b"", b""], 9, b""
            continue
        entry = table[code] if code < len(table) else before + before[:1]
        out += entry
        if before and len(table) < 4096:
            table.append(before + entry[:1])
            if len(table) == 1 << width and width < 12:
                width += 1
        before = entry


@settings(deadline=None, max_examples=60)
@given(st.one_of(st.binary(min_size=1, max_size=3000), st.lists(st.sampled_from(b"abc"), min_size=1).map(bytes)))
def test_packing_loses_nothing(data: bytes) -> None:
    assert unpacked(packed(data)) == data


@pytest.mark.parametrize("size", [254, 255, 256, 510, 511, 512, 3837, 3838, 3839, 3840, 60_000])
def test_packing_loses_nothing_where_the_codes_grow_or_begin_anew(size: int) -> None:
    noise = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    assert unpacked(packed(noise)) == noise


def _frames(data: bytes) -> list[tuple[QImage, int]]:
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    reader, read = QImageReader(buffer, QByteArray(b"gif")), []
    while not (image := reader.read()).isNull():
        read.append((image, reader.nextImageDelay()))
    return read


def test_qt_reads_the_frames_that_were_written() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, (40, 70, 3)).astype(np.uint8) * 80
    second = first.copy()
    second[5:9, 11:30] = (1, 2, 3)
    writer = GifWriter(70, 40)
    for frame in (first, second, second, first):
        writer.add(frame, 0.12)
    read = _frames(writer.data())
    assert [delay for _, delay in read] == [120] * 4
    for expected, (image, _) in zip((first, second, second, first), read, strict=True):
        assert np.array_equal(pixels_of(image), expected)


def test_a_frame_that_changes_little_is_small() -> None:
    pixels = np.random.default_rng(2).integers(0, 200, (100, 100, 3)).astype(np.uint8)
    writer = GifWriter(100, 100)
    writer.add(pixels, 0.1)
    before = len(writer.data())
    changed = pixels.copy()
    changed[50, 50] = 255
    writer.add(changed, 0.1)
    assert len(writer.data()) - before < 850  # a palette takes 768


def test_up_to_255_colours_are_exact_and_more_are_near() -> None:
    few = np.arange(255 * 3, dtype=np.int64).reshape(15, 17, 3).astype(np.uint8)
    palette, indices = quantized(few)
    assert np.array_equal(palette[indices], few)
    smooth = np.stack(np.meshgrid(np.arange(256), np.arange(256), [128]), axis=-1).reshape(256, 256, 3).astype(np.uint8)
    palette, indices = quantized(smooth)
    assert indices.max() < 255
    assert np.abs(palette[indices].astype(int) - smooth).max() <= 40


def test_frames_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="but the animation is"):
        GifWriter(10, 10).add(np.zeros((5, 5, 3), np.uint8), 0.1)
