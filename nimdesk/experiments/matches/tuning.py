"""What a tuning has found: matches of successive halving against the default, then a sequential test of the winner."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from nimdesk.agents import OptionValue
from nimdesk.experiments.likelihood import score_interval
from nimdesk.experiments.matches.sequential import bias_words, test_words
from nimdesk.experiments.matches.tally import MatchTally, PairingTally
from nimdesk.experiments.statistics import signed

Verdict = Literal["better", "not shown to be better"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One setting: its games against the default in all rounds, its mean score, and the ends of its 95% interval.

    ``values`` are those of the options tuned. The interval is by pairs of games. ``rounds`` is in how many it played.
    """

    name: str
    values: tuple[OptionValue, ...]
    rounds: int
    games: int
    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """What is known so far: ``best`` and ``verdict`` are None until the games that decide them are played."""

    agent: str
    options: tuple[str, ...]
    default: tuple[OptionValue, ...]
    candidates: tuple[Candidate, ...]
    best: Candidate | None
    test: PairingTally | None
    """The games of the best against the default that confirm it, or do not."""
    verdict: Verdict | None

    @property
    def sentence(self) -> str:
        """What was found, for a person."""
        if self.best is None or self.test is None:
            return f"Which {' and '.join(self.options)} of {self.agent} is best is not known yet."
        best = ", ".join(
            f"{name} = {option_text(value)}" for name, value in zip(self.options, self.best.values, strict=True)
        )
        what = f"{best} is {self.verdict or 'not yet shown to be better'}"
        elo, low, high = self.test.elo
        found = "no game of its test is played yet"
        if self.test.games:
            found = f"{signed(elo)} Elo [{signed(low)}, {signed(high)}] in {self.test.games:,} new games"
        sprt = self.test.pairing.sprt
        assert sprt is not None
        decided = f"SPRT of {sprt.elo0:g} against {sprt.elo1:g} Elo: {test_words(self.test)}"
        told = "; ".join(filter(None, [found, decided, bias_words(self.test)]))
        return f"{self.agent}: {what} than the default, {', '.join(map(option_text, self.default))}: {told}."


def tuning_of(tally: MatchTally) -> Tuning | None:
    """What these results say, if they are of such a plan; else None."""
    parts = tally.matches.parts
    if not parts or not all(part.best for part in parts) or parts[-1].sprt is None:
        return None
    names = parts[0].players
    default, *others = (tally.matches.agents[name] for name in names)
    fields = [field.name for field in default.info.fields]
    if any(each.name != default.name for each in others):
        return None
    usual = {name: getattr(default.options, name) for name in fields}
    differing = {name for name in fields for each in others if getattr(each.options, name) != usual[name]}
    if not differing:
        return None
    tuned = tuple(name for name in fields if name in differing)
    last = len(parts) - 1
    candidates = []
    for name, agent in zip(names[1:], others, strict=True):
        mine = [each for each in tally.played if each.pairing.players[0] == name and each.pairing.match < last]
        pairs = [sum(column) for column in zip(*(each.pairs for each in mine), strict=True)] or [0] * 5
        games, score = sum(each.games for each in mine), tally.score_so_far(name)
        low, high = score_interval(*pairs)
        values = tuple(getattr(agent.options, option) for option in tuned)
        rounds = sum(each.games > 0 for each in mine)
        candidates.append(Candidate(name, values, rounds, games, score, low, high))
    test = next((each for each in tally.played if each.pairing.match == last and each.plays), None)
    best = next((each for each in candidates if test is not None and each.name == test.pairing.players[0]), None)
    verdict: Verdict | None = None
    if test is not None and test.complete:
        verdict = "better" if test.decision == "H1" else "not shown to be better"
    usually = tuple(getattr(default.options, option) for option in tuned)
    return Tuning(default.label, tuned, usually, tuple(candidates), best, test, verdict)


def option_text(value: OptionValue) -> str:
    """The value of an option as in the name of a player."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def tuning_values(tally: MatchTally) -> dict[str, Any] | None:
    """A tuning as plain values; None if this is none."""
    tuned = tuning_of(tally)
    if tuned is None:
        return None
    test = tuned.test
    wins, draws, losses = (0, 0, 0) if test is None else test.counts
    return {
        "agent": tuned.agent,
        "options": tuned.options,
        "default": tuned.default,
        "candidates": [asdict(each) for each in tuned.candidates],
        "best": None if tuned.best is None else tuned.best.values,
        "verdict": tuned.verdict,
        "test": {
            "decision": None if test is None else test.decision,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pairs": None if test is None else test.pairs,
            "elo": None if test is None or not test.games else test.elo,
            "elo_biased": None if test is None else test.bias or None,
            "llr": None if test is None else test.llr,
            "llr_bounds": None if test is None or (sprt := test.pairing.sprt) is None else [sprt.lower, sprt.upper],
        },
    }
