# %% [markdown]
# # Where flat Monte Carlo fails
#
# Flat Monte Carlo plays the same number of random games after every move and takes the best mean. More games make the
# means exact, but they are means over random replies. Against random replies the best move may be another than against
# good ones: then more games only make the search more certain of a mistake. Here X holds two opposite corners and O the
# centre. A corner looks best for O, and loses; an edge draws.

# %%
import nimdesk as nd

position = "mnk:3,3,3 a1 b2 c3"
truth = nd.solve(position)
searches = [nd.analyse(position, "flat", playouts=playouts, seed=1) for playouts in (10, 100, 10_000)]
for search in searches:
    means = ", ".join(f"{each.move.text}: {each.mean_value:.3f}" for each in search.moves)
    print(f"{search.snapshot.iterations:,} games: {means}")
assert searches[-1].best_move not in truth.best_moves

# %% [markdown]
# A search that grows a tree asks what good replies do, and finds the optimal move.

# %%
tree = nd.analyse(position, "uct", iterations=20_000, seed=1)
print("flat:", searches[-1].best_move.text, "tree:", tree.best_move.text)
assert tree.best_move in truth.best_moves

# %%
axes = tree.plot(measure="mean", truth=truth)
