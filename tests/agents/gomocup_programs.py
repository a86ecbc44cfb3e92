"""Small programs of the Gomocup protocol, good and bad, as files that can be run."""

import sys
from pathlib import Path

_PLAYS = """
import sys, time
size, stones, names = 15, [], {}

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

def free():
    return next((x, y) for y in range(size) for x in range(size) if (x, y) not in stones)

def move():
    say("%d,%d" % free())

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word in names:
        names[word](rest)
    elif word == "ABOUT":
        say('name="Small", version="1"')
    elif word in ("START", "RESTART"):
        size, stones = int(rest or size), []
        say("OK")
    elif word == "BEGIN":
        move()
    elif word == "BOARD":
        stones = []
        while (line := sys.stdin.readline().strip()) != "DONE":
            stones.append(tuple(map(int, line.split(",")[:2])))
        move()
    elif word == "END":
        break
    elif word != "INFO":
        say("UNKNOWN " + word)
"""
_FAULTS = {
    "plays": "",
    "nameless": "names['ABOUT'] = lambda _: say('made by nobody')",
    "mute": "names['ABOUT'] = names['START'] = names['RESTART'] = lambda _: None",
    "silent": "def move(): pass",
    "slow": "fast = move\ndef move():\n    time.sleep(1.5); fast()",
    "crashes": "def move(): sys.exit(3)",
    "killed": "def move():\n    import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "outside": "def move(): say('99,1')",
    "taken": "def move(): say('%d,%d' % stones[0])",
    "small": "names['START'] = lambda text: say('ERROR only boards of 20 please')",
    "no-restart": "names['RESTART'] = lambda text: say('UNKNOWN what')",
    "refuses": "def move(): say('ERROR out of ideas')",
    "suggests": "def move(): say('SUGGEST 3,4')\nnames['PLAY'] = say",
    "chats": "fast = move\ndef move():\n    say('MESSAGE Depth 7 | Winrate 61.5%')\n    say('12')\n"
    "    say('I think 3,4 is good')\n"
    "    sys.stdout.buffer.write(b'\\xff\\xfe\\r'); say('DEBUG Nodes 12.5K | Eval +3')\n    say('OK')\n"
    "    say('MESSAGE Bestline I9 G8 [0,0] Z9')\n    say('')\n    fast()",
    "floods": "def move():\n    while True: sys.stdout.write('MESSAGE and another thing ' * 100)",
    "deaf": "told = []\ndef restart(_):\n    told.append(1)\n    if len(told) % 2 == 0: stones.clear(); say('OK')\n"
    "names['RESTART'] = restart",
    "swaps": "def swap2(_):\n    lines = list(iter(lambda: sys.stdin.readline().strip(), 'DONE'))\n"
    "    say('MESSAGE thinking'); say({0: '0,0 1,1 2,2', 3: '3,3 4,4', 5: 'SWAP'}[len(lines)])\n"
    "names['SWAP2BOARD'] = swap2",
    "careless": "fast = move\ndef move():\n    say('ERROR strange line'); fast()",
    "leaves-children": "fast = move\ndef move():\n    import subprocess\n"
    "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "    say('MESSAGE Depth %d' % 1)\n    say('DEBUG child %d' % child.pid); fast()",
}


def program(folder: Path, kind: str) -> Path:
    """A program that plays the first free cell, or does not, by its kind."""
    path = folder / f"pbrain-{kind}"
    before, loop = _PLAYS.split("for line in sys.stdin:", 1)
    path.write_text(f"#!{sys.executable}\n{before}\n{_FAULTS[kind]}\n\nfor line in sys.stdin:{loop}")
    path.chmod(0o755)
    return path
