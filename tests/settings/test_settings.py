"""Settings: what was saved comes back, one bad value costs that value alone, and no file is ever lost."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from nimdesk.agents import make_agent
from nimdesk.disk import atomic
from nimdesk.errors import SettingsError
from nimdesk.play.game import Human, player_to_json
from nimdesk.settings import VERSION, Settings, SettingsStore

PLAYERS = st.sampled_from([player_to_json(Human()), make_agent("random").to_json(), make_agent("uct").to_json()])
SETTINGS = st.builds(
    Settings,
    theme=st.sampled_from(["system", "light", "dark"]),
    show_overlay=st.booleans(),
    overlay_number=st.sampled_from(["share", "visits", "value", "none"]),
    move_delay_ms=st.integers(0, 5000),
    slow_motion_s=st.floats(0, 60),
    position=st.sampled_from(["nim:1,3,5,7", "mnk:7,6,4:gravity d1"]),
    players=st.lists(PLAYERS, min_size=2, max_size=2),
    experiments=st.dictionaries(st.sampled_from(["study", "plan"]), st.text(max_size=20), max_size=2),
    convergence=st.dictionaries(st.text(max_size=9), st.booleans() | st.text(max_size=9), max_size=4),
    recent_games=st.lists(st.text(max_size=20), max_size=5),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def load(path: Path) -> tuple[Settings, str]:
    store = SettingsStore(path)
    loaded = store.load()
    problem = store.problem or ""
    if problem:
        assert problem.endswith(".")
        assert ". " not in problem.removesuffix(".")
        assert problem.isprintable()
    return loaded, problem


@given(SETTINGS)
@hypothesis_settings(max_examples=25)
def test_saved_settings_come_back(settings: Settings) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made" / "on the way" / "settings.json"
        SettingsStore(path).save(settings)
        assert load(path) == (settings, "")


def test_the_first_start_is_no_problem(path: Path) -> None:
    assert load(path) == (Settings(), "")
    assert not path.exists()


def test_the_file_is_in_the_settings_folder(tmp_path: Path) -> None:
    SettingsStore().save(Settings(theme="dark"))
    assert (tmp_path / "config" / "settings.json").is_file()
    assert SettingsStore().load().theme == "dark"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", "pink"),
        ("theme", None),
        ("show_overlay", 1),
        ("move_delay_ms", -1),
        ("move_delay_ms", 5001),
        ("move_delay_ms", 10**400),
        ("move_delay_ms", "400"),
        ("slow_motion_s", "nan"),
        ("position", "nim:0"),
        ("position", "nim:3,3 9-9"),
        ("position", "\0"),
        ("players", []),
        ("players", [{"player": "human"}]),
        ("players", [{"player": "human"}, {"player": "cat"}]),
        ("players", [{"player": "human"}, {"agent": "uct", "options": {"exploration": -1}}]),
        ("suggest", {"player": "human"}),
        ("suggest", {"agent": "uct", "options": {"iterations": 10**12}}),
        ("suggest", {"agent": "uct", "options": {"iterations": None}}),
        ("convergence", {"x": {"deep": 1}}),
        ("experiments", {"study": {"deep": 1}}),
        ("window_geometry", "not base64!"),
        ("games_folder", "x" * 5000),
        ("recent_games", [1]),
        ("version", "1"),
        ("version", -1),
    ],
)
def test_a_bad_value_costs_that_value_alone(path: Path, name: str, value: object) -> None:
    good: dict[str, object] = {"theme": "dark", "move_delay_ms": 7}
    path.write_text(json.dumps({**good, name: value}))
    loaded, problem = load(path)
    assert name in problem
    default = Settings()
    for key, wanted in good.items():
        assert getattr(loaded, key) == (getattr(default, key) if key == name else wanted)
    if name != "version":
        assert getattr(loaded, name) == getattr(default, name)
    assert path.exists()


def test_numbers_that_no_machine_holds_cost_their_field_alone(path: Path) -> None:
    path.write_text('{"theme": "dark", "slow_motion_s": 1e999, "move_delay_ms": ' + "9" * 5000 + ', "other": 1e999}')
    loaded, problem = load(path)
    assert loaded == Settings(theme="dark")
    assert "move_delay_ms" in problem
    assert "slow_motion_s" in problem


@pytest.mark.parametrize(
    "content",
    [b"", b"\0\0", b"\xff\xfe", b"{", b"[]", b"3", b'{"theme": "dark"', b"[" * 10**5, b'{"a":' + b"[" * 10**5],
)
def test_a_file_of_garbage_is_set_aside_and_never_deleted(path: Path, content: bytes) -> None:
    for number in (1, 2):
        path.write_bytes(content)
        loaded, problem = load(path)
        assert loaded == Settings()
        aside = path.with_name(f"settings.broken-{number}.json")
        assert str(aside) in problem
        assert aside.read_bytes() == content
        assert not path.exists()


def test_a_file_that_is_too_large_is_set_aside(path: Path) -> None:
    path.write_bytes(b" " * (2**20 + 1))
    assert "larger than 1 MB" in load(path)[1]


def test_a_broken_file_that_cannot_be_moved_is_not_overwritten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"garbage")

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    store = SettingsStore(path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        assert store.load() == Settings()
        assert "stays where it is, since moving it failed: permission denied" in (store.problem or "")
        with pytest.raises(SettingsError, match="permission denied"):
            store.save(Settings())
        assert path.read_bytes() == b"garbage"
    store.save(Settings(theme="dark"))
    assert path.with_name("settings.broken-1.json").read_bytes() == b"garbage"
    assert SettingsStore(path).load().theme == "dark"


def test_a_file_that_cannot_be_read_is_named_and_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text('{"theme": "dark"}')
    store = SettingsStore(path)

    def refuse(path: Path, limit: int) -> bytes:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("nimdesk.settings.read_bounded", refuse)
        assert store.load() == Settings()
    assert f"“{path}” cannot be read: permission denied" in (store.problem or "")
    store.save(Settings(theme="light"))
    assert path.with_name("settings.broken-1.json").read_text() == '{"theme": "dark"}'


@pytest.mark.parametrize("where", ["folder", "under a file", "null"])
def test_an_impossible_place_gives_sentences_and_the_program_goes_on(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    path = {
        "folder": tmp_path / "folder",
        "under a file": tmp_path / "file" / "settings.json",
        "null": tmp_path / "a\0b",
    }[where]
    store = SettingsStore(path)
    assert store.load() == Settings()
    assert (store.problem or "").endswith("nimdesk uses its defaults.")
    with pytest.raises(SettingsError) as caught:
        store.save(Settings())
    assert str(caught.value).startswith("The settings cannot be saved to “")
    assert (tmp_path / "folder").is_dir()


def test_a_failed_save_leaves_the_old_settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SettingsStore(path).save(Settings(theme="dark"))

    def refuse(source: object, target: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic.os, "replace", refuse)
    with pytest.raises(SettingsError, match="permission denied"):
        SettingsStore(path).save(Settings())
    assert SettingsStore(path).load().theme == "dark"
    assert list(path.parent.glob("*")) == [path]


def test_what_a_newer_version_wrote_is_kept(path: Path) -> None:
    path.write_text(json.dumps({"version": VERSION + 1, "theme": "dark", "sound": {"volume": 3}}))
    store = SettingsStore(path)
    loaded = store.load()
    assert loaded == Settings(theme="dark")
    assert "newer nimdesk" in (store.problem or "")
    store.save(loaded)
    assert json.loads(path.read_text())["sound"] == {"volume": 3}


def test_text_that_cannot_be_written_costs_its_field_alone(path: Path) -> None:
    # A folder whose name is not UTF-8 reaches Python as a lone surrogate.
    SettingsStore(path).save(Settings(theme="dark", games_folder="/home/caf\udce9"))
    assert load(path) == (Settings(theme="dark"), "")
    SettingsStore(path).save(Settings(recent_games=["/one", "/caf\udce9", "/two"]))
    assert load(path) == (Settings(recent_games=["/one", "/two"]), "")


def test_a_bad_entry_of_a_list_costs_that_entry_alone(path: Path) -> None:
    path.write_text(json.dumps({"recent_games": ["/one", 5, "x" * 5000, "/two"], "players": [{"player": "human"}, 3]}))
    loaded, problem = load(path)
    assert loaded == Settings(recent_games=["/one", "/two"]), "two players are needed, so those are the default"
    assert "Players (players), Recent games (recent_games)" in problem


def test_every_setting_has_a_title_and_its_default_is_allowed() -> None:
    for name, kind in get_type_hints(Settings, include_extras=True).items():
        (meta,) = (each for each in kind.__metadata__ if isinstance(each, msgspec.Meta) and each.title)
        assert (meta.description or "").endswith("."), name
    assert msgspec.convert(msgspec.to_builtins(Settings()), Settings) == Settings()


@given(st.binary(max_size=200) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
@hypothesis_settings(max_examples=50)
def test_loading_never_raises(content: bytes | str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
        SettingsStore(path).load()
