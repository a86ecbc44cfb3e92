"""What the window shows of positions, searches and games: marks, tables, pages and sentences, each by its own part."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import cast

from games import random_game
from judge import Judge
from oracle import DRAW, LOSS, REVERSE, SCORES, WIN, Known, known
from positions import OPTIONS
from PySide6.QtCore import QAbstractItemModel, QEventLoop, Qt, QTimer
from PySide6.QtGui import QFont
from reader import read
from searches import MOST_NODES
from sentences import About, judge_text, same_worth
from truths import about_truth, proven

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, NimPosition, Side, kit_of, parse_position
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress
from nimdesk.play.laboratory import lab_shown
from nimdesk.play.moment import BoardLook, Pointer
from nimdesk.play.moment import Known as Facts
from nimdesk.play.story import curve_of, story
from nimdesk.search import Snapshot, drive
from nimdesk.ui.boards import board_kit
from nimdesk.ui.boards.base import OVERLAY_STYLES, number_text, overlay_of
from nimdesk.ui.boards.nim.art import PilesArt
from nimdesk.ui.boards.theory import theory_html, verdict_sentence
from nimdesk.ui.jobs.truth import Followed, TruthFollower
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.moves_model import DISTANCE, LINE, PROVEN, Rows
from nimdesk.ui.laboratory.moves_model import MovesModel as LaboratoryMoves
from nimdesk.ui.laboratory.studied import Studied
from nimdesk.ui.look.move_marks import MoveColors, short_words
from nimdesk.ui.play.lines import LinesModel
from nimdesk.ui.play.moves import EVALUATION, MARK, MovesModel
from nimdesk.ui.plots.history import MoveHistory, line_keys, share_words, summary, title_line
from nimdesk.ui.plots.legend import TRUTH, LegendModel

SIGNS = {"✓": WIN, "=": DRAW, "✗": LOSS}
_Role = Qt.ItemDataRole


def judge_window(text: str, chance: random.Random, judge: Judge) -> None:
    """Show a position with what a solver has proven, at some moments, and with searches of several players."""
    position, at = parse_position(text), known(text)
    truths = [proven(position, chance.randint(1, 30)), proven(position)]
    for truth in truths:
        judge.where = f"board and page, {truth.nodes} nodes"
        judge_board(judge, at, position, truth)
        judge_page(judge, at, position, truth)
    for name in ("mcts", "uct", "level1", "level6", "perfect", "deepening"):
        snapshot = searched(name, position, chance)
        judge.where = f"{name}, seed {snapshot.seed}, {snapshot.iterations or snapshot.tree_nodes} done"
        judge_search(judge, at, snapshot, truths)
    judge_laboratory(judge, at, searched("mcts", position, chance))


def searched(name: str, position: AnyPosition, chance: random.Random) -> Snapshot:
    """A search with options by chance, at its end."""
    kernel = kit_of(position).load_kernel is not None
    made = OPTIONS[name](chance, kernel) if name in OPTIONS else {}
    searcher = (agent := make_agent(name, made).with_seed(chance.getrandbits(63))).new_searcher(position)
    searcher.start(position, agent.new_seed())
    reason = drive(searcher, Limit(nodes=MOST_NODES))
    assert reason is not None
    return searcher.snapshot().ended(reason)


# What is proven, on a board and on the page of theory


def judge_board(judge: Judge, at: Known, position: AnyPosition, truth: Truth) -> None:
    """The marks of a board, and what a screen reader says of it."""
    board = board_kit(position.game).new_board(position)
    board.set_truth(truth)
    for move, each in board.shown.proven.items():
        judge_words(judge, "board: mark", at, move.text, short_words(each))
    slow = {move.text for move in board.shown.slow}
    judge.check("board: slow wins", slow <= at.best - at.quickest, slow, at)
    if truth.complete and truth.distance is not None and at.worth.value == WIN:
        judge.check("board: all slow wins", slow == at.best - at.quickest, slow, at)
    said = re.search(r"(Winning moves?: |No move ).*$", board.accessibleDescription())
    judge.check("board: said", said is not None, board.accessibleDescription(), at)
    if said:
        judge_text(judge, at, said[0].rpartition(" Cursor:")[0] or said[0], about_truth(truth))
    if isinstance(board.art, PilesArt):
        for move in position.legal_moves:
            for words in board.art.take_words(move):  # type: ignore[arg-type]
                judge.check("board: words of a take", _word_ends(words, at, move.text), words, at)


def _word_ends(words: str, at: Known, move: str) -> bool:
    """Whether "take 2 from pile 1: win in 5" ends with what is true; one that is not proven has no words."""
    told = words.rpartition(": ")[2]
    return told in ("", "not proven", words) or same_worth(told, at.moves[move])


def judge_words(judge: Judge, kind: str, at: Known, move: str, words: str) -> None:
    """Such as "win 5", "✓ 5", "draw", "win in 5" or "?"; nothing where nothing is told."""
    if words in ("", "?", "not proven", "–") or words.endswith("%") or words.replace(".", "").isdigit():
        return
    found = re.fullmatch(r"(✓|=|✗)? ?(wins?|draws?|loss|loses)?(?: in)? ?(\d+)?", words)
    value = None
    if found is not None:
        value = SIGNS.get(found[1] or "", "") or {"wins": WIN, "draws": DRAW, "loses": LOSS}.get(found[2], found[2])
    judge.check(f"{kind} is read", found is not None and bool(value), words, at)
    if found is not None and value:
        distance = int(found[3]) if found[3] and value != DRAW else None
        judge.value(kind, at, value, distance, of=move)


def plain(html: str) -> str:
    """A page as text."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", html)).replace("\xa0", " ")).strip()


def judge_page(judge: Judge, at: Known, position: AnyPosition, truth: Truth) -> None:
    """The page of theory: its sentences, its lists of moves, and what the other rule changes."""
    html = theory_html(position, truth, "")
    first, *others = (plain(each) for each in re.findall(r"<p>(.*?)</p>", html, re.DOTALL))
    # Nim's page is by theory, which knows everything.
    about = About() if isinstance(position, NimPosition) else about_truth(truth)
    judge_text(judge, at, first, about)
    for each in others:
        judge_paragraph(judge, at, each, about)
    for count, word, named in re.findall(
        r"<b>(\d+)&nbsp;(win|draw|loss|not proven)&nbsp;</b></td><td>(.*?)</td>", html
    ):
        judge_listed(judge, at, int(count), word, plain(named), truth)
    for row in html.split("</tr>"):
        if marked := re.search(r"^<tr><td[^>]*>&nbsp;(\d+)&nbsp;.*◀ take (\d+), leave", row):
            judge.check("page: marked take", "-".join(marked.groups()) in at.best, marked.groups(), at)
    if (kit := board_kit(position.game)).other_rule(position) is not None:
        other = kit.other_rule(position)
        assert other is not None
        there = known(other[1].text)
        paragraphs = [plain(each) for each in re.findall(r"<p>(.*?)</p>", theory_html(position, truth, "", other=True))]
        judge_text(judge, there, paragraphs[0], About())
        for each in paragraphs[1:]:
            judge_other(judge, at, there, each)


def judge_paragraph(judge: Judge, at: Known, text: str, about: About) -> None:
    """A paragraph of the page below the first."""
    if text.startswith("Winning move"):
        judge_text(judge, at, text, about)
    elif text.startswith("Marked sizes are lost"):
        found = re.search(r"the pile of (\d+) is (won|lost)\.", text)
        right = found is not None and (found[2] == "won") == (at.worth.value == WIN) and int(found[1]) == max(at.board)
        judge.check("page: strip of sizes", right, text, at)
    elif found := re.fullmatch(
        r"The solver proved (\d+) of (\d+) moves\. It visited .* in .*?\.( It gave up.*)?", text
    ):
        right = int(found[2]) == len(at.moves) and (int(found[1]) == len(at.moves)) == about.complete
        judge.check("page: proven moves", right, text, at)
    else:
        told = (
            "Play against the certificate",
            "Why ",
            "Grundy values of",
            "In the shaded part",
            "No period is seen",
            "",
        )
        judge.check("page: unread", text.startswith(told), text, at)


def judge_listed(judge: Judge, at: Known, count: int, word: str, named: str, truth: Truth) -> None:
    """A row of the page: how many moves are worth so much, and which."""
    wanted = {text for text, worth in at.moves.items() if worth.value == word}
    listed = re.findall(r"(\S+?)(?: \((.+?)\))?(?:, | and \d+ more$|$)", named)
    right = count == len(wanted) if truth.complete else word == "not proven" or count <= len(wanted)
    judge.check("page: number of moves", right, f"{count} {word}", at)
    if word != "not proven":
        for move, worth in listed:
            judge.check("page: listed", move in wanted and (not worth or same_worth(worth, at.moves[move])), move, at)


def judge_other(judge: Judge, at: Known, there: Known, text: str) -> None:
    """What is said of the same piles where the last stick means the opposite."""
    here, won = at.worth.value == WIN, there.worth.value == WIN
    if text.startswith("Winning move"):
        judge_text(judge, there, text, About())
    elif found := re.match(r"The rule decides: in .* this is (won|lost), as the game is played (won|lost)\.", text):
        right = here != won and (found[1] == "won") == won and (found[2] == "won") == here
        judge.check("page: the rule decides", right, text, at)
    elif found := re.match(r"In .* play nothing changes: the same moves (win|lose)", text):
        judge.check("page: nothing changes", here == won == (found[1] == "win") and _alike(at, there), text, at)
    elif found := re.match(r"Both are (won|lost), but the winning moves are others\.", text):
        judge.check("page: other moves", here == won == (found[1] == "won") and not _alike(at, there), text, at)
    else:
        judge.check("page: unread", text.startswith("Marked sizes"), text, at)


def _alike(at: Known, there: Known) -> bool:
    """Whether the same moves win; there empty piles are gone."""
    number = {str(old): str(new) for new, old in enumerate((i for i, size in enumerate(at.board, 1) if size), 1)}
    moved = {f"{number[move.partition('-')[0]]}-{move.partition('-')[2]}" for move in at.best}
    return at.worth.value == LOSS or moved == set(there.best)


# What a search shows


def judge_search(judge: Judge, at: Known, snapshot: Snapshot, truths: Sequence[Truth]) -> None:
    """The discs of a board, the tables, the plot in words, and the verdict beside each truth."""
    colors = MoveColors()
    colors.update(snapshot)
    for move, item in (overlay_of(snapshot, colors) or {}).items():
        for style in OVERLAY_STYLES:
            text = number_text(item, style)
            if text[:1] in SIGNS:
                judge_words(judge, "board: number", at, move.text, text)
    judge_lines(judge, at, snapshot)
    chosen = None if snapshot.best_move is None else snapshot.best_move.text
    for truth in (None, *truths):
        rows = Rows(snapshot, truth, None)
        model = LaboratoryMoves()
        model.set_rows(rows, {})
        judge_moves_table(judge, at, model)
        complete = truth is not None and truth.of(snapshot.best_move).value is not Value.UNKNOWN  # type: ignore[arg-type]
        if chosen is not None:
            judge_text(judge, at, verdict_sentence(snapshot, truth), About(chosen, complete))
        if snapshot.trace is not None and len(snapshot.trace):
            judge_plot(judge, at, MoveHistory(snapshot, snapshot.trace, colors, truth))
    title = title_line("", snapshot)
    told = re.search(r"proven: (.*)$", title)
    if told:
        judge.check("plot: title", same_worth(told[1].partition(" · ")[0], at.worth), title, at)


def cell(model: QAbstractItemModel, row: int, column: int, role: Qt.ItemDataRole = _Role.DisplayRole) -> str:
    """The text of a cell."""
    return str(model.data(model.index(row, column), role) or "")


def judge_lines(judge: Judge, at: Known, snapshot: Snapshot) -> None:
    """The Lines tab: a proven move's line never gives its value away."""
    model = LinesModel()
    model.show(snapshot)
    for row in range(model.rowCount()):
        move, score, line = cell(model, row, 0), cell(model, row, 2), cell(model, row, 3).split()
        judge_words(judge, "lines: score", at, move, score)
        if score and not score.replace(".", "").isdigit() and score != "–":
            judge.line("lines: line of a proven move", at, [move, *line])


def judge_moves_table(judge: Judge, at: Known, model: LaboratoryMoves) -> None:
    """The laboratory's table of moves, as it is seen, said and copied."""
    for place in range(model.rowCount()):
        row = model.row(place)
        assert row is not None
        move, value, plies = row.move.text, cell(model, place, PROVEN), cell(model, place, DISTANCE)
        judge_words(judge, "table: proven", at, move, value)
        if plies and value != "= draw":
            judge.check("table: distance", int(plies) == at.moves[move].plies, f"{move} {plies}", at)
        said = cell(model, place, PROVEN, _Role.AccessibleTextRole).partition(", proven by this search")[0]
        judge_words(judge, "table: said", at, move, said)
        if row.by_search:
            judge.line("table: line of a proven move", at, cell(model, place, LINE).split())
    head, *copied = (line.split("\t") for line in model.tsv().splitlines())
    for cells in copied:
        named = dict(zip(head, cells, strict=True))
        value, plies = named["Proven"], named["Plies"]
        shown = None if value in ("", "unknown") else value
        judge.value("table: copied", at, shown, int(plies) if plies and value != DRAW else None, of=named["Move"])


def judge_plot(judge: Judge, at: Known, history: MoveHistory) -> None:
    """The plot in words: its leader, the moves after it, its legend and the keys of its lines."""
    for column in range(len(history.moves)):
        judge_words(judge, "plot: share", at, history.names[column], share_words(history, column))
    told = summary("Plot", history)
    leader = history.names[history.leader]
    for words in re.findall(r"proven: (.+?)\.", told):
        judge_words(judge, "plot: leader", at, leader, words.replace("loss in", "loss").replace("win in", "win"))
    legend = LegendModel()
    legend.set_history(history, QFont())
    for row in range(legend.rowCount()):
        move = legend.move_of_row(row)
        assert move is not None
        judge_words(judge, "legend: proven", at, move.text, cell(legend, row, TRUTH))
        judge_words(judge, "legend: said", at, move.text, legend.words_of_row(row).partition(" – proven: ")[2])
    if keys := line_keys(history):
        values = {worth.value for worth in at.moves.values()}
        named = {value for word, value in (("wins", WIN), ("draws", DRAW), ("loses", LOSS)) if word in keys}
        judge.check("plot: keys", named <= values, keys, at)


def judge_laboratory(judge: Judge, at: Known, snapshot: Snapshot) -> None:
    """The line of words of the laboratory, beside a proof that runs in its thread."""
    judge.where = f"laboratory, mcts seed {snapshot.seed}, {snapshot.iterations} iterations"
    laboratory = Laboratory(snapshot.position)
    try:
        agent = make_agent("mcts").unlimited()
        laboratory.show_saved(snapshot.position, [(Studied(agent, snapshot.seed), snapshot, ())])
        wait_for(laboratory.proof)
        assert snapshot.best_move is not None
        sentence = lab_shown(laboratory.moment(), BoardLook(), Pointer()).sentence
        complete = laboratory.proof.truth is not None and laboratory.proof.truth.complete
        judge_text(judge, at, sentence, About(snapshot.best_move.text, complete))
    finally:
        laboratory.shutdown()


def wait_for(follower: TruthFollower) -> None:
    """Have everything proven that is followed."""
    loop = QEventLoop()
    follower.truth_changed.connect(lambda: None if follower.proving else loop.quit())
    follower.set_shown(True)
    if follower.proving:
        QTimer.singleShot(60_000, loop.quit)
        loop.exec()
    assert not follower.proving


# Games


class _Table(Followed):
    """A game that is looked at, without a window."""

    def __init__(self, game: GameInProgress) -> None:
        super().__init__()
        self._game = game

    @property
    def position(self) -> AnyPosition:
        return self._game.position

    @property
    def game(self) -> GameInProgress:
        return self._game


def judge_game_shown(text: str, chance: random.Random, judge: Judge) -> None:
    """Play a game, and look at its moves, its graph and the truth beside it."""
    game = random_game(text, chance)
    places = [known(position.text) for position in game.positions]
    judge.where = "the window's truth of a game"
    follower = TruthFollower(table := _Table(game), 60.0)
    try:
        wait_for(follower)
        judge_move_list(judge, places, game, follower)
        for cursor, at in enumerate(places[:-1]):
            game.jump(cursor)
            table.position_changed.emit(False)
            wait_for(follower)
            told = follower.sentence.removeprefix("Truth: ")
            truth = follower.truth
            assert truth is not None
            judge_text(judge, at, told, about_truth(truth))
        judge_graph(judge, places, game, follower.proven)
    finally:
        follower.end()


def judge_move_list(judge: Judge, places: Sequence[Known], game: GameInProgress, follower: TruthFollower) -> None:
    """The column of the list that says what a move did, and the sentence that a screen reader says."""
    model = MovesModel()
    told = story(game, Facts(judged=follower.judged))
    model.show(told)
    judge.check("moves: rows", len(told.rows) == len(places), len(places), places[-1])
    for place, ply, at in zip(model.places, game.plies, places, strict=False):
        words, _ = cast("tuple[str, object]", model.data(model.index_of(place), MARK))
        before, after = at.worth.value, at.moves[ply.move.text].value
        sign = {value: each for each, value in SIGNS.items()}
        right = sign[after] if before == after else f"{sign[before]} → {sign[after]}"
        right = "–" if before == after == LOSS else right
        judge.check("moves: truth", words == right, f"{ply.move.text}: {words}", at)
        worth = str(model.data(model.index_of(place), EVALUATION))
        exactly = {WIN: "wins", DRAW: "draws", LOSS: "loses"}[after]
        judge.check("moves: worth", worth.partition(" ")[0] in (exactly, "forced"), f"{ply.move.text}: {worth}", at)
    for ply, judged, at in zip(game.plies, follower.judged or (), places, strict=False):
        judge.check("moves: judged", judged is not None, ply.move.text, at)
        if judged is not None:
            judge_text(
                judge, at, judged.sentence, About(ply.move.text, exact=not at.text.startswith(("take", "kayles")))
            )


def judge_score(judge: Judge, at: Known, text: str) -> None:
    """What a position is worth to a side, where that is told as proven."""
    (said,) = read(text)
    judge.counts["score: read"] += 1
    if said.parts["kind"] == "proven":
        value = at.worth.value if said.parts["who"] == at.side else REVERSE[at.worth.value]
        judge.check("score: proven", float(said.parts["score"]) == SCORES[value], text, at)


def judge_graph(judge: Judge, places: Sequence[Known], game: GameInProgress, proofs: Sequence[Truth | None]) -> None:
    """The graph of the game, with proofs and without."""
    names = game.game.side_name(Side.FIRST), game.game.side_name(Side.SECOND)
    for known_by in ((), tuple(proofs)):
        for side in Side:
            curve = replace(curve_of(game, known_by, side), names=names)
            for cursor, at in enumerate(places):
                if not (said := curve.words(cursor)).endswith(": not searched"):
                    judge_score(judge, at, said)
