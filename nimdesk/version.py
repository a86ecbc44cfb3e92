"""The program's title, authors, home, and its version, which every file and every result carries."""

__version__ = "0.2.0"
RELEASED = "2026-11-21"
TITLE = "nimdesk: a desktop laboratory for game-tree search"
AUTHORS = "The nimdesk authors"
ISSUES = "https://github.com/nimdesk/nimdesk/issues"
