"""What a sequential test says in words: its log-likelihood ratio, and what an early stop does to an Elo."""

from __future__ import annotations

from nimdesk.experiments.statistics import Sprt, signed
from nimdesk.experiments.tally import PairingTally, Tally


def llr_words(llr: float, sprt: Sprt) -> str:
    """Such as "LLR +1.24 (−2.94, +2.94)": how far the test is, and where it accepts H0 and H1."""
    return f"LLR {signed(llr, 2)} ({signed(sprt.lower, 2)}, {signed(sprt.upper, 2)})"


def progress_words(tally: Tally) -> str:
    """How far the sequential tests are, for a line of progress; "" if there are none."""
    tested = [each for each in tally.played if each.pairing.sprt is not None]
    going = [each for each in tested if each.decision is None and each.plays]
    if len(tested) == 1 or len(going) == 1:
        (only,) = going if len(going) == 1 else tested
        assert only.pairing.sprt is not None
        return llr_words(only.llr, only.pairing.sprt)
    return f"{len(tested) - len(going)} of {len(tested)} tests decided" if tested else ""


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
