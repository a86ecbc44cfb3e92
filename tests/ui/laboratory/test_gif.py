"""The animation as a file: what Qt reads back is what was put in."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QImage, QImageReader

from nimdesk.ui.laboratory.export_contents import gif_of, reduced


def image_of(pixels: np.ndarray) -> QImage:
    height, width, _ = pixels.shape
    return QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def frames_of(data: bytes) -> list[tuple[np.ndarray, int]]:
    """The pictures as Qt reads them, and how long each is shown."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    reader, read = QImageReader(buffer, QByteArray(b"gif")), []
    while not (image := reader.read()).isNull():
        plain = image.convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.width(), 4)
        read.append((pixels[..., 2::-1].copy(), reader.nextImageDelay()))
    return read


def test_qt_reads_the_frames_that_were_written_and_the_last_one_stays() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, (40, 70, 3)).astype(np.uint8) * 80
    second = first.copy()
    second[5:9, 11:30] = (1, 2, 3)
    frames = (first, second, first, second)
    read = frames_of(gif_of([reduced(image_of(frame)) for frame in frames]))
    assert [delay for _, delay in read] == [120, 120, 120, 2000]
    for expected, (pixels, _) in zip(frames, read, strict=True):
        assert np.array_equal(pixels, expected), "few colours are kept exactly"


def test_a_frame_that_changes_little_is_small() -> None:
    pixels = np.random.default_rng(2).integers(0, 6, (100, 100, 3)).astype(np.uint8) * 40
    changed = pixels.copy()
    changed[50, 50] = 240
    one, two = (reduced(image_of(each)) for each in (pixels, changed))
    assert len(gif_of([one, two])) - len(gif_of([one])) < 900, "a palette takes 768"


def test_of_more_colours_than_a_gif_has_those_that_stay_are_near() -> None:
    smooth = np.stack(np.meshgrid(np.arange(256), np.arange(256), [128]), axis=-1).reshape(256, 256, 3).astype(np.uint8)
    ((pixels, _),) = frames_of(gif_of([reduced(image_of(smooth))]))
    assert np.abs(pixels.astype(int) - smooth).max() <= 40
