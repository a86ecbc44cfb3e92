"""What a sequential test says in words, and what an early stop does to an Elo."""

from __future__ import annotations

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
    elo = met.elo[0]
    away = ", away from zero" if (elo > 0) is (met.bias == "upwards") and elo else ""
    return f"the test stopped early, which biases the Elo {met.bias}{away}"
