# %% [markdown]
# # Who is stronger?
#
# A search with three times the simulations, against the same search, on a position that is won for whoever moves first.

# %%
import nimdesk as nd

players = [nd.agent("uct", iterations=300), nd.agent("uct", iterations=100)]
match = nd.match(players, "nim:3,4,5", games=100, seed=1)
match.to_pandas()

# %% [markdown]
# The whole report, with intervals and Elo differences:

# %%
match
