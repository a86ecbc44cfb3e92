"""Tuning options of an agent: successive halving against the default, then a sequential test of the winner.

All values, or settings of several options, play the default; the better half plays on, twice as many games, until two
are left. The best of them is the winner of a contest among noisy scores, so its own score flatters it: whether it is
better than the default is told by a sequential test of new games alone, in pairs, one game in each role. All of it is
one plan, run and stored like any other (``plan.MatchPart.best``). Source: K. Jamieson and A. Talwalkar, "Non-stochastic
best arm identification and hyperparameter optimization", AISTATS 2016.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nimdesk.agents import Agent, NumberField
from nimdesk.errors import OptionError
from nimdesk.experiments.files import Found
from nimdesk.experiments.likelihood import score_interval
from nimdesk.experiments.plan import MatchPart, Milliseconds, OptionValue, Plan, PlayerPart, new_plan, parse_budgets
from nimdesk.experiments.sequential import bias_words, test_words
from nimdesk.experiments.statistics import Sprt, signed
from nimdesk.experiments.tally import PairingTally

DEFAULT = "default"
VALUES = 8
SETTINGS, MOST_SETTINGS = 32, 63
"""How many settings of several options are tried; a plan has 64 players at most, one of them the default."""
_MOST_COMBINATIONS = 1_000_000
_NAME = "tune"
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
        best = ", ".join(f"{name} = {_text(value)}" for name, value in zip(self.options, self.best.values, strict=True))
        what = f"{best} is {self.verdict or 'not yet shown to be better'}"
        elo, low, high = self.test.elo
        found = "no game of its test is played yet"
        if self.test.games:
            found = f"{signed(elo)} Elo [{signed(low)}, {signed(high)}] in {self.test.games:,} new games"
        sprt = self.test.pairing.sprt
        assert sprt is not None
        decided = f"SPRT of {sprt.elo0:g} against {sprt.elo1:g} Elo: {test_words(self.test)}"
        told = "; ".join(filter(None, [found, decided, bias_words(self.test)]))
        return f"{self.agent}: {what} than the default, {', '.join(map(_text, self.default))}: {told}."


def parse_values(agent: Agent, text: str, number: int = VALUES) -> tuple[str, list[OptionValue]]:
    """The option and its values in ``exploration=0.1..3`` (so many, evenly spaced) or ``exploration=0.1,0.5,1``.

    A range of positive numbers whose ends are a factor of 4 or more apart is spaced by factors, any other by steps. The
    agent's own value is left out: it is the default that all others play.
    """
    name, equals, given = (part.strip() for part in text.partition("="))
    name = name.replace("-", "_")
    tunable = agent.traits.limits | {agent.traits.seed}
    fields = {field.name: field for field in agent.info.fields if field.name not in tunable}
    if name not in fields or not equals:
        has = ", ".join(fields) or "none"
        raise OptionError(f"“{text}” names no option to tune; write OPTION=LOW..HIGH; {agent.name} has: {has}.")
    field = fields[name]
    low, dots, high = given.partition("..")
    values: list[OptionValue] = []
    if dots:
        if not isinstance(field, NumberField):
            raise OptionError(f"“{text}” is a range, but {name} is no number; name its values, with commas.")
        values += _spaced(field, float(field.parse(low) or 0), float(field.parse(high) or 0), number)
    else:
        values += [field.parse(word) for word in given.split(",") if word.strip()]
    return name, [value for value in dict.fromkeys(values) if value != getattr(agent.options, name)]


def parse_settings(
    agent: Agent, texts: Sequence[str], *, values: int = VALUES, settings: int = SETTINGS, seed: int = 0
) -> list[dict[str, OptionValue]]:
    """The settings to try of the options in these texts, as ``parse_values`` reads each.

    Of several options they are all combinations, each option's default among its values, but for the default itself; of
    more than ``settings`` combinations so many, drawn at random by the seed.
    """
    parsed = dict(parse_values(agent, text, values) for text in texts)
    if len(parsed) < len(texts):
        raise OptionError("Each option can be named once.")
    if len(parsed) == 1:
        found: list[dict[str, OptionValue]] = [{name: value} for name, given in parsed.items() for value in given]
    else:
        levels = {name: [getattr(agent.options, name), *given] for name, given in parsed.items()}
        # The first combination is the default.
        total, sizes = math.prod(map(len, levels.values())), [len(given) for given in levels.values()]
        if total > _MOST_COMBINATIONS:
            raise OptionError(f"These are {total:,} combinations; at most {_MOST_COMBINATIONS:,} can be drawn from.")
        numbers: Sequence[int] = range(1, total)
        if len(numbers) > settings:
            numbers = sorted(random.Random(seed).sample(numbers, settings))
        found = []
        for number in numbers:
            rest, picked = number, dict[str, OptionValue]()
            for (name, given), size in zip(levels.items(), sizes, strict=True):
                rest, place = divmod(rest, size)
                picked[name] = given[place]
            found.append(picked)
    if not 2 <= len(found) <= MOST_SETTINGS:
        raise OptionError(
            f"“{' '.join(texts)}” has {len(found)} values other than the default; between 2 and {MOST_SETTINGS} can be "
            "tuned."
        )
    return found


def _spaced(field: NumberField, low: float, high: float, number: int) -> list[OptionValue]:
    if not low < high:
        raise OptionError(f"The range {low:g}..{high:g} ends before it begins; write the smaller number first.")
    parts = [i / (number - 1) for i in range(number)]
    if low > 0 and high / low >= 4:
        found = [low * (high / low) ** part for part in parts]
    else:
        found = [low + (high - low) * part for part in parts]
    if field.kind is int:
        return list(map(round, found))
    return [float(f"{value:.3g}") for value in found]


def tuning_plan(
    agent: Agent,
    settings: Sequence[Mapping[str, OptionValue]],
    positions: Sequence[str],
    *,
    games: int = 50,
    confirm: int = 5_000,
    elo1: float = 30.0,
    alpha: float = 0.05,
    opening_plies: int = 0,
    seed: int = 0,
) -> Plan:
    """The plan: ``games`` from each position in each role in the first round, at most ``confirm`` in the test.

    The test is of "no stronger than the default" against "stronger by ``elo1``".
    """
    names = [DEFAULT, *(",".join(f"{name}={_text(value)}" for name, value in each.items()) for each in settings)]
    options = [agent.changed_options, *({**agent.changed_options, **each} for each in settings)]
    players = {name: PlayerPart(agent=agent.name, options=each) for name, each in zip(names, options, strict=True)}

    def part(best: int, games: int, sprt: Sprt | None = None) -> MatchPart:
        return MatchPart(
            players=names,
            format="gauntlet",
            positions=list(positions),
            games=games,
            opening_plies=opening_plies,
            sprt=sprt,
            best=best,
        )

    sizes = [len(settings)]
    while sizes[-1] > 2:
        sizes.append(math.ceil(sizes[-1] / 2))
    rounds = [part(best, min(games << number, 1_000_000)) for number, best in enumerate(sizes)]
    try:
        test = Sprt(elo0=0.0, elo1=elo1, alpha=alpha, beta=alpha, unit="pairs")
    except ValueError as error:
        raise OptionError(f"The best value cannot be tested: {error}.") from None
    title = f"Tuning {', '.join(settings[0])} of {agent.label} on {', '.join(positions)}"[:2_000]
    return new_plan(_NAME, players, title=title, matches=[*rounds, part(1, confirm, test)], seed=seed)


def with_budget(agent: Agent, text: str) -> Agent:
    """The agent with this budget a move: a number in what it counts, or a time such as 20ms."""
    traits, budgets = agent.traits, parse_budgets(text)
    if len(budgets) != 1:
        raise OptionError(f"The budget is “{text}”; it must be one number, or one time such as 20ms.")
    timed = isinstance(budgets, Milliseconds)
    if (traits.time if timed else traits.budget) is None:
        raise OptionError(f"The agent {agent.name} has no budget in {'seconds' if timed else traits.counts} to be set.")
    if timed:
        return agent.with_time(budgets[0] / 1_000)
    return agent.with_options({str(traits.budget): budgets[0]})


def tuning_of(found: Found) -> Tuning | None:
    """What these results say, if they are of such a plan; else None."""
    plan, tally = found.schedule.plan, found.tally
    if not plan.matches or not all(part.best for part in plan.matches) or plan.matches[-1].sprt is None:
        return None
    names = plan.matches[0].players
    default, *others = (found.schedule.agents[name] for name in names)
    fields = [field.name for field in default.info.fields]
    if any(each.name != default.name for each in others):
        return None
    usual = {name: getattr(default.options, name) for name in fields}
    differing = {name for name in fields for each in others if getattr(each.options, name) != usual[name]}
    if not differing:
        return None
    tuned = tuple(name for name in fields if name in differing)
    last = len(plan.matches) - 1
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


def _text(value: OptionValue) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
