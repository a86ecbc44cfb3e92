"""The same rules and the searches as compiled array code: Numba, on disk once compiled, the GIL released.

Importing this package loads numba (a quarter of a second) and points its cache at a folder named by a digest of all
kernel sources, here and in the folders of the games: numba looks only at the file of the function itself, and would
happily reuse code compiled from an older version of another module.
"""

import hashlib
import os
import platform
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding  # type: ignore[import-untyped]

from nimdesk.disk.paths import cache_dir
from nimdesk.kernels import shipped
from nimdesk.kernels.cache import KernelCache

# ``NIMDESK_BOUNDS_CHECK=1``: an index that is out of bounds ends a kernel with IndexError. For tests, since it is slow.
BOUNDS_CHECKED = os.environ.get("NIMDESK_BOUNDS_CHECK", "0") not in ("", "0")

_config: Any = numba.config
if shipped.are_usable() and not _config.CPU_NAME:
    _config.CPU_NAME, _config.CPU_FEATURES = shipped.PROCESSOR, ""


def _source_digest() -> str:
    # A folder that machines share has code for each processor.
    processor = _config.CPU_NAME or binding.get_host_cpu_name()
    made_by = numba.__version__, platform.python_version(), processor, BOUNDS_CHECKED
    digest = hashlib.sha256(" ".join(map(str, made_by)).encode())
    package = Path(__file__).parent.parent
    sources = (
        path
        for pattern in (
            "kernels/**/*.py",
            "games/kernel*.py",
            "games/*/kernel*.py",
            "games/*/identity.py",
            "games/*/lines.py",
            "games/*/patterns.py",
            "games/*/solver/*.py",
        )
        for path in package.glob(pattern)
    )
    for source in sorted(sources):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


# Before any kernel is decorated: numba reads this when it meets ``cache=True``.
SOURCES = _source_digest()
_folder = cache_dir() / f"kernels-{SOURCES}"
shipped.begin_with_shipped(_folder)
CACHE = KernelCache(_folder)
_config.CACHE_DIR = str(CACHE.folder)
