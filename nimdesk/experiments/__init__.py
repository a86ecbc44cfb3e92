"""Matches, convergence studies and published tables: plans, execution, results, statistics."""
