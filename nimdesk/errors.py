"""Every exception that a person can meet, as one small tree; and how texts from outside stand in their sentences.

Each text is a complete sentence saying what is wrong, where, and what is allowed. Whoever catches a ``NimdeskError``
shows its text unchanged.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""
LONGEST_SENTENCE = 300
_LONGEST_QUOTE = 60
# A file may hold a hundred megabytes where a word should be; nothing looks at more of a text than this.
_MOST_READ = 4_000
# From 0, nothing in common, to 1.
_NEAR = 0.65
_AS_IT_IS: Mapping[str, str] = MappingProxyType({})
# Letters that Python prints and nobody sees: fillers, joiners, variation selectors, empty Braille.
_UNSEEN = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


def shown(text: object) -> str:
    """The text in one line, with a � in place of each letter that cannot be seen; only the ends of a very long one."""
    return "".join(map(_seen, _without_middle(str(text), _MOST_READ)))


def quoted(text: str) -> str:
    """A text from outside in quotation marks, for a sentence: ``shown``, and short."""
    return f"“{_without_middle(shown(text), _LONGEST_QUOTE)}”"


def suggestion(wrong: str, known: Iterable[str], otherwise: str = "", *, meaning: Mapping[str, str] = _AS_IT_IS) -> str:
    """What follows "there is no such thing;": the nearest of the known words, or ``otherwise``, or all of them.

    ``meaning`` has what to say in place of words that are not said themselves. Capitals make no difference.
    """
    from difflib import get_close_matches  # lazy: only a mistake needs it, and start-up does not

    words = {word.lower(): word for word in known}
    near = get_close_matches(wrong.lower(), words, n=1, cutoff=_NEAR)
    if near:
        return f"did you mean {meaning.get(words[near[0]], words[near[0]])}?"
    return otherwise or f"there are: {', '.join(words.values())}."


def lacking(need: str, library: str, extra: str) -> str:
    """The sentence for a library of one of nimdesk's extras that is not there, such as need "Figures need", and what
    brings it: nothing can be added to a package with its own Python.
    """
    if getattr(sys, "frozen", False):
        return f"{need} {library}, which this package lacks; “pip install nimdesk[{extra}]” installs nimdesk with it."
    return f"{need} {library}, which is not installed; “pip install nimdesk[{extra}]” brings it."


def brief(sentence: str) -> str:
    """The sentence in one line of at most 300 letters, all of which can be seen.

    In one that is too long, the texts in quotation marks lose their middles, and if need be the sentence itself.
    """
    text = " ".join(shown(sentence).split())
    while len(text) > LONGEST_SENTENCE:
        longest = max(re.findall("“[^“”]*”", text), key=len, default="")
        most = max(_LONGEST_QUOTE, len(longest) - 2 - (len(text) - LONGEST_SENTENCE))
        if len(longest) - 2 <= most:
            return _without_middle(text, LONGEST_SENTENCE)
        text = text.replace(longest, f"“{_without_middle(longest[1:-1], most)}”")
    return text


def _without_middle(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}…{text[len(text) - end :]}"


def _seen(letter: str) -> str:
    if letter.isspace():
        return " "
    return letter if letter.isprintable() and letter not in _UNSEEN else "\N{REPLACEMENT CHARACTER}"


class Finding(NamedTuple):
    """What was found of one thing on this machine; where it is wrong, how, and the line that mends it."""

    what: str
    says: str
    wrong: str = ""
    mend: str = ""


class NimdeskError(Exception):
    """Base of all errors that nimdesk raises on purpose; ``str(error)`` is a sentence for a person.

    Whatever it quotes, the sentence is ``brief``.
    """

    def __init__(self, sentence: str = "") -> None:
        super().__init__(brief(sentence))


class NotationError(NimdeskError):
    """A text that does not name a game, a position or a move, as it should."""


class RulesError(NotationError):
    """Rules, compiled rules or a board that do not keep what they promise, in a sentence that names the game."""


class GameParameterError(NimdeskError):
    """A game with impossible parameters, such as a pile of minus three."""


class IllegalMoveError(NimdeskError):
    """A move the rules forbid in this position; the text says what is legal."""


class OptionError(NimdeskError):
    """An option of an agent or a command that is out of bounds or of the wrong kind."""


class StillLoadingError(NimdeskError):
    """A plug-in that has not said yet what it is, in a window that does not wait for it."""


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


class LessonError(NimdeskError):
    """A lesson, or a file of answers, that cannot be read or written; or an answer that is none to its question."""


class SettingsError(NimdeskError):
    """Settings that cannot be read, or cannot be written."""


class PlanError(NimdeskError):
    """A plan that cannot be read, or cannot be run; the text names the bad field."""


class ResultsError(NimdeskError):
    """A file of results that cannot be read or written, is not nimdesk's, or belongs to another plan."""


class StoringError(ResultsError):
    """Results that cannot be stored now, but perhaps soon: the disk is full, or cannot be written to."""


class ClusterError(NimdeskError):
    """A cluster that cannot be reached, is lost, or cannot run the work."""


class CompilationEndedError(NimdeskError):
    """A kernel whose compilation ended because nimdesk was closed."""


class StoppedError(Exception):
    """What was under way is not wanted any more, and ends where it is: no person meets this one."""


class DisplayError(NimdeskError):
    """No screen, or no system library to draw on one, is available for a window; the advice may have several lines."""

    def __init__(self, advice: str) -> None:
        Exception.__init__(self, advice)
