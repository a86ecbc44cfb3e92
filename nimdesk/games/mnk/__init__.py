"""m,n,k games: their rules, the exact solver, and their rules and identity as compiled code."""
