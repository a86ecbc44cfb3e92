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
from nimdesk.ui.shell import display, system_libraries

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can be without a screen")

VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR", "XAUTHORITY")
ASK_XCB = display._xcb_is_welcome


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system with every library, without any screen, where xcb cannot be asked."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(display, "_X11_SOCKETS", str(tmp_path))
    monkeypatch.setattr(display, "_xcb_is_welcome", lambda _display: None)
    lack(monkeypatch)
    has_programs(monkeypatch, "apt-get", "sudo")
    monkeypatch.setattr(system_libraries, "is_root", lambda: False)


def lack(monkeypatch: pytest.MonkeyPatch, *sonames: str) -> None:
    """Let the loader find every library but these."""
    monkeypatch.setattr(system_libraries, "_library_folders", lambda: iter(()))
    monkeypatch.setattr(system_libraries, "_loads", lambda soname: soname not in sonames)


def has_programs(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    monkeypatch.setattr(system_libraries.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)


@contextmanager
def listening(address: str | tuple[str, int]) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as server:
        server.bind(address)
        server.listen()
        yield server


def complaint() -> str:
    with pytest.raises(DisplayError) as caught:
        display.check_display()
    return str(caught.value)


def test_without_display_says_so_and_names_the_demo() -> None:
    text = complaint()
    assert "neither DISPLAY nor WAYLAND_DISPLAY is set" in text
    assert "`nimdesk demo`" in text


def test_an_x_screen_that_answers_is_fine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISPLAY", ":5.0")
    assert "':5.0'" in complaint()
    with listening(str(tmp_path / "X5")):
        display.check_display()
    with listening(f"\0{tmp_path / 'X5'}"):
        display.check_display()
    monkeypatch.setenv("DISPLAY", "unix:6")
    with listening(str(tmp_path / "X6")):
        display.check_display()


def test_a_screen_over_tcp(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(("127.0.0.1", 0)) as server:
        name = f"127.0.0.1:{server.getsockname()[1] - 6000}.0"
        monkeypatch.setenv("DISPLAY", name)
        display.check_display()
    assert f"('{name}') does not answer" in complaint()


@pytest.mark.parametrize("nonsense", ["zero", ":x", "host", ":-1", "127.0.0.1:99999999", "a" * 300 + ":0", "..:0"])
def test_a_display_that_is_nonsense_is_one_sentence(monkeypatch: pytest.MonkeyPatch, nonsense: str) -> None:
    monkeypatch.setenv("DISPLAY", nonsense)
    assert f"'{nonsense}'" in complaint()


def test_a_screen_that_refuses_us_is_told_from_a_dead_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    monkeypatch.setattr(display, "_xcb_is_welcome", lambda name: name != ":5")
    with listening(str(tmp_path / "X5")):
        assert "(':5') refuses this program" in complaint()


def test_a_screen_of_this_machine_that_welcomes_us_is_asked_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    monkeypatch.setattr(display, "_xcb_is_welcome", lambda name: name == ":5")
    display.check_display()  # although nothing listens where sockets of ours would look


def test_xcb_itself_tells_a_refusal() -> None:
    """A server that answers the X handshake with its "failed"."""
    try:
        ctypes.CDLL("libxcb.so.1")
    except OSError:
        pytest.skip("libxcb is not installed")
    with listening(("127.0.0.1", 0)) as server:

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
    with listening(str(tmp_path / "X5")):
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


def test_missing_x_libraries_name_the_line_and_the_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    lack(monkeypatch, "libxcb-cursor.so.0", "libxkbcommon-x11.so.0")
    with listening(str(tmp_path / "X5")):
        text = complaint()
    line = "sudo apt-get install -y --no-install-recommends libxcb-cursor0 libxkbcommon-x11-0"
    assert f"sudo apt-get update && {line}" in text
    assert "`nimdesk demo`" in text
    display.check_offscreen_libraries()


def test_without_gl_not_even_the_demo_is_advised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    lack(monkeypatch, "libGL.so.1")
    with listening(str(tmp_path / "X5")):
        text = complaint()
    assert "libGL.so.1 is missing" in text
    assert "demo" not in text
    with pytest.raises(DisplayError, match="libgl1"):
        display.check_offscreen_libraries()


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("apt-get", "apt-get update && apt-get install -y --no-install-recommends libgl1 libglib2.0-0"),
        ("dnf", "dnf install -y libglvnd-glx glib2"),
        ("pacman", "pacman -S --needed libglvnd glib2"),
        ("zypper", "zypper install -y Mesa-libGL1 libglib-2_0-0 libgthread-2_0-0"),
        ("apk", "apk add mesa-gl glib"),
    ],
)
def test_each_package_manager_has_its_line(monkeypatch: pytest.MonkeyPatch, program: str, line: str) -> None:
    names = ["libGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0"]
    has_programs(monkeypatch, program)
    assert system_libraries.install_line(names) == line
    assert system_libraries.how_to_install(names) == f"install them as root with: {line}"
    monkeypatch.setattr(system_libraries, "is_root", lambda: True)
    assert system_libraries.how_to_install(names[:1]).startswith("install it with: ")


def test_every_library_has_a_package_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    lack(monkeypatch, *(soname for group in system_libraries._PACKAGES.values() for soname in group))
    groups = [system_libraries.OFFSCREEN, system_libraries.X11, system_libraries.WAYLAND]
    everything = [*system_libraries.missing(groups), system_libraries.FONTS]
    assert len(everything) == 16
    for program, _ in system_libraries._MANAGERS:
        has_programs(monkeypatch, program)
        assert all(len(system_libraries.packages([name])) == 1 for name in everything)
    has_programs(monkeypatch, "apt-get")
    assert " ".join(system_libraries.packages(everything[:-4])) == (
        "libgl1 libegl1 libglib2.0-0 libxkbcommon0 libfontconfig1 libdbus-1-3"
        " libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
    )


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
        assert system_libraries.has_fonts()


def test_fonts_are_looked_for_where_fontconfig_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(system_libraries, "_font_folders", lambda: iter([str(tmp_path)]))
    assert not system_libraries.has_fonts()
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "DejaVuSans.TTF").touch()
    assert system_libraries.has_fonts()


def test_the_good_case_is_quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISPLAY", ":5")
    with listening(str(tmp_path / "X5")):
        times = []
        for _ in range(5):
            before = time.perf_counter()
            display.check_display()
            times.append(time.perf_counter() - before)
    assert min(times) < 0.005


def test_looking_needs_neither_qt_nor_any_dependency() -> None:
    """The bootstrap loads these modules with a bare Python: -S leaves every installed package out."""
    root = Path(display.__file__).parents[2]
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "from nimdesk.ui import display, system_libraries\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    result = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(ast.literal_eval(result.stdout)) <= {"__main__", "nimdesk"}
