"""The bootstrap in small checkouts of its own: real processes, a make-believe uv, and never a network."""

import ast
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOTSTRAP = ROOT / "packaging" / "bootstrap.py"
LOADED_EARLY = [
    "packaging/bootstrap.py",
    "nimdesk/__init__.py",
    "nimdesk/errors.py",
    "nimdesk/ui/__init__.py",
    "nimdesk/ui/display.py",
    "nimdesk/ui/system_libraries.py",
]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack what this is about")

# What stands for nimdesk and pytest: it says what it was called with, and leaves with a code of its own.
PROGRAM = """
import os, sys
print("{name}", sys.argv[1:], os.environ.get("QT_QPA_PLATFORM"), os.path.basename(os.getcwd()), flush=True)
sys.exit({code})
"""

# What stands for uv: it makes an environment that finds the checkout, and writes down how it was called.
UV = """#!/bin/sh
echo "$@" >> "$FAKE_UV_CALLS"
case "$1" in
    --version) echo "uv {version}" ;;
    venv)
        for last in "$@"; do :; done
        {python} -m venv --without-pip "$last"
        for packages in "$last"/lib/python*/site-packages; do echo "{checkout}" > "$packages/checkout.pth"; done ;;
    sync) {sync} ;;
esac
"""

# A build backend inside the checkout, so that pip needs nothing from outside.
BACKEND = """
import zipfile
from pathlib import Path

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "nimdesk-0.1.0-py3-none-any.whl"
    info = "nimdesk-0.1.0.dist-info"
    with zipfile.ZipFile(Path(folder) / name, "w") as wheel:
        wheel.writestr("checkout.pth", str(Path.cwd()))
        wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: nimdesk\\nVersion: 0.1.0\\n")
        wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "/RECORD", "")
    return name
"""

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "nimdesk"
version = "0.1.0"
[dependency-groups]
test = []
dev = [{include-group = "test"}]
"""


class Checkout:
    """A small checkout and the PATH that its runs see."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a checkout"
        self.programs = folder / "programs"
        self.programs.mkdir(parents=True)
        self.calls_file = folder / "calls"
        for name in LOADED_EARLY:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.write("pyproject.toml", PYPROJECT)
        self.write("uv.lock", "version = 1\n")
        self.write("backend.py", BACKEND)
        self.write("nimdesk/__main__.py", PROGRAM.format(name="nimdesk", code=7))
        self.write("pytest.py", PROGRAM.format(name="pytest", code=5))
        # A system with every library: what a real one lacks is not the matter here.
        self.lack()

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def lack(self, *sonames: str, fonts: bool = True, root: bool = False) -> None:
        text = (ROOT / "nimdesk/ui/system_libraries.py").read_text(encoding="utf-8")
        text += f"\ndef _is_there(soname): return soname not in {sonames!r}\n"
        text += f"\ndef has_fonts(): return {fonts}\n\ndef is_root(): return {root}\n"
        self.write("nimdesk/ui/system_libraries.py", text)

    def add_program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def add_uv(self, version: str = "0.9.1", sync: str = "true") -> None:
        self.add_program("uv", UV.format(version=version, sync=sync, python=sys.executable, checkout=self.root))

    def calls(self) -> list[str]:
        """How uv and apt-get were called since the last time."""
        text = self.calls_file.read_text(encoding="utf-8") if self.calls_file.exists() else ""
        self.calls_file.unlink(missing_ok=True)
        return [line for line in text.splitlines() if line != "--version"]

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-S", str(self.root / "packaging/bootstrap.py"), *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "HOME": str(self.root),
            "FAKE_UV_CALLS": str(self.calls_file),
            "PIP_NO_INDEX": "1",
            "PIP_CONFIG_FILE": os.devnull,
            **more,
        }

    def run(self, *arguments: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(**more),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def bootstrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The file as a module that works on an empty folder."""
    spec = importlib.util.spec_from_file_location("bootstrap_under_test", BOOTSTRAP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


# --- the Python it is started with ------------------------------------------------------------------------------


def test_an_old_python_gets_one_sentence() -> None:
    code = f"import runpy, sys; sys.version_info = (3, 8, 1); runpy.run_path({str(BOOTSTRAP)!r}, run_name='__main__')"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("nimdesk needs Python 3.11 or newer, and this is Python 3.8 (")
    assert result.stderr.count("\n") == 1


def test_an_old_python_can_read_the_file() -> None:
    ast.parse(BOOTSTRAP.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_the_bounds_are_those_of_the_project(bootstrap: ModuleType) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest, after_newest = re.findall(r"\d+\.\d+", project["requires-python"])
    assert "{}.{}".format(*bootstrap.OLDEST) == oldest
    assert f"{bootstrap.NEWEST[0]}.{bootstrap.NEWEST[1] + 1}" == after_newest


# --- what the person typed --------------------------------------------------------------------------------------


def test_help_names_the_commands(checkout: Checkout) -> None:
    result = checkout.run("--help")
    assert result.returncode == 0
    for word in ("run", "test", "setup", "--no-uv"):
        assert word in result.stdout


@pytest.mark.parametrize("arguments", [["tests"], ["--verbose"], ["setup", "now"], ["--no-uv", "nonsense"]])
def test_nonsense_is_one_sentence(checkout: Checkout, arguments: list[str]) -> None:
    result = checkout.run(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("nimdesk: ")
    assert result.stderr.count("\n") == 1
    assert not (checkout.root / ".venv").exists()


# --- with uv ----------------------------------------------------------------------------------------------------


def test_run_with_uv_makes_the_environment_once(checkout: Checkout) -> None:
    checkout.add_uv()
    first = checkout.run("run", "solve", "--help", cwd=checkout.programs)
    assert first.stdout == "nimdesk ['solve', '--help'] None programs\n"
    assert first.returncode == 7
    made, synced = checkout.calls()
    assert made.startswith("venv ")
    assert synced.startswith("sync --locked ")
    assert "--no-dev --inexact" in synced

    before = time.perf_counter()
    again = checkout.run("run", "solve", "--help")
    assert time.perf_counter() - before < 1.0  # with the start of the program; alone it is less than 0.1 s
    assert again.stdout.startswith("nimdesk ")
    assert again.stderr == ""
    assert checkout.calls() == []

    test = checkout.run("test", "-k", "word and other", cwd=checkout.programs)
    assert test.stdout == "pytest ['-k', 'word and other'] offscreen a checkout\n"
    assert test.returncode == 5
    assert "--no-dev" not in checkout.calls()[0]
    checkout.run("run")  # what the tests need is more than enough to run
    assert checkout.calls() == []


def test_a_change_of_the_lock_or_the_project_is_followed(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.run("test")
    checkout.calls()
    for name in ("uv.lock", "pyproject.toml"):
        checkout.write(name, (checkout.root / name).read_text(encoding="utf-8") + "\n# changed\n")
        checkout.run("run")
        calls = checkout.calls()
        assert [call.split()[0] for call in calls] == ["sync"]
        assert "--no-dev" not in calls[0]  # what the tests needed stays


def test_setup_always_asks_uv_again(checkout: Checkout) -> None:
    checkout.add_uv()
    for _ in range(2):
        result = checkout.run("setup")
        assert result.returncode == 0, result.stderr
        assert "the environment is ready" in result.stderr
        assert checkout.calls()[-1].startswith("sync ")


def test_a_failure_of_uv_is_told_and_taken_up_again(checkout: Checkout) -> None:
    checkout.add_uv(sync="echo 'error: dns error: no such host' >&2; exit 2")
    result = checkout.run("run")
    assert result.returncode == 1
    assert "error: dns error: no such host" in result.stderr
    assert "nimdesk: uv could not make the environment (exit code 2" in result.stderr
    assert "is there a network?" in result.stderr
    assert "Traceback" not in result.stderr
    checkout.add_uv()
    result = checkout.run("run")
    assert "left from an interrupted run" in result.stderr
    assert result.returncode == 7


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.run("run")
    checkout.calls()
    python = checkout.root / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/nowhere/bin/python3.11")
    result = checkout.run("run")
    assert result.returncode == 7
    assert [call.split()[0] for call in checkout.calls()] == ["venv", "sync"]


def test_a_checkout_that_moved_gets_its_environment_anew(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.run("run")
    checkout.calls()
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    checkout.add_uv()
    assert checkout.run("run").returncode == 7
    assert [call.split()[0] for call in checkout.calls()] == ["venv", "sync"]


def test_two_at_once_make_it_once(checkout: Checkout) -> None:
    checkout.add_uv(sync="sleep 0.3")
    both = [
        subprocess.Popen(
            checkout.command("run"), env=checkout.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in both:
        process.communicate(timeout=30)
    assert [process.returncode for process in both] == [7, 7]
    assert [call.split()[0] for call in checkout.calls()] == ["venv", "sync"]


@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_ctrl_c_leaves_a_sentence_and_a_way_on(checkout: Checkout) -> None:
    checkout.add_uv(sync="touch started; sleep 30")
    process = subprocess.Popen(
        checkout.command("run"),
        env=checkout.environment(),
        cwd=checkout.programs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 20
    while not (checkout.programs / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.endswith("nimdesk: stopped; the same command goes on from here.\n")
    checkout.add_uv()
    assert checkout.run("run").returncode == 7


def test_a_checkout_without_its_lock_is_one_sentence(checkout: Checkout) -> None:
    (checkout.root / "uv.lock").unlink()
    checkout.add_uv()
    result = checkout.run()
    assert result.returncode == 1
    assert "this checkout is not complete" in result.stderr
    assert "uv.lock" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_place_that_cannot_be_written_is_one_sentence(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # As root, permissions stop nobody: the refusal is played.
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "is_current", lambda dev: False)
    monkeypatch.setattr(bootstrap.Path, "mkdir", refuse)
    with pytest.raises(bootstrap.BootstrapError, match=r"Read-only file system.*that you may write to"):
        bootstrap.make_environment(None, dev=False, again=False)


@pytest.mark.parametrize("answer", ["uv 0.1.2", "pyenv: uv: command not found", ""])
def test_a_uv_that_does_not_work_or_is_too_old_is_none(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str
) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\necho '{answer}'\n", encoding="utf-8")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert bootstrap.find_uv() is None
    uv.write_text("#!/bin/sh\necho 'uv 0.13.8 (x86_64)'\n", encoding="utf-8")
    assert bootstrap.find_uv() == str(uv)


# --- with venv and pip ------------------------------------------------------------------------------------------


@pytest.mark.skipif(importlib.util.find_spec("ensurepip") is None, reason="this Python comes without ensurepip")
def test_without_uv_venv_and_pip_do_it(checkout: Checkout) -> None:
    checkout.add_uv()
    first = checkout.run("--no-uv", "test", "-x")
    assert first.stdout.endswith("pytest ['-x'] offscreen a checkout\n"), first.stderr
    assert first.returncode == 5
    assert checkout.calls() == []
    stamp = json.loads((checkout.root / ".venv/nimdesk-environment.json").read_text(encoding="utf-8"))
    assert stamp["dev"] is True


def test_a_failure_of_pip_is_one_sentence(checkout: Checkout) -> None:
    # An environment whose pip is a stand-in: it is there, and finds nothing.
    checkout.add_uv()
    checkout.run()
    (packages,) = (checkout.root / ".venv/lib").glob("python*/site-packages")
    script = "import sys\nif '--version' not in sys.argv: sys.exit('ERROR: No matching distribution found for rich')\n"
    (packages / "pip.py").write_text(script, encoding="utf-8")
    result = checkout.run("--no-uv", "test")
    assert result.returncode == 1
    assert "ERROR: No matching distribution found for rich\nnimdesk: pip could not install" in result.stderr
    assert "is there a network?" in result.stderr
    assert "Traceback" not in result.stderr


def test_pip_gets_the_versions_of_the_lock(bootstrap: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(
        """
version = 1
[[package]]
name = "nimdesk"
version = "0.1.0"
source = { editable = "." }
[[package]]
name = "numpy"
version = "2.4.6"
source = { registry = "https://pypi.org/simple" }
resolution-markers = ["python_full_version < '3.12'"]
[[package]]
name = "numpy"
version = "2.5.5"
source = { registry = "https://pypi.org/simple" }
resolution-markers = ["python_full_version >= '3.12'", "sys_platform == 'x'"]
[[package]]
name = "rich"
version = "15.0.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "unclear"
version = "1"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "unclear"
version = "2"
source = { registry = "https://pypi.org/simple" }
""",
        encoding="utf-8",
    )
    assert bootstrap.locked_versions() == [
        "numpy==2.4.6 ; (python_full_version < '3.12')",
        "numpy==2.5.5 ; (python_full_version >= '3.12') or (sys_platform == 'x')",
        "rich==15.0.0",
    ]


def test_the_real_lock_pins_everything_we_ask_for(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "ROOT", ROOT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + bootstrap.development_requirements()
    pinned = {line.split("==")[0] for line in bootstrap.locked_versions()}
    assert {re.split(r"[^\w-]", requirement)[0].lower() for requirement in wanted} <= pinned


# --- the system -------------------------------------------------------------------------------------------------


def test_without_a_screen_the_demo_runs(checkout: Checkout) -> None:
    checkout.add_uv()
    result = checkout.run()
    assert result.stdout.startswith("nimdesk ['demo'] None")
    assert "neither DISPLAY nor WAYLAND_DISPLAY is set" in result.stderr
    assert "`nimdesk demo`" in result.stderr


def test_a_dead_display_does_not_stop_the_tests(checkout: Checkout) -> None:
    checkout.add_uv()
    result = checkout.run("test", DISPLAY="127.0.0.1:59000")
    assert result.stdout.startswith("pytest [] offscreen")


def test_missing_libraries_stop_before_anything_is_downloaded(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.add_program("apt-get", '#!/bin/sh\necho "$@" >> $FAKE_UV_CALLS\n')
    checkout.add_program("sudo", "#!/bin/sh\n")
    checkout.lack("libGL.so.1", "libEGL.so.1", fonts=False)
    for command in ("run", "test"):
        result = checkout.run(command)
        assert result.returncode == 2
        assert "libGL.so.1, libEGL.so.1, a font are missing on this system; install them with:" in result.stderr
        line = "sudo apt-get update && sudo apt-get install -y --no-install-recommends libgl1 libegl1 fonts-dejavu-core"
        assert f"\n    {line}\n" in result.stderr
        assert checkout.calls() == []
    # A command that draws nothing needs none of them, and one that does says so itself.
    result = checkout.run("run", "solve")
    assert result.stdout.startswith("nimdesk ['solve']")


def test_a_missing_font_alone_is_only_told(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.lack(fonts=False)
    result = checkout.run("test")
    assert "no font is installed" in result.stderr
    assert result.returncode == 5


@pytest.mark.parametrize("code", [0, 100])
def test_root_on_debian_installs_after_saying_so(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, code: int
) -> None:
    _, libraries = bootstrap._nimdesk_ui()
    log = tmp_path / "calls"
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$DEBIAN_FRONTEND $@" >> {log}\nexit {code}\n', encoding="utf-8")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.setattr(libraries, "is_root", lambda: True)
    monkeypatch.setattr(bootstrap, "is_debian", lambda: True)
    monkeypatch.setattr(bootstrap, "look_at_the_system", lambda: (None, []))

    def provide() -> None:
        bootstrap.provide(["libGL.so.1"], ["python3-venv"], may_do_without=False)

    if code:
        with pytest.raises(bootstrap.BootstrapError, match="apt-get could not install the packages"):
            provide()
    else:
        provide()
    said = capfd.readouterr().err
    assert "as root on Debian or Ubuntu, this now runs:" in said
    assert "apt-get update && apt-get install -y --no-install-recommends libgl1 python3-venv" in said
    assert log.read_text(encoding="utf-8").splitlines() == [
        "noninteractive update -q",
        "noninteractive install -q -y --no-install-recommends libgl1 python3-venv",
    ]


def test_python_without_venv_names_the_package(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert bootstrap.missing_venv_package() == []
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(bootstrap.BootstrapError, match="without its modules venv and ensurepip"):
        bootstrap.missing_venv_package()
    (tmp_path / "apt-get").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setattr(bootstrap.sys, "base_prefix", "/usr")
    version = "python{}.{}".format(*sys.version_info[:2])
    monkeypatch.setattr(bootstrap.os.path, "realpath", lambda _: f"/usr/bin/{version}")
    assert bootstrap.missing_venv_package() == ["python3-venv"]
    monkeypatch.setattr(bootstrap.os.path, "realpath", lambda _: "/usr/bin/python3.2")
    assert bootstrap.missing_venv_package() == [f"{version}-venv"]
