"""The version of the program, which every file and every result carries."""

__version__ = "0.2.0"
