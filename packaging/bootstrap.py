#!/usr/bin/env python3
"""Make nimdesk's environment and open it, or run its tests, on a machine that has only Python.

    python3 packaging/bootstrap.py [run [arguments of nimdesk]]   open nimdesk (without a screen: `nimdesk demo`)
    python3 packaging/bootstrap.py test [arguments of pytest]     run all tests
    python3 packaging/bootstrap.py setup                          make the environment again, for both

The environment is the folder .venv of this checkout. uv makes it where uv is there, otherwise venv and pip. Where
system packages are missing, the line that installs them is shown, and as root on Debian or Ubuntu it is run.

Before the command may stand
    --no-uv        do without uv
    --no-install   install no system packages, as root either: only show the line
    --warm-up      compile all searches before nimdesk opens, which takes a minute or two, once
"""

# Python 3.6 must still be able to read this file as far as the check of the version below, so: no newer syntax.
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
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
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
# Written when the environment is complete, with what it was made from; while that is unchanged, nothing needs doing.
STAMP = VENV / "nimdesk-environment.json"
FLAGS = ("--no-uv", "--no-install", "--warm-up")
NETWORK = "(its last lines are above); is there a network? The same command goes on from here."
CERTIFICATE = (
    "(its last lines are above): whoever answers on the network has a certificate that is not trusted here. If it is a"
    " server of yours, name the file of its certificates in PIP_CERT. The same command goes on from here."
)


class BootstrapError(Exception):
    """What stands in the way, as a sentence."""


def main(arguments: list[str]) -> int:
    """Do what the arguments say; the exit code is 2 for anything that a person can put right."""
    try:
        return _main(arguments)
    except (BootstrapError, OSError) as error:
        print(f"nimdesk: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nnimdesk: stopped; the same command goes on from here.", file=sys.stderr)
        return 130


def _main(arguments: list[str]) -> int:
    flags, words = set(), list(arguments)
    while words and words[0] in FLAGS:
        flags.add(words.pop(0))
    command, *rest = words or ["run"]
    if command in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    if command not in ("run", "test", "setup") or (command == "setup" and rest):
        raise BootstrapError(f"unknown command '{' '.join([command, *rest])}'; there are run, test and setup.")
    # Commands of nimdesk that draw nothing work without Qt's libraries; those that need them say so themselves.
    dev, uv = command != "run", None if "--no-uv" in flags else shutil.which("uv")
    to_make = command == "setup" or not is_current(dev)
    draws = command == "test" or not rest
    screen_problem = look_at_the_system(command != "setup", draws, to_make and not uv, "--no-install" not in flags)
    if to_make:
        make_environment(uv, dev)
    if "--warm-up" in flags and call([str(PYTHON), "-P", "-m", "nimdesk", "warm-up"], dict(os.environ)):
        raise BootstrapError("the searches could not be compiled (the last lines above say why).")
    if command == "setup":
        say(f"the environment is ready in {VENV}.")
        return 0
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
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
    """Tell the person what is going on."""
    print(f"nimdesk: {text}", file=sys.stderr, flush=True)


# The system


def look_at_the_system(starts: bool, draws: bool, makes: bool, may_install: bool) -> str | None:
    """Why there is no screen (or None), once everything is there that is needed; all that is missing is told at once.

    What ``starts`` has to draw well, what ``draws`` must be able to, what ``makes`` needs Python's own means.
    """
    sys.path.insert(0, str(ROOT))
    from nimdesk.ui.shell import display  # this module needs nothing but Python

    problem, groups = display.look_for_screen() if starts else (None, [])
    libraries = display.missing(groups)
    venv = ["Python's modules venv and ensurepip"] if makes and not has_venv() else []
    lacking = [*libraries, *venv]
    fonts = not starts or display.has_fonts()
    if not lacking and fonts:
        return problem
    packages = "python{}.{}-venv".format(*sys.version_info[:2]) if venv and sys.base_prefix == "/usr" else ""
    what = ", ".join(lacking or ["a font"])
    if may_install and display.is_root() and is_debian() and not (venv and not packages):
        line = display.install_line(packages)
        say(f"missing on this system: {what}; as root on Debian or Ubuntu, this now runs:\n    {line}")
        if call(["sh", "-c", line], {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}):
            raise BootstrapError(f"apt-get could not install the packages {NETWORK}")
    elif venv and not packages:
        raise BootstrapError(f"{sys.executable} lacks its modules venv and ensurepip; install them, or uv.")
    elif venv or (libraries and draws):
        raise BootstrapError(f"missing on this system: {what}; {display.how_to_install(lacking, packages)}")
    elif draws and not libraries:
        say(f"no font is installed, so every letter will be drawn as a box; {display.how_to_install(['a font'])}")
    return problem


def has_venv() -> bool:
    """Whether this Python has its means to make environments, which Debian splits off."""
    return bool(importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"))


def is_debian() -> bool:
    """Whether this is Debian or a derivative, by the system's own description."""
    release = Path("/etc/os-release")
    return shutil.which("apt-get") is not None and release.exists() and "debian" in release.read_text(encoding="utf-8")


# The environment


def stamp_of(dev: bool) -> dict:
    """What the environment is made from: the lock, its Python, and the folder, which installers write down."""
    sources = [ROOT / "pyproject.toml", ROOT / "uv.lock"]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    return {"digest": digest, "python": os.path.realpath(PYTHON), "folder": str(ROOT), "dev": dev}


def read_stamp() -> dict:
    """The stamp of a complete environment; empty if there is none."""
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def is_current(dev: bool) -> bool:
    """Whether .venv is complete and current. It only looks at files, because every start waits for it."""
    stamps = [stamp_of(dev=True)] if dev else [stamp_of(dev=True), stamp_of(dev=False)]
    return PYTHON.exists() and read_stamp() in stamps


def make_environment(uv: str | None, dev: bool) -> None:
    """Make or update .venv; what an interrupted run or another Python left is replaced."""
    before = read_stamp()
    dev = dev or before.get("dev", False)
    now = stamp_of(dev)
    ours = all(before.get(key) == now[key] for key in ("python", "folder")) if STAMP.exists() else True
    say(f"making the environment in {VENV} with {'uv' if uv else 'venv and pip'} (the first time takes minutes).")
    if os.path.lexists(VENV) and not (PYTHON.exists() and ours):
        shutil.rmtree(VENV)
    if uv:
        make_with_uv(uv, dev)
    else:
        make_with_pip(dev)
    compile_bytecode()
    STAMP.write_text(json.dumps(stamp_of(dev)), encoding="utf-8")


def make_with_uv(uv: str, dev: bool) -> None:
    """If this Python is too new, uv finds or fetches another."""
    STAMP.unlink(missing_ok=True)
    python = own_python() if sys.version_info[:2] <= NEWEST else "{}.{}".format(*NEWEST)
    command = [uv, "sync", "--locked", "--project", str(ROOT), "--python", python, *([] if dev else ["--no-dev"])]
    if call(command, {**os.environ, "UV_PROJECT_ENVIRONMENT": str(VENV)}):
        raise BootstrapError(f"uv could not make the environment {NETWORK} With --no-uv, pip does it instead.")


def make_with_pip(dev: bool) -> None:
    """Use Python's own means, with the versions of the lock."""
    if sys.version_info[:2] > NEWEST:
        raise BootstrapError("nimdesk's dependencies are there for Python {}.{} to {}.{}.".format(*OLDEST, *NEWEST))
    environment = dict(os.environ)
    # This also works over an environment of uv, which has no pip.
    if call([own_python(), "-m", "venv", str(VENV)], environment):
        raise BootstrapError("`python -m venv` failed (its last lines are above).")
    STAMP.write_text("{}", encoding="utf-8")  # if this is still there next time, pip was interrupted
    constraints = VENV / "nimdesk-constraints.txt"
    constraints.write_text("\n".join(locked_versions()) + "\n", encoding="utf-8")
    # ``compile_bytecode`` does that, without the tests of the libraries, which are half of all.
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--no-compile"]
    pip += ["--prefer-binary"]
    # The pip that venv brings may not know dependency groups yet.
    group = ["--group", f"{ROOT / 'pyproject.toml'}:dev"] if dev else []
    steps = [["-q", "-U", "pip>=25.1"]] if dev else []
    for step in [*steps, ["-c", str(constraints), "-e", str(ROOT), *group]]:
        failed, said = call_and_hear([*pip, *step], environment)
        if failed:
            why = CERTIFICATE if "certificate" in said.lower() else NETWORK
            raise BootstrapError(f"pip could not install the packages {why}")


def compile_bytecode():
    """Compile what was installed, else the first start does it and takes twice as long; a failure costs no more."""
    say("compiling Python's bytecode (some seconds).")
    folders = [ROOT / "nimdesk", *VENV.glob("lib/python*/site-packages"), *VENV.glob("Lib/site-packages")]
    command = [str(PYTHON), "-m", "compileall", "-qq", "-j", "0", "-x", r"[\\/]tests?[\\/]"]
    call([*command, *map(str, folders)], dict(os.environ))


def own_python() -> str:
    """The Python to make the environment from: never the one in .venv, which may be about to go."""
    return getattr(sys, "_base_executable", None) or sys.executable


def locked_versions() -> list[str]:
    """The versions of uv.lock as constraints for pip, so that both ways give the same environment."""
    import tomllib  # not in the old Pythons that still have to read this file

    lines = []
    for package in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8")).get("package", []):
        if "registry" in package.get("source", {}):
            markers = " or ".join(f"({marker})" for marker in package.get("resolution-markers", []))
            lines.append(f"{package['name']}=={package['version']}" + (f" ; {markers}" if markers else ""))
    return lines


# Other programs


def call(command: list[str], environment: dict[str, str]) -> int:
    """Run a tool in full view, so that its own words precede ours if it fails, and return its exit code."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()  # Ctrl-C reached it as well; killed while it tidies up, apt would leave a half-made system
        raise


def call_and_hear(command: list[str], environment: dict[str, str]) -> "tuple[int, str]":
    """The same, and what it said on standard error, which is passed on line by line."""
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    )
    said = []
    try:
        for line in process.stderr:
            sys.stderr.write(line)
            said.append(line)
        return process.wait(), "".join(said)
    except KeyboardInterrupt:
        process.wait()
        raise


def hand_over(module: list[str], environment: dict[str, str]) -> int:
    """Become the program, which then owns its signals and exit code; run it as a child where that is impossible."""
    # -P: a folder named nimdesk in the current folder must not hide the installed package.
    command = [str(PYTHON), "-P", "-m", *module]
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
