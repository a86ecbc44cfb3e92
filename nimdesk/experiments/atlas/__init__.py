"""Atlases of convergence, and by whom and how far their positions are usually searched."""

USUAL_AGENTS = ("uct:exploration=0.5", "uct:exploration=1.0", "uct", "mcts")
USUAL_BUDGETS = "10,30,100,300,1000,3000,10000,30000,100000,200000,500000,1000000"
