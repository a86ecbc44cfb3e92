# %% [markdown]
# # One search, and how it came to its move
#
# Three piles of 3, 4 and 5 sticks. The player to move can win, with one move alone. How long does plain UCT take to
# see it? Run the cells one by one (in Jupyter by Jupytext, or in an editor that knows `# %%`).

# %%
import nimdesk as nd

search = nd.analyse("nim:3,4,5", "uct", iterations=100_000, seed=1)
truth = nd.solve("nim:3,4,5")
search

# %% [markdown]
# The curves are the shares of all simulations that each first move got. The optimal one is marked.

# %%
search.plot(truth=truth)

# %%
table = search.to_pandas()
shares = table.assign(share=table.visits / table.groupby("iterations").visits.transform("sum"))
best = {each.text for each in truth.best_moves}
on_best = shares[shares.move.isin(best)].groupby("iterations").share.sum()
print(on_best.tail())
assert search.best_move in truth.best_moves
