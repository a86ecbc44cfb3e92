"""What an agent is: a catalogue entry with its traits, and a configured agent.

Nobody else asks for the name of an agent or an option: the traits say what each option is for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping
from typing import Any, Literal

import msgspec

from nimdesk.agents.fields import NumberField, OptionField, OptionValue, make_options, option_fields
from nimdesk.games import AnyPosition, Game, kit_of
from nimdesk.limit import Limit
from nimdesk.search import Choice, Searcher
from nimdesk.search.bounds import Bound
from nimdesk.search.options import MAX_SEED, AgentOptions, Ties

CATALOGUE: dict[str, AgentInfo] = {}
"""Every agent by name; ``nimdesk.agents.catalogue`` fills it."""


def _always(_options: Any) -> bool:
    return True


def _never(_options: Any) -> bool:
    return False


def _fits(_options: Any, _position: AnyPosition) -> bool:
    return True


def _no_rule(_options: Any) -> Choice | None:
    return None


def _by_seed(_options: Any) -> Ties:
    return "random"


def _no_bound(_options: Any, _game: Game) -> Bound | None:
    return None


def at_every_position(_position: AnyPosition) -> bool:
    """A trait that holds at every position."""
    return True


def at_no_position(_position: AnyPosition) -> bool:
    """A trait that holds at no position."""
    return False


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What sets an agent apart, for code that treats all agents alike.

    The first group names options by their role, None if the agent has no such option:

    * ``budget`` is the number that limits a search, measured in ``counts``. With ``per_move`` it is for each legal move
      of the position.
    * ``time`` is a budget in seconds; ``time_bound`` bounds a proof that usually needs far less.
    * ``to_proof`` says whether it ends as soon as nothing is left to find out; without the option it does.
    * ``seed`` fixes the random numbers, ``memory`` bounds the tree, ``threads`` is how many search at once,
      ``keep_tree`` lets the next search reuse the tree.

    The second group are facts, some of them functions of the options:

    * ``chance``: whether a search that has a seed makes use of it.
    * ``may_time_out``: whether a limit in seconds can decide the choice in this position.
    * ``choice``: what it looks at first where it chooses its move; None where that is neither visits nor means.
    * ``ties``: which of equal moves it plays; "first" in the list only where a document published that.
    * ``bound``: what it maximises on its way down the tree in a game; None where it follows no bound.
    * ``searches``: whether it searches this position in nodes, so that a number of them can end it.
    * ``tree``: whether a search keeps its tree to be looked at, or can be recorded by the same search in Python.
    * ``steps``: whether its simulations can be shown one by one.
    * ``known``: whether the same seed is known to give the same search; for plug-ins it is not.
    * ``fits``: whether it can play this position, as far as that is quick to tell: its tree may be too large, or the
      game may lack what it or an option needs.
    """

    budget: str | None = None
    counts: Literal["iterations", "nodes"] = "nodes"
    per_move: bool = False
    time: str | None = None
    time_bound: str | None = None
    to_proof: str | None = None
    seed: str | None = None
    memory: str | None = None
    threads: str | None = None
    keep_tree: str | None = None
    chance: Callable[[Any], bool] = _always
    may_time_out: Callable[[AnyPosition], bool] = at_every_position
    searches: Callable[[AnyPosition], bool] = at_every_position
    choice: Callable[[Any], Choice | None] = _no_rule
    ties: Callable[[Any], Ties] = _by_seed
    bound: Callable[[Any, Game], Bound | None] = _no_bound
    tree: Literal["kept", "recorded"] | None = None
    steps: Callable[[Any], bool] = _never
    known: bool = True
    fits: Callable[[Any, AnyPosition], bool] = _fits

    @property
    def limits(self) -> frozenset[str]:
        """The options that end a search."""
        return frozenset(filter(None, (self.budget, self.time, self.time_bound)))


class AgentInfo(msgspec.Struct, frozen=True):
    """One entry of the catalogue."""

    name: str
    title: str
    about: str
    options_type: type[AgentOptions]
    make_searcher: Callable[[Any], Searcher]
    traits: Traits = Traits()
    make_textbook: Callable[[Any], Searcher] | None = None
    """The same search on positions: for games without compiled rules, until compiled code is loaded, and to look at
    trees that the kernel does not keep.
    """
    group: str = ""
    """The heading under which lists show it."""
    in_short: str = ""
    """The same as ``about`` in a few words, for the card of a player; "" where its budget says enough."""
    edition: int = 1
    """The number of the rules by which it searches and chooses: one more whenever the same seed may give another search
    or another move. Results are only added to others of the same edition.
    """
    usual: bool = False
    """Whether so many people use it that its kernels are compiled before anybody asks for them."""

    @property
    def fields(self) -> tuple[OptionField, ...]:
        """The declared options, in order."""
        return option_fields(self.options_type)

    @property
    def usual_choice(self) -> Choice | None:
        """The trait ``choice`` with the default options."""
        return self.traits.choice(self.options_type())


class Agent(msgspec.Struct, frozen=True):
    """A named, configured way to choose a move."""

    name: str
    options: AgentOptions

    def __repr__(self) -> str:
        """The agent in one word, with all options that differ from the default."""
        return f"<{self.full_label if self.name in CATALOGUE else self.name}>"

    @property
    def info(self) -> AgentInfo:
        """The catalogue's entry."""
        return CATALOGUE[self.name]

    @property
    def traits(self) -> Traits:
        """What sets it apart from other agents."""
        return self.info.traits

    def new_searcher(self, position: AnyPosition | None = None) -> Searcher:
        """A fresh search with these options for this position's game; without a position, for games with a kernel.

        Loads (and at first compiles) kernels: not on the UI thread.
        """
        make_textbook = self.info.make_textbook
        if position is not None and make_textbook is not None and kit_of(position).load_kernel is None:
            return make_textbook(self.options)
        return self.info.make_searcher(self.options)

    def new_recording(self) -> Searcher:
        """The same search in plain Python, which keeps its tree; for agents with a "recorded" tree."""
        make_textbook = self.info.make_textbook
        assert make_textbook is not None
        return make_textbook(self.options)

    def plays(self, position: AnyPosition) -> bool:
        """Whether it can play this position, as far as that is quick to tell; it may still refuse."""
        return self.traits.fits(self.options, position)

    def to_json(self) -> dict[str, object]:
        """``{"agent": name, "options": {...}}``, as ``agent_from_json`` reads it."""
        return {"agent": self.name, "options": msgspec.to_builtins(self.options)}

    def about(self, game: Game) -> dict[str, object]:
        """The same for a search of this game; it says ``scaled`` where another constant counts than the options say."""
        return {**self.to_json(), **({"scaled": scaled} if (scaled := self.scaled(game)) else {})}

    # What follows from the options.

    def _value(self, option: str | None) -> Any:
        return None if option is None else getattr(self.options, option)

    @property
    def seed(self) -> int | None:
        """The seed, where the options fix one."""
        seed: int | None = self._value(self.traits.seed)
        return seed

    def seed_or(self, seed: int) -> int:
        """The seed of the options, or this one if they leave it empty."""
        return seed if self.seed is None else self.seed

    def new_seed(self) -> int:
        """The seed of the options, or a new random one if they leave it empty; 0 where a search makes no use of it."""
        return self.seed_or(int.from_bytes(os.urandom(8)) & MAX_SEED if self.draws else 0)

    @property
    def limit(self) -> Limit:
        """The limit at which its options end a search, apart from a budget per legal move."""
        traits = self.traits
        budget = None if traits.per_move else self._value(traits.budget)
        iterations, nodes = (budget, None) if traits.counts == "iterations" else (None, budget)
        return Limit(iterations, self._value(traits.time or traits.time_bound), nodes)

    def counted(self, budget: int) -> Limit:
        """A limit of ``budget`` iterations in all, or of nodes if the agent counts those."""
        return Limit(budget) if self.traits.counts == "iterations" else Limit(nodes=budget)

    def takes_budget(self, position: AnyPosition) -> bool:
        """Whether one can set how many iterations, nodes or seconds its search of this position may take.

        Levels, plug-ins and players that look their move up have a budget of their own.
        """
        traits = self.traits
        return traits.budget is not None or (traits.counts == "nodes" and traits.searches(position))

    @property
    def ends_early(self) -> bool:
        """Whether a search ends as soon as nothing is left to find out."""
        return self.traits.to_proof is None or bool(self._value(self.traits.to_proof))

    def bound(self, game: Game) -> Bound | None:
        """What a search of this game maximises on its way down the tree; None for one that follows no bound."""
        return self.traits.bound(self.options, game)

    def scaled(self, game: Game) -> str:
        """Where another constant counts in this game than the options say, both, as a ``Bound`` has it; else ""."""
        bound = self.bound(game)
        return "" if bound is None else bound.scaled

    @property
    def keeps_tree(self) -> bool:
        """Whether a search continues with the tree of the one before."""
        return self._value(self.traits.keep_tree) not in (None, False, "no")

    @property
    def choice_rule(self) -> Choice | None:
        """What a search looks at first when it chooses its move; None if that is neither visits nor means."""
        return self.traits.choice(self.options)

    @property
    def can_step(self) -> bool:
        """Whether its simulations can be shown one by one."""
        return self.traits.steps(self.options)

    @property
    def uses_chance(self) -> bool:
        """Whether two searches of one position may differ: random numbers are drawn and no seed is fixed."""
        return self.draws and self.seed is None

    def depends_on_speed(self, position: AnyPosition) -> bool:
        """Whether its move depends on the machine's speed, through a limit in seconds that may be met."""
        return self.limit.time_s is not None and self.traits.may_time_out(position)

    def goes_by_board(self, position: AnyPosition) -> bool:
        """Whether position and options alone decide the move, so that one search serves all games and seeds."""
        return not self.draws and not self.depends_on_speed(position)

    @property
    def draws(self) -> bool:
        """Whether a search makes use of its seed."""
        return self.traits.seed is not None and self.traits.chance(self.options)

    # How it differs from other agents, and agents derived from it.

    @property
    def changed_options(self) -> dict[str, OptionValue]:
        """The options that differ from the default."""
        values = {field.name: (getattr(self.options, field.name), field.default) for field in self.info.fields}
        return {name: value for name, (value, default) in values.items() if value != default}

    @property
    def character(self) -> dict[str, OptionValue]:
        """The options that differ from the default, apart from the seed and what ends a search."""
        given_each_time = {*self.traits.limits, self.traits.seed}
        return {name: value for name, value in self.changed_options.items() if name not in given_each_time}

    def words(self, names: Container[str]) -> list[str]:
        """The options with these names, each with its value, for people."""
        return [field.words(getattr(self.options, field.name)) for field in self.info.fields if field.name in names]

    @property
    def label(self) -> str:
        """The agent in one word, such as ``uct:exploration=0.5``: its name and its ``character``."""
        return self._in_a_word(self.character)

    @property
    def full_label(self) -> str:
        """The agent's name with all ``changed_options``, such as ``uct:iterations=300,exploration=0.5``."""
        return self._in_a_word(self.changed_options)

    def _in_a_word(self, options: Mapping[str, OptionValue]) -> str:
        differing = ",".join(f"{name}={_text(value)}" for name, value in options.items())
        return f"{self.name}:{differing}" if differing else self.name

    def with_options(self, values: Mapping[str, object]) -> Agent:
        """The same agent with these options changed; ``OptionError`` for anything out of bounds."""
        options = {**msgspec.structs.asdict(self.options), **values}
        return Agent(self.name, make_options(self.info.options_type, options))

    def with_seed(self, seed: int | None) -> Agent:
        """The same agent with this seed; unchanged if it has no seed option."""
        return self if self.traits.seed is None else self.with_options({self.traits.seed: seed})

    def with_budget(self, budget: int, position: AnyPosition) -> Agent:
        """The same agent with limits that let it search this position for exactly ``budget``."""
        traits, changed = self.traits, dict[str, OptionValue]()
        if traits.budget is not None:
            changed[traits.budget] = -(-budget // len(position.legal_moves)) if traits.per_move else budget
        for field in self._numbers(traits.time, traits.time_bound) if self.takes_budget(position) else ():
            changed[field.name] = None if field.optional else field.maximum
        return self.with_options(changed)

    @property
    def known_by_name(self) -> bool:
        """Whether it leaves nothing to choose but the seed and when a search ends."""
        return all(field.name in self.liftable for field in self.info.fields)

    @property
    def liftable(self) -> frozenset[str]:
        """The options that ``unlimited`` sets: the seed, and limits that can be lifted."""
        return frozenset(filter(None, (self.traits.seed, self.traits.budget, self.traits.time)))

    def with_time(self, time_s: float) -> Agent:
        """The same agent with ``time_s`` seconds a move in place of its count; unchanged if it has no such option."""
        traits = self.traits
        if traits.time is None:
            return self
        counted = {field.name: None for field in self._numbers(traits.budget) if field.optional}
        return self.with_options({**counted, traits.time: time_s})

    def unlimited(self) -> Agent:
        """The same agent without a fixed seed, and with its limits lifted as far as possible."""
        changed: dict[str, OptionValue] = {}
        for field in self._numbers(self.traits.budget, self.traits.time):
            # A sampling search needs one limit at least: the largest number of iterations.
            counted = field.name == self.traits.budget and self.traits.counts == "iterations"
            if counted or field.optional:
                changed[field.name] = field.maximum if counted else None
        return self.with_options(changed).with_seed(None)

    def _numbers(self, *names: str | None) -> list[NumberField]:
        return [field for field in self.info.fields if field.name in names and isinstance(field, NumberField)]


def _text(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
