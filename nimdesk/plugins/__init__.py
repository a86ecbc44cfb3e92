"""Code of other packages: how it is found, tried in a process of its own, and spoken with."""
