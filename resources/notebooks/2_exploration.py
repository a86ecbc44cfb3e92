# %% [markdown]
# # What the exploration constant does
#
# A small constant is greedy, a large one tries everything for ever. Same position, same budget, a hundred seeds each.

# %%
import nimdesk as nd

agents = [nd.agent("uct", exploration=c) for c in (0.1, 0.5, 1.41421356, 5.0)]
study = nd.study("mnk:3,3,3 b2", agents, budgets="10-2000", seeds=100)
study.to_pandas()[["agent", "budget", "optimal_share", "low", "high", "regret"]]

# %%
study.plot()
