"""The menu "Take away", from pictures and CSV to bundles that open again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QImage, QShortcut
from PySide6.QtWidgets import QFileDialog, QMenu, QProgressDialog

from nimdesk.disk import paths
from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.provenance import beside, document, made_here
from nimdesk.errors import BundleError, NimdeskError
from nimdesk.figures.content import Content
from nimdesk.figures.files import Look, files_of, write_figure
from nimdesk.play.bundle import SUFFIX, Bundle, SavedRun, difference, load_bundle, repeat, save_bundle
from nimdesk.play.game_tree import tree_csv
from nimdesk.play.laboratory import LabMoment
from nimdesk.ui.figure_dialog import FIGURES, FigureDialog
from nimdesk.ui.jobs.bridge import Bridge, Job, ignore
from nimdesk.ui.laboratory.export_contents import (
    FRAMES,
    Film,
    about_searches,
    bundle_of,
    calls,
    commands,
    figure_choices,
    figure_of,
    film_moments,
    full_csv,
    sheet_of_page,
    unsure,
    view_csv,
)
from nimdesk.ui.laboratory.export_pictures import PICTURES, Sheet, board_sheet, file_of, image_of, png_of
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.studied import LETTERS, Studied
from nimdesk.ui.laboratory.tree_panel import TreePanel
from nimdesk.ui.laboratory.view_pane import ViewPane
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.desktop import ask_save_path, only_itself, progress_box, warn
from nimdesk.ui.look.widgets import tip

_TABLES = "Table (*.csv)"
_FILMS = "Animated GIF (*.gif);;One PNG for each moment (*.png)"
_FILMING = "An animation is being made; this can be had when it is done, or cancelled."
_OF_TREE = "The game tree is drawn: Picture of the view saves it as PDF, SVG or PNG, as it is seen."
_BUNDLES = f"nimdesk bundles (*{SUFFIX});;All files (*)"


class TakeAway(QObject):
    """The laboratory's actions ``take_…``."""

    def __init__(self, page: LaboratoryPage, actions: ActionSet) -> None:
        super().__init__(page)
        self._page, self._actions = page, actions
        self._model = page.model
        self.folder = ""
        """The folder of the last saved or opened file."""
        self._film: Film | None = None
        self._repeating: Job | None = None
        self._drawing = Bridge("nimdesk-figure", what="The figure", parent=self)
        # Asked for ahead: finding the commit of a checkout takes seconds on a slow disk, and then it is known.
        self._drawing.start(lambda _job: made_here(), done=ignore, failed=ignore)
        slots: dict[str, Callable[[], object]] = {
            "take_picture": partial(self.ask_picture, 0),
            "take_figure": self.ask_figure,
            "take_data": partial(self.ask_data, 0),
            "take_picture_two": partial(self.ask_picture, 1),
            "take_data_two": partial(self.ask_data, 1),
            "take_board": self.ask_board,
            "take_tree": self.ask_tree,
            "take_film": self.ask_film,
            "take_full": self.ask_full,
            "take_command": self.copy_command,
            "take_python": self.copy_python,
            "take_bundle": self.ask_save,
            "take_open": self.ask_open,
            "take_repeat": self.repeat,
        }
        for name, slot in slots.items():
            actions.connect(name, slot)
        self._tips = {name: actions[name].toolTip() for name in slots}
        for number, pane in enumerate(page.views.panes):
            pane.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            pane.customContextMenuRequested.connect(partial(self._show_menu, number))
            pane.view_chosen.connect(self._follow)
        area = page.board_panel
        area.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        area.customContextMenuRequested.connect(self._show_board_menu)
        page.panel(TreePanel).list.addAction(actions["take_tree"])
        actions["lab_two"].toggled.connect(self._follow)
        page.display.read.connect(self._follow)
        self._follow()

    def _moment(self) -> LabMoment:
        """Draw what is so by now, and return it: what is taken away is what is seen."""
        self._page.display.draw_now()
        return self._page.model.shown.at

    def _follow(self) -> None:
        """Enable what can be taken now: nothing while a film is made, and most only once a search has begun."""
        at = self._page.model.shown.at
        begun, rests = at.begun, not at.running and self._repeating is None
        # A game tree is there before any search.
        one, other = (begun or pane.tree is not None for pane in self._page.views.panes)
        two = other and self._actions["lab_two"].isChecked()
        always = dict.fromkeys(("take_board", "take_open"), True)
        able = always | dict.fromkeys(("take_picture", "take_data"), one)
        able |= {"take_picture_two": two, "take_data_two": two, "take_repeat": begun and rests}
        for name, told in self._tips.items():
            self._actions[name].setEnabled(self._film is None and able.get(name, begun))
            self._actions[name].setToolTip(told if self._film is None else tip(_FILMING))

    def _show_menu(self, number: int, place: QPoint) -> None:
        pane, suffix = self._page.views.panes[number], "_two" if number else ""
        menu = QMenu(pane)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._actions[f"take_picture{suffix}"])
        copy = QAction("&Copy the picture", menu)
        copy.triggered.connect(partial(self.copy_picture, number))
        menu.addAction(copy)
        menu.addAction(self._actions[f"take_data{suffix}"])
        menu.popup(pane.mapToGlobal(place))

    def _show_board_menu(self, place: QPoint) -> None:
        area = self._page.board_panel
        menu = QMenu(area)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._actions["take_board"])
        menu.addAction("&Copy the picture", self.copy_board)
        menu.addAction(self._actions["take_figure"])
        menu.popup(area.mapToGlobal(place))

    # Pictures

    def view_sheet(self, number: int) -> Sheet | None:
        """The picture of this view; None if it has nothing to draw, and the status line says why."""
        pane = self._drawn_pane(number)
        return None if pane is None else sheet_of_page(self._page, [pane], pane.parts)

    def _drawn_pane(self, number: int) -> ViewPane | None:
        self._page.display.draw_now()
        pane = self._page.views.panes[number]
        tree = pane.tree
        frames = self._page.views.frames(pane.view)
        reasons = [frame.why_not() for frame in frames] if tree is None else [tree.why_not]
        if all(reasons):
            self._model.told.emit(f"There is nothing to take away of this view: {reasons[0]}")
        return None if all(reasons) else pane

    def ask_picture(self, number: int) -> None:
        if (sheet := self.view_sheet(number)) is not None:
            self._save_sheet("Save the picture", self._page.views.panes[number].shown_key, sheet)

    @contextmanager
    def _board(self) -> Iterator[Sheet]:
        self._page.display.draw_now()
        twin = self._page.board_panel.board.twin()
        yield board_sheet(twin)
        # The garbage collector might destroy it in another thread.
        twin.deleteLater()

    def ask_board(self) -> None:
        with self._board() as sheet:
            self._save_sheet("Save the board", "board", sheet)

    def copy_board(self) -> None:
        """Copy the board, with everything on it, to the clipboard."""
        with self._board() as sheet:
            QGuiApplication.clipboard().setImage(image_of(sheet))
        self._model.told.emit("The board was copied as a picture.")

    def ask_tree(self) -> None:
        """Show the search tree, and save what is unfolded of it as a figure."""
        panel = self._page.panel(TreePanel)
        self._page.tabs.setCurrentWidget(panel)
        panel.ask_figure()

    def _save_sheet(self, title: str, name: str, sheet: Sheet) -> None:
        if (path := self._ask_path(title, f"{name}.png", PICTURES)) is not None:
            self._write(path, partial(file_of, sheet, path.suffix))

    def copy_picture(self, number: int) -> None:
        if (sheet := self.view_sheet(number)) is not None:
            QGuiApplication.clipboard().setImage(image_of(sheet))
            self._model.told.emit("The picture was copied.")

    def ask_figure(self) -> None:
        """Ask how a figure of the first view is to look, and write it."""
        at = self._moment()
        if self._page.views.panes[0].tree is not None:
            self._model.told.emit(_OF_TREE)
            return
        frame = self._page.views.frame(self._page.views.panes[0].view)
        choices = figure_choices(at)
        dialog = FigureDialog(
            [shown.words for shown in choices],
            lambda index: figure_of(at, frame, choices[index]),
            self._page.window(),
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.save_wanted.connect(partial(self._on_figure, at))
        dialog.open()

    def _on_figure(self, at: LabMoment, content: Content, look: Look) -> None:
        path = self._ask_path("Save the figure", "figure.pdf", FIGURES, files_of)
        if path is None:
            return
        about = about_searches(at, bands=content.seeded)
        self._model.told.emit("Drawing the figure…")
        self._drawing.start(
            lambda _job: write_figure(content, look, path, about),
            done=partial(self._on_drawn, content),
            failed=self._warn,
        )

    def _on_drawn(self, content: Content, files: list[Path]) -> None:
        QGuiApplication.clipboard().setText(content.caption)
        self._model.told.emit(f"Saved to {files[0]}, with its data and script beside it; the caption was copied.")

    # Numbers

    def ask_data(self, number: int) -> None:
        if (pane := self._drawn_pane(number)) is not None:
            at, tree = self._page.model.shown.at, pane.tree
            drawn = None if tree is None else tree.root
            text = view_csv(self._page.views.frames(pane.view)) if drawn is None else tree_csv(drawn)
            self._save_table("Save what this view draws", pane.shown_key, text, about_searches(at, bands=drawn is None))

    def ask_full(self) -> None:
        """Save everything known of the searches as CSV."""
        at = self._moment()
        self._save_table("Save all data", "searches", full_csv(at), about_searches(at, bands=False))

    def _save_table(self, title: str, name: str, text: str, about: dict[str, object]) -> None:
        """Ask for a file, and write the table there; beside it what it is ``about``."""
        if (path := self._ask_path(title, f"{name}.csv", _TABLES)) is not None:
            beside_it = document({"file": path.name, **about}, [made_here()])
            if self._write(beside(path), lambda: beside_it, follow=False):
                self._write(path, text.encode)

    def copy_command(self) -> None:
        """Copy the command lines that give the same numbers."""
        at = self._moment()
        text = commands(at)
        QGuiApplication.clipboard().setText(text)
        count = text.count("\n") + 1
        told = f"Copied: {text}" if count == 1 else f"Copied {count} command lines."
        self._tell_copied(at, told)

    def copy_python(self) -> None:
        """Copy a script that gives the same numbers by the library."""
        at = self._moment()
        QGuiApplication.clipboard().setText(calls(at))
        self._tell_copied(at, "Copied as Python: the searches are there as in “import nimdesk as nd”.")

    def _tell_copied(self, at: LabMoment, told: str) -> None:
        # The warning first, because the status line may be cut off.
        doubt = f"It may come to other numbers: {why}. " if (why := unsure(at)) else ""
        self._model.told.emit(f"{doubt}{told}")

    # Films

    def ask_film(self) -> None:
        """Save the search as it happened."""
        self._model.searches.stop()
        if self._page.views.panes[0].tree is not None:
            self._model.told.emit("The game tree is not animated: choose another view.")
            return
        if self._drawn_pane(0) is None or not self._has_moments():
            return
        if (path := self._ask_path("Save the search as it happened", "search.gif", _FILMS, _film_files)) is not None:
            self.make_film(path)

    def _has_moments(self) -> bool:
        """Whether there is anything to film of the agent in focus; if not, the status line says why."""
        found = bool(film_moments(self._moment()))
        if not found:
            self._model.told.emit("There is nothing to animate: this agent has no results here, or not on this axis.")
        return found

    def make_film(self, path: Path, frames: int = FRAMES) -> None:
        """Write a GIF, or for any other suffix pictures numbered from ``-001``."""
        if self._film is not None:
            self._model.told.emit(_FILMING)
            return
        if not self._has_moments():  # the search may be gone since the name was asked for
            return
        film = self._film = Film(self._page, animated=_is_animated(path), parent=self)
        progress = progress_box(self._page.window(), "Taking the pictures…")
        progress.setAutoReset(False)
        film.went_on.connect(partial(self._show_progress, progress))
        progress.canceled.connect(film.cancel)
        # The dialog keeps the keys of the menus from the window.
        leaving = QShortcut(self._actions["quit"].shortcut(), progress)
        leaving.activated.connect(film.cancel)
        leaving.activated.connect(self._page.window().close)
        film.ended.connect(partial(self._on_film, path, progress))
        film.start(frames)
        self._follow()

    def shutdown(self) -> None:
        """Cancel a film under way; call it after the window is hidden."""
        self._drawing.shutdown()
        if self._film is not None:
            self._film.cancel()

    @staticmethod
    def _show_progress(progress: QProgressDialog, done: int, of: int) -> None:
        progress.setMaximum(of + 1)
        progress.setValue(done)

    def _on_film(self, path: Path, progress: QProgressDialog, made: object) -> None:
        film, self._film = self._film, None
        progress.blockSignals(True)
        progress.reset()
        progress.deleteLater()
        if film is not None:
            film.deleteLater()
        self._follow()
        if isinstance(made, bytes):
            self._write(path, lambda: made)
        elif isinstance(made, list):
            self._write_pictures(path, made)
        else:
            self._model.told.emit(f"No animation was saved. {made or ''}".strip())

    def _write_pictures(self, path: Path, made: list[QImage]) -> None:
        for number, image in enumerate(made, 1):
            numbered = _numbered(path, number)
            if not self._write(numbered, partial(png_of, image), follow=False):
                return
        self._model.told.emit(f"Saved {len(made)} pictures to {path.parent}")

    # Bundles

    def ask_save(self) -> None:
        self._model.searches.stop()
        if (path := self._ask_path("Save a bundle", f"experiment{SUFFIX}", _BUNDLES)) is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Save to this file; a failure gives one sentence."""
        shown = {key: value for key, value in self._page.remember().items() if key not in ("agents", "limits")}
        at = self._moment()
        bundle = bundle_of(at, shown)
        try:
            save_bundle(bundle, path)
        except BundleError as error:
            self._warn(str(error))
            return
        note = f". It cannot be run again to the same numbers: {why}" if (why := unsure(at)) else ""
        self._model.told.emit(f"Saved to {path}{note}")

    def ask_open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._page.window(), "Open a bundle", self._folder(), _BUNDLES)
        if name:
            self.folder = str(Path(name).parent)
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Show the experiment of this file; a broken one gives one sentence and changes nothing."""
        try:
            bundle = load_bundle(path)
        except NimdeskError as error:
            self._warn(str(error))
        else:
            self.show(bundle, path.name)

    def show(self, bundle: Bundle, name: str) -> None:
        """Show this experiment, read from a file of this name."""
        saved = [(Studied(run.agent.unlimited(), run.seed), run.snapshot, run.rows) for run in bundle.runs]
        self._model.show_saved(bundle.position, saved)
        self._page.restore(bundle.shown)
        why = f". Their numbers may be others: {bundle.why_unlike}" if bundle.why_unlike else ""
        self._model.told.emit(f"Opened {name}. “Repeat and compare” runs its searches again{why}.")

    def repeat(self) -> None:
        """Repeat the searches shown in the background, and say whether the numbers are the same."""
        runs = bundle_of(self._moment(), {}).runs
        told, warn = (partial(self._on_repeated, say) for say in (self._model.told.emit, self._warn))
        self._repeating = self._model.searches.bridge.ask(partial(_repeated, runs), done=told, failed=warn)
        self._model.told.emit("Running the same searches again…")
        self._follow()

    def _on_repeated(self, say: Callable[[str], object], sentence: str) -> None:
        self._repeating = None
        say(sentence)
        self._follow()

    # Files

    def _folder(self) -> str:
        return self.folder or str(paths.documents_dir())

    def _ask_path(
        self, title: str, name: str, filters: str, files: Callable[[Path], list[Path]] = only_itself
    ) -> Path | None:
        path = ask_save_path(self._page.window(), title, Path(self._folder()) / name, filters, files)
        if path is not None:
            self.folder = str(path.parent)
        return path

    def _write(self, path: Path, made: Callable[[], bytes], *, follow: bool = True) -> bool:
        try:
            write_atomically(path, made(), follow=follow)
        except (OSError, ValueError) as error:
            self._warn(f"“{path}” cannot be written: {os_error_words(error)}.")
            return False
        self._model.told.emit(f"Saved to {path}")
        return True

    def _warn(self, sentence: str) -> None:
        warn(self._page.window(), sentence)


def _is_animated(path: Path) -> bool:
    return path.suffix.lower() == ".gif"


def _film_files(path: Path) -> list[Path]:
    """All files that a film of this name may be made of."""
    return [path] if _is_animated(path) else [_numbered(path, number) for number in range(1, FRAMES + 1)]


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number:03}{path.suffix}")


def _repeated(runs: tuple[SavedRun, ...], job: Job) -> str:
    """Repeat searches off the UI thread and compare each with its record; the answer is a sentence."""
    words = []
    for letter, run in zip(LETTERS, runs, strict=False):
        problem = difference(run.snapshot, repeat(run, job.stopping).snapshot)
        if not problem:
            words.append(f"{letter}: the same numbers")
        else:
            why = run.why_not_repeatable
            words.append(f"{letter}: other numbers, which may happen ({why})" if why else f"{letter}: {problem}")
    return f"Run again. {'; '.join(words)}."
