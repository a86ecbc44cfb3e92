"""UCT for Nim and Connect Four in plain Python, which speaks the protocol nimdesk-search and imports no nimdesk.

nimdesk add-engine uct-py python3 uct.py
"""

import json
import math
import random
import sys

GREETING = {
    "is": "greeting", "protocol": "nimdesk-search", "version": 1, "name": "UCT in Python", "counts": "iterations",
    "samples": True, "chooses": "visits", "games": ["nim", "mnk"],
    "options": [{"name": "exploration", "kind": "float", "default": 1.414, "minimum": 0, "maximum": 100}],
}  # fmt: skip


class Nim:
    def __init__(self, words):
        self.piles = [int(pile) for pile in words[0].split(",")]
        self.most = next((int(word[3:]) for word in words if word.startswith("max")), 10**9)
        self.misere, self.mover, self.winner = "misere" in words, 1, None  # the side that moved last, 0 or 1

    def moves(self):
        return [f"{i + 1}-{n}" for i, pile in enumerate(self.piles) for n in range(1, min(pile, self.most) + 1)]

    def play(self, move):
        pile, take = map(int, move.split("-"))
        self.piles[pile - 1] -= take
        self.mover = 1 - self.mover
        if not any(self.piles):
            self.winner = 1 - self.mover if self.misere else self.mover


class Line:
    """m columns, n rows, k in a row wins; with gravity."""

    def __init__(self, words):
        self.m, self.n, self.k = map(int, words[0].split(","))
        if "gravity" not in words:
            raise ValueError("knows m,n,k games with gravity only")
        self.columns, self.mover, self.winner = [[] for _ in range(self.m)], 1, None

    def moves(self):
        return [f"{chr(97 + x)}{len(c) + 1}" for x, c in enumerate(self.columns) if len(c) < self.n]

    def play(self, move):
        x = ord(move[0]) - 97
        self.mover = 1 - self.mover
        self.columns[x].append(self.mover)
        y = len(self.columns[x]) - 1
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            if 1 + self.run(x, y, dx, dy) + self.run(x, y, -dx, -dy) >= self.k:
                self.winner = self.mover

    def run(self, x, y, dx, dy):
        length = 0
        while 0 <= (x := x + dx) < self.m and 0 <= (y := y + dy) < len(self.columns[x]):
            if self.columns[x][y] != self.mover:
                break
            length += 1
        return length


class Node:
    def __init__(self):
        self.visits, self.value, self.children, self.untried = 0, 0.0, {}, None


def game_of(position):
    kind, *words = position["game"].split(":")
    game = (Nim if kind == "nim" else Line)(words)
    for move in position["moves"]:
        game.play(move)
    return game


def simulate(root, position, c, chance):
    game, node, path = game_of(position), root, [(root, None)]
    while game.winner is None and (moves := game.moves()):
        if node is not None and node.untried is None:
            node.untried = chance.sample(moves, len(moves))
        if node is None:  # the playout
            move = chance.choice(moves)
        elif node.untried:
            move = node.untried.pop()
            node.children[move] = Node()
        else:
            log = math.log(node.visits)
            bounds = {m: n.value / n.visits + c * math.sqrt(log / n.visits) for m, n in node.children.items()}
            move = max(bounds, key=bounds.get)
        game.play(move)
        if node is not None:
            node = node.children[move]
            path.append((node, game.mover))
            node = node if node.visits else None
    for node, mover in path:  # each for the side that moved into it
        node.visits += 1
        node.value += 0.5 if game.winner is None else game.winner == mover


def say(**message):
    print(json.dumps(message), flush=True)


say(**GREETING)
for line in sys.stdin:
    message = json.loads(line)
    if message["is"] == "position":
        position, root, done, chance = message, Node(), 0, None
    elif message["is"] == "go":
        chance = chance or random.Random(message["seed"])
        while done < message.get("iterations", done + 1):
            simulate(root, position, position["options"]["exploration"], chance)
            done += 1
        tried = [root.children.get(move, Node()) for move in position["legal"]]
        visits, sums = [node.visits for node in tried], [node.value for node in tried]
        say(**{"is": "checkpoint"}, iterations=done, visits=visits, value_sums=sums)
        say(**{"is": "best"})
    elif message["is"] == "quit":
        break
