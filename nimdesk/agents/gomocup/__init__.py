"""The protocol of Gomocup and Piskvork, version 2, by which programs for five in a row talk with their managers.

``brain`` is nimdesk as such a program. Cells are written "x,y", both from 0, x from the left and y from the top.
"""

PREFIX = "pbrain-"
"""How the file names of these programs begin."""
