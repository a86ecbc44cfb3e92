"""Games counted by setting, pairing and player; the counts do not depend on the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec import UNSET

from nimdesk.experiments.kind import Tally
from nimdesk.experiments.likelihood import superiority
from nimdesk.experiments.matches.work import GameResult, GameTask, Matches, Pairing, PlyResult, Setting
from nimdesk.experiments.results import Packed
from nimdesk.experiments.statistics import Sprt, elo_difference, signed, wilson
from nimdesk.games import Side

Interval = tuple[float, float]


@dataclass(slots=True)
class SideTally:
    """The moves of one side of a setting, or of a player: their number, cost and quality.

    ``known`` moves were judged against the truth. ``decisions`` of them had an alternative that gives value away, and
    ``mistakes`` gave it away. ``time_s`` is a measurement, and not reproducible; all else is.
    """

    moves: int = 0
    iterations: int = 0
    nodes: int = 0
    time_s: float = 0.0
    known: int = 0
    decisions: int = 0
    mistakes: int = 0

    def add(self, plies: Sequence[PlyResult]) -> None:
        """Count these moves."""
        # One loop over few moves is twice as fast as a sum for each of the counts.
        iterations = nodes = unknown = kept = mistakes = 0
        time_s = 0.0
        for ply in plies:
            iterations += ply.iterations
            nodes += ply.nodes
            time_s += ply.time_s
            verdict = ply.verdict
            if verdict == "+":
                kept += 1
            elif verdict == "-":
                mistakes += 1
            elif verdict == "?":
                unknown += 1
        self.moves += len(plies)
        self.iterations += iterations
        self.nodes += nodes
        self.time_s += time_s
        self.known += len(plies) - unknown
        self.decisions += kept + mistakes
        self.mistakes += mistakes

    def include(self, other: SideTally) -> None:
        """Add the counts of another one."""
        for name in ("moves", "iterations", "nodes", "time_s", "known", "decisions", "mistakes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def optimal(self) -> int:
        """The moves known to keep the value of their position."""
        return self.known - self.mistakes

    @property
    def mean_time_s(self) -> float | None:
        """Seconds per move, or None before the first."""
        return self.time_s / self.moves if self.moves else None

    @property
    def mean_iterations(self) -> float | None:
        """Simulations per move, or None before the first."""
        return self.iterations / self.moves if self.moves else None

    @property
    def blunder_rate(self) -> float | None:
        """Mistakes per decision, 0 to 1; None without a known decision."""
        return self.mistakes / self.decisions if self.decisions else None


@dataclass(slots=True)
class SettingTally:
    """The games of one setting: ``wins`` and ``sides`` are indexed as ``setting.players`` is.

    That is by ``Side``, unless players changed sides in the opening, as they did ``swaps`` times.
    """

    setting: Setting
    games: int = 0
    draws: int = 0
    plies: int = 0
    forfeits: int = 0
    adjudicated: int = 0
    opened: int = 0
    """Games that began by an opening rule; in ``swaps`` of them sides were changed, and First won ``first_won``."""
    swaps: int = 0
    first_won: int = 0
    stood_in: int = 0
    wins: list[int] = field(default_factory=lambda: [0, 0])
    sides: tuple[SideTally, SideTally] = field(default_factory=lambda: (SideTally(), SideTally()))

    def add(self, result: GameResult) -> None:
        """Count one game."""
        self.games += 1
        self.plies += len(result.plies)
        self.forfeits += bool(result.forfeit)
        self.adjudicated += bool(result.adjudicated)
        if result.winner is None:
            self.draws += 1
        else:
            self.wins[result.winner ^ result.swapped] += 1
        if result.choices is not UNSET:
            self.opened += 1
            self.swaps += result.swapped
            self.first_won += result.winner == 0
            self.stood_in += bool(result.stood_in)
        turn = result.turn ^ result.swapped
        self.sides[turn].add(result.plies[::2])
        self.sides[1 - turn].add(result.plies[1::2])

    @property
    def mean_game_s(self) -> float | None:
        """Seconds in which both players chose the moves of a game; a measurement. None before the first game."""
        return sum(side.time_s for side in self.sides) / self.games if self.games else None

    def win_rate(self, side: Side) -> float | None:
        """The share of games that this side won."""
        return self.wins[side] / self.games if self.games else None

    def win_interval(self, side: Side) -> Interval:
        """Wilson's 95% interval of ``win_rate``."""
        return wilson(self.wins[side], self.games)


@dataclass(slots=True)
class PairingTally:
    """All games of a pairing, in both roles; the counts are for ``pairing.players[0]``.

    ``decision`` is what a sequential test has accepted; games still open are then not played. ``pairs`` counts pairs of
    games that differ only in who moves first, by the points of ``pairing.players[0]``: 2, 1½, 1, ½ and 0.
    """

    pairing: Pairing
    settings: tuple[SettingTally, ...]
    decision: Literal["H0", "H1"] | None = None
    llr: float = 0.0
    """The log-likelihood ratio of the sequential test, if there is one."""
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    plays: bool | None = field(init=False)
    """Whether it is played; None while it is not known who are the best."""
    _paired: bool = field(init=False)
    _halves: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, task: GameTask, result: GameResult) -> None:
        """Count one game."""
        setting = task.setting
        self.settings[setting.index - self.pairing.settings[0].index].add(result)
        if not self._paired:
            return
        lost = 1 if result.winner is None else 2 * (result.winner ^ result.swapped != setting.swapped)
        key = (setting.position, task.game)
        other = self._halves.pop(key, None)
        if other is None:
            self._halves[key] = lost
        else:
            self.pairs[lost + other] += 1

    def __post_init__(self) -> None:
        """Who is best is not known before the first game; whether games come in pairs is asked for each."""
        self._paired = self.pairing.paired
        self.plays = True if self.pairing.best is None else None

    @property
    def complete(self) -> bool:
        """Whether nothing of it is left to play."""
        return self.plays is False or self.decision is not None or self.games == self.pairing.tasks

    @property
    def is_between_pairs(self) -> bool:
        """Whether every counted game has the other of its pair beside it."""
        return not self._halves

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wins, draws and losses of ``pairing.players[0]``."""
        wins = sum(tally.wins[tally.setting.swapped] for tally in self.settings)
        losses = sum(tally.wins[not tally.setting.swapped] for tally in self.settings)
        return wins, sum(tally.draws for tally in self.settings), losses

    @property
    def games(self) -> int:
        """Games counted."""
        return sum(tally.games for tally in self.settings)

    @property
    def where(self) -> str:
        """The position of its games, or how many there are: those played by now, or before the first game all."""
        played = [each for each in self.settings if each.games] or self.settings
        positions = list(dict.fromkeys(each.setting.position for each in played))
        return positions[0] if len(positions) == 1 else f"{len(positions):,} positions"

    @property
    def score(self) -> float | None:
        """The mean score of ``pairing.players[0]``, 0 to 1."""
        wins, draws, losses = self.counts
        return (wins + draws / 2) / (wins + draws + losses) if self.games else None

    @property
    def tested(self) -> tuple[int, ...]:
        """What the sequential test counts: games, or pairs of games."""
        sprt = self.pairing.sprt
        return tuple(self.pairs) if sprt is not None and sprt.unit == "pairs" else self.counts

    @property
    def counted(self) -> tuple[float, ...]:
        """What its difference and all intervals are from: pairs where games come in pairs, or else games.

        A game whose pair is not complete counts as half a pair with its score, so that all games make up the score.
        """
        if not self._paired:
            return self.counts
        counted = list[float](self.pairs)
        for lost in self._halves.values():
            counted[2 * lost] += 0.5
        return tuple(counted)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The Elo difference of ``pairing.players[0]`` over the other, and its 95% interval."""
        return elo_difference(*self.counted)

    @property
    def bias(self) -> Literal["upwards", "downwards", ""]:
        """Where an early stop has moved ``elo`` on average: a test stops just where the games look extreme."""
        return "" if self.decision is None else "upwards" if self.decision == "H1" else "downwards"

    @property
    def los(self) -> float:
        """How sure it is that ``pairing.players[0]`` is the stronger one (likelihood of superiority)."""
        return superiority(*self.counted)

    def side(self, player: int) -> SideTally:
        """The moves of ``pairing.players[player]``, in both roles."""
        total = SideTally()
        for tally in self.settings:
            total.include(tally.sides[player ^ tally.setting.swapped])
        return total


class MatchTally(Tally):
    """All counts so far; ``add`` each result once, in any order.

    A pairing with a sequential test counts its games in the order of their numbers, up to the deciding game. Where only
    the best go on, games of the next part wait until all of the parts before are counted. So the counts do not depend
    on how many games were under way.
    """

    def __init__(self, matches: Matches) -> None:
        self.matches = matches
        self.results = Packed(GameResult)
        """All finished games, also those that do not count."""
        self.settings = [SettingTally(setting) for pairing in matches.pairings for setting in pairing.settings]
        self.pairings = [
            PairingTally(pairing, tuple(self.settings[setting.index] for setting in pairing.settings))
            for pairing in matches.pairings
        ]
        self._waiting: dict[int, dict[int, GameResult]] = {}
        self._next = {pairing.index: pairing.first for pairing in matches.pairings if pairing.sprt is not None}
        # The parts of which only the best play, in order, as their pairings.
        gated = dict.fromkeys(pairing.match for pairing in matches.pairings if pairing.best is not None)
        self._rounds = [[each for each in self.pairings if each.pairing.match == match] for match in gated]
        self._open = 0
        self._open_rounds()

    def add(self, result: GameResult) -> None:
        """Count one game."""
        task = self.matches.task(result.number)
        tally = self.pairings[task.setting.pairing]
        if tally.pairing.best is None and tally.pairing.sprt is None:
            tally.add(task, result)
        elif tally.plays is not False:
            self._waiting.setdefault(tally.pairing.index, {})[result.number] = result
            self._count_waiting(tally)
            self._open_rounds()
        self.results.add(result)

    def _count_waiting(self, tally: PairingTally) -> None:
        index, sprt = tally.pairing.index, tally.pairing.sprt
        waiting = self._waiting.get(index, {})
        if not tally.plays:
            return
        if sprt is None:
            for each in waiting.values():
                tally.add(self.matches.task(each.number), each)
            waiting.clear()
            return
        while tally.decision is None and (result := waiting.pop(self._next[index], None)) is not None:
            tally.add(self.matches.task(result.number), result)
            self._next[index] += 1
            if sprt.unit != "pairs" or tally.is_between_pairs:
                tally.llr = sprt.llr(*tally.tested)
                tally.decision = sprt.accepted(tally.llr)

    def _open_rounds(self) -> None:
        """Choose who plays the next parts of which only the best play, as far as the parts before are complete."""
        while self._open < len(self._rounds):
            before = self._rounds[self._open - 1] if self._open else []
            if not all(each.complete for each in before):
                return
            opened = self._rounds[self._open]
            self._open += 1
            best, known = opened[0].pairing.best, [each.pairing.players[0] for each in before if each.plays]
            # A sort keeps the order of those with equal scores.
            ranked = sorted(known, key=self.score_so_far, reverse=True)[:best]
            for each in opened:
                each.plays = not before or each.pairing.players[0] in ranked
                if not each.plays:
                    self._waiting.pop(each.pairing.index, None)
                self._count_waiting(each)

    def score_so_far(self, player: str) -> float:
        """The mean score of a player over all parts of which only the best play, but for sequential tests."""
        rounds = (each for part in self._rounds for each in part if each.pairing.sprt is None)
        found = [each for each in rounds if each.pairing.players[0] == player and each.games]
        games = sum(each.games for each in found)
        return sum(wins + draws / 2 for wins, draws, _losses in (each.counts for each in found)) / max(games, 1)

    def counts(self, number: int) -> bool:
        """Whether the game of this number belongs to the results, as far as known now."""
        tally = self.pairings[self.matches.task(number).setting.pairing]
        if tally.plays is False:
            return False
        return tally.decision is None or number < self._next[tally.pairing.index]

    @property
    def played(self) -> list[PairingTally]:
        """The pairings, without those that are not played because others did better."""
        return [each for each in self.pairings if each.plays is not False]

    @property
    def played_settings(self) -> list[SettingTally]:
        """Their settings."""
        return [each for tally in self.played for each in tally.settings]

    @property
    def done(self) -> int:
        """Games counted."""
        waiting = sum(len(results) for index, results in self._waiting.items() if self.pairings[index].decision is None)
        return sum(tally.games for tally in self.settings) + waiting

    @property
    def total(self) -> int:
        """The number of games to be counted.

        It falls once a sequential test has decided; where only the best play, it is theirs from the beginning.
        """
        spared = sum(each.pairing.tasks - each.games for each in self.played if each.decision is not None)
        spared += sum(each.pairing.tasks for each in self.pairings if each.plays is False)
        for part in self._rounds[self._open :]:
            left_out = len(part) - (part[0].pairing.best or 0)
            spared += sum(sorted(each.pairing.tasks for each in part)[: max(0, left_out)])
        return self.matches.tasks - spared

    @property
    def progress(self) -> str:
        """How far the sequential tests are; "" if there are none."""
        tested = [each for each in self.pairings if each.pairing.sprt is not None and each.plays]
        going = [each for each in tested if each.decision is None]
        if len(tested) == 1 or len(going) == 1:
            (only,) = going if len(going) == 1 else tested
            assert only.pairing.sprt is not None
            return llr_words(only.llr, only.pairing.sprt)
        return f"{len(tested) - len(going)} of {len(tested)} tests decided" if tested else ""

    @property
    def decided(self) -> str:
        """What sequential tests have accepted, such as "decided: H1 after 42 games", or ""."""
        tested = [each for each in self.played if each.pairing.sprt is not None]
        decided = [each for each in tested if each.decision is not None]
        if len(tested) == len(decided) == 1:
            return f"decided: {decided[0].decision} after {decided[0].games:,} games"
        return f"{len(decided)} of {len(tested)} pairings decided" if decided else ""


def llr_words(llr: float, sprt: Sprt) -> str:
    """Such as "LLR +1.24 (−2.94, +2.94)": how far the test is, and where it accepts H0 and H1."""
    return f"LLR {signed(llr, 2)} ({signed(sprt.lower, 2)}, {signed(sprt.upper, 2)})"
