"""What is said of a game: by the players' cards, beside the board, and of the search that is shown."""

from __future__ import annotations

from typing import NamedTuple

from nimdesk.agents import Agent, named_as_published
from nimdesk.agents.fields import NumberField
from nimdesk.games import AnyPosition, Game, Move, Outcome, Side
from nimdesk.games.base import describe_move, describe_outcome, describe_turn
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import danger_sentence, resistance_sentence, told, win_sentence
from nimdesk.games.truth_words import result_words as proof_words
from nimdesk.play.game import Forfeit, GameInProgress, Human, Player
from nimdesk.play.tree import Ply
from nimdesk.search import MoveStats, Snapshot, StopReason

# The cards


_NAMED_BYTES, _NAMED_SEEDS = 500_000, 10**9


class CardWords(NamedTuple):
    """One card: ``name`` and ``about`` at the left, ``state`` at the right, ``used`` as a line below (0 to 1).

    ``active`` is whoever is to move, or has won; ``loud`` is for a state that ends the game.
    """

    name: str
    about: str = ""
    state: str = ""
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


def addressed(name: str) -> str:
    """The name of a player inside a sentence: "you" for a person."""
    return "you" if name == "You" else name


def about_player(player: Player, game: Game, side_name: str, slow_s: float = 0.0, results: str = "") -> str:
    """The muted line: the side, and for an agent its budget, its seconds of slow motion, and its exploration.

    For one without a budget, the person's ``results`` against it, or what it is in a few words. Then come the switches
    and choices that are not as usual.
    """
    parts = [side_name]
    if isinstance(player, Agent):
        slow = f" + {slow_s:.6g} s in slow motion" if slow_s and player.limit.time_s is not None else ""
        figures = [words for words in (f"{budget_words(player)}{slow}", _exploration_words(player, game)) if words]
        known = f"you {results}" if results else player.info.in_short or player.info.about.removesuffix(".")
        parts += figures or [known]
        numbers = {field.name for field in player.info.fields if isinstance(field, NumberField)}
        parts += player.words(player.character.keys() - numbers)
    return " · ".join(parts)


def budget_words(agent: Agent) -> str:
    """How long the agent may search for a move, such as "2 s a move" or "300 simulations a move"; "" for no limit."""
    traits, limit = agent.traits, agent.limit
    budgets = []
    if limit.time_s is not None:
        budgets.append(f"{limit.time_s:,.6g} s")
    if limit.iterations is not None:
        budgets.append(simulations(limit.iterations))
    if limit.nodes is not None:
        budgets.append(f"{limit.nodes:,} nodes")
    if traits.per_move and traits.budget is not None:
        return f"{getattr(agent.options, traits.budget):,} {traits.budget} for each move"
    return f"{' or '.join(budgets)} a move" if budgets else _own_words(agent)


def _exploration_words(agent: Agent, game: Game) -> str:
    bound = agent.bound(game)
    return "" if bound is None else bound.short


def _own_words(agent: Agent) -> str:
    """The numbers among the options that bound a search in another way, such as a depth."""
    numbers = [field for field in agent.info.fields if isinstance(field, NumberField)]
    shown = [(field.title.lower(), getattr(agent.options, field.name)) for field in numbers if not field.advanced]
    seed = agent.traits.seed
    named = {field.title.lower() for field in numbers if field.name == seed}
    return " · ".join(f"{title} {value:,}" for title, value in shown if value is not None and title not in named)


def search_state(snapshot: Snapshot, *, running: bool, slow: bool = False) -> str:
    """The figures of a search in one line, such as "312,052 simulations · 104 k/s" or "12 s · 1.2 M nodes · depth 5".

    One that runs in slow motion has no speed of its own to tell.
    """
    if snapshot.iterations:
        sims = simulations(snapshot.iterations)
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


# The figures of a search


def simulations(count: int, word: str = "simulation") -> str:
    """So many of them, such as "1 simulation" or "2,000 simulations"; an option of a search calls them iterations."""
    return f"{count:,} {word if count == 1 else f'{word}s'}"


def answer_words(agent: Agent, snapshot: Snapshot) -> str:
    """What was searched and what the agent plays, such as "nim:3,4,5: mcts plays 1-2 (proven: wins)"."""
    best = "no move" if snapshot.best_move is None else snapshot.best_move.text
    proof = f" ({snapshot.proof})" if snapshot.proof else ""
    return f"{snapshot.position.text}: {agent.label} plays {best}{proof}"


def search_words(snapshot: Snapshot, word: str = "simulation") -> dict[str, str]:
    """The figures in words; empty where a player does not search.

    Only a size of the tree that is one, and only a seed that somebody may have typed.
    """
    if snapshot.iterations == 0:
        return dict.fromkeys(("iterations", "rate", "tree", "seed"), "")
    kept = f" + {snapshot.reused:,} kept" if snapshot.reused else ""
    full = " (full)" if snapshot.tree_full else ""
    size = f", {snapshot.tree_bytes / 1e6:,.1f} MB" if snapshot.tree_bytes >= _NAMED_BYTES else ""
    nodes = "1 node" if snapshot.tree_nodes == 1 else f"{snapshot.tree_nodes:,} nodes"
    return {
        "iterations": f"{simulations(snapshot.iterations, word)}{kept}",
        "rate": f"{short_rate(snapshot.simulations_per_s)} simulations/s{' in Python' * snapshot.in_python}",
        "tree": f"tree {nodes}{size}{full}" if snapshot.has_nodes else "",
        "seed": f"seed {snapshot.seed}" if snapshot.seed < _NAMED_SEEDS else "",
    }


def short_rate(count: float) -> str:
    """A large number in short, such as "1.25 M", "104 k" or "950"."""
    if count >= 1e6:
        return f"{count / 1e6:.2f} M"
    return f"{count / 1e3:.0f} k" if count >= 1e4 else f"{count:,.0f}"


# The game


def turn_words(position: AnyPosition, players: tuple[Player, Player], doing: str) -> str:
    """Whose turn it is, to whoever sits there, and what a computer is ``doing`` about it, if anything."""
    if isinstance(players[position.turn], Human):
        return "Your turn" if person_side(players) is not None else describe_turn(position)
    name = player_name(players, position.turn, position.game)
    if person_side(players) is None:
        name = f"{name} ({position.game.side_name(position.turn)})"
    return f"{name} is {doing}…" if doing else f"{name} is to move"


def end_words(position: AnyPosition, players: tuple[Player, Player], last: Ply | None) -> str:
    """Who won and why, to whoever sits there; the game must be over by the ``last`` move."""
    person, outcome = person_side(players), position.outcome
    given = last is not None and not last.by  # nobody at the board has won or lost by it
    if person is None or given or outcome is None or outcome.winner is None:
        return describe_outcome(position)
    if outcome.winner != person:
        # The reason is what the winner did.
        return f"You lost. {describe_outcome(position)}"
    return f"You won: {outcome.reason}" if outcome.reason else "You won"


def result_title(game: GameInProgress) -> str:
    """How the game that is over ended, to whoever sits there: the words that ``end_words`` begins with."""
    outcome, person = game.result, person_side(game.players)
    if outcome is None or outcome.winner is None:
        return "Draw"
    if person is None or not (game.plies and game.plies[-1].by):
        return f"{game.game.side_name(outcome.winner)} wins"
    return f"You {result_words(outcome, person).lower()}"


def forfeit_words(position: AnyPosition, players: tuple[Player, Player], forfeit: Forfeit) -> str:
    """Who lost without a losing move, to whoever sits there; the forfeit has the reason."""
    if person_side(players) is forfeit.side.other:
        return f"You won: {player_name(players, forfeit.side, position.game)} failed"
    return f"{position.game.side_name(forfeit.side)} loses: its player failed"


def proposed(snapshot: Snapshot) -> Move | None:
    """The move that a search for a suggestion proposes: its own, unless a win by threats or a parry is known better."""
    stats, threats = snapshot.stats_of(snapshot.best_move), snapshot.threats
    if threats is None or stats is None or stats.proven is Value.WIN:
        return snapshot.best_move
    if threats.win is not None:
        return threats.win.start.move
    return snapshot.parries[0] if snapshot.parries else stats.move


def proposal(snapshot: Snapshot) -> str:
    """What a search for a suggestion proposes, and what it is to be careful of, in one sentence or a few."""
    stats, threats = snapshot.stats_of(proposed(snapshot)), snapshot.threats
    if stats is None:
        return told("no hint")
    move = describe_move(stats.move)
    if threats is not None and threats.win is not None and stats.move == threats.win.start.move:
        return f"{told('hint', move=move)} {win_sentence(snapshot.position, threats.win)}"
    # Where every move loses, none parries.
    danger = "" if snapshot.proven is Value.LOSS else danger_sentence(snapshot.position, threats)
    return f"{_proposal(snapshot, stats, move)} {danger}".rstrip()


def _proposal(snapshot: Snapshot, stats: MoveStats, move: str) -> str:
    if snapshot.proven is Value.LOSS:
        lasting = snapshot.resistance
        longest = () if lasting is None else lasting.longest
        exact = lasting is not None and lasting.exact
        told_of_it = resistance_sentence(stats.move, longest, len(snapshot.moves), exact=exact)
        return f"{told('hint', move=move)} {told('every move loses')}{told_of_it}"
    if stats.proven is not None:
        return told("hint proven", move=move, result=stats.proof)
    if snapshot.counted != "visits":
        return told("hint open", move=move)
    share = snapshot.share(stats)
    mean = "" if stats.mean_value is None else f", expected score {stats.mean_value:.2f}"
    return told("hint likely", move=move, percent=f"{share:{'.0%' if share >= 0.1 else '.1%'}}", mean=mean)


def known_words(game: GameInProgress) -> str:
    """What the computer knew of the last move on the board, where it is a proof or a reason of its own; else ""."""
    ply = game.plies[game.cursor - 1] if game.cursor else None
    snapshot = None if ply is None else ply.snapshot
    if ply is None or snapshot is None or ply.by in ("", Human().title):
        return ""
    stats = snapshot.stats_of(ply.move)
    # What its search finds out after the choice, the player does not know.
    proven = None if stats is None or snapshot.chosen_after is not None else stats.proven
    if snapshot.stopped is StopReason.NO_SEARCH and snapshot.comment:
        return snapshot.comment  # it says why, and not only that it is so
    if proven is not None and proven is snapshot.proven:
        return told("has proven", who=ply.by, result=proof_words(proven, snapshot.distance))
    if snapshot.counted == "nodes":
        return ""
    if snapshot.chosen_after is not None and not snapshot.diced and snapshot.leader not in (None, ply.move):
        count, more, leader = f"{snapshot.chosen_after:,}", f"{snapshot.iterations:,}", snapshot.leader
        return told("chosen early", who=ply.by, move=ply.move.text, count=count, more=more, leader=leader.text)
    favourite = max(snapshot.moves, key=lambda each: each.visits, default=None)
    seen = snapshot.counted == "visits" and favourite is not None and favourite.move == ply.move
    # What a level chose by dice is told also where its search came to prefer it later.
    return "" if seen and snapshot.chosen_after is None else snapshot.comment


def by_words(ply: Ply, side: Side, players: tuple[Player, Player], game: Game) -> str:
    """Who played this move of ``side``, by the name that the cards have; "" for a move given with the start."""
    if ply.by != Human().title:
        return ply.by
    return "You" if person_side(players) is not None else game.side_name(side)


def decided_words(ply: Ply) -> str:
    """What the search of a computer had decided of the move that it played: "wins in 9", "forced" where it was the only
    one, "others lose" where those are proven to; "" where nothing was, and for a person's move.
    """
    snapshot = None if ply.by == Human().title else ply.snapshot
    stats = None if snapshot is None else snapshot.stats_of(ply.move)
    if snapshot is None or stats is None:
        return ""
    if stats.proven is not None:
        return stats.proof
    if snapshot.stopped is not StopReason.DECIDED:
        return ""
    return "forced" if len(snapshot.moves) == 1 else "others lose"


def chosen_words(ply: Ply) -> str:
    """What the search of a computer thought of the move that it played: what it had decided, or the move's share of its
    simulations, such as "78%"; "" for a person's move.
    """
    snapshot = None if ply.by == Human().title else ply.snapshot
    stats = None if snapshot is None else snapshot.stats_of(ply.move)
    decided = decided_words(ply)
    if decided or snapshot is None or stats is None or snapshot.trace is None:
        return decided
    share = snapshot.share(stats)
    return f"{share:.0%}" if share >= 0.005 or not stats.visits else "<1%"


def shown_title(game: GameInProgress, number: int, *, here: bool) -> str:
    """What to call the search kept with the move of this number: one of the board (``here``), or an earlier one."""
    ply = game.plies[number - 1]
    side = game.game.side_name(Side((number - 1) % 2))
    if ply.by == Human().title:
        return f"Hint for move {number}, {side}"
    if here or not ply.by:
        return f"Before move {number}, {side}: {ply.move.text}{f' by {ply.by}' * bool(ply.by)}"
    return f"How {ply.by} chose move {number}, {side}: {ply.move.text}"
