"""The searches as a textbook has them: on positions, in plain Python.

They serve every game that has only rules, and the compiled searches are tested against them. The sampling ones draw
random numbers as the kernels do, so the same seed gives the same tree.
"""
