"""F1: the page of the site about the place where one is, in the person's browser or, without one, in a plain window."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QByteArray, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QTextDocument
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget, QTextBrowser, QWidget

from nimdesk.disk.paths import resources_dir
from nimdesk.ui.dialogs import text_dialog
from nimdesk.version import HOME

PAGES = {
    "PlayPage": "how-to/play",
    "ReviewPanel": "how-to/review",
    "LaboratoryPage": "how-to/laboratory",
    "SteppingPanel": "explanation/uct",
    "TheoryPanel": "explanation/truth",
    "StudyPanel": "how-to/experiments",
    "MatchesPanel": "how-to/experiments",
    "AtlasTab": "how-to/atlas",
    "SolvedTab": "how-to/solved",
    "LessonPanel": "lessons/index",
}
"""The page about each place. A place is a widget of this class; its module is loaded when the place is first seen."""
IN_BROWSER = "The page about this place opens in your browser. F1 once more shows its text here."
_PICTURE_WIDTH = 560
_ARTICLE = re.compile(r'<article role="main"[^>]*>(.*)</article>', re.DOTALL)
_LINK_SIGN = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)


def page_about(page: QWidget, focus: QWidget | None) -> str:
    """The page of the site about the innermost place that has the keyboard, on this page of the window."""
    while focus is not None and focus is not page:
        # The keyboard may be on the tabs themselves.
        shown = focus.currentWidget() if isinstance(focus, QTabWidget) else focus
        if about := PAGES.get(type(shown).__name__):
            return about
        focus = focus.parentWidget()
    inside = (each for each in page.findChildren(QWidget) if each.isVisible())
    return next(PAGES[name] for each in (page, *inside) if (name := type(each).__name__) in PAGES)


def show_page(window: QWidget, page: QWidget, before: str = "") -> str:
    """Show what the site says about the place that has the keyboard, on this page of the window.

    The name of what is shown in the browser, "" for the plain window. That is also for a page that was opened in the
    browser ``before``: a desktop says that it opens a page even where no browser comes.
    """
    about = page_about(page, QApplication.focusWidget())
    built = resources_dir() / "site" / f"{about}.html"
    if about != before and built.exists() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(built))):
        return about
    plain_window(window, about).open()
    return ""


def plain_window(window: QWidget, about: str) -> QDialog:
    """A window with the text of this page: as it was built or, in a checkout, as it was written."""
    text = SitePages()
    for path in (resources_dir() / "site" / f"{about}.html", resources_dir() / "docs" / f"{about}.md"):
        if path.exists():
            text.setSource(QUrl.fromLocalFile(str(path)))
            break
    else:
        address = f"{HOME}/blob/main/resources/docs/{about}.md"
        text.setHtml(
            f'<p>This copy of nimdesk came without its pages. They are at <a href="{address}">{address}</a>.</p>'
        )
    return text_dialog(window, "About this place", text)


class SitePages(QTextBrowser):
    """The text of pages without what surrounds it in a browser, in which their links lead on."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        resource = super().loadResource(kind, name)
        if kind == QTextDocument.ResourceType.HtmlResource.value and resource:
            html = bytes(resource.data()).decode(errors="replace")
            article = _ARTICLE.search(html)
            return _LINK_SIGN.sub("", article[1]) if article else html
        if kind == QTextDocument.ResourceType.ImageResource.value and resource:
            # A page of text shows pictures at their own size, which may be twice its own.
            picture = QImage.fromData(resource) if isinstance(resource, QByteArray) else resource
            return picture.scaledToWidth(
                min(picture.width(), _PICTURE_WIDTH), Qt.TransformationMode.SmoothTransformation
            )
        return resource
