"""The program's title, authors, home, and its version, which every file and every result carries."""

__version__ = "0.4.0.dev0"
RELEASE, RELEASED = "0.3.0", "2026-11-27"
"""The newest release and its day; a version under way has neither."""
TITLE = "nimdesk: a desktop laboratory for game-tree search"
AUTHORS = "The nimdesk authors"
HOME = "https://github.com/nimdesk/nimdesk"
ISSUES = f"{HOME}/issues"
