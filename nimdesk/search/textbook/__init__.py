"""The searches as a textbook has them: on positions, in plain Python.

They serve every game that has rules alone, they are what the compiled searches are compared with, and they are to be
read. Those that sample take their random numbers as the kernels do: where a game has both, the same seed gives
the same tree.
"""
