"""nimdesk: a desktop laboratory for game-tree search."""

__version__ = "0.1.0"
