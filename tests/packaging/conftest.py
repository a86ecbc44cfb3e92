"""The script that builds packages, and the site as it builds it."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture(scope="session")
def build() -> Iterator[ModuleType]:
    """``packaging/build.py``; tests let it write into folders of theirs."""
    sys.path.insert(0, str(PACKAGING))
    spec = importlib.util.spec_from_file_location("build_under_test", PACKAGING / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(PACKAGING))


@pytest.fixture(scope="session")
def site(build: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as the script builds it, which refuses one with warnings, or over its budget."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(build, "WORK", tmp_path_factory.mktemp("work"))
        changed.setattr(build, "PYTHON", Path(sys.executable))
        folder: Path = build.site(dict(os.environ))
    return folder
