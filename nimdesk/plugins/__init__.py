"""Code of other packages: how it is found, tried in a process of its own, and spoken with.

``entry_points`` finds packages, ``process`` and ``side`` are the two ends of a process that runs their code. Agents
stay in such processes (``nimdesk.agents.plugins``). A game is tried in one (``trial``), and is then a game like
nimdesk's own (``games``).
"""

HOST = "--run-program-of-others"
"""The first argument of a frozen program that is to be such a process."""
