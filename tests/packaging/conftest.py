"""The script that builds packages, and the site as it builds it."""

import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from nimdesk.disk.locks import FileLock

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
    """The site as the script builds it, which refuses one with warnings, or over its budget; once for all workers."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    while not isinstance(lock := FileLock.take(shared / "site.lock"), FileLock):
        time.sleep(0.1)
    with pytest.MonkeyPatch.context() as changed, closing(lock):
        changed.setattr(build, "WORK", shared / "work")
        changed.setattr(build, "PYTHON", Path(sys.executable))
        if not (built := shared / "site.built").exists():
            build.WORK.mkdir(exist_ok=True)
            built.write_text(str(build.site(dict(os.environ))), encoding="utf-8")
    return Path(built.read_text(encoding="utf-8"))
