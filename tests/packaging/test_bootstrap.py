"""The bootstrap in small checkouts of its own: real processes, a make-believe uv, and never a network."""

import ast
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
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
    "nimdesk/version.py",
    "nimdesk/ui/__init__.py",
    "nimdesk/ui/shell/__init__.py",
    "nimdesk/ui/shell/display.py",
]
NEVER_ROOT = "def is_root(): return False"
ALL_THERE = "def missing(groups): return []\ndef has_fonts(): return True\n" + NEVER_ROOT

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
    sync)
        {sync}
        {python} -m venv --without-pip "$UV_PROJECT_ENVIRONMENT"
        for packages in "$UV_PROJECT_ENVIRONMENT"/lib/python*/site-packages; do
            echo "{checkout}" > "$packages/checkout.pth"
        done ;;
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
        # What a real system lacks is not the matter here.
        self.system(ALL_THERE)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def system(self, functions: str) -> None:
        """Let nimdesk find this system, said by functions of ``display``."""
        text = (ROOT / "nimdesk/ui/shell/display.py").read_text(encoding="utf-8")
        self.write("nimdesk/ui/shell/display.py", f"{text}\n\n{functions}\n")

    def add_program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def add_uv(self, sync: str = "") -> None:
        self.add_program("uv", UV.format(sync=sync, python=sys.executable, checkout=self.root))

    def calls(self) -> list[str]:
        """How uv and apt-get were called since the last time."""
        text = self.calls_file.read_text(encoding="utf-8") if self.calls_file.exists() else ""
        self.calls_file.unlink(missing_ok=True)
        return text.splitlines()

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
            timeout=600,
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


def test_help_names_the_commands(checkout: Checkout) -> None:
    result = checkout.run("--help")
    assert result.returncode == 0
    for word in ("run", "test", "setup", "--no-uv", "--no-install", "--warm-up"):
        assert word in result.stdout


@pytest.mark.parametrize("arguments", [["tests"], ["--verbose"], ["setup", "now"], ["--no-uv", "nonsense"]])
def test_nonsense_is_one_sentence(checkout: Checkout, arguments: list[str]) -> None:
    result = checkout.run(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("nimdesk: ")
    assert result.stderr.count("\n") == 1
    assert not (checkout.root / ".venv").exists()


# The environment


def test_run_with_uv_makes_the_environment_once(checkout: Checkout) -> None:
    checkout.add_uv()
    first = checkout.run("run", "solve", "--help", cwd=checkout.programs)
    assert first.stdout == "nimdesk ['solve', '--help'] None programs\n"
    assert first.returncode == 7
    (synced,) = checkout.calls()
    assert synced.startswith("sync --locked ")
    assert "--no-dev" in synced
    again = checkout.run("run", "solve", "--help")
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
        (call,) = checkout.calls()
        assert "--no-dev" not in call, "what the tests needed stays"


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
    assert result.returncode == 2
    assert "error: dns error: no such host" in result.stderr
    assert "nimdesk: uv could not make the environment" in result.stderr
    assert "is there a network?" in result.stderr
    assert "Traceback" not in result.stderr
    checkout.add_uv()
    assert checkout.run("run").returncode == 7


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.run("run")
    python = checkout.root / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/nowhere/bin/python3.11")
    (checkout.root / ".venv/left").touch()
    assert checkout.run("run").returncode == 7
    assert not (checkout.root / ".venv/left").exists()


def test_a_checkout_that_moved_gets_its_environment_anew(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.run("run")
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    (checkout.root / ".venv/left").touch()
    checkout.add_uv()
    assert checkout.run("run").returncode == 7
    assert not (checkout.root / ".venv/left").exists()


def test_an_environment_that_a_person_made_with_uv_is_used(checkout: Checkout) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(checkout.root / ".venv")], check=True)
    (checkout.root / ".venv/mine").touch()
    checkout.add_uv()
    assert checkout.run("run").returncode == 7
    assert (checkout.root / ".venv/mine").exists()


@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_leaves_a_sentence_and_a_way_on(checkout: Checkout) -> None:
    checkout.add_uv(sync="echo started; exec sleep 30")
    process = subprocess.Popen(
        checkout.command("run"),
        env=checkout.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.endswith("nimdesk: stopped; the same command goes on from here.\n")
    checkout.add_uv()
    assert checkout.run("run").returncode == 7


def test_a_checkout_without_its_lock_is_one_sentence(checkout: Checkout) -> None:
    (checkout.root / "uv.lock").unlink()
    checkout.add_uv()
    result = checkout.run("run")
    assert result.returncode == 2
    assert "uv.lock" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(importlib.util.find_spec("ensurepip") is None, reason="this Python comes without ensurepip")
def test_without_uv_venv_and_pip_do_it_and_a_failure_says_its_reason_and_is_taken_up_again(checkout: Checkout) -> None:
    checkout.add_uv()
    checkout.write("backend.py", "raise OSError('no space')")
    result = checkout.run("--no-uv", "run", "games")
    assert result.returncode == 2
    assert "nimdesk: pip could not install the packages" in result.stderr
    assert "is there a network?" in result.stderr
    checkout.write("backend.py", "raise OSError('SSLError: certificate verify failed: unable to get local issuer')")
    result = checkout.run("--no-uv", "run", "games")
    assert result.returncode == 2
    assert "certificate verify failed" in result.stderr
    assert "a certificate that is not trusted here" in result.stderr
    assert "is there a network?" not in result.stderr
    checkout.write("backend.py", BACKEND)
    result = checkout.run("--no-uv", "run", "games")
    assert result.returncode == 7, result.stderr
    assert "with venv and pip" in result.stderr
    assert checkout.calls() == []
    again = checkout.run("--no-uv", "run", "games")
    assert again.stderr == ""


def test_what_was_installed_is_compiled_before_the_first_start(checkout: Checkout) -> None:
    checkout.add_uv()
    result = checkout.run("setup")
    assert result.returncode == 0, result.stderr
    assert "compiling Python's bytecode" in result.stderr
    assert list((checkout.root / "nimdesk" / "__pycache__").glob("errors.*.pyc"))


def test_pip_gets_the_versions_of_the_lock(bootstrap: ModuleType, tmp_path: Path) -> None:
    registry = 'source = { registry = "https://example.org/simple" }\n'
    (tmp_path / "uv.lock").write_text(
        f'[[package]]\nname = "one"\nversion = "1.2"\n{registry}'
        f'[[package]]\nname = "two"\nversion = "2.0"\n{registry}resolution-markers = ["python_version < \'3.12\'"]\n'
        '[[package]]\nname = "nimdesk"\nversion = "0.1"\nsource = { editable = "." }\n',
        encoding="utf-8",
    )
    assert bootstrap.locked_versions() == ["one==1.2", "two==2.0 ; (python_version < '3.12')"]


# The system


def test_without_a_screen_the_demo_runs(checkout: Checkout) -> None:
    checkout.add_uv()
    result = checkout.run()
    assert result.stdout.startswith("nimdesk ['demo']")
    assert "There is no screen here" in result.stderr


def test_a_dead_display_does_not_stop_the_tests(checkout: Checkout) -> None:
    checkout.add_uv()
    assert "offscreen" in checkout.run("test", DISPLAY=":987").stdout


def test_missing_libraries_stop_before_anything_is_downloaded(checkout: Checkout) -> None:
    checkout.system(f"def missing(groups): return ['libGL.so.1']\ndef has_fonts(): return True\n{NEVER_ROOT}")
    checkout.add_program("sudo", "#!/bin/sh\n")
    checkout.add_program("apt-get", "#!/bin/sh\n")
    checkout.add_uv()
    result = checkout.run("test")
    assert result.returncode == 2
    assert "missing on this system: libGL.so.1; install what is missing with:\n    sudo apt-get update" in result.stderr
    assert checkout.calls() == []
    assert checkout.run("run", "games").returncode == 7, "what draws nothing does without"


def test_a_missing_font_alone_is_only_told(checkout: Checkout) -> None:
    checkout.system(f"def missing(groups): return []\ndef has_fonts(): return False\n{NEVER_ROOT}")
    checkout.add_uv()
    result = checkout.run("run")
    assert result.returncode == 7
    assert "no font is installed" in result.stderr


@pytest.mark.parametrize("code", [0, 100])
def test_root_on_debian_installs_after_saying_so(checkout: Checkout, code: int) -> None:
    lacking = "[] if os.path.exists(os.environ['FAKE_UV_CALLS']) else ['libGL.so.1']"
    checkout.system(f"def missing(groups): return {lacking}\ndef has_fonts(): return True\ndef is_root(): return True")
    bootstrap = checkout.root / "packaging/bootstrap.py"
    text = bootstrap.read_text(encoding="utf-8").replace("def is_debian()", "def is_debian(): return True\ndef _()")
    bootstrap.write_text(text, encoding="utf-8")
    checkout.add_program("apt-get", f'#!/bin/sh\necho "apt-get $@" >> "$FAKE_UV_CALLS"\nexit {code}\n')
    checkout.add_uv()
    result = checkout.run("test")
    assert "as root on Debian or Ubuntu, this now runs:\n    apt-get update && apt-get install -y" in result.stderr
    calls = checkout.calls()
    assert calls[0] == "apt-get update"
    if code:
        assert result.returncode == 2
        assert "apt-get could not install" in result.stderr
    else:
        assert "libgl1" in calls[1]
        assert result.returncode == 5


def test_all_that_is_missing_is_told_at_once(checkout: Checkout) -> None:
    checkout.system(
        "def missing(groups): return ['libGL.so.1']\ndef has_fonts(): return True\ndef is_root(): return True"
    )
    bootstrap = checkout.root / "packaging/bootstrap.py"
    text = bootstrap.read_text(encoding="utf-8").replace("sys.base_prefix", repr("/usr"))
    for name, value in (("is_debian", True), ("has_venv", False)):
        text = text.replace(f"def {name}()", f"def {name}(): return {value}\ndef _()")
    bootstrap.write_text(text, encoding="utf-8")
    checkout.add_program("apt-get", '#!/bin/sh\necho "apt-get $@" >> "$FAKE_UV_CALLS"\nexit 100\n')
    only_told = checkout.run("--no-install", "--no-uv", "run")
    assert only_told.returncode == 2
    assert "missing on this system: libGL.so.1, Python's modules venv and ensurepip; install" in only_told.stderr
    version = "{}.{}".format(*sys.version_info[:2])
    assert re.search(rf"apt-get install -y .*libgl1 .*fonts-dejavu-core python{version}-venv\n", only_told.stderr)
    assert checkout.calls() == []
    assert checkout.run("--no-uv", "run").returncode == 2
    assert checkout.calls() == ["apt-get update"]


def test_searches_are_compiled_before_the_window_opens(checkout: Checkout) -> None:
    checkout.add_uv()
    result = checkout.run("--warm-up", "run", "games")
    assert "nimdesk ['warm-up']" in result.stdout
    assert result.returncode == 2, "the program of this checkout fails"
    assert "could not be compiled" in result.stderr
