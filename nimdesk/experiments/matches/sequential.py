"""What a sequential test says in words, and what an early stop does to an Elo."""

from __future__ import annotations

from collections.abc import Iterable

from nimdesk.experiments.matches.tally import PairingTally, llr_words


def test_words(met: PairingTally) -> str:
    """What the test of a pairing has come to, with the pairs of games if it counts them; "" without one."""
    sprt = met.pairing.sprt
    if sprt is None:
        return ""
    ended = "undecided" if met.complete else "the test is open"
    if met.decision:
        ended = f"{met.decision} accepted after {met.games:,} games"
    pairs = ""
    if sprt.unit == "pairs":
        pairs = f", pairs with 2, 1½, 1, ½, 0 points: {' : '.join(f'{count:,}' for count in met.pairs)}"
    return f"{ended}, {llr_words(met.llr, sprt)}{pairs}"


def bias_words(met: PairingTally) -> str:
    """What an early stop does to the Elo of a pairing, as a clause; "" where nothing was stopped."""
    if not met.bias:
        return ""
    return f"the test stopped early, which biases the Elo {met.bias}{', away from zero' * _away_from_zero(met)}"


def early_words(met: Iterable[PairingTally]) -> str:
    """What early stops do to the Elo in a list of all these, as the end of a clause; "" where nothing was stopped.

    Only where all of them do so are they said to lead away from zero.
    """
    stopped = [each for each in met if each.bias]
    away = " away from zero" if all(map(_away_from_zero, stopped)) else ""
    return f"stopped early, which biases the Elo{away}" if stopped else ""


def _away_from_zero(met: PairingTally) -> bool:
    elo = met.elo[0]
    return bool(elo) and (elo > 0) is (met.bias == "upwards")
