"""What a player's card says: who it is, with which budget, and how far its search has come."""

from __future__ import annotations

from typing import NamedTuple

from nimdesk.agents import Agent, named_as_published
from nimdesk.agents.fields import NumberField
from nimdesk.games import Game, Outcome, Side
from nimdesk.play import Human, Player
from nimdesk.search import Snapshot
from nimdesk.ui.look.widgets import short_rate


class CardWords(NamedTuple):
    """One card: ``name`` and ``about`` at the left, ``state`` at the right, ``used`` as a line below (0 to 1).

    ``active`` is whoever is to move, or has won; ``loud`` is for a state that ends the game.
    """

    name: str
    about: str = ""
    state: str = ""
    tip: str = ""
    active: bool = False
    used: float | None = None
    loud: bool = False


def person_side(players: tuple[Player, Player]) -> Side | None:
    """The side of the only person at the board; None where two people play, or none."""
    people = [side for side in Side if isinstance(players[side], Human)]
    return people[0] if len(people) == 1 else None


def player_name(players: tuple[Player, Player], side: Side, game: Game) -> str:
    """What the window calls this player: "You", the agent by its name, or one of two people by the side."""
    player = players[side]
    if isinstance(player, Agent):
        published = named_as_published(player)
        return player.info.title if published is None else published.title
    return "You" if person_side(players) is side else game.side_name(side)


def about_player(player: Player, side_name: str, slow_s: float = 0.0) -> str:
    """The muted line: the side, and for an agent its budget, its seconds of slow motion, and its exploration."""
    parts = [side_name]
    if isinstance(player, Agent):
        slow = f" + {slow_s:.6g} s in slow motion" if slow_s and player.limit.time_s is not None else ""
        figures = [words for words in (f"{budget_words(player)}{slow}", _exploration_words(player)) if words]
        parts += figures or [player.info.about.removesuffix(".")]
    return " · ".join(parts)


def budget_words(agent: Agent) -> str:
    """How long the agent may search for a move, such as "2 s a move" or "10,000 iterations a move"; "" for no limit."""
    traits, limit = agent.traits, agent.limit
    budgets = []
    if limit.time_s is not None:
        budgets.append(f"{limit.time_s:,.6g} s")
    if limit.iterations is not None:
        budgets.append(f"{limit.iterations:,} {'iteration' if limit.iterations == 1 else 'iterations'}")
    if limit.nodes is not None:
        budgets.append(f"{limit.nodes:,} nodes")
    if traits.per_move and traits.budget is not None:
        return f"{getattr(agent.options, traits.budget):,} {traits.budget} for each move"
    return f"{' or '.join(budgets)} a move" if budgets else _own_words(agent)


def _exploration_words(agent: Agent) -> str:
    return "" if agent.bound is None else agent.bound.short


def _own_words(agent: Agent) -> str:
    """The numbers among the options that bound a search in another way, such as a depth."""
    numbers = [field for field in agent.info.fields if isinstance(field, NumberField)]
    shown = [(field.title.lower(), getattr(agent.options, field.name)) for field in numbers if not field.advanced]
    seed = agent.traits.seed
    named = {field.title.lower() for field in numbers if field.name == seed}
    return " · ".join(f"{title} {value:,}" for title, value in shown if value is not None and title not in named)


def search_state(snapshot: Snapshot, *, running: bool, slow: bool = False) -> str:
    """The figures of a search in one line, such as "312,052 sims · 104 k/s" or "12 s · 1.2 M nodes · 3 of 9 moves".

    One that runs in slow motion has no speed of its own to tell.
    """
    if snapshot.iterations:
        sims = f"{snapshot.iterations:,} {'sim' if snapshot.iterations == 1 else 'sims'}"
        if not running:
            return f"{sims} · {seconds_words(snapshot.elapsed_s)}"
        if slow:
            return f"{sims} · slow motion"
        return f"{sims} · {short_rate(snapshot.simulations_per_s)}/s"
    if not snapshot.tree_nodes:
        return ""
    parts = [seconds_words(snapshot.elapsed_s), f"{short_rate(snapshot.tree_nodes)} nodes"]
    if snapshot.steps:
        parts.append(f"depth {snapshot.steps[-1].depth}")
    elif running:
        done = sum(1 for stats in snapshot.moves if stats.visits)
        parts.append(f"{done} of {len(snapshot.moves)} moves")
    return " · ".join(parts)


def budget_used(agent: Agent, snapshot: Snapshot, elapsed_s: float, slow_s: float = 0.0) -> float | None:
    """How much of the agent's budget is spent, 0 to 1; None where it has none that can be counted.

    Seconds of slow motion come on top of its own.
    """
    limit, spent = agent.limit, list[float]()
    if limit.time_s:
        spent.append(elapsed_s / (limit.time_s + slow_s))
    if limit.iterations:
        spent.append(snapshot.iterations / limit.iterations)
    if limit.nodes:
        spent.append(snapshot.tree_nodes / limit.nodes)
    if not spent and snapshot.trace is None and snapshot.moves:
        spent.append(sum(1 for stats in snapshot.moves if stats.visits) / len(snapshot.moves))
    return min(max(spent), 1.0) if spent else None


def seconds_words(seconds: float) -> str:
    """A duration for a card: "34 ms", "0.4 s", "12 s", "2:05"."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 99.5 else f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def result_words(outcome: Outcome | None, side: Side) -> str:
    """What the finished game came to for this side; "" while it goes on."""
    if outcome is None:
        return ""
    return "Draw" if outcome.winner is None else "Won" if outcome.winner == side else "Lost"
