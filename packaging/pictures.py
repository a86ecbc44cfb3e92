"""Draw every picture of README, the site and shops of programs, from the real window without a screen.

    python packaging/pictures.py            in an environment that has nimdesk, takes a minute
    python packaging/pictures.py --stale    draws nothing; names the pictures that show what has changed since

Run it when a page of the window has changed, and look at what came of it. What a picture shows is in ``SHOWN``;
``drawn.json``, beside the pictures, has a digest of that from when each was drawn. So a picture is called stale after
any change of these files, also one that nobody can see.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "pictures"
KAYLES = ROOT / "resources" / "examples" / "kayles"
DRAWN = FOLDER / "drawn.json"
EVERYWHERE = ("nimdesk/ui/look", "nimdesk/ui/plots", "nimdesk/ui/boards", "nimdesk/ui/shell/window.py")
SHOWN = {
    "play": (*EVERYWHERE, "nimdesk/ui/play"),
    "laboratory": (*EVERYWHERE, "nimdesk/ui/laboratory"),
    "experiments": (*EVERYWHERE, "nimdesk/ui/experiments"),
    "pruning": (
        "nimdesk/ui/look",
        "nimdesk/ui/laboratory/drawn_tree.py",
        "nimdesk/ui/laboratory/tree_drawing.py",
        "nimdesk/ui/laboratory/export_pictures.py",
        "nimdesk/play/game_tree.py",
    ),
    "kayles": (*EVERYWHERE, "nimdesk/ui/laboratory", "resources/examples/kayles"),
}
"""The folders and files whose Python draws each picture."""
SIZE = (1261, 861)
COLORS = 256
TIMEOUT_MS = 120_000
POSITION, ITERATIONS, SEEDS = "nim:3,4,5", 100_000, 100
BUDGETS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
LATE = "mnk:3,3,3 a1 b2 c3 c1"
HINT = {"iterations": 40_000, "seed": 9}
"""A search that prefers b2 and e1 until it has seen more than a thousand simulations, and then d2."""


def main(arguments: list[str]) -> int:
    if arguments == ["--stale"]:
        for name in stale(SHOWN, DRAWN):
            print(f"{name}.png shows what has changed since it was drawn: python packaging/pictures.py")
        return 0
    if arguments:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        # Nothing of the person who runs this, set before nimdesk is imported.
        os.environ.update(NIMDESK_CONFIG_DIR=folder, NIMDESK_DATA_DIR=folder)
        install_kayles(Path(folder, "packages"))
        draw(Path(folder))
    digests = {name: digest(parts) for name, parts in SHOWN.items()}
    DRAWN.write_text(f"{json.dumps(digests, indent=2)}\n", encoding="utf-8")
    return 0


# What has changed


def stale(shown: dict[str, tuple[str, ...]], drawn: Path) -> list[str]:
    """The pictures whose sources are not what they were when ``drawn`` was written."""
    then = json.loads(drawn.read_text(encoding="utf-8"))
    return [name for name, parts in shown.items() if then.get(name) != digest(parts)]


def digest(parts: Iterable[str]) -> str:
    """A digest of all Python in these folders and files of the repository."""
    files = (path for part in parts for path in [ROOT / part, *sorted((ROOT / part).rglob("*.py"))] if path.is_file())
    found = hashlib.sha256()
    for path in files:
        found.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return found.hexdigest()[:16]


# The pictures


def install_kayles(folder: Path) -> None:
    """Put the example where Python finds it, as pip would."""
    project = tomllib.loads((KAYLES / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    ((group, named),) = project["entry-points"].items()
    lines = "".join(f"{name} = {value}\n" for name, value in named.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")
    sys.path[:0] = [str(folder), str(KAYLES)]


def draw(folder: Path) -> None:
    """Open the window, and go from page to page."""
    from nimdesk.games import parse_position
    from nimdesk.play.game import Human, first_opponent
    from nimdesk.settings import Settings, SettingsStore
    from nimdesk.ui.shell.offscreen import offscreen_application
    from nimdesk.ui.shell.session import Session

    app = offscreen_application()
    store = SettingsStore(folder / "settings.json")
    store.save(Settings(theme="light", animations="off", tour_seen=True, hint_offered=True))
    start = parse_position("mnk:7,6,4:gravity d1 b1")
    session = Session(app, store, start, (Human(), first_opponent()))
    window, complete = session.window, []
    session.completed.connect(lambda: complete.append(True))
    window.resize(*SIZE)
    session.show()
    wait(lambda: bool(complete))
    try:
        play(session)
        save(window, FOLDER / "play.png")
        laboratory(session, POSITION, ("uct", "mcts"), ITERATIONS)
        save(window, FOLDER / "laboratory.png")
        experiments(session)
        save(window, FOLDER / "experiments.png")
        laboratory(session, "kayles:3,4,5", ("mcts", "uct"), 10_000)
        save(window, KAYLES / "kayles.png")
        pruning(session)
    finally:
        session.close()


def play(session) -> None:  # type: ignore[no-untyped-def]
    """A hint, whose search changes its mind."""
    from nimdesk.agents import make_agent

    session.controller.suggester = make_agent("mcts", HINT)
    session.controller.suggest()
    wait(lambda: session.controller.suggestion is not None)


def laboratory(session, position: str, names: Iterable[str], iterations: int) -> None:  # type: ignore[no-untyped-def]
    """Searches of a position side by side, at their end, with the truth."""
    from nimdesk.games import parse_position
    from nimdesk.search.timeline import Cost
    from nimdesk.ui.laboratory.studied import Studied, new_agent
    from nimdesk.ui.plots.frame import Axis

    opened = []
    session.laboratory.study(parse_position(position), opened.append)
    wait(lambda: bool(opened))
    (page,) = opened
    searches = page.model.searches
    page.model.agents.set_all(tuple(Studied(new_agent(name), 1) for name in names))
    searches.set_axis(Axis(Cost.ITERATIONS, log=True))
    searches.set_limit(float(iterations))
    page.set_truth_shown(True)
    session.window.actions_by_name["lab_side"].setChecked(True)
    searches.run()

    def done(run) -> float:  # type: ignore[no-untyped-def]
        return run.spent(Cost.ITERATIONS) or 0.0

    wait(lambda: not searches.running and all(each.ended or done(each) >= iterations for each in searches.runs))


def pruning(session) -> None:  # type: ignore[no-untyped-def]
    """The game tree of a late position, with the cuts of alpha-beta, as *Copy the picture* has it."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from nimdesk.agents import make_agent
    from nimdesk.games import parse_position
    from nimdesk.ui.laboratory.studied import Studied

    opened = []
    session.laboratory.study(parse_position(LATE), opened.append)
    wait(lambda: bool(opened))
    (page,) = opened
    searches, pane = page.model.searches, page.views.panes[0]
    page.model.agents.set_all((Studied(make_agent("alphabeta", {"depth": None, "ordering": "none"}), 1),))
    QTest.keyClick(pane.choice, Qt.Key.Key_End)  # the last of the views
    searches.run()
    wait(lambda: not searches.running and pane.tree is not None and pane.tree.settled)
    for move in ("a2", "c2"):
        child = next(node for node in pane.tree.root.walk() if [each.text for each in node.line] == [move])
        pane.tree.drawing.pressed.emit(child.line)
        page.display.draw_now()
        wait(lambda: pane.tree.settled)
    session.laboratory.take_away.copy_picture(0)
    save_image(QApplication.clipboard().image(), FOLDER / "pruning.png")


def experiments(session) -> None:  # type: ignore[no-untyped-def]
    """A study of both over budgets, finished."""
    from nimdesk.experiments.parts import PlayerPart
    from nimdesk.experiments.plan import study_plan
    from nimdesk.experiments.run import RunState
    from nimdesk.ui.experiments.study_panel import StudyPanel

    session.window.actions_by_name["mode_experiments"].trigger()
    wait(lambda: session.experiments.page is not None and session.experiments.open)
    panel = session.experiments.page.panel(StudyPanel)
    parts = [PlayerPart(agent=name) for name in ("uct", "mcts")]
    panel.take_plan(study_plan(parts, [POSITION], BUDGETS, SEEDS))
    panel.start()
    wait(lambda: panel.shown.state is RunState.FINISHED)


def wait(done: Callable[[], bool]) -> None:
    """Let the window work until this holds."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop, poll, limit = QEventLoop(), QTimer(interval=50), QTimer(singleShot=True, interval=TIMEOUT_MS)
    poll.timeout.connect(lambda: loop.quit() if done() else None)
    limit.timeout.connect(loop.quit)
    poll.start()
    limit.start()
    loop.exec()
    if not done():
        raise TimeoutError("the window did not come so far within two minutes")


def save(window, path: Path) -> None:  # type: ignore[no-untyped-def]
    """The window as it is when all is drawn, with few colours."""
    from PySide6.QtCore import QElapsedTimer

    passed = QElapsedTimer()
    passed.start()
    wait(lambda: passed.elapsed() > 1500)
    save_image(window.grab().toImage(), path)


def save_image(picture, path: Path) -> None:  # type: ignore[no-untyped-def]
    """A picture of Qt with few colours."""
    from PIL import Image

    from nimdesk.ui.laboratory.export_pictures import png_of

    image = Image.open(io.BytesIO(png_of(picture))).convert("RGB")
    image.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
