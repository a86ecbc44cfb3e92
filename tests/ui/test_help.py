"""F1 opens the page of the site about the place where one is; without a browser, its text in a plain window."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from desk import Desk, K
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from nimdesk.disk.paths import resources_dir
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.shell import pages

ARTICLE = '<nav>Elsewhere</nav><article role="main"><h1>{}<a class="headerlink" href="#x">¶</a></h1></article>'


class Browser(QObject):
    """A browser that only notes what it is to open."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        QDesktopServices.setUrlHandler("file", self, "note")

    @Slot(QUrl)
    def note(self, url: QUrl) -> None:
        self.opened.append(Path(url.toLocalFile()).as_posix())

    def close(self) -> None:
        QDesktopServices.unsetUrlHandler("file")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site with a page for each place."""
    folder = tmp_path / "site"
    for page in pages.PAGES.values():
        path = folder / f"{page}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ARTICLE.format(page), encoding="utf-8")
    monkeypatch.setattr(pages, "resources_dir", lambda: tmp_path)
    return folder


def text_shown(desk: Desk) -> str:
    """What the plain window says, which is closed again."""
    desk.wait(lambda: bool(desk.window.findChildren(QTextBrowser)))
    (text,) = desk.window.findChildren(QTextBrowser)
    said = text.toPlainText()
    text.window().close()
    desk.wait(lambda: not desk.window.findChildren(QDialog))
    return said


def places(desk: Desk) -> list[QWidget]:
    """All widgets of the window that are a place with a page, once every page of the window was made."""
    for mode in (LABORATORY, EXPERIMENTS, PLAY):
        desk.window.modes.show_mode(mode)
    desk.wait(lambda: desk.session.review is not None)
    desk.session.lessons.begin_first()
    return [each for each in desk.window.findChildren(QWidget) if type(each).__name__ in pages.PAGES]


def test_every_place_is_in_the_window_and_has_a_page(desk: Desk) -> None:
    assert {type(each).__name__ for each in places(desk)} == set(pages.PAGES)
    assert [page for page in pages.PAGES.values() if not (resources_dir() / "docs" / f"{page}.md").exists()] == []


@pytest.mark.parametrize(
    ("mode", "page"), [(PLAY, "how-to/play"), (LABORATORY, "how-to/laboratory"), (EXPERIMENTS, "how-to/experiments")]
)
def test_f1_opens_the_page_about_the_page_that_is_shown(desk: Desk, site: Path, mode: str, page: str) -> None:
    desk.window.modes.show_mode(mode)
    browser = Browser()
    desk.press(K.Key_F1)
    browser.close()
    assert browser.opened == [(site / f"{page}.html").as_posix()]
    assert desk.window.findChildren(QDialog) == []
    assert "F1 once more shows its text here" in desk.window.status.currentMessage()


def test_f1_once_more_shows_the_text_where_no_browser_came(desk: Desk, site: Path) -> None:
    browser = Browser()
    for _ in range(2):
        desk.press(K.Key_F1)
    assert text_shown(desk).strip() == "how-to/play"
    desk.window.actions_by_name["help"].trigger()
    browser.close()
    assert browser.opened == [(site / "how-to/play.html").as_posix()] * 2


def test_f1_is_about_the_innermost_place_that_has_the_keyboard(desk: Desk) -> None:
    places(desk)
    window = desk.window
    window.modes.show_mode(EXPERIMENTS)
    experiments = desk.session.experiments.page
    assert experiments is not None
    for index, page in enumerate(("how-to/experiments", "how-to/experiments", "how-to/atlas", "how-to/solved")):
        experiments.tabs.setCurrentIndex(index)
        assert pages.page_about(experiments, experiments) == page
        assert pages.page_about(experiments, experiments.tabs.tabBar()) == page
    laboratory = desk.session.laboratory.page
    assert laboratory is not None
    window.modes.show_mode(LABORATORY)
    laboratory.tabs.setCurrentIndex(3)
    assert pages.page_about(laboratory, laboratory.tabs.tabBar()) == "explanation/truth"
    assert pages.page_about(laboratory, laboratory.run_bar) == "how-to/laboratory"
    lesson = desk.session.lessons.panel
    assert lesson is not None
    assert pages.page_about(laboratory, lesson.next) == "lessons/index"
    window.modes.show_mode(PLAY)
    review = desk.session.review
    assert review is not None
    assert pages.page_about(window.page, review.begin) == "how-to/review"
    assert pages.page_about(window.page, None) == "how-to/play"


def test_without_a_browser_the_text_of_the_page_is_in_a_plain_window(
    desk: Desk, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages.QDesktopServices, "openUrl", lambda _url: False)
    desk.press(K.Key_F1)
    assert text_shown(desk).strip() == "how-to/play"


def test_a_checkout_whose_pages_were_not_built_shows_them_as_they_were_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(resources_dir() / "docs", tmp_path / "docs")
    monkeypatch.setattr(pages, "resources_dir", lambda: tmp_path)
    desk.press(K.Key_F1)
    said = text_shown(desk)
    assert said.startswith("Read the page Play")
    assert "In a quiet game (Ctrl+H) nothing tells who is winning" in " ".join(said.split())


def test_a_copy_without_pages_says_where_they_are(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "resources_dir", lambda: tmp_path)
    desk.press(K.Key_F1)
    assert "/resources/docs/how-to/play.md" in text_shown(desk)
