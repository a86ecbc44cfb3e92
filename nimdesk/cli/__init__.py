"""The command line: everything that needs no screen, and the commands that open or draw the window.

It knows no Qt: ``nimdesk.__main__`` passes in what opens the window. Every user error is a ``NimdeskError`` with one
sentence.
"""

from nimdesk.cli.command_line import LookAtScreen, OpenWindow, RunDemo, commands, run
from nimdesk.cli.inspecting import DrawBoard
from nimdesk.cli.teaching import Paper

__all__ = ["DrawBoard", "LookAtScreen", "OpenWindow", "Paper", "RunDemo", "commands", "run"]
