"""The look for a screen, against sockets of our own and a loader that lacks what we say."""

import ast
import ctypes
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nimdesk.errors import DisplayError
from nimdesk.ui.shell import display

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can be without a screen")

VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR", "XAUTHORITY")
ASK_XCB = display.xcb_welcomes


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system with every library, without any screen but that of the X server :5."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(display, "xcb_welcomes", lambda name: name == ":5")
    lack(monkeypatch)
    has_programs(monkeypatch, "apt-get", "sudo")
    monkeypatch.setattr(display, "is_root", lambda: False)


def lack(monkeypatch: pytest.MonkeyPatch, *sonames: str) -> None:
    """Let the loader find every library but these."""
    monkeypatch.setattr(display, "library_folders", list)
    monkeypatch.setattr(display, "loads", lambda soname: soname not in sonames)


def has_programs(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    monkeypatch.setattr(display.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)


@contextmanager
def listening(address: str) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        yield


def complaint() -> str:
    with pytest.raises(DisplayError) as caught:
        display.check_display()
    return str(caught.value)


def test_without_display_says_so_and_names_the_demo() -> None:
    text = complaint()
    assert "neither DISPLAY nor WAYLAND_DISPLAY is set" in text
    assert "`nimdesk demo`" in text


def test_a_screen_that_welcomes_us_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    display.check_display()


@pytest.mark.parametrize("name", [":987", "zero", ":x", "127.0.0.1:99999999", "a" * 300 + ":0", "..:0"])
def test_a_display_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(display, "xcb_welcomes", ASK_XCB)
    if not display.loads("libxcb.so.1"):
        pytest.skip("libxcb is not installed")
    monkeypatch.setenv("DISPLAY", name)
    assert f"('{name}') does not answer" in complaint()


def test_xcb_itself_tells_a_refusal() -> None:
    """A server that answers the X handshake with its "failed"."""
    try:
        ctypes.CDLL("libxcb.so.1")
    except OSError:
        pytest.skip("libxcb is not installed")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            client, _ = server.accept()
            with client:
                client.recv(4096)
                client.sendall(b"\x00\x04\x0b\x00\x00\x00\x01\x00Nope")

        thread = threading.Thread(target=refuse)
        thread.start()
        assert ASK_XCB(f"127.0.0.1:{server.getsockname()[1] - 6000}") is False
        thread.join()


def test_wayland_alone_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-3")
    assert "Wayland screen" in complaint()
    with listening(str(tmp_path / "wayland-3")):
        lack(monkeypatch, "libxcb-cursor.so.0")
        display.check_display()
        lack(monkeypatch, "libwayland-cursor.so.0")
        assert "libwayland-cursor0" in complaint()


def test_wayland_that_cannot_be_used_leaves_x(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-3")
    monkeypatch.setenv("DISPLAY", ":5")
    display.check_display()
    with listening(str(tmp_path / "wayland-3")):
        lack(monkeypatch, "libwayland-cursor.so.0")
        display.check_display()


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "vnc:size=800x600", "linuxfb"])
def test_qt_told_to_do_without_a_screen_needs_none(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    lack(monkeypatch, "libxcb-cursor.so.0", "libwayland-client.so.0")
    display.check_display()
    lack(monkeypatch, "libEGL.so.1")
    assert "libegl1" in complaint()


def test_qt_told_to_use_x_needs_x(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert "DISPLAY is not set" in complaint()


def test_a_qt_that_cannot_be_loaded_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "missing", lambda groups: [])
    (fine,) = (each for each in display.findings() if each.what == "Qt")
    assert (fine.says, fine.wrong) == ("can be loaded", "")
    monkeypatch.setitem(sys.modules, "PySide6.QtWidgets", None)
    (broken,) = (each for each in display.findings() if each.what == "Qt")
    assert broken.says == "cannot be loaded"
    assert "PySide6 (Qt), which the window and its pictures need, cannot be loaded:" in broken.wrong
    assert broken.mend.endswith("-m pip install --force-reinstall PySide6-Essentials")


def test_missing_x_libraries_name_the_line_and_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    lack(monkeypatch, "libxcb-cursor.so.0", "libxkbcommon-x11.so.0")
    text = complaint()
    assert "because libxcb-cursor.so.0, libxkbcommon-x11.so.0 are missing" in text
    assert "sudo apt-get update && sudo apt-get install -y --no-install-recommends " in text
    assert {"libxcb-cursor0", "libxkbcommon-x11-0", "fonts-dejavu-core"} <= set(text.split())
    assert "`nimdesk demo`" in text
    display.check_offscreen_libraries()


def test_without_gl_not_even_the_demo_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    lack(monkeypatch, "libGL.so.1")
    text = complaint()
    assert "libGL.so.1 is missing" in text
    assert "demo" not in text
    with pytest.raises(DisplayError, match="libgl1"):
        display.check_offscreen_libraries()


@pytest.mark.parametrize(
    ("program", "begin"),
    [
        ("apt-get", "apt-get update && apt-get install -y --no-install-recommends "),
        ("dnf", "dnf install -y "),
        ("pacman", "pacman -S --needed "),
        ("zypper", "zypper install -y "),
        ("apk", "apk add "),
    ],
)
def test_each_package_manager_has_its_line(monkeypatch: pytest.MonkeyPatch, program: str, begin: str) -> None:
    has_programs(monkeypatch, program)
    assert display.install_line().startswith(begin)
    assert "xcb" in display.install_line()
    assert display.how_to_install(["libGL.so.1"]).startswith(f"install what is missing as root with:\n    {begin}")
    has_programs(monkeypatch, program, "sudo")
    assert display.install_line().count("sudo ") == begin.count("&&") + 1
    monkeypatch.setattr(display, "is_root", lambda: True)
    assert display.how_to_install(["libGL.so.1"]).startswith(f"install what is missing with:\n    {begin}")


def test_an_unknown_system_is_told_what_to_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    has_programs(monkeypatch)
    lack(monkeypatch, "libGL.so.1")
    with pytest.raises(DisplayError, match=r"packages of your system that hold libGL\.so\.1"):
        display.check_offscreen_libraries()


def test_macos_and_windows_have_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    lack(monkeypatch, "libGL.so.1")
    for platform in ("darwin", "win32"):
        monkeypatch.setattr(sys, "platform", platform)
        display.check_display()
        display.check_offscreen_libraries()
        assert display.has_fonts()


def test_fonts_are_looked_for_where_fontconfig_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(display, "font_folders", lambda: iter([tmp_path]))
    assert not display.has_fonts()
    assert display.fonts_complaint().startswith(
        "No font is installed, so every letter is drawn as a box. To mend it, install "
    )
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "DejaVuSans.TTF").touch()
    assert display.has_fonts()
    assert not display.fonts_complaint()


def test_the_good_case_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    times = []
    for _ in range(5):
        before = time.thread_time()
        display.check_display()
        times.append(time.thread_time() - before)
    assert min(times) < 0.005


def test_looking_needs_neither_qt_nor_any_dependency() -> None:
    """The bootstrap loads these modules with a bare Python: -S leaves every installed package out."""
    root = Path(display.__file__).parents[3]
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "from nimdesk.ui.shell import display\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    result = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(ast.literal_eval(result.stdout)) <= {"__main__", "nimdesk"}
