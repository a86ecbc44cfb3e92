"""Engines for tests: small programs that speak the protocol, well or badly, and how they become agents."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from nimdesk.agents import Agent, load_plugins, make_agent
from nimdesk.agents.engines import AddedEngine, add_engine

ENGINES = Path(__file__).resolve().parents[1] / "resources" / "examples" / "engines"
CC, NODE = shutil.which("cc"), shutil.which("node")
TALKING = """
import json, sys, time, os

def say(kind, **more):
    print(json.dumps({"is": kind, **more}), flush=True)

GREETING = dict(protocol="nimdesk-search", version=1, name="Odd", counts="iterations", samples=True)
GREETING.update(%s)
say("greeting", **GREETING)
for line in sys.stdin:
    message = json.loads(line)
    if message["is"] == "position":
        position = message
        legal = message["legal"]
        continue
    if message["is"] != "go":
        continue
    n = message.get("iterations") or message.get("nodes") or 1
    share = [n // len(legal) + (i < n %% len(legal)) for i in range(len(legal))]
    half = [v / 2 for v in share]
%s
"""
HONEST = """
say("checkpoint", iterations=n, visits=share, value_sums=half)
say("best")
"""


def odd_engine(folder: Path, body: str, greeting: str = "{}", name: str = "odd") -> AddedEngine:
    """An engine in Python that answers each ``go`` so, added to the list of engines."""
    folder.mkdir(exist_ok=True)
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    (folder / f"{name}.py").write_text(TALKING % (greeting, lines), encoding="utf-8")
    return add_engine(name, (sys.executable, f"{name}.py"), folder)


def odd_agent(folder: Path, body: str, greeting: str = "{}", **options: object) -> Agent:
    """The same as an agent."""
    odd_engine(folder, body, greeting)
    load_plugins(only="odd")
    return make_agent("odd", options)


def example_command(language: str, folder: Path) -> tuple[str, ...] | None:
    """The command of an example, compiled if need be; None where its language is not there."""
    if language == "python":
        return (sys.executable, str(ENGINES / "uct.py"))
    if language == "javascript":
        return None if NODE is None else (NODE, str(ENGINES / "uct.js"))
    if CC is None:
        return None
    program = folder / "uct"
    subprocess.run([CC, "-O2", "-Wall", "-Werror", "-o", program, ENGINES / "uct.c", "-lm"], check=True)
    return (str(program),)
