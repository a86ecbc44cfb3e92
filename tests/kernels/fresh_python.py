"""A Python of its own for tests of what is compiled when, and a small kernel to be compiled there."""

import os
import subprocess
import sys
from pathlib import Path

KERNEL = "nimdesk.kernels.tree", "principal_variations"
CALL = """
import sys, numba, numpy
from nimdesk.kernels import CACHE_FOLDER, tree
line, nodes = numpy.zeros((1, 3), numpy.int16), tree.make_tree(2).nodes
nodes[:] = [(1, 1, 1, 0, -1, tree.FULL + 1), (1, 1, -1, 0, 7, 0)]  # a root with one child, by move 7
tree.principal_variations(nodes, line)
assert numba.config.CACHE_DIR == str(CACHE_FOLDER)
# Our own compiler has not been loaded if the kernel came from the disk.
hits, compiler = sum(tree.principal_variations.stats.cache_hits.values()), "numba.np.arrayobj" in sys.modules
print(CACHE_FOLDER, hits, compiler, *line[0])
"""
COMPILED, LOADED = ["0", "True", "7", "-1", "0"], ["1", "False", "7", "-1", "0"]


def run(code: str, cache_dir: Path, **environment: str) -> list[str]:
    """What a fresh Python prints, word by word; nothing may go to stderr."""
    env = {**os.environ, "NIMDESK_CACHE_DIR": str(cache_dir), **environment}
    # As in a shell: nothing that numba, or nimdesk in the process of the tests, has set.
    env = {name: value for name, value in env.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        cwd=cache_dir.anchor,  # not the checkout, which would come before PYTHONPATH
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()
