"""Atlases of convergence."""
