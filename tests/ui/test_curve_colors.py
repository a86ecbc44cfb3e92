"""The colours of the curves can be told apart, by everybody, on the grounds they are drawn on."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from nimdesk.agents.levels import LEVELS, LevelSearcher
from nimdesk.games import parse_position
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher
from nimdesk.ui.look.move_marks import NAMED, TOP, MoveColors
from nimdesk.ui.look.theme import DARK, LIGHT, Theme, dash
from nimdesk.ui.plots.curves import line_color

Floats = NDArray[np.float64]

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHTS = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Ottosson (2020): linear RGB to cones, their cube roots to OKLab.
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(color: QColor) -> Floats:
    part = np.array(color.getRgbF()[:3])
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def seen(color: QColor, sight: str) -> Floats:
    """Where in OKLab, in hundredths, the colour lies for people with this sight."""
    made: Floats = 100 * (LAB @ np.cbrt(CONES @ np.clip(SIGHTS[sight] @ linear(color), 0, 1)))
    return made


def luminance(color: QColor) -> float:
    return float(linear(color) @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_twelve_colors_are_told_apart(theme: Theme, sight: str) -> None:
    colors = [theme.curve(index) for index in range(12)]
    distances = {
        (one.name(), other.name()): float(np.linalg.norm(seen(one, sight) - seen(other, sight)))
        for one, other in combinations(colors, 2)
    }
    least = min(distances, key=distances.__getitem__)
    assert distances[least] >= (13 if sight == "full" else 9), least


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colors_of_losing_lines_are_still_told_apart(theme: Theme) -> None:
    ground = np.array(theme.color("plot").getRgbF()[:3])
    shades = []
    for index in range(12):
        color = line_color(theme, index, Value.LOSS)
        strength = color.alphaF()
        shades.append(QColor.fromRgbF(*(strength * np.array(color.getRgbF()[:3]) + (1 - strength) * ground).tolist()))
    for sight, least in {"full": 10, "protanopia": 6, "deuteranopia": 6, "tritanopia": 6}.items():
        nearest = min(np.linalg.norm(seen(one, sight) - seen(other, sight)) for one, other in combinations(shades, 2))
        assert nearest >= least, sight


@pytest.mark.parametrize("ground", ["plot", "board", "alternate"])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_every_color_stands_out_from_its_ground(theme: Theme, ground: str) -> None:
    for index in range(12):
        bright, dim = sorted((luminance(theme.curve(index)), luminance(theme.color(ground))), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 3, theme.curve(index).name()


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:4,3,3"])
def test_no_two_of_twelve_moves_look_alike(text: str) -> None:
    searcher = UctSearcher(UctOptions(iterations=400))
    searcher.start(parse_position(text), seed=1)
    searcher.advance(Limit(iterations=400))
    snapshot = searcher.snapshot()
    assert len(snapshot.moves) == 12 == TOP
    colors = MoveColors()
    colors.update(snapshot)
    for theme in (LIGHT, DARK):
        assert len({theme.curve(style).rgb() for style in colors.indices.values()}) == 12
        assert {dash(theme, style) for style in colors.indices.values()} == {dash(theme, 0)}


def test_the_move_that_is_played_has_a_color_however_few_its_visits() -> None:
    """A level that slips plays a move that is not among the most visited."""
    level, colors = LevelSearcher(LEVELS[1]), MoveColors()
    for seed in range(30):
        level.start(parse_position("nim:1,3,5,7 4-1"), seed)
        level.advance(Limit())
        snapshot = level.snapshot()
        chosen = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
        most = sorted(stats.visits for stats in snapshot.moves)[-NAMED:]
        if 0 < chosen.visits < most[0]:
            colors.update(snapshot)
            assert colors.index(chosen.move) is not None
            return
    pytest.fail("no slip")
