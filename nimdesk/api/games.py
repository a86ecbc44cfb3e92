"""Single games: played, opened, reviewed; and bundles of the laboratory."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nimdesk.agents import DEFAULT_AGENT
from nimdesk.api.answers import COLUMNS, Results, content_of_searches, search_rows
from nimdesk.api.arguments import Where, Who, agent_of, budget_of, path_of, position_of, real, several, whole, words_of
from nimdesk.api.exact import Proof, verify
from nimdesk.api.showing import Answer, drawn, frame, html_table
from nimdesk.disk.paths import CERTIFICATES, GAMES
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError, RecordError, quoted
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.playing import played_game
from nimdesk.experiments.store import SUFFIX
from nimdesk.experiments.tuning import with_budget
from nimdesk.figures.content import searches_in
from nimdesk.figures.games import of_game
from nimdesk.formats import Asked
from nimdesk.games import Game, Side, parse_game
from nimdesk.games.base import describe_turn
from nimdesk.games.truth import Truth
from nimdesk.play import GameInProgress, Human, player_title
from nimdesk.play.bundle import SUFFIX as BUNDLE
from nimdesk.play.bundle import Bundle, load_bundle
from nimdesk.play.converting import Converted, check_format, gather, means_folder, write_gathered
from nimdesk.play.evaluations import estimates
from nimdesk.play.exchange import read_games
from nimdesk.play.exercises import exercises_of, save_exercises
from nimdesk.play.game import RECORD_SUFFIX
from nimdesk.play.move_review import MoveReview
from nimdesk.play.record import save_game
from nimdesk.play.review import EXACT_S, Reviewer, findings, worth_words, worths_of
from nimdesk.play.words import answer_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


class PlayedGame(Answer, GameInProgress):
    """A game with its players, its ``plies``, and the search behind each of them."""

    @classmethod
    def of(cls, game: GameInProgress) -> PlayedGame:
        """This very game, as the library shows it."""
        found = cls.__new__(cls)
        vars(found).update(vars(game))
        return found

    @property
    def finding(self) -> str:
        """The moves, the players and the result."""
        players = " – ".join(map(player_title, self.players))
        return f"{self.last_position.text}, {players}: {describe_turn(self.last_position)}"

    def save(self, file: str | Path) -> None:
        """Write it to a file whose name ends in ``.nimdesk``, which the window and ``nd.open`` read."""
        save_game(self, _record(file))

    def to_pandas(self) -> DataFrame:
        """A row for each ply: ``ply``, ``side``, ``move``, ``by``, ``elapsed_s``, ``iterations`` and ``worth``.

        ``worth`` is the expected score of the side that began, after the move, as searches or the rules tell it.
        """
        worths, rows = estimates(self)[1:], []
        for number, (ply, worth) in enumerate(zip(self.plies, worths, strict=True), 1):
            side, score = Side((number - 1) % 2).name.lower(), None if worth is None else worth.score
            searched = None if ply.snapshot is None else ply.snapshot.iterations
            rows.append((number, side, ply.move.text, ply.by, ply.elapsed_s, searched, score))
        return frame(rows, ("ply", "side", "move", "by", "elapsed_s", "iterations", "worth"))

    def plot(self, axes: Axes | None = None) -> Axes:
        """What each position was worth to the side that began, as searches or the rules tell it."""
        return drawn(lambda: of_game(self.last_position, estimates(self)), axes)

    @property
    def _html(self) -> str:
        rows = ((number, ply.move.text, ply.by) for number, ply in enumerate(self.plies, 1))
        return html_table(("Ply", "Move", "By"), rows)


class SavedSearches(Answer, Bundle):
    """A bundle of the laboratory: a position, and one to four searches of it."""

    __slots__ = ()
    __repr__ = Answer.__repr__

    @property
    def finding(self) -> str:
        """What was searched, and what each agent plays."""
        return "; ".join(answer_words(each.agent, each.snapshot) for each in self.runs)

    def to_pandas(self) -> DataFrame:
        """A row for each checkpoint and move, as of a search, with the letter of the ``run``."""
        rows = [(letter, *row) for letter, run in self.lettered for row in search_rows(run.snapshot)]
        return frame(rows, ("run", *COLUMNS))

    def plot(self, axes: Axes | None = None, *, measure: str | None = None, truth: Truth | None = None) -> Axes:
        """The curves of all searches, as ``Search.plot`` draws those of one."""
        searched = searches_in(self.lettered)
        return drawn(lambda: content_of_searches(self.position, searched, measure, truth), axes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Review(Answer):
    """A game gone through: what each of its ``moves`` gave away, exactly where that can be proven."""

    game: GameInProgress
    moves: tuple[MoveReview, ...]

    @property
    def finding(self) -> str:
        """What each side gave away, and which move decided the game."""
        return " ".join(findings(self.game.last_position, self.moves))

    def to_pandas(self) -> DataFrame:
        """A row for each move, with the columns of ``nimdesk review --json``."""
        return frame([each.plain for each in self.moves])

    def plot(self, axes: Axes | None = None) -> Axes:
        """What each position was worth to the side that began."""
        last = self.game.last_position
        return drawn(lambda: of_game(last, worths_of(last, self.moves)), axes)

    def save_exercises(self, file: str | Path) -> None:
        """Write the moves that were missed to this file, to learn."""
        found = exercises_of(self.game.positions, self.moves, time.time())
        save_exercises(found, path_of(file), made=made_here())

    @property
    def _html(self) -> str:
        headers = ("Ply", "Move", "", "Worth", "What it did")
        rows = ((m.ply, m.move.text, m.mark.value, worth_words(m), m.sentence) for m in self.moves if not m.given)
        return html_table(headers, rows)


def play_game(first: Who, second: Who, where: Where, *, seed: int = 0, file: str | Path | None = None) -> PlayedGame:
    """Let two agents play one game, with the search behind each move; the seed decides all chance but that of time.

    A ``file``, whose name ends in ``.nimdesk``, gets the game as well: the window and ``open`` read it.
    """
    path = None if file is None else _record(file)
    game = PlayedGame.of(played_game((agent_of(first), agent_of(second)), position_of(where), whole("seed", seed)))
    if path is not None:
        save_game(game, path)
    return game


def review(
    game: GameInProgress | Where | Path,
    *,
    budget: int | str = 10_000,
    seed: int = 1,
    exact_s: float = EXACT_S,
) -> Review:
    """Go through a game: what each move gave away, exactly where that can be proven, otherwise by an estimate.

    ``game`` is one that was played or opened, the name of its file, or a position with the moves that led to it.
    ``budget`` is that of the search of each position, ``exact_s`` the seconds of the solver; with 0 it has no part.
    """
    searching = with_budget(agent_of(DEFAULT_AGENT), budget_of(budget))
    reviewer = Reviewer(searching, whole("seed", seed), real("exact_s", exact_s))
    gone_through = _game(game)
    if not gone_through.plies:
        raise OptionError("There is nothing to review: no move was played.")
    played = [(ply.move, ply.by) for ply in gone_through.plies]
    return Review(
        gone_through, tuple(sorted(reviewer.moves(gone_through.positions, played), key=lambda each: each.ply))
    )


def _game(game: object) -> GameInProgress:
    if isinstance(game, GameInProgress):
        return game
    if isinstance(game, Path) or (isinstance(game, str) and _is_game(Path(game))):
        return _one_game(path_of(game))
    if isinstance(game, str) or hasattr(game, "legal_moves"):
        return GameInProgress(position_of(game), (Human(), Human()))
    raise OptionError(
        f"A game is one that was played, its file, or a position with moves; {quoted(str(game))} is none."
    )


def open(path: str | Path) -> PlayedGame | SavedSearches | Results | Proof:
    """What is in a game, a bundle, a file of results, or a certificate, by the ending of its name.

    Games are saved ones and those of other programs, such as ``.psq`` and ``.sgf``.
    """
    path = path_of(path)
    if path.name.endswith(SUFFIX):
        return Results(read(path))
    if path.name.endswith(CERTIFICATES):
        return verify(path)
    if path.name.endswith(BUNDLE):
        bundle = load_bundle(path)
        return SavedSearches(*(getattr(bundle, field.name) for field in dataclasses.fields(bundle)))
    if _is_game(path):
        return PlayedGame.of(_one_game(path))
    endings = ", ".join((RECORD_SUFFIX, BUNDLE, SUFFIX, CERTIFICATES, *GAMES))
    raise RecordError(f"“{path.name}” is no file that nimdesk opens: its name ends in one of {endings}.")


def convert(
    source: str | Path | Iterable[str | Path],
    target: str | Path,
    *,
    form: str | None = None,
    game: str | Game | None = None,
    columns_from: int | None = None,
) -> Converted:
    """Write the games of one file or several as another program wants them, as ``nimdesk convert`` does.

    ``target`` is a file, or a folder, which gets a file for each game: one that exists, or a name that ends in ``/``.
    Its ending says the format, or ``form`` does, such as ``"sgf"``. ``game`` is that of files which do not say it, and
    ``columns_from`` is 0 or 1. What was written, and what had no place, is in what is returned.
    """
    sources, path = list(map(path_of, several(source))), path_of(target)
    asked = Asked(
        parse_game(game) if isinstance(game, str) else _rules(game),
        None if columns_from is None else whole("columns_from", columns_from),
    )
    if not sources:
        raise OptionError("No file is given to convert; there must be one at least.")
    check_format(form if form is None else words_of("form", form))
    if any(path.resolve() == each.resolve() for each in sources):
        raise OptionError(f"“{path}” is read, so it cannot be written as well.")
    return write_gathered(gather(sources, asked), path, form, into_folder=means_folder(target))


def _rules(game: object) -> Game | None:
    if game is None or isinstance(game, Game):
        return game
    raise OptionError(f"A game is written as in mnk:15,15,5; {quoted(str(game))} is none.")


def _is_game(path: Path) -> bool:
    return path.name.lower().endswith((RECORD_SUFFIX, *GAMES))


def _one_game(path: Path) -> GameInProgress:
    games = read_games(path).games
    if len(games) != 1:
        raise RecordError(f"“{path.name}” has {len(games):,} games; nd.convert writes each to a file of its own.")
    return games[0]


def _record(file: str | Path) -> Path:
    path = path_of(file)
    if not path.name.endswith(RECORD_SUFFIX):
        raise RecordError(f"A game cannot be saved as “{path.name}”: the name of its file ends in {RECORD_SUFFIX}.")
    return path
