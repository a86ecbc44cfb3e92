"""Draw the pictures of the laboratory and the experiments, from the real window without a screen.

    python packaging/pictures.py     in an environment that has nimdesk

They are shown by the site and, from where the metainfo says that they are, by shops of programs. Run it when a page of
the window has changed, and look at what came of it. The picture of Play in the README is taken by hand, since it shows
the moment at which a search with seconds changes its mind.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).resolve().parent / "desktop"
SIZE = (1261, 861)
COLORS = 256
TIMEOUT_MS = 120_000
POSITION, ITERATIONS, SEEDS = "nim:3,4,5", 100_000, 100
BUDGETS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Nothing of the person who runs this, set before nimdesk is imported.
        os.environ.update(NIMDESK_CONFIG_DIR=folder, NIMDESK_DATA_DIR=folder)
        from nimdesk.games import parse_position
        from nimdesk.settings import Settings, SettingsStore
        from nimdesk.ui.shell.offscreen import offscreen_application
        from nimdesk.ui.shell.session import Session

        app = offscreen_application()
        store = SettingsStore(Path(folder, "settings.json"))
        store.save(Settings(theme="light", animations="off", tour_seen=True))
        session = Session(app, store, parse_position(POSITION))
        window, complete = session.window, []
        session.completed.connect(lambda: complete.append(True))
        window.resize(*SIZE)
        session.show()
        wait(lambda: bool(complete))
        try:
            laboratory(session)
            save(window, FOLDER / "laboratory.png")
            experiments(session)
            save(window, FOLDER / "experiments.png")
        finally:
            session.close()


def laboratory(session) -> None:  # type: ignore[no-untyped-def]
    """Two searches side by side, at their end, with the truth."""
    from nimdesk.search.timeline import Cost
    from nimdesk.ui.laboratory.studied import Studied, new_agent
    from nimdesk.ui.plots.frame import Axis

    opened = []
    session.laboratory.study(session.controller.game.last_position, opened.append)
    wait(lambda: bool(opened))
    (page,) = opened
    searches = page.model.searches
    page.model.agents.set_all(tuple(Studied(new_agent(name), 1) for name in ("uct", "mcts")))
    searches.set_axis(Axis(Cost.ITERATIONS, log=True))
    searches.set_limit(float(ITERATIONS))
    page.set_truth_shown(True)
    session.window.actions_by_name["lab_side"].setChecked(True)
    searches.run()

    def done(run) -> float:  # type: ignore[no-untyped-def]
        return run.spent(Cost.ITERATIONS) or 0.0

    wait(lambda: not searches.running and all(each.ended or done(each) >= ITERATIONS for each in searches.runs))


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

    from nimdesk.ui.laboratory.export_pictures import png_of

    passed = QElapsedTimer()
    passed.start()
    wait(lambda: passed.elapsed() > 1500)
    image = Image.open(io.BytesIO(png_of(window.grab().toImage()))).convert("RGB")
    image.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
