"""Compiled code is kept in a folder named by what it was compiled from; without that folder everything still works."""

import re
import shutil
from pathlib import Path

import platformdirs
from fresh_python import COMPILED, LOADED, PROBE, run

import nimdesk
from nimdesk.kernels import CACHE


def test_compiled_code_is_kept_below_the_cache_folder_and_used_by_the_next_start(compiled_search: Path) -> None:
    (folder,) = compiled_search.iterdir()
    assert re.fullmatch(r"kernels-[0-9a-f]{16}", folder.name)
    assert list(folder.rglob("probe.count*.nbc"))
    assert run(PROBE, compiled_search) == [str(folder), *LOADED]


def test_the_tests_leave_the_cache_of_the_person_alone() -> None:
    assert CACHE.is_kept, "the next run of the tests is quick"
    assert not CACHE.folder.is_relative_to(platformdirs.user_cache_dir("nimdesk", appauthor=False))


def test_a_change_in_any_kernel_source_gives_another_folder(tmp_path: Path) -> None:
    package, copy = Path(nimdesk.__file__).parent, tmp_path / "copy" / "nimdesk"
    copy.mkdir(parents=True)
    for name in ("__init__.py", "version.py", "errors.py", "compiler_process.py"):
        shutil.copy(package / name, copy)
    for name in ("disk", "kernels"):
        shutil.copytree(package / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    show = "from nimdesk.kernels import CACHE; import nimdesk; print(CACHE.folder.name, nimdesk.__file__)"
    names = []
    for change in ("", "", "# another rule\n"):
        with (copy / "kernels" / "memory" / "bits.py").open("a") as source:
            source.write(change)
        name, origin = run(show, tmp_path / "cache", PYTHONPATH=str(copy.parent))
        assert Path(origin).is_relative_to(copy)
        names.append(name)
    assert names[0] == names[1] != names[2]


def test_where_the_cache_cannot_be_written_kernels_compile_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "temporary").mkdir()
    folder, *searched = run(PROBE, tmp_path / "file" / "cache", TMPDIR=str(tmp_path / "temporary"))
    assert Path(folder).parent == tmp_path / "temporary"
    assert searched == COMPILED
