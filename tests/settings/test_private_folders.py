"""What nimdesk keeps for a person is in folders that are that person's alone, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from nimdesk.disk.paths import make_private
from nimdesk.errors import LibraryError
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import new_plan
from nimdesk.experiments.store import Store
from nimdesk.play.library import Library
from nimdesk.settings import Settings, SettingsStore

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there folders have no such modes")


@pytest.fixture(params=[0o000, 0o002, 0o022, 0o077])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_every_folder_that_is_made_is_its_owners_alone(tmp_path: Path) -> None:
    SettingsStore(tmp_path / "a" / "b" / "settings.json").save(Settings())
    Library.open(tmp_path / "c" / "d" / "games.db").close()
    match = MatchPart(players=["x", "x"], positions=["nim:1"], games=1)
    plan = new_plan("one", {"x": PlayerPart(agent="random")}, matches=[match])
    Store.open_for(tmp_path / "e" / "f" / "one.db", plan).close()
    made = [path for path in tmp_path.rglob("*") if path.is_dir()]
    assert len(made) == 6
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


def test_a_file_in_place_of_a_folder_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(LibraryError, match=r"games\.db”: part of that path is a file, not a folder\.$"):
        Library.open(tmp_path / "data" / "games.db")


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    make_private(shared)
    make_private(shared / "own")
    assert [stat.S_IMODE(each.stat().st_mode) for each in (shared, shared / "own")] == [0o755, 0o700]


def test_a_file_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a person's")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match=r"exists|directory"):
            make_private(folder)
    assert (tmp_path / "file").read_text() == "a person's"
