"""Where two searches part: the share of one move over the iterations, of both agents on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nimdesk.experiments.agreement import Agreement, Sampled
from nimdesk.figures.content import Content, caption, in_full, plot_of
from nimdesk.games import AnyPosition, Move

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve


def of_agreement(position: AnyPosition, found: Agreement) -> Content:
    """The move at which they part first, or the one that is visited most; bands hold the middle 90% of the searches."""
    parting = found.parting
    usual = found.own.moves[int(found.other.visits[:, -1].mean(axis=0).argmax())]
    at, move = (None, usual) if parting is None else parting
    curves = [_curve(sampled, move) for sampled in (found.own, found.other)]
    title = f"{found.own.agent.info.title} and {found.other.agent.info.title} on {position.text}: "
    if at is None:
        title += f"no difference beyond chance up to {found.own.budgets[-1]:,} iterations"
    else:
        title += f"they part at {at:,} iterations"
        curves.append({"label": "they part", "x": [at, at], "y": [0.0, 1.0], "low": [], "high": [], "faint": True})
    plot = plot_of("iterations", f"visit share of {move.text}", curves, log_x=True)
    searches = len(found.own.choices)
    notes = [
        f"{title}.",
        f"{in_full(found.own.agent.unlimited())}; {in_full(found.other.agent.unlimited())}: {searches} searches each.",
        "Lines are medians, bands hold the middle 90% of the searches.",
        "The grey line is the first budget at which the visits of a move differ beyond chance, by permutation tests "
        "with the largest difference of all budgets and moves." * (at is not None),
    ]
    return Content(plot, title, caption(notes))


def _curve(sampled: Sampled, move: Move) -> Curve:
    column = sampled.moves.index(move)
    shares = sampled.visits[:, :, column] / np.maximum(sampled.visits.sum(axis=2), 1)
    low, middle, high = np.quantile(shares, (0.05, 0.5, 0.95), axis=0)
    return {
        "label": sampled.agent.info.title,
        "x": [float(budget) for budget in sampled.budgets],
        "y": middle.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "faint": False,
    }
