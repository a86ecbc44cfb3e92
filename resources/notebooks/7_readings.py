# %% [markdown]
# # Which mistake would explain a document's figures?
#
# Document 000 prints how often a search of 500 simulations beats others at Nim, and the search as it is described does
# not come to these figures. The agent `variants` is UCT with what documents do differently, and with the mistakes that
# implementations make, each of them an option. A *reading* of the document sets some of these options otherwise than it
# says. The likelihood of a reading is the probability of the printed figures, in as many games as the document played,
# under the shares of wins that our games of the reading give. Those are uncertain themselves, and have a Beta
# distribution (Jeffreys' prior). `resources/readings.md` tells what a search of this kind found in all documents.

# %%
import math
from itertools import combinations

import nimdesk as nd

PRINTED_GAMES = 1_000
# The position, the simulations of who moves first and of who moves second (0: a random player), and the first one's
# share of the wins, from and to.
FIGURES = [
    ("nim:2,2,2,2", 500, 500, 0.00, 0.00),
    ("nim:3,4,5", 500, 100, 0.78, 0.81),
    ("nim:3,4,5", 500, 500, 0.74, 0.99),
    ("nim:3,4,5", 500, 0, 0.60, 0.90),
]
AS_PUBLISHED = {"exploration": math.sqrt(2), "playouts": "zeroing"}
SWITCHES = [
    *(("backup", value) for value in ("root", "leaf", "inverted")),
    *(("kept_tree", value) for value in ("right", "wrong")),
    ("rewards", "two"),
    ("growth", "all"),
    ("log_n", "root"),
    ("final", "mean"),
    ("playouts", "uniform"),
    ("expansion", "first"),
]

# %% [markdown]
# The games of a reading, and how likely they make the figures.


# %%
def player(simulations, reading):
    """The search of the document in this reading."""
    return nd.agent("variants", iterations=simulations, **{**AS_PUBLISHED, **reading}) if simulations else "random"


def first_wins(reading, figure, games):
    """How many games the first player wins."""
    position, first, second, *_ = figure
    match = nd.match([player(first, reading), player(second, reading)], position, games=games, swap=False)
    return int(match.to_pandas().first_wins.iloc[0])


def log_beta(a, b):
    """The logarithm of Euler's beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def log_chance(k, won, games):
    """The logarithm of the probability of k wins in the document's games, after so many in ours."""
    n, a, b = PRINTED_GAMES, won + 0.5, games - won + 0.5
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways + log_beta(k + a, n - k + b) - log_beta(a, b)


def chance(low, high, won, games):
    """The probability of ``low`` to ``high`` wins in the document's games."""
    return sum(math.exp(log_chance(k, won, games)) for k in range(low, high + 1))


def read(reading, games):
    """The logarithm of the likelihood, to base 10, and the figures that it cannot have given.

    One is further off than chance takes any of them in one table of a hundred.
    """
    likelihood, impossible = 0.0, []
    for figure in FIGURES:
        won, (*_, low, high) = first_wins(reading, figure, games), figure
        low, high = round(low * PRINTED_GAMES), round(high * PRINTED_GAMES)
        logs = [log_chance(k, won, games) for k in range(low, high + 1)]
        likelihood += (max(logs) + math.log(sum(math.exp(each - max(logs)) for each in logs))) / math.log(10)
        tail = min(chance(0, high, won, games), chance(low, PRINTED_GAMES, won, games))
        if 2 * tail < 0.01 / len(FIGURES):
            impossible.append(figure)
    return likelihood, impossible


def words(reading):
    """Such as "backup=root, final=mean"."""
    return ", ".join(f"{name}={value}" for name, value in sorted(reading.items())) or "as published"


# %% [markdown]
# The search begins with the document as it stands and with each switch alone. Then the likeliest reading is changed in
# one switch more, as long as that helps. With few games this takes seconds. For a result to rely on, take 20 games here
# and 200 at last, all figures of the table, two switches together from the start, and go on from the best four
# readings: so the tables of `readings.md` were made, in minutes to hours.

# %%
GAMES, FINAL_GAMES, TOGETHER = 4, 40, 1

found = {}
new = [dict(switches) for together in range(TOGETHER + 1) for switches in combinations(SWITCHES, together)]
while new:
    found.update((words(reading), (read(reading, GAMES)[0], reading)) for reading in new)
    _, best = max(found.values(), key=lambda each: each[0])
    further = [{**best, name: value} for name, value in SWITCHES if name not in best]
    new = [reading for reading in further if words(reading) not in found]
print(len(found), "readings, the likeliest:", words(best))

# %%
for reading in {}, best:
    likelihood, impossible = read(reading, FINAL_GAMES)
    print(f"{words(reading)}: {likelihood:.1f}, {len(impossible)} of {len(FIGURES)} figures cannot have come out")
