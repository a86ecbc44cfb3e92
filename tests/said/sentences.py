"""What each sentence claims, compared with the oracle: one function for each template, by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Any

from judge import Judge
from oracle import DRAW, LOSS, WIN, Known, Worth
from reader import Said, UnreadError, read, read_clause

_RESULTS = {"wins": WIN, "draws": DRAW, "loses": LOSS}
_GOOD = {LOSS: 0, DRAW: 1, WIN: 2}


@dataclass(frozen=True)
class About:
    """What a sentence is about, besides its position: the move that was played or chosen in it, and how much is known.

    ``complete`` is whether the values of all moves are known to whoever speaks; ``exact`` whether distances are.
    ``left`` collects the moves that an explanation has named as winning.
    """

    move: str = ""
    complete: bool = True
    exact: bool = True


def judge_text(judge: Judge, at: Known, text: str, about: About = About()) -> None:
    """Read the text, and compare each of its sentences with the truth of this position."""
    try:
        told = read(text)
    except UnreadError as unread:
        judge.check("said: unread", False, str(unread), at)
        return
    for said in told:
        try:
            right = CHECKS[said.name](at, said.parts, about)
        except (UnreadError, KeyError) as error:
            right = False
            judge.where += f" ({error!r})"
        judge.check(f"said: {said.name}", right, said.text, at)
    named = [said for said in told if said.name in NAMING]
    if named and len(named) == 1 + ("nim: also zero" in [said.name for said in named]):
        judge.check("said: all winning moves named", named_moves(at, named) == len(at.best), text, at)


# Parts of sentences


def plies(words: str) -> int:
    """The number in "1 ply", " in 7 plies" or "win in 5"."""
    return int(words.split()[-1 if words.split()[-1].isdigit() else -2])


def same_worth(words: str, worth: Worth) -> bool:
    """Whether "wins in 5", "draws" or "win in 5", "loss" is this worth; a distance need not be told."""
    value, *rest = words.split(" in ")
    return _RESULTS.get(value, value) == worth.value and (not rest or int(rest[0]) == worth.plies)


def are_moves(words: str, at: Known, wanted: Collection[str], *, all_known: bool = True) -> bool:
    """Whether a list as of ``listed`` has these moves and no others; or only some of them, where not all are known."""
    if words == "any move":
        return len(at.moves) > 1 and set(wanted) == set(at.moves)
    found = re.fullmatch(r"(.+?)(?: or (\d+) others)?", words)
    assert found is not None
    named, rest = re.split(r", | or ", found[1]), int(found[2] or 0)
    if not set(named) <= set(wanted) or len(set(named)) < len(named):
        return False
    return len(named) + rest <= len(wanted) if not all_known else len(named) + rest == len(wanted)


def and_moves(words: str, wanted: Collection[str]) -> bool:
    """Whether "a1, b2 and c3" are these moves."""
    named = re.split(r", | and ", words)
    return len(named) == len(wanted) and set(named) == set(wanted)


def slower_is_right(words: str, at: Known, about: About) -> bool:
    """Whether the moves that win, but not as soon as others, are told; those of them that are known."""
    rest = at.best - at.quickest
    if not words:
        return not rest or not about.complete
    said = read_clause(words, "many slower", "slower")
    # "As well" says nothing of how long they take.
    if said.parts["how"] not in (" more slowly", " as well", ""):
        return False
    if said.name == "many slower":
        count = int(said.parts["count"])
        return count == len(rest) if about.complete else count <= len(rest)
    named = re.split(r", | and ", said.parts["moves"])
    return and_moves(said.parts["moves"], rest if about.complete else rest & set(named))


def longest_is_right(words: str, at: Known, about: About) -> bool:
    """Whether the moves of a lost position that hold out longest are told; nothing is where all do."""
    if not words:
        return at.quickest == at.best or not about.exact
    said = read_clause(words, "many longest", "longest")
    if said.name == "many longest":
        return (int(said.parts["count"]), int(said.parts["all"])) == (len(at.quickest), len(at.moves))
    return and_moves(said.parts["moves"], at.quickest)


def is_first(words: str, at: Known) -> bool:
    """What a level says of the first choice of its search."""
    said = read_clause(words, "first proven", "first")
    if said.name == "first proven":
        return same_worth(said.parts["result"], at.moves[said.parts["move"]])
    return said.parts["move"] in at.moves


# Sentences

Parts = Mapping[str, str]


def _wins_at_once(at: Known, p: Parts, about: About) -> bool:
    right = at.worth == (WIN, 1) and p["side"] == at.side
    moves = are_moves(p["moves"], at, at.quickest, all_known=about.complete)
    return right and moves and slower_is_right(p["slower"], at, about)


def _can_win(at: Known, p: Parts, about: About) -> bool:
    right = at.worth == (WIN, plies(p["plies"])) and p["side"] == at.side
    moves = are_moves(p["moves"], at, at.quickest, all_known=about.complete)
    if p["forced"]:
        right = right and at.moves[read_clause(p["forced"], "by threats").parts["move"]].value == WIN
    return right and moves and slower_is_right(p["slower"], at, about)


def _wins_by_threats(at: Known, p: Parts, _: About) -> bool:
    """A win that need not be the shortest."""
    return at.worth.value == WIN and plies(p["plies"]) >= at.worth.plies and at.moves[p["move"]].value == WIN


def _threatened(at: Known, p: Parts, _: About) -> bool:
    """Every move loses but those that parry, which may lose as well."""
    said = read_clause(p["parries"], "only", "parries", "none")
    losing = {move for move, worth in at.moves.items() if worth.value == LOSS}
    if said.name == "parries":
        return p["other"] == at.other and len(losing) + int(said.parts["count"]) >= len(at.moves)
    named = re.split(r", | and ", said.parts["moves"]) if said.name == "only" else []
    return p["other"] == at.other and losing | set(named) == set(at.moves)


def _in_a_win(at: Known, _p: Parts, _: About) -> bool:
    """A move of the line of a win by threats; ``games/test_threats_said.py`` compares it with the rules."""
    return at.worth.value == WIN


def _missed(at: Known, p: Parts, about: About) -> bool:
    return p["move"] == about.move and at.worth.value == WIN and at.moves[p["first"]].value == WIN


def _not_parried(at: Known, p: Parts, about: About) -> bool:
    """The move loses, and every other one that does not is named or counted; those that are may lose as well."""
    found = re.fullmatch(r"(.+?)(?: or (\d+) others)?", p["moves"])
    assert found is not None
    named, rest = set(re.split(r", | or ", found[1])), int(found[2] or 0)
    named = set(at.moves) if p["moves"] == "any move" else named
    losing = {move for move, worth in at.moves.items() if worth.value == LOSS}
    right = p["move"] == about.move and p["move"] in losing - named and named <= set(at.moves)
    return right and p.get("other", at.other) == at.other and len(set(at.moves) - losing - named) <= rest


def _wins(at: Known, p: Parts, about: About) -> bool:
    moves = are_moves(p["moves"], at, at.best, all_known=about.complete)
    return at.worth.value == WIN and p["side"] == at.side and moves


def _lost(at: Known, p: Parts, about: About) -> bool:
    right = at.worth.value == LOSS and (p["side"], p["other"]) == (at.side, at.other)
    return (
        right
        and (not p["within"] or plies(p["within"]) == at.worth.plies)
        and longest_is_right(p["longest"], at, about)
    )


def _draw(at: Known, p: Parts, about: About) -> bool:
    moves = are_moves(p["moves"], at, at.best, all_known=about.complete)
    return at.worth.value == DRAW and p["side"] == at.side and moves


def _found_won(at: Known, p: Parts, _: About) -> bool:
    right = at.worth.value == (WIN if p["side"] == at.side else LOSS) and p["side"] in (at.side, at.other)
    soon = p["soon"]
    known = not soon or soon == " (how soon is not yet known)" or plies(soon) == at.worth.plies
    return right and known and _how(p["how"], at)


def _how(words: str, at: Known) -> bool:
    """How a solver knows; who blocks whom is the other side here."""
    blocks = re.fullmatch(r"(\w+) can keep (\w+) from winning by blocking alone, (.+)", words)
    if blocks and (blocks[1], blocks[2]) != (at.other, at.side):
        return False
    return bool(
        re.fullmatch(
            r"proven by searching [\d,]+ positions?|known from the book of openings", blocks[3] if blocks else words
        )
    )


def _nobody(at: Known, _p: Parts, _: About) -> bool:
    (own, other), rules = at.board, at.solved.rules
    lines = {tuple(line) for through in rules.lines.values() for line in through}  # type: ignore[attr-defined]
    return all(own & set(line) and other & set(line) for line in lines)


def _kept(at: Known, p: Parts, about: About) -> bool:
    return p["move"] == about.move and p["value"] == at.worth.value == at.moves[p["move"]].value


def _kept_slowly(at: Known, p: Parts, about: About) -> bool:
    right = p["move"] == about.move and at.moves[p["move"]] == (WIN, plies(p["plies"])) and p["move"] not in at.quickest
    moves = are_moves(p["moves"], at, at.quickest, all_known=about.complete)
    return right and moves and int(p.get("fewer", "1")) == at.worth.plies


def _lost_anyway(at: Known, p: Parts, about: About) -> bool:
    return p["move"] == about.move and at.worth.value == LOSS


def _turned(at: Known, p: Parts, about: About) -> bool:
    right = p["move"] == about.move and (p["before"], p["after"]) == (at.worth.value, at.moves[p["move"]].value)
    return right and p["before"] != p["after"] and are_moves(p["moves"], at, at.best, all_known=about.complete)


def _thrown(at: Known, p: Parts, about: About) -> bool:
    right = p["move"] == about.move and (p["before"], p["after"]) == (at.worth.value, at.moves[p["move"]].value)
    count = 1 + int(re.sub(r"\D", "", p["others"]) or 0)
    known = count == len(at.best) if about.complete else count <= len(at.best)
    return (
        right
        and p["before"] != p["after"]
        and known
        and at.named(p["best"]) in (at.quickest if about.exact else at.best)
    )


def _cost(at: Known, p: Parts, about: About) -> bool:
    named = p["move"] == about.move and p["side"] == at.side and p["best"] in at.moves
    return named and abs(float(p["score"]) - float(p["left"]) - float(p["lost"])) < 0.011


def _longest(at: Known, p: Parts, about: About) -> bool:
    right = p["move"] == about.move and at.worth.value == LOSS
    if p["hedge"]:
        # Nim has a formula for distances, so there is nothing to hedge.
        return right and not at.text.startswith("nim")
    count = int(p.get("count", "1"))
    return right and p["move"] in at.quickest and count == len(at.quickest)


def _time_was_up(at: Known, p: Parts, about: About) -> bool:
    said = read_clause(p["open"], "open")
    right = int(said.parts["all"]) == len(at.moves)
    if "value" in p:
        right = right and _GOOD[at.moves[p["move"]].value] >= _GOOD[p["value"]]
    return right and p.get("move", about.move) == about.move


def found(words: str, at: Known, *, so_far: bool) -> bool:
    """What a search to a depth says that it found; ``so_far`` a loss is only the best of what was looked at."""
    said = read_clause(words.removesuffix(", counted as a draw"), "undecided", "proven draw", "proven win", "win") \
        if words != DRAW else Said(DRAW, {}, words)  # fmt: skip
    if said.name == "undecided":
        depth = int(said.parts["ahead"].split()[0])
        return so_far or at.worth.value == DRAW or at.worth.plies > depth
    if said.name in ("proven draw", DRAW):
        return so_far or at.worth.value == DRAW
    ours = said.parts["side"] == at.side
    if so_far and not ours:
        return True
    right = at.worth.value == (WIN if ours else LOSS)
    return right and ("depth" not in said.parts or int(said.parts["depth"]) == at.worth.plies)


def _depth(at: Known, p: Parts, _: About) -> bool:
    if not found(p["found"], at, so_far=False):
        return False
    return p["move"] in (at.quickest if p["found"].startswith("proven") else at.moves)


def _root(at: Known, p: Parts, _: About) -> bool:
    first = at.worth.value if len(at.text.split()) % 2 else {WIN: LOSS, LOSS: WIN, DRAW: DRAW}[at.worth.value]
    one, two = at.solved.rules.sides
    words = {WIN: ("+1", f"A wins ({one})"), DRAW: ("0", "a draw"), LOSS: ("-1", f"B wins ({two})")}[first]
    return (p["number"], p["found"]) == words


def _stops(at: Known, p: Parts, about: About) -> bool:
    """The other side could have won with this move after another one of ours, and cannot after what is played."""
    others = [at.after(move) for move in at.moves if move != about.move]
    return any(p["move"] in each.at_once for each in others) and p["move"] not in at.after(about.move).at_once


def _slips(at: Known, p: Parts, about: About) -> bool:
    return is_first(p["first"], at) and p["first"].partition(",")[0] != about.move


def _chosen_early(at: Known, p: Parts, about: About) -> bool:
    """What a search came to prefer after the choice."""
    return p["move"] == about.move and p["leader"] in at.moves and p["leader"] != p["move"]


def _hint(at: Known, p: Parts, about: About) -> bool:
    return at.named(p["move"]) == about.move and ("result" not in p or same_worth(p["result"], at.moves[about.move]))


def _would_play(at: Known, p: Parts, about: About) -> bool:
    right = at.named(p["move"]) == about.move
    proven = re.fullmatch(r" \(proven: it (.+)\)", p["share"])
    return right and (proven is None or same_worth(proven[1], at.moves[about.move]))


def _mistake(at: Known, p: Parts, about: About) -> bool:
    named = re.fullmatch(r"(?:one of (\d+) moves|(.+?)) (wins|holds the draw)", p["better"])
    if named is None or not same_worth(p["worth"], at.moves[about.move]) or about.move in at.best:
        return False
    kept = at.worth.value == (WIN if named[3] == "wins" else DRAW)
    return kept and (int(named[1]) == len(at.best) if named[1] else {at.named(named[2])} == set(at.best))


def _prefers(at: Known, p: Parts, about: About) -> bool:
    said = read_clause(p["theory"], "nothing is proven", "theory agrees", "theory loses", "theory differs")
    right = at.named(p["move"]) == about.move
    if said.name == "nothing is proven":
        return right and not about.complete
    if said.name == "theory differs":
        best = at.named(said.parts["best"])
        right = right and best in at.best and about.move not in at.best and _reason(said.parts["other"], about.move, at)
        return right and _reason(said.parts["why"], best, at)
    known = at.worth.value == LOSS if said.name == "theory loses" else about.move in at.best
    return right and known and _reason(said.parts["why"], about.move, at)


def _reason(words: str, move: str, at: Known) -> bool:
    """Why a move is worth what it is; those of a game speak of it alone."""
    worth = at.moves[move]
    if words == f"{move} holds the draw":
        return worth.value == DRAW
    if words.startswith("after "):
        said = read_clause(words, "can win after")
        winner = {at.side: WIN, at.other: LOSS}[said.parts["side"]]
        within = said.parts["within"]
        return said.parts["move"] == move and winner == worth.value and (not within or plies(within) == worth.plies)
    nim_sum = re.fullmatch(r"(\S+) leaves .*nim-sum (\d+)", words)
    if nim_sum:
        return nim_sum[1] == move and (int(nim_sum[2]) == 0) == (worth.value == WIN)
    loses = "loses for the opponent" in words
    return words.startswith(f"{move} ") and (not loses or worth.value == WIN)


def _winning(at: Known, p: Parts, about: About) -> bool:
    value = WIN if p["what"].startswith("Winning") else DRAW
    wanted = {text for text, worth in at.moves.items() if worth.value == value}
    known, more = re.fullmatch(r"(.+?)(?: and (\d+) more)?", p["known"]).groups()  # type: ignore[union-attr]
    count = int(more or 0)
    for words in re.findall(r"(?:[^,(]|,(?! )|, leaving)+(?:\([^)]*\))?", known):
        move, worth = re.fullmatch(r" ?(.+?)(?: \((.+)\))?", words).groups()  # type: ignore[union-attr]
        if at.named(move.strip()) not in wanted or (worth and not same_worth(worth, at.moves[at.named(move.strip())])):
            return False
        count += 1
    return count == len(wanted) if about.complete else count <= len(wanted)


def _value(*values: str) -> Callable[[Known, Parts, About], bool]:
    return lambda at, _p, _about: at.worth.value in values


def _nothing(_at: Known, _p: Parts, _about: About) -> bool:
    """A sentence that claims nothing, or only what a search did; it has to be one that is known, though."""
    return True


CHECKS: dict[str, Callable[[Known, Parts, About], bool]] = {
    "wins at once": _wins_at_once,
    "can win": _can_win,
    "wins": _wins,
    "wins by threats": _wins_by_threats,
    "threatened": _threatened,
    "threatened at once": _threatened,
    "no threats": _nothing,
    "found by threats": lambda at, p, _: at.worth.value == (WIN if p["side"] == at.side else LOSS),
    **dict.fromkeys(("four", "three", "no answer", "answered", "threats win"), _in_a_win),
    "missed": _missed,
    "not parried": _not_parried,
    "not stopped": _not_parried,
    "lost": _lost,
    "draw": _draw,
    "unknown": _nothing,
    "completes": lambda at, p, _: p["side"] == at.side and bool(at.at_once),
    "found won": _found_won,
    "found drawn": lambda at, p, _: at.worth.value == DRAW and _how(p["how"], at),
    "nobody": _nobody,
    "not found": _nothing,
    "looked at": _nothing,
    "kept": _kept,
    "kept slowly": _kept_slowly,
    "missed at once": _kept_slowly,
    "lost anyway": _lost_anyway,
    "turned": _turned,
    "thrown": _thrown,
    "as searched": lambda _at, p, about: p["move"] == about.move,
    "as good": lambda _at, p, about: p["move"] == about.move,
    "cost": _cost,
    "proven": lambda at, p, _: same_worth(p["result"], at.worth),
    "without a visit": _nothing,
    "longest": _longest,
    "as long": _longest,
    "has proven": lambda at, p, _: same_worth(p["result"], at.worth),
    "every move loses": _value(LOSS),
    "not yet": _time_was_up,
    "time was up": _time_was_up,
    "time was up with nothing": _time_was_up,
    "depth": _depth,
    "first depth": _nothing,
    "best value": lambda at, p, _: found(p["found"], at, so_far=bool(p["so_far"])),
    "no value": _nothing,
    "root": _root,
    "nodes": _nothing,
    "at once": lambda at, _p, about: about.move in at.at_once,
    "stops": _stops,
    "slips": _slips,
    "chosen early": _chosen_early,
    "natural": lambda at, p, _: " " not in at.text and is_first(p["first"], at),
    "lively": lambda at, p, _: is_first(p["first"], at),
    "hint": _hint,
    "hint proven": _hint,
    "hint open": _hint,
    "hint likely": _hint,
    "no hint": _nothing,
    "would play": _would_play,
    "all lose": _value(LOSS),
    "optimal": lambda at, _p, about: about.move in at.best,
    "mistake": _mistake,
    "prefers": _prefers,
    "winning": _winning,
    "none wins": _value(DRAW, LOSS),
    "none is proven to win": lambda _at, _p, about: not about.complete,
    "every move draws": lambda at, _p, _about: all(worth.value == DRAW for worth in at.moves.values()),
}
"""Whether a sentence is true of a position. Those about whole games are compared where there is one (``games``)."""


# The explanations of games


def _nim_moves(at: Known, p: Parts, _: About) -> bool:
    return at.worth.value == WIN and all(at.named(each) in at.best for each in _named(p["moves"]))


def _named(words: str) -> list[str]:
    return [each for each in words.split(", or ") if not each.startswith("one of ")]


NAMING = ("nim: make odd", "nim: leave odd", "nim: also zero", "nim: nim-sum")
"""The sentences that together name all winning moves, or say how many more there are."""


def named_moves(at: Known, told: list[Said]) -> int:
    """How many winning moves they name or count."""
    words = [each for said in told for each in said.parts["moves"].split(", or ")]
    more = [int(each.split()[2]) for each in words if each.startswith("one of ")]
    return len({at.named(each) for each in words if not each.startswith("one of ")}) + sum(more)


def _takes(at: Known, p: Parts, _: About) -> bool:
    """The only pile that is left is to be taken from, so many."""
    pile = next(number for number, size in enumerate(at.board, 1) if size)
    return set(at.best) == {f"{pile}-{p['take']}"}


def _count(at: Known, p: Parts, _: About) -> bool:
    sticks = sum(at.board)
    odd, wins = sticks % 2 == 1, at.worth.value == WIN
    named = int(p["sticks"].split()[0]) == sticks and (p["parity"] == "odd") == odd
    return named and (p["end"] == "win") == wins and (p["who"] == "you take") == odd


def _nim_sum(at: Known, p: Parts, about: About) -> bool:
    most = at.solved.rules.most  # type: ignore[attr-defined]
    return int(p["nim_sum"]) == reduce(xor, (size % (most + 1) for size in at.board)) and _nim_moves(at, p, about)


CHECKS |= {
    "nim: over": _nothing,
    "nim: parity": lambda at, _p, _about: at.solved.rules.most == 1,  # type: ignore[attr-defined]
    "nim: count": _count,
    "nim: one stick": lambda at, _p, _about: sum(at.board) == 1,
    "nim: forced": _value(LOSS),
    "nim: all but one": _value(WIN),
    "nim: leave one": _takes,
    "nim: one pile": lambda at, _p, _about: at.worth == (WIN, 1),
    "nim: take all": lambda at, _p, _about: at.worth == (WIN, 1),
    "nim: multiple": lambda _at, p, _about: int(p["size"]) % int(p["modulus"]) == int(p["rest"]),
    "nim: pile": _value(LOSS),
    "nim: rest": _value(LOSS),
    "nim: lost": _value(LOSS),
    "nim: last take": lambda at, p, about: _takes(at, p, about) and at.worth.plies == 1,
    "nim: leave": _takes,
    "nim: own rest": _value(WIN),
    "nim: won": _value(WIN),
    "nim: remainders": _nothing,
    "nim: ones": _nothing,
    "nim: only ones": lambda at, p, _about: int(p["ones"]) == sum(at.board) and max(at.board) == 1,
    "nim: make odd": _nim_moves,
    "nim: opponent takes": _value(WIN),
    "nim: odd again": _value(LOSS),
    "nim: you take": _value(LOSS),
    "nim: one big": _value(WIN),
    "nim: leave odd": _nim_moves,
    "nim: keep odd": _value(WIN),
    "nim: also zero": _nim_moves,
    "nim: zeros": _value(LOSS),
    "nim: so lost": _value(LOSS),
    "nim: binary": _nothing,
    "nim: nim-sum": _nim_sum,
    "nim: restore": _value(WIN),
    "nim: zero": _value(LOSS),
    "nim: even again": _value(LOSS),
    "take: value": lambda at, p, _about: (int(p["total"]) > 0) == (at.worth.value == WIN),
    "take: values": lambda at, p, _about: (int(p["total"]) > 0) == (at.worth.value == WIN),
    "take: period": _nothing,
    "take: won": _value(WIN),
    "take: lost": _value(LOSS),
    "take: leaves": _nothing,
    "pins": lambda at, p, _about: (int(p["total"]) > 0) == (at.worth.value == WIN),
}
OF_GAMES: dict[str, Any] = {}
"""The sentences about whole games; filled where games are judged."""
