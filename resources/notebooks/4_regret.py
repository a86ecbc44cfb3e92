# %% [markdown]
# # What a wrong move costs
#
# The regret of a choice is the value of the best move minus the value of the move chosen: 1 for a win given away to a
# loss, ½ for a draw. Theory knows the value of every move in Nim, so the regret of a search is known at every moment.

# %%
import nimdesk as nd

truth = nd.solve("nim:3,4,5")
print(truth.value, [each.text for each in truth.best_moves])

# %% [markdown]
# The textbook search, and one that merges equal positions and proves values. Each step of a curve is a change of mind.

# %%
plain = nd.analyse("nim:3,4,5", "uct", iterations=20_000, seed=1)
proving = nd.analyse("nim:3,4,5", "mcts", iterations=20_000, seed=1)
axes = plain.plot(measure="regret", truth=truth)
proving.plot(axes, measure="regret", truth=truth)

# %%
print(proving.snapshot.iterations, proving.snapshot.proof)
assert proving.best_move in truth.best_moves
