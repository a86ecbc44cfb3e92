#!/usr/bin/env python3
"""Make nimdesk's environment and open it, or run its tests, on a machine that has only Python.

    python3 packaging/bootstrap.py [run [arguments of nimdesk]]   open nimdesk (without a screen: `nimdesk demo`)
    python3 packaging/bootstrap.py test [arguments of pytest]     run all tests
    python3 packaging/bootstrap.py setup                          make the environment again, for both

The environment is the folder .venv of this checkout. uv makes it where uv is there, otherwise venv and pip;
`--no-uv` before the command does without uv. Where Qt's system libraries are missing, the line that installs them
is shown, and as root on Debian or Ubuntu it is run.
"""

# Python 3.6 must still be able to read this file as far as the check of the version below, so: no newer syntax.
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 14)

if sys.version_info[:2] < OLDEST:
    sys.exit(
        "nimdesk needs Python {}.{} or newer, and this is Python {}.{} ({});"
        " run the same command with a newer one.".format(*OLDEST, *sys.version_info[:2], sys.executable)
    )

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
# Written when the environment is complete, with what it was made from: while that stays the same, nothing is to do.
STAMP = VENV / "nimdesk-environment.json"
# There while an installer is at work; if the next run finds it, the installer was interrupted.
UNFINISHED = VENV / "nimdesk-unfinished"

_UV_SINCE = (0, 5)


class BootstrapError(Exception):
    """What stands in the way, as a sentence, and the exit code that goes with it."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


def main(arguments: list[str]) -> int:
    try:
        return _main(arguments)
    except BootstrapError as error:
        print(f"nimdesk: {error}", file=sys.stderr)
        return error.code
    except OSError as error:
        print(f"nimdesk: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nnimdesk: stopped; the same command goes on from here.", file=sys.stderr)
        return 130


def _main(arguments: list[str]) -> int:
    no_uv = arguments[:1] == ["--no-uv"]
    command, *rest = arguments[no_uv:] or ["run"]
    if command in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    if command not in ("run", "test", "setup"):
        raise BootstrapError(f"unknown command '{command}'; there are run, test and setup (see --help).", 2)
    if command == "setup" and rest:
        raise BootstrapError(f"setup takes no arguments, and got '{' '.join(rest)}'.", 2)
    dev = command != "run"
    current = command != "setup" and is_current(dev)
    uv = None if current or no_uv else find_uv()
    screen_problem = None
    lacking: list[str] = []
    if command != "setup":
        screen_problem, lacking = look_at_the_system()
    venv_package = [] if current or uv else missing_venv_package()
    if lacking or venv_package:
        # Commands of nimdesk that draw nothing work without Qt's libraries; those that need them say so themselves.
        provide(lacking, venv_package, may_do_without=command == "run" and bool(rest))
    if not current:
        make_environment(uv, dev, again=command == "setup")
    if command == "setup":
        say(f"the environment is ready in {VENV}.")
        return 0
    environment = dict(os.environ)
    if command == "test":
        if screen_problem:
            # Even with a DISPLAY set: Qt would abort on one that does not answer.
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        os.chdir(ROOT)
        return hand_over(["pytest", *rest], environment)
    if screen_problem and not rest:
        say(f"{screen_problem} So this runs `nimdesk demo`, which needs none.")
        rest = ["demo"]
    return hand_over(["nimdesk", *rest], environment)


def say(text: str) -> None:
    print(f"nimdesk: {text}", file=sys.stderr, flush=True)


# --- the system -------------------------------------------------------------------------------------------------


def _nimdesk_ui():
    """nimdesk's own knowledge of screens and system libraries, which needs nothing but Python."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from nimdesk.ui.shell import (
        display,
        system_libraries,  # only from here on is the path right
    )

    return display, system_libraries


def look_at_the_system() -> tuple[str | None, list[str]]:
    """Why there is no screen (or None), and what Qt misses to draw on it, or offscreen."""
    display, system_libraries = _nimdesk_ui()
    problem, groups = display.look_for_screen()
    lacking = system_libraries.missing(groups)
    if not system_libraries.has_fonts():
        lacking.append(system_libraries.FONTS)
    return problem, lacking


def missing_venv_package() -> list[str]:
    """The package that Debian splits off Python's own venv, if this Python lacks it."""
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return []
    version = "python{}.{}".format(*sys.version_info[:2])
    if not shutil.which("apt-get") or sys.base_prefix != "/usr":
        raise BootstrapError(
            f"{sys.executable} comes without its modules venv and ensurepip; install your system's package for them,"
            " or uv (https://docs.astral.sh/uv/), and run this again."
        )
    default = os.path.basename(os.path.realpath("/usr/bin/python3")) == version
    return ["python3-venv" if default else f"{version}-venv"]


def provide(lacking: list[str], venv_package: list[str], may_do_without: bool) -> None:
    """Install what is missing where that is ours to do, otherwise say which line does."""
    _, system_libraries = _nimdesk_ui()
    names = lacking + [f"Python's venv module ({package})" for package in venv_package]
    line = system_libraries.install_line(lacking, venv_package)
    what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing on this system"
    if system_libraries.is_root() and is_debian():
        say(f"{what}; as root on Debian or Ubuntu, this now runs:\n    {line}")
        apt_install([*system_libraries.packages(lacking), *venv_package], line)
        lacking = [] if may_do_without else look_at_the_system()[1]
        if [name for name in lacking if name != system_libraries.FONTS]:
            raise BootstrapError(f"after the installation, {', '.join(lacking)} still cannot be loaded.")
        return
    who = "" if system_libraries.is_root() or line.startswith("sudo ") else "as root, "
    them = "it" if len(names) == 1 else "them"
    how = f"{who}install {them} with:\n    {line}" if line else "install the packages of your system that hold them."
    if venv_package or (lacking != [system_libraries.FONTS] and not may_do_without):
        raise BootstrapError(f"{what}; {how}", 2)
    if lacking == [system_libraries.FONTS] and not may_do_without:
        say(f"no font is installed, so every letter will be drawn as a box; {how}")


def is_debian() -> bool:
    """Whether this is Debian or one of its children, going by the file that says so."""
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return False
    fields = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    words = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', " ").split()
    return bool({"debian", "ubuntu"} & set(words)) and shutil.which("apt-get") is not None


def apt_install(packages: list[str], line: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # A foreign source that fails to update is no reason to stop: what we need is likely to be there.
    call(["apt-get", "update", "-q"], environment)
    code = call(["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages], environment)
    if code:
        raise BootstrapError(
            f"apt-get could not install the packages (its last lines are above); is there a network? To try by hand:\n"
            f"    {line}"
        )


# --- the environment --------------------------------------------------------------------------------------------


def digest() -> str:
    sources = [ROOT / "pyproject.toml", ROOT / "uv.lock"]
    try:
        return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    except OSError as error:
        raise BootstrapError(
            f"this checkout is not complete: {error.filename} cannot be read ({error.strerror})."
        ) from error


def stamp_of_now() -> dict[str, str]:
    # The Python behind .venv (an upgrade of the system's replaces it) and the folder (installers write it down).
    return {"digest": digest(), "python": os.path.realpath(VENV_PYTHON), "folder": str(ROOT)}


def read_stamp() -> dict:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_current(dev: bool) -> bool:
    """Whether .venv is complete and made from what lies here now; looks at files only, for it precedes each start."""
    stamp = read_stamp()
    if not stamp.pop("dev", False) and dev:
        return False
    return VENV_PYTHON.exists() and not UNFINISHED.exists() and stamp == stamp_of_now()


def make_environment(uv: str | None, dev: bool, again: bool) -> None:
    """Make .venv, or bring it up to date; with ``again``, even if it says that it is."""
    with one_at_a_time():
        if is_current(dev) and not again:  # whoever we waited for has done it
            return
        try:
            if is_broken():
                say(f"{VENV} is left from an interrupted run or from another Python; making it anew.")
                remove_environment()
            fresh = not VENV.exists()
            VENV.mkdir(exist_ok=True)
            dev = dev or bool(read_stamp().get("dev"))
            STAMP.unlink(missing_ok=True)
            UNFINISHED.touch()
        except OSError as error:
            raise BootstrapError(
                f"the environment cannot be made in {VENV} ({error.strerror}); use a copy of this checkout in a folder"
                " that you may write to."
            ) from error
        say(f"making the environment in {VENV} with {'uv' if uv else 'venv and pip'} (the first time takes minutes).")
        if uv:
            make_with_uv(uv, dev, fresh)
        else:
            make_with_pip(dev, fresh)
        STAMP.write_text(json.dumps({**stamp_of_now(), "dev": dev}), encoding="utf-8")
        UNFINISHED.unlink()


def is_broken() -> bool:
    """Whether there is something in the place of .venv that no installer could build on."""
    if not os.path.lexists(VENV):
        return False
    if UNFINISHED.exists() or not VENV_PYTHON.exists() or read_stamp().get("folder", str(ROOT)) != str(ROOT):
        return True
    # A new Python behind an old environment starts, but looks for the packages in a folder that is not there.
    probe = "import os, sys, sysconfig; print(*sys.version_info[:2], os.path.isdir(sysconfig.get_path('purelib')))"
    answer = subprocess.run([str(VENV_PYTHON), "-I", "-c", probe], capture_output=True, text=True, check=False)
    words = answer.stdout.split()
    return len(words) != 3 or words[2] != "True" or not OLDEST <= (int(words[0]), int(words[1])) <= NEWEST


def remove_environment() -> None:
    if VENV.is_dir() and not VENV.is_symlink():
        shutil.rmtree(VENV)
    else:
        VENV.unlink()


@contextmanager
def one_at_a_time():
    """Two of these at once would remove each other's half-made environment: the second waits for the first."""
    try:
        import fcntl  # not on Windows, where this goes unguarded
    except ImportError:
        yield
        return
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is making the environment; waiting for it.")
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass  # some network folders know no locks
        yield
    finally:
        os.close(folder)


def own_python() -> str:
    """The Python to make the environment from: not the one in .venv itself, which may be about to go."""
    return getattr(sys, "_base_executable", None) or sys.executable


def supported() -> bool:
    return sys.version_info[:2] <= NEWEST


def find_uv() -> str | None:
    """A uv that works and knows our lock file; a version manager's stand-in for an absent one is none."""
    uv = shutil.which("uv")
    if uv is None:
        return None
    try:
        answer = subprocess.run([uv, "--version"], capture_output=True, text=True, timeout=20, check=False)
        version = tuple(int(part) for part in answer.stdout.split()[1].split(".")[:2])
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None
    return uv if answer.returncode == 0 and version >= _UV_SINCE else None


def make_with_uv(uv: str, dev: bool, fresh: bool) -> None:
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(VENV)}
    environment.pop("VIRTUAL_ENV", None)  # uv would warn that it is another one
    code = 0
    if fresh:
        shutil.rmtree(VENV)  # uv refuses a folder that is there but no environment
        # Where this Python is too new, uv finds or fetches one that is not.
        python = own_python() if supported() else "{}.{}".format(*NEWEST)
        code = call([uv, "venv", "--quiet", "--python", python, str(VENV)], environment)
        if not code:
            UNFINISHED.touch()
    if not code:
        # --inexact: opening nimdesk between two runs of the tests does not throw pytest away.
        only = [] if dev else ["--no-dev", "--inexact"]
        code = call([uv, "sync", "--locked", "--project", str(ROOT), *only], environment)
    if code:
        raise BootstrapError(
            f"uv could not make the environment (exit code {code}, its last lines are above); is there a network?"
            " `--no-uv` before the command does it with venv and pip instead."
        )


def make_with_pip(dev: bool, fresh: bool) -> None:
    if not supported():
        raise BootstrapError(
            "nimdesk's dependencies are there for Python {}.{} to {}.{}, and this is {}.{} ({}).".format(
                *OLDEST, *NEWEST, *sys.version_info[:2], sys.executable
            )
        )
    pip = [str(VENV_PYTHON), "-m", "pip"]
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV"):  # each would send the packages elsewhere
        environment.pop(name, None)
    if fresh:
        code = call([own_python(), "-m", "venv", str(VENV)], environment)
        if code:
            raise BootstrapError(f"`python -m venv` failed (exit code {code}, its last lines are above).")
    elif subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode:
        call([str(VENV_PYTHON), "-m", "ensurepip"], environment)  # uv makes environments without pip
    constraints = VENV / "nimdesk-constraints.txt"
    constraints.write_text("\n".join(locked_versions()) + "\n", encoding="utf-8")
    wanted = development_requirements() if dev else []
    code = call([*pip, "install", "--no-input", "-c", str(constraints), "-e", str(ROOT), *wanted], environment)
    if code:
        raise BootstrapError(
            f"pip could not install the packages (exit code {code}, its last lines are above); is there a network?"
        )


def locked_versions() -> list[str]:
    """The versions of uv.lock as constraints for pip, so that both ways lead to the same environment."""
    import tomllib  # not in the old Pythons that still have to read this file

    by_name: dict = {}
    for package in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8")).get("package", []):
        if "registry" in package.get("source", {}) and "version" in package:
            by_name.setdefault(package["name"], []).append(package)
    lines = []
    for name, versions in by_name.items():
        for package in versions:
            markers = " or ".join(f"({marker})" for marker in package.get("resolution-markers", []))
            if markers:
                lines.append(f"{name}=={package['version']} ; {markers}")
            elif len(versions) == 1:
                lines.append(f"{name}=={package['version']}")
    return lines


def development_requirements() -> list[str]:
    """The group `dev` of pyproject.toml, read here because the pip that venv brings may not know groups."""
    import tomllib

    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]

    def members(name: str) -> list[str]:
        return [
            requirement
            for entry in groups[name]
            for requirement in ([entry] if isinstance(entry, str) else members(entry["include-group"]))
        ]

    return members("dev")


# --- other programs ---------------------------------------------------------------------------------------------


def call(command: list[str], environment: dict[str, str]) -> int:
    """Run a tool in full view, so that its own words stand above ours if it fails, and return its exit code."""
    try:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise BootstrapError(f"{command[0]} cannot be started ({error.strerror}).") from error
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()  # Ctrl-C reached it as well; killed while it tidies up, apt would leave a half-made system
        raise


def hand_over(module: list[str], environment: dict[str, str]) -> int:
    """Become the program (its signals and exit code are then its own), or run it where that cannot be done."""
    # -P: a folder that happens to be called nimdesk where the person stands must not hide the installed one.
    command = [str(VENV_PYTHON), "-P", "-m", *module]
    environment.pop("VIRTUAL_ENV", None)
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
