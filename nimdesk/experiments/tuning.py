"""Tuning options of an agent: successive halving against the default, then a sequential test of the winner.

All values, or settings of several options, play the default; the better half plays on, twice as many games, until two
are left. The best of them is the winner of a contest among noisy scores, so its own score flatters it: whether it is
better than the default is told by a sequential test of new games alone, in pairs, one game in each role. All of it is
one plan, run and stored like any other (``MatchPart.best``). Source: K. Jamieson and A. Talwalkar, "Non-stochastic
best arm identification and hyperparameter optimization", AISTATS 2016.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from nimdesk.agents import Agent, NumberField, OptionValue
from nimdesk.errors import OptionError
from nimdesk.experiments.budgets import Milliseconds, parse_budgets
from nimdesk.experiments.matches.tuning import option_text
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.statistics import Sprt

DEFAULT = "default"
VALUES = 8
SETTINGS, MOST_SETTINGS = 32, 63
"""How many settings of several options are tried; a plan has 64 players at most, one of them the default."""
_MOST_COMBINATIONS = 1_000_000
_NAME = "tune"


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
    names = [DEFAULT, *(",".join(f"{name}={option_text(value)}" for name, value in each.items()) for each in settings)]
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


def with_budgets(agents: Sequence[Agent], text: str) -> list[Agent]:
    """The agents, each with this budget a move unless it has set its own, or never has any.

    ``OptionError`` where a player has budgets in other things alone, and where no player takes it.
    """
    found = []
    for agent in agents:
        traits = agent.traits
        takes = traits.budget is not None or traits.time is not None
        found.append(with_budget(agent, text) if takes and not traits.limits & agent.changed_options.keys() else agent)
    if agents and all(one is other for one, other in zip(agents, found, strict=True)):
        raise OptionError(f"No player takes the budget “{text}”: each has set its own, or never has any.")
    return found
