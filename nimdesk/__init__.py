"""nimdesk: a desktop laboratory for game-tree search."""

__version__ = "0.2.0"
