"""Studies of convergence."""
