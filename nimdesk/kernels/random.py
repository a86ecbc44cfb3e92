"""Random numbers for kernels: splitmix64 (Steele, Lea and Flood, 2014), its state passed in and handed back.

The same state gives the same numbers on every machine; no global generator is touched.
"""

import numpy as np

from nimdesk.kernels.jit import inlined, int64

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@inlined
def step(state: np.uint64) -> np.uint64:
    """The next state of the generator."""
    return state + _GAMMA


@inlined
def bits(state: np.uint64) -> np.uint64:
    """64 random bits from a state that ``step`` has just moved on."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inlined
def below(state: np.uint64, bound: int) -> int:
    """A number from 0 to ``bound`` - 1 from a stepped state; ``bound`` up to 2**31.

    Multiply and shift (Lemire, 2019) without the rejection step: the bias is at most ``bound`` / 2**32.
    """
    return int64(((bits(state) >> _S32) * np.uint64(bound)) >> _S32)
