"""What is said of whole games: by cards and the list of moves, by a review, by its exercises, and at the end."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence

from judge import Judge
from oracle import DRAW, LOSS, REVERSE, SCORES, WIN, Known, known
from positions import random_players
from reader import UnreadError, read
from searches import MOST_NODES
from sentences import About, Parts, judge_text, same_worth
from truths import proven

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, Side, kit_of, parse_position
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human
from nimdesk.play.ending import ending
from nimdesk.play.evaluations import worth_now
from nimdesk.play.exercises import Exercise, exercises_of, question
from nimdesk.play.move_review import MoveReview
from nimdesk.play.review import Reviewer, decided_words, summary, worths_of
from nimdesk.play.words import chosen_words, known_words, proposal
from nimdesk.search import Snapshot, drive

MARKS = {(WIN, LOSS): "??", (WIN, DRAW): "?", (DRAW, LOSS): "?"}


def judge_game(text: str, chance: random.Random, judge: Judge) -> None:
    """Play a game from here to its end, then look at all that is said of it."""
    game = random_game(text, chance)
    places = [known(position.text) for position in game.positions]
    judge_cards(judge, game, places)
    judge_hint(judge, places, game.positions, chance)
    kernel = kit_of(game.game).load_kernel is not None
    for exact_s, most in ((2.0, 50), (0.0, 1_000 if kernel else 60)):
        agent = make_agent("mcts", {"iterations": chance.randint(2, most)})
        judge_review(judge, game, places, Reviewer(agent, chance.getrandbits(60), exact_s))
    judge.where = "ending by proofs"
    proofs = [proven(position) if position.outcome is None else None for position in game.positions]
    judge_end(judge, places, ending(game, proofs).sentence)
    judge.where = "ending by searches"
    judge_end(judge, places, ending(game, ()).sentence, proven_all=False)


def random_game(text: str, chance: random.Random) -> GameInProgress:
    """A game between two players of this position, one of whom may be a person, with the searches of the others."""
    start = parse_position(text)
    agents = random_players(chance, start, kit_of(start).load_kernel is not None)
    game = GameInProgress(start, (agents[0] or Human(), agents[1] or Human()))
    while game.last_position.outcome is None:
        position = game.last_position
        agent = agents[position.turn]
        if agent is None:
            game.play(chance.choice(position.legal_moves), by=Human().title)
            continue
        searcher = agent.new_searcher(position)
        searcher.start(position, agent.new_seed())
        reason = drive(searcher, Limit(nodes=MOST_NODES))
        assert reason is not None
        snapshot = searcher.snapshot().ended(reason)
        assert snapshot.best_move is not None
        game.play(snapshot.best_move, by=agent.info.title, snapshot=snapshot)
    return game


# Cards, the list of moves, hints


def judge_cards(judge: Judge, game: GameInProgress, places: Sequence[Known]) -> None:
    """What the window says of each move when it was just played."""
    for number, ply in enumerate(game.plies, 1):
        at, move = places[number - 1], ply.move.text
        judge.where = f"move {number}, {move} by {ply.by}"
        game.jump(number)
        judge_text(judge, at, known_words(game), About(move, complete=_complete(ply.snapshot)))
        for snapshot in (ply.snapshot, game.plies[number].snapshot if number < len(game.plies) else None):
            worth = worth_now(game.position, snapshot, None)
            if worth is not None and worth.exact:
                there, side = places[number], Side(number % 2)
                judge.check("bar: proven", worth.of(side) == SCORES[there.worth.value], worth, there)
        words = chosen_words(ply)
        if words and not words.endswith("%") and words != "forced":
            judge.check("moves: proven of the move", same_worth(words, at.moves[move]), words, at)


def _complete(snapshot: Snapshot | None) -> bool:
    return snapshot is not None and all(each.proven is not None for each in snapshot.moves)


def judge_hint(judge: Judge, places: Sequence[Known], positions: Sequence[AnyPosition], chance: random.Random) -> None:
    """What is proposed in a position of the game, and that it takes a win at once."""
    at, position = chance.choice(list(zip(places, positions, strict=True))[:-1])
    agent = make_agent("mcts", {"iterations": chance.choice((1, 5, 30, 100)), "seed": chance.getrandbits(60)})
    searcher = agent.new_searcher(position)
    searcher.start(position, agent.new_seed())
    drive(searcher)
    snapshot = searcher.snapshot()
    assert snapshot.best_move is not None
    judge.where = f"hint {agent.changed_options}"
    move = snapshot.best_move.text
    judge_text(judge, at, proposal(snapshot), About(move, complete=_complete(snapshot)))
    judge.played("play: hint", at, move, at.at_once or at.moves)


# Reviews


def judge_review(judge: Judge, game: GameInProgress, places: Sequence[Known], reviewer: Reviewer) -> None:
    """The judgement of each move, the exercises made of it, and what is said of the game."""
    judge.where = f"review {reviewer}"
    played = [(ply.move, ply.by) for ply in game.plies]
    moves = sorted(reviewer.moves(game.positions, played), key=lambda each: each.ply)
    judge.check("review: every move is judged", len(moves) == len(played), len(moves), places[0])
    for move in moves:
        judge_move(judge, places[move.ply - 1], move, solved=reviewer.exact_s > 0)
    for at, worth in zip(places, worths_of(game.last_position, moves), strict=True):
        if worth is not None and worth.exact:
            side = Side.FIRST if len(at.text.split()) % 2 else Side.SECOND
            judge.check("review: worth", worth.of(side) == SCORES[at.worth.value], worth, at)
    judge_exercises(judge, game.positions, moves)
    all_exact = all(each.exact for each in moves)
    judge_end(judge, places, decided_words(game.last_position, moves), proven_all=all_exact)
    judge_end(judge, places, ending(game, (), moves).sentence, proven_all=all_exact)
    for side in Side:
        judge_summary(judge, places, summary(moves, side), side, moves)


def judge_move(judge: Judge, at: Known, move: MoveReview, *, solved: bool) -> None:
    """One move as it is printed as JSON; ``solved`` is whether a solver was asked."""
    told = json.loads(json.dumps(move.plain))
    before, after = at.worth.value, at.moves[told["move"]].value
    best = told["best"]
    if told["exact"]:
        right = (told["before"], told["after"]) == (SCORES[before], SCORES[after])
        judge.check("review: before and after", right, told, at)
        judge.check("review: mark", told["mark"] == MARKS.get((before, after), ""), told["mark"], at)
        judge.check("review: first of the best", best[0] in at.best, best, at)
        judge.line("review: better line", at, told["line"], free=0)
    else:
        judge.line("review: line by estimate", at, told["line"], free=len(told["line"]))
    if told["complete"]:
        judge.check("review: all of the best", set(best) == at.best, best, at)
        judge.check("review: exact where all is known", told["exact"], told, at)
    has_distances = solved and told["complete"] and not at.text.startswith(("take", "kayles"))
    if has_distances:
        judge.check("review: the quickest first", best[0] in at.quickest, best, at)
    judge_text(judge, at, told["sentence"], About(told["move"], told["complete"], exact=has_distances))


def judge_exercises(judge: Judge, positions: Sequence[AnyPosition], moves: Sequence[MoveReview]) -> None:
    """Which answers count as right, also where the board is turned."""
    exact = {positions[each.ply - 1].text: each.exact for each in moves}
    for exercise in exercises_of(positions, moves, 0.0):
        for asked in range(3):
            told = question(Exercise(**{**_fields(exercise), "asked": asked}))
            at = known(told.position.text)
            best = {move.text for move in told.best}
            if exercise.exact:
                judge.check("exercise: the answers that are right", best == at.best, best, at)
            if exact[exercise.position]:
                judge.check("exercise: the first answer", told.best[0].text in at.best, best, at)
                judge.line("exercise: line", at, [move.text for move in told.line], free=0)


def _fields(exercise: Exercise) -> dict[str, object]:
    return {name: getattr(exercise, name) for name in exercise.__struct_fields__}


def judge_summary(judge: Judge, places: Sequence[Known], text: str, side: Side, moves: Sequence[MoveReview]) -> None:
    """How many moves of a side gave something away, as far as that is proven."""
    own = [each for each in moves if each.side is side]
    kept = [each.move.text in places[each.ply - 1].best for each in own]
    (said,) = read(text)
    p = said.parts
    count = int(re.sub(r"\D", "", p.get("count", "")) or 0)
    right = count == len(own)
    if said.name == "nothing given":
        right = right and all(kept)
    elif said.name == "given":
        threw = re.match(r"([\d,]+) proven", p["how"])
        exact = [keeps for keeps, each in zip(kept, own, strict=True) if each.exact]
        right = right and int(threw[1] if threw else 0) == exact.count(False)
    judge.check(f"said: {said.name}", right, text, places[-1])


# The end of a game


def judge_end(judge: Judge, places: Sequence[Known], text: str, *, proven_all: bool = True) -> None:
    """What decided the game; ``proven_all`` is whether whoever speaks knows the worth of every position."""
    try:
        told = read(text)
    except UnreadError:
        judge.check("said: unread", False, text, places[-1])
        return
    for said in told:
        judge.check(f"said: {said.name}", ENDS[said.name](places, said.parts, proven_all), said.text, places[-1])


def worth_for(at: Known, side: int) -> float:
    """What a position is worth to a side, 0 is the first."""
    value = at.worth.value
    return SCORES[value if (len(at.text.split()) - 1) % 2 == side else REVERSE[value]]


def turns(places: Sequence[Known], side: int) -> list[int]:
    """The moves of a side, by number, before which it could hope for more than it got."""
    end = worth_for(places[-1], side)
    return [number + 1 for number, at in enumerate(places[:-1]) if number % 2 == side and worth_for(at, side) > end]


def _decided(places: Sequence[Known], number: int, move: str, *, least: float, proven_all: bool) -> bool:
    """Whether this is the last move by which the loser gave away what it had."""
    at, side = places[number - 1], (number - 1) % 2
    gave = worth_for(at, side) >= least and at.moves[move].value != at.worth.value
    last = turns(places, side)[-1:] == [number]
    return gave and places[number].text == at.after(move).text and (last or not proven_all)


def _moved(words: str) -> tuple[int, str, str]:
    """The number, the move and the better one in "move 5 (a3 instead of b3), by Random"."""
    found = re.fullmatch(r"move (\d+) \((\S+?)(?: instead of (\S+?))?(?:, by .+)?\)(?:, by .+)?", words)
    if found is None:
        raise UnreadError(words)
    return int(found[1]), found[2], found[3] or ""


def _until(least: float) -> object:
    def check(places: Sequence[Known], p: Parts, proven_all: bool) -> bool:
        number, move, better = _moved(p["moved"])
        right = not better or better in places[number - 1].best
        return right and _decided(places, number, move, least=least, proven_all=proven_all)

    return check


def _about(places: Sequence[Known], p: Parts, _: bool) -> bool:
    number, move = (int(p["number"]), p["move"]) if "number" in p else _moved(p["moved"])[:2]
    return places[number].text == places[number - 1].after(move).text


def _lost_from_the_start(places: Sequence[Known], _p: Parts, _proven_all: bool) -> bool:
    loser = next(side for side in (0, 1) if worth_for(places[-1], side) == 0.0)
    return worth_for(places[0], loser) == 0.0


ENDS = {
    "decided": lambda places, p, every: _decided(places, int(p["number"]), p["move"], least=0.5, proven_all=every),
    "opening decided": lambda places, p, every: _decided(
        places, int(p["number"]), p["move"], least=0.5, proven_all=every
    ),
    "decided about": _about,
    "opening decided about": _about,
    "had a win": _until(1.0),
    "even": _until(0.5),
    "hoped": _about,
    "lost from the start": _lost_from_the_start,
}  # type: ignore[var-annotated]
"""The sentences about a whole game."""
SUMMARIES = ("nothing played", "nothing given", "little given", "given")
