"""What stock numba lacks for a fast search: arrays without overhead, tuples as one address, vector instructions."""
