"""Compiled code is kept in a folder named by what it was compiled from; without that folder everything still works."""

import re
import shutil
from pathlib import Path

from fresh_python import CALL, COMPILED, LOADED, run

import nimdesk


def test_compiled_code_is_kept_below_the_cache_folder_and_used_by_the_next_start(tmp_path: Path) -> None:
    folder, *called = run(CALL, tmp_path / "cache")
    assert Path(folder).parent == tmp_path / "cache"
    assert re.fullmatch(r"kernels-[0-9a-f]{16}", Path(folder).name)
    assert list(Path(folder).rglob("tree.principal_variations*.nbc"))
    assert called == COMPILED
    assert run(CALL, tmp_path / "cache") == [folder, *LOADED]


SEARCH = """
import sys
from nimdesk.search.options import UctOptions
from nimdesk.games import parse_position
from nimdesk.kernels import uct
from nimdesk.limit import Limit
from nimdesk.search.uct import UctSearcher
def visits(text):
    searcher = UctSearcher(UctOptions(iterations=500))
    searcher.start(parse_position(text), 3)
    searcher.advance(Limit())
    return sum(move.visits for move in searcher.snapshot().moves)
first = visits("nim:3,4,5")
hits, compiler = sum(uct.run.stats.cache_hits.values()), "numba.np.arrayobj" in sys.modules
print(hits, compiler, first, *([visits("mnk:3,3,3")] if hits else []))
"""


def test_a_kernel_from_the_cache_starts_without_all_that_compiling_needs_and_the_next_one_still_compiles(
    tmp_path: Path,
) -> None:
    """numba would first import everything it can compile, which takes several times as long as reading the kernel."""
    assert run(SEARCH, tmp_path) == ["0", "True", "500"]
    assert run(SEARCH, tmp_path) == ["1", "False", "500", "500"]


def test_a_change_in_any_kernel_source_gives_another_folder(tmp_path: Path) -> None:
    package, copy = Path(nimdesk.__file__).parent, tmp_path / "copy" / "nimdesk"
    copy.mkdir(parents=True)
    for name in ("__init__.py", "paths.py", "errors.py", "compiler_process.py"):
        shutil.copy(package / name, copy)
    shutil.copytree(package / "kernels", copy / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    show = "from nimdesk.kernels import CACHE_FOLDER; import nimdesk; print(CACHE_FOLDER.name, nimdesk.__file__)"
    names = []
    for change in ("", "", "# another rule\n"):
        with (copy / "kernels" / "nim.py").open("a") as source:
            source.write(change)
        name, origin = run(show, tmp_path / "cache", PYTHONPATH=str(copy.parent))
        assert Path(origin).is_relative_to(copy)
        names.append(name)
    assert names[0] == names[1] != names[2]


def test_where_the_cache_cannot_be_written_kernels_compile_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "temporary").mkdir()
    folder, *called = run(CALL, tmp_path / "file" / "cache", TMPDIR=str(tmp_path / "temporary"))
    assert Path(folder).parent == tmp_path / "temporary"
    assert called == COMPILED
