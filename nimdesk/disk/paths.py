"""Where resources, settings, caches and results are; environment variables can move the last three, as tests do."""

import errno
import os
import re
import unicodedata
from functools import cache
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

import platformdirs

from nimdesk.disk.atomic import check_ordinary, os_error_words
from nimdesk.errors import NimdeskError

_APP = "nimdesk"
CERTIFICATES = ".cert"
"""The ending of certificates."""
LESSONS = ".nimdesk-lesson"
"""The ending of lessons."""
DOCUMENTS = (".nimdesk", ".json", LESSONS, CERTIFICATES)
"""The endings of nimdesk's own files that the window opens: games, bundles of the laboratory, lessons, certificates."""
GAMES = (".psq", ".rec", ".sgf", ".txt")
"""The endings of files of other programs that the window opens as games."""
RESULTS = ".db"
"""The ending of files of results."""
COMPLETING = "_NIMDESK_COMPLETE"
"""The environment variable by which a shell asks for completions, as click has it."""
_PACKAGE = Path(__file__).parents[1]
_LONGEST_NAME = 150
_URI = "file://"
# Names that Windows takes for a device, whatever follows the first full stop.
_DEVICE = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])\s*(\.|$)", re.IGNORECASE)


def existing(path: Path) -> Path:
    """The path itself, if there is a file; ``NimdeskError`` with one sentence if there is none."""
    try:
        check_ordinary(path)
        path.stat()
    except (OSError, ValueError) as error:
        raise NimdeskError(f"“{path}” cannot be opened: {os_error_words(error)}.") from error
    return path


def make_private(folder: Path) -> None:
    """Make this folder and what is missing above it, for its owner alone whatever the umask; an existing folder stays
    as it is.

    Raises ``OSError``, or ``ValueError`` for a name that no folder can have.
    """
    try:
        for above in reversed(folder.parents):
            if not above.exists():
                above.mkdir(0o700, exist_ok=True)
        folder.mkdir(0o700, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from error


def path_text(path: Path) -> str:
    """The absolute path as a text that every file can hold, for ``path_of``.

    That is the path itself or, where it is no Unicode, as names on Linux may be, "file://" and its bytes as in a URI.
    """
    text = str(path.absolute())
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"{_URI}{quote_from_bytes(os.fsencode(text))}"
    return text


def path_of(text: str) -> Path:
    """The path that ``path_text`` wrote."""
    return Path(os.fsdecode(unquote_to_bytes(text.removeprefix(_URI))) if text.startswith(_URI) else text)


def file_name(words: str) -> str:
    """A file's name, without its ending, from words that a person or a file chose: one that every system allows.

    Letters and digits of every script stay, and spaces and ``.,×-_`` between them. All else becomes "-": slashes, line
    breaks, what steers the direction of writing. The name is never a device of Windows, hidden, empty, or longer than
    150 bytes.
    """
    composed = unicodedata.normalize("NFC", words)
    name = "".join(letter if _is_of_names(letter) else "-" for letter in composed)
    # Cut as bytes, which is what file systems count; half a letter at the end is dropped.
    name = name.strip(" .-").encode()[:_LONGEST_NAME].decode(errors="ignore").rstrip(" .-")
    return f"_{name}" if _DEVICE.match(name) else name or "unnamed"


def _is_of_names(letter: str) -> bool:
    return letter in " .,×-_" or unicodedata.category(letter)[0] in "LMN"


@cache
def resources_dir() -> Path:
    """The folder of shipped data files: inside an installed package, or at the top of a checkout."""
    installed = _PACKAGE / "_resources"
    return installed if installed.is_dir() else _PACKAGE.parent / "resources"


def settings_dir() -> Path:
    """The folder that holds ``settings.json``; ``NIMDESK_CONFIG_DIR`` moves it. It may not exist yet."""
    override = os.environ.get("NIMDESK_CONFIG_DIR")
    return Path(override) if override else Path(platformdirs.user_config_dir(_APP, appauthor=False))


def cache_dir() -> Path:
    """The folder of things that can be made again (compiled kernels); ``NIMDESK_CACHE_DIR`` moves it."""
    override = os.environ.get("NIMDESK_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir(_APP, appauthor=False))


def data_dir() -> Path:
    """The folder of unnamed work, such as results; ``NIMDESK_DATA_DIR`` moves it. It may not exist."""
    override = os.environ.get("NIMDESK_DATA_DIR")
    return Path(override) if override else Path(platformdirs.user_data_dir(_APP, appauthor=False))


def results_dir() -> Path:
    """The default folder of experiments' results, inside ``data_dir``. It may not exist yet."""
    return data_dir() / "experiments"


def library_file() -> Path:
    """The library of the games played on this machine. It may not exist yet."""
    return data_dir() / "games.db"


def logs_dir() -> Path:
    """The logs of the window's runs, inside ``data_dir``. It may not exist yet."""
    return data_dir() / "logs"


def engine_logs_dir() -> Path:
    """What engines say beside their answers, a log for each by its name. It may not exist yet."""
    return logs_dir() / "engines"


def engines_file() -> Path:
    """The engines that the person has added. It may not exist yet."""
    return data_dir() / "engines.json"


def documents_dir() -> Path:
    """Where the save dialog starts: the person's documents folder, or the home folder if there is none."""
    documents = Path(platformdirs.user_documents_dir())
    return documents if documents.is_dir() else Path.home()
