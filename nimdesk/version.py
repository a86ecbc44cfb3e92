"""The version of the program, which every file and every result carries, and where it is at home."""

__version__ = "0.2.0"
ISSUES = "https://github.com/nimdesk/nimdesk/issues"
