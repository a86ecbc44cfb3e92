# %% [markdown]
# # Results that stay
#
# A match or a study with a file keeps every finished game or search there at once. The same call goes on where it was
# stopped, and `open` reads the results back, with the machine and the versions that made them.

# %%
import tempfile
from pathlib import Path

import nimdesk as nd

folder = tempfile.TemporaryDirectory()
file = Path(folder.name, "match.db")
players = [nd.agent("uct", iterations=100), "random"]
nd.match(players, "nim:3,4,5", games=10, seed=1, file=file)

# %%
match = nd.open(file)
for made in match.found.made:
    print(made.words)
match.to_pandas()[["first", "second", "games", "first_wins", "second_wins"]]

# %% [markdown]
# Once more: nothing is played twice.

# %%
again = nd.match(players, "nim:3,4,5", games=10, seed=1, file=file)
assert again.to_pandas().equals(match.to_pandas())
assert len(again.found.made) == 1
folder.cleanup()
