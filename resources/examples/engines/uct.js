// UCT for Nim and Connect Four in JavaScript, which speaks the protocol nimdesk-search.
//
//     nimdesk add-engine uct-js node uct.js

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

class Nim {
  constructor(words) {
    this.piles = words[0].split(",").map(Number);
    const most = words.find((word) => word.startsWith("max"));
    [this.most, this.misere] = [most ? Number(most.slice(3)) : Infinity, words.includes("misere")];
    [this.mover, this.winner] = [1, null]; // the side that moved last, 0 or 1
  }
  moves() {
    return this.piles.flatMap((pile, i) =>
      Array.from({ length: Math.min(pile, this.most) }, (_, n) => `${i + 1}-${n + 1}`));
  }
  play(move) {
    const [pile, take] = move.split("-").map(Number);
    this.piles[pile - 1] -= take;
    this.mover = 1 - this.mover;
    if (this.piles.every((left) => left === 0)) this.winner = this.misere ? 1 - this.mover : this.mover;
  }
}

class Line { // m columns, n rows, k in a row wins; with gravity
  constructor(words) {
    [this.m, this.n, this.k] = words[0].split(",").map(Number);
    if (!words.includes("gravity")) throw new Error("knows m,n,k games with gravity only");
    this.columns = Array.from({ length: this.m }, () => []);
    [this.mover, this.winner] = [1, null];
  }
  moves() {
    return this.columns.flatMap((c, x) => (c.length < this.n ? [String.fromCharCode(97 + x) + (c.length + 1)] : []));
  }
  play(move) {
    const x = move.charCodeAt(0) - 97, y = this.columns[x].length;
    this.mover = 1 - this.mover;
    this.columns[x].push(this.mover);
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]])
      if (1 + this.run(x, y, dx, dy) + this.run(x, y, -dx, -dy) >= this.k) this.winner = this.mover;
  }
  run(x, y, dx, dy) {
    let length = 0;
    while ((this.columns[(x += dx)] ?? [])[(y += dy)] === this.mover) length++;
    return length;
  }
}

function random(seed) { // mulberry32; returns whole numbers below n
  let state = Number(BigInt(seed) & 0xffffffffn) | 0;
  return (n) => {
    let t = (state = (state + 0x6d2b79f5) | 0);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

const newNode = () => ({ visits: 0, value: 0, children: new Map(), untried: null });

function simulate(root, position, below) {
  const c = position.options.exploration, [kind, ...words] = position.game.split(":");
  const game = new (kind === "nim" ? Nim : Line)(words), path = [[root, null]];
  position.moves.forEach((move) => game.play(move));
  let node = root, moves;
  while (game.winner === null && (moves = game.moves()).length) {
    let move;
    if (node && !node.untried) node.untried = moves.slice();
    if (!node) move = moves[below(moves.length)]; // the playout
    else if (node.untried.length) {
      [move] = node.untried.splice(below(node.untried.length), 1);
      node.children.set(move, newNode());
    } else {
      let most = -Infinity;
      for (const [each, child] of node.children) {
        const bound = child.value / child.visits + c * Math.sqrt(Math.log(node.visits) / child.visits);
        if (bound > most) [most, move] = [bound, each];
      }
    }
    game.play(move);
    if (node) {
      path.push([(node = node.children.get(move)), game.mover]);
      if (!node.visits) node = null;
    }
  }
  for (const [each, mover] of path) { // each for the side that moved into it
    each.visits++;
    each.value += game.winner === null ? 0.5 : Number(game.winner === mover);
  }
}

say({
  is: "greeting", protocol: "nimdesk-search", version: 1, name: "UCT in JavaScript", counts: "iterations",
  samples: true, chooses: "visits", games: ["nim", "mnk"],
  options: [{ name: "exploration", kind: "float", default: 1.414, minimum: 0, maximum: 100 }],
});
let position, root, done, below;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.is === "position") [position, root, done, below] = [message, newNode(), 0, null];
  if (message.is === "quit") process.exit();
  if (message.is !== "go") return;
  below ??= random(message.seed);
  for (const until = message.iterations ?? done + 1; done < until; done++) simulate(root, position, below);
  const tried = position.legal.map((move) => root.children.get(move) ?? newNode());
  const visits = tried.map((node) => node.visits), value_sums = tried.map((node) => node.value);
  say({ is: "checkpoint", iterations: done, visits, value_sums });
  say({ is: "best" });
});
