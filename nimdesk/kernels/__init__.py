"""The same rules and the searches as compiled array code: Numba, on disk once compiled, the GIL released.

Importing this package loads numba (a quarter of a second) and points its cache at a folder named by a digest of all
kernel sources, here and in the folders of the games: numba looks only at the file of the function itself, and would
happily reuse code compiled from an older version of another module.
"""

import atexit
import hashlib
import os
import platform
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numba
from llvmlite import binding  # type: ignore[import-untyped]

from nimdesk.paths import cache_dir

_MONTH_S = 30 * 24 * 3600.0


# ``NIMDESK_BOUNDS_CHECK=1``: an index that is out of bounds ends a kernel with IndexError. For tests, since it is slow.
BOUNDS_CHECKED = os.environ.get("NIMDESK_BOUNDS_CHECK", "0") not in ("", "0")


def _source_digest() -> str:
    # A folder that machines share has code for each processor.
    made_by = numba.__version__, platform.python_version(), binding.get_host_cpu_name(), BOUNDS_CHECKED
    digest = hashlib.sha256(" ".join(map(str, made_by)).encode())
    package = Path(__file__).parent.parent
    sources = (
        path
        for pattern in ("kernels/**/*.py", "games/*/kernel*.py", "games/*/identity.py", "games/*/solver/*.py")
        for path in package.glob(pattern)
    )
    for source in sorted(sources):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable_folder(name: str) -> Path:
    """The cache folder; where it cannot be written, one below the temporary folder, so that compiling still works."""
    folder = cache_dir() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            os.utime(folder)
            _forget_old(folder)
            return folder
    except OSError:
        pass
    temporary = Path(tempfile.mkdtemp(prefix="nimdesk-kernels-"))
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return temporary


def _forget_old(current: Path) -> None:
    """Remove folders of other kernel sources that nothing has used for a month."""
    with suppress(OSError):
        for folder in current.parent.glob("kernels-*"):
            if folder != current and time.time() - folder.stat().st_mtime > _MONTH_S:
                shutil.rmtree(folder, ignore_errors=True)


# Before any kernel is decorated: numba reads this when it meets ``cache=True``.
CACHE_FOLDER = _writable_folder(f"kernels-{_source_digest()}")
# Whether the next start, or another process, finds there what is compiled now.
CACHE_IS_KEPT = CACHE_FOLDER.parent == cache_dir()
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]
