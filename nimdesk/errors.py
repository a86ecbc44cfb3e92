"""Every exception that a person can meet, as one small tree.

Each text is a complete sentence saying what is wrong, where, and what is allowed. Whoever catches a ``NimdeskError``
shows its text unchanged.
"""


class NimdeskError(Exception):
    """Base of all errors that nimdesk raises on purpose; ``str(error)`` is a sentence for a person."""


class NotationError(NimdeskError):
    """A text that does not name a game, a position or a move, as it should."""


class GameParameterError(NimdeskError):
    """A game with impossible parameters, such as a pile of minus three."""


class IllegalMoveError(NimdeskError):
    """A move the rules forbid in this position; the text says what is legal."""


class OptionError(NimdeskError):
    """An option of an agent or a command that is out of bounds or of the wrong kind."""


class AgentError(NimdeskError):
    """An agent that failed in its game: it raised, returned an illegal move, or gave no move in time."""


class RecordError(NimdeskError):
    """A saved game that cannot be read, or cannot be written."""


class LibraryError(NimdeskError):
    """The library of games that cannot be read or written."""


class DamagedLibraryError(LibraryError):
    """The file of the library is no library of games, or is broken."""


class BundleError(NimdeskError):
    """A saved experiment of the laboratory that cannot be read, or cannot be written."""


class SettingsError(NimdeskError):
    """Settings that cannot be read, or cannot be written."""


class PlanError(NimdeskError):
    """A plan that cannot be read, or cannot be run; the text names the bad field."""


class ResultsError(NimdeskError):
    """A file of results that cannot be read or written, is not nimdesk's, or belongs to another plan."""


class ClusterError(NimdeskError):
    """A cluster that cannot be reached, is lost, or cannot run the work."""


class CompilationEndedError(NimdeskError):
    """A kernel whose compilation ended because nimdesk was closed."""


class DisplayError(NimdeskError):
    """No screen, or no system library to draw on one, is available for a window."""
