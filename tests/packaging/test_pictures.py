"""Pictures that show what has changed since they were drawn are named; each is drawn by the one script."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "pictures.py"


@pytest.fixture(scope="module")
def pictures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_picture_is_stale_once_what_it_shows_has_changed(
    pictures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "ROOT", tmp_path)
    for name in ("board/cell.py", "plot.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("first = 1\n", encoding="utf-8")
    shown = {"play": ("board", "plot.py"), "study": ("plot.py",)}
    drawn = tmp_path / "drawn.json"
    drawn.write_text(json.dumps({name: pictures.digest(parts) for name, parts in shown.items()}), encoding="utf-8")
    assert pictures.stale(shown, drawn) == []
    (tmp_path / "board" / "cell.py").write_bytes(b"first = 1\r\n")
    assert pictures.stale(shown, drawn) == []
    (tmp_path / "board" / "cell.py").write_text("first = 2\n", encoding="utf-8")
    assert pictures.stale(shown, drawn) == ["play"]
    (tmp_path / "plot.py").unlink()
    assert pictures.stale(shown, drawn) == ["play", "study"]
    assert pictures.stale({"new": ("board",)}, drawn) == ["new"]


def test_every_picture_that_is_shown_is_drawn_by_the_script(pictures: ModuleType) -> None:
    pages = [ROOT / "README.md", *(ROOT / "resources" / "docs").rglob("*.md")]
    shown = {
        Path(name).stem
        for page in pages
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert shown == set(pictures.SHOWN)
    assert shown == set(json.loads(pictures.DRAWN.read_text(encoding="utf-8")))
    assert [part for parts in pictures.SHOWN.values() for part in parts if not (ROOT / part).exists()] == []


def test_being_stale_is_said_and_stops_nobody(pictures: ModuleType) -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--stale"], capture_output=True, text=True, check=True)
    named = re.findall(r"^(\w+)\.png shows what has changed", done.stdout, re.MULTILINE)
    assert named == pictures.stale(pictures.SHOWN, pictures.DRAWN)
