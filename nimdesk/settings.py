"""What nimdesk remembers from one start to the next.

Every setting is declared once as data: type, bounds, default, title, explanation. The file is read field by field,
written whole or not at all, and if broken, set aside rather than deleted.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from nimdesk.agents import agent_from_json
from nimdesk.disk import paths
from nimdesk.disk.atomic import os_error_words, read_bounded, set_aside, write_atomically
from nimdesk.disk.documents import MAX_BYTES, DocumentFaultError, check_size
from nimdesk.errors import NimdeskError, SettingsError, StillLoadingError, brief
from nimdesk.games import parse_position
from nimdesk.play.game import Human, first_opponent, opponent, player_from_json, player_to_json

FORMAT = "nimdesk-settings"
VERSION = 1

PlayerJson = dict[str, Any]
_Base64 = Annotated[str, Meta(max_length=100_000)]
_ShortText = Annotated[str, Meta(max_length=100)]
_PathText = Annotated[str, Meta(max_length=4096)]
MAX_DOCUMENT = 400_000
_Document = Annotated[str, Meta(max_length=MAX_DOCUMENT)]


def _default_players() -> list[PlayerJson]:
    return [player_to_json(Human()), first_opponent().to_json()]


def _default_suggest() -> PlayerJson:
    return opponent("mcts").to_json()


class Switch(msgspec.Struct, frozen=True):
    """A setting that an action of the window turns on and off: the action's name, words, key, page and icon.

    The page is empty for an action of every page. ``off`` and ``on`` are the two values.
    """

    action: str
    words: str
    key: str
    page: str = ""
    icon: str = ""
    off: object = False
    on: object = True


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings; change them with ``msgspec.structs.replace``, never in place."""

    theme: Annotated[
        Literal["system", "light", "dark"],
        Meta(
            title="Theme",
            description="Light or dark, or as the system has it.",
            extra={"labels": {"system": "As the &system", "light": "&Light", "dark": "&Dark"}},
        ),
    ] = "system"
    show_overlay: Annotated[
        bool,
        Meta(
            title="Show the search on the board",
            description="Draw each move's share of the visits.",
            extra={"switch": Switch("overlay", "Visit shares on the &board", "Ctrl+B")},
        ),
    ] = True
    overlay_number: Annotated[
        Literal["share", "visits", "value", "none"],
        Meta(
            title="Number on the board",
            description="What the number on each move says: its share of the visits, its visits, its mean value for "
            "the side to move, or no number.",
            extra={
                "labels": {"share": "&Share of visits", "visits": "&Visits", "value": "&Mean value", "none": "&None"},
            },
        ),
    ] = "share"
    slow_motion_s: Annotated[
        float,
        Meta(
            ge=0.0,
            le=60.0,
            title="Slow motion",
            description="Spread the first thousand simulations of a search over this many seconds, on top of its own "
            "time, so that they can be followed; then it runs at full speed, as with 0 seconds from the start. What "
            "was missed runs by once it has ended.",
            extra={
                "unit": "s",
                "switch": Switch("slow_motion", "Slow &motion", "Ctrl+M", page="play", off=0.0, on=1.0),
            },
        ),
    ] = 1.0
    show_truth: Annotated[
        bool,
        Meta(
            title="Show the truth",
            description="Show what is proven of the position and of every move.",
            extra={"switch": Switch("truth", "Tr&uth", "Ctrl+T", page="play", icon="truth")},
        ),
    ] = False
    feedback: Annotated[
        bool,
        Meta(
            title="Feedback on your moves",
            description="Say after each of your moves if it kept the value.",
            extra={"switch": Switch("feedback", "Feedbac&k on your moves", "Ctrl+Shift+T", page="play")},
        ),
    ] = False
    adapt: Annotated[
        bool,
        Meta(
            title="Adapt the level to me",
            description="After three wins or three losses in a row a new game is against the next level.",
            extra={"switch": Switch("adapt", "A&dapt the level to me", "", page="play")},
        ),
    ] = False
    text_percent: Annotated[
        int, Meta(ge=50, le=300, title="Text size", description="In percent of the system's.", extra={"unit": "%"})
    ] = 100
    animations: Annotated[
        Literal["system", "on", "off"],
        Meta(
            title="Animations",
            description="Whether sticks and marks move, or as the system asks for.",
            extra={"labels": {"system": "As the &system", "on": "&On", "off": "O&ff"}},
        ),
    ] = "system"
    move_delay_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            title="Pause between computer moves",
            description="How long a position stays on the board before the computer answers the computer.",
            extra={
                "unit": "ms",
                "labels": {0: "&None", 400: "&Short", 1000: "&One second", 3000: "&Three seconds"},
            },
        ),
    ] = 400
    position: Annotated[
        str, Meta(max_length=4000, title="Game", description="The game that nimdesk opens with, in notation.")
    ] = "mnk:7,6,4:gravity"
    players: Annotated[
        list[PlayerJson],
        Meta(min_length=2, max_length=2, title="Players", description="Who plays first, and who plays second."),
    ] = msgspec.field(default_factory=_default_players)
    quiet: Annotated[
        bool, Meta(title="Quiet game", description="Whether that game keeps the search to itself until it is over.")
    ] = False
    suggest: Annotated[
        PlayerJson, Meta(title="Suggest", description="The agent, with its options, that proposes a move when asked.")
    ] = msgspec.field(default_factory=_default_suggest)
    convergence: Annotated[
        dict[_ShortText, bool | _ShortText],
        Meta(max_length=50, title="Convergence panel", description="What the convergence panel shows, and how."),
    ] = msgspec.field(default_factory=dict)
    laboratory: Annotated[
        dict[_ShortText, Any],
        Meta(max_length=50, title="Laboratory", description="Agents, seeds, limits, axis and views of the laboratory."),
    ] = msgspec.field(default_factory=dict)
    experiments: Annotated[
        dict[_ShortText, _Document],
        Meta(max_length=2, title="Experiments", description="The study and the plan that were filled in and not used."),
    ] = msgspec.field(default_factory=dict)
    tour_seen: Annotated[bool, Meta(title="First lesson", description="Whether the first lesson has been offered.")] = (
        False
    )
    person: Annotated[
        str, Meta(max_length=200, title="Your name", description="What answers to lessons are handed in under.")
    ] = ""
    hint_offered: Annotated[bool, Meta(title="First hint", description="Whether hints have been offered once.")] = False
    window_geometry: Annotated[
        _Base64, Meta(title="Window", description="Where the window was, as Qt wrote it, sealed, in base64.")
    ] = ""
    shares: Annotated[
        dict[_ShortText, float],
        Meta(max_length=20, title="Layout", description="How the Play page divides its room, from 0 to 1."),
    ] = msgspec.field(default_factory=dict)
    games_folder: Annotated[
        _PathText, Meta(title="Folder of games", description="Where a game was last opened or saved.")
    ] = ""
    recent_games: Annotated[
        list[_PathText], Meta(max_length=50, title="Recent games", description="Saved games, the latest first.")
    ] = msgspec.field(default_factory=list)


def choices() -> dict[str, tuple[str, dict[object, str]]]:
    """The settings that menus offer: the title of each, and its values with their words (``&`` before their letter)."""
    return {name: (meta.title or name, meta.extra["labels"]) for name, meta in _declared("labels")}


def switches() -> dict[str, tuple[Switch, str]]:
    """The settings that actions turn on and off: the switch of each, and a sentence about it."""
    return {name: (meta.extra["switch"], meta.description or "") for name, meta in _declared("switch")}


def _declared(what: str) -> Iterator[tuple[str, Any]]:
    for name, kind in _TYPES.items():
        meta: Meta = kind.__metadata__[0]
        if what in (meta.extra or {}):
            yield name, meta


def _check_players(value: list[PlayerJson]) -> None:
    for player in value:
        player_from_json(player)


def _check_base64(value: str) -> None:
    base64.b64decode(value, validate=True)


# What types and bounds cannot say; each raises NimdeskError or ValueError.
CHECKS: dict[str, Callable[[Any], object]] = {
    "position": parse_position,
    "players": _check_players,
    "suggest": agent_from_json,
    "window_geometry": _check_base64,
}


# Deeper values are read, and cannot be written from wherever the program is by then.
_DEEPEST = 100
_TYPES = get_type_hints(Settings, include_extras=True)


class SettingsStore:
    """The file of the ``Settings``; one store for one run of the program.

    ``problem`` is None, or one sentence about what was wrong at the last ``load``.
    """

    def __init__(self, path: Path | None = None) -> None:
        """``path`` is by default ``settings.json`` in the person's settings folder."""
        self.path = paths.settings_dir() / "settings.json" if path is None else path
        self.problem: str | None = None
        self._unknown: dict[str, msgspec.Raw] = {}
        self._keep_old = False

    def load(self) -> Settings:
        """The settings in the file, with the default for each one that is missing or wrong. Never raises.

        A missing file is a first start and no problem. A file that is not a JSON object is set aside under a new name.
        """
        self.problem, self._unknown, self._keep_old = None, {}, False
        try:
            data = read_bounded(self.path, MAX_BYTES[FORMAT])
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError) as error:
            self._keep_old = True
            self.problem = brief(
                f"The settings in “{self.path}” cannot be read: {os_error_words(error)}; nimdesk uses its defaults."
            )
            return Settings()
        try:
            values = _values(data)
        except DocumentFaultError as fault:
            self._set_aside_broken(str(fault))
            return Settings()
        bad: list[str] = []
        try:
            version = _read(values.pop("version", msgspec.Raw(b"1")), _Version)
        except (ValueError, RecursionError):
            # Any guess will do, because the fields are checked one by one.
            version = VERSION
            bad.append("version")
        return self._from_values(values, bad, newer=version > VERSION)

    def save(self, settings: Settings) -> None:
        """Write the settings; ``SettingsError`` with one sentence if that fails, the old file then intact.

        Unknown fields, which a newer version wrote, are kept; a text that is no Unicode is left out.
        """
        try:
            paths.make_private(self.path.parent)
            if self._keep_old and self.path.is_file():
                set_aside(self.path)
            write_atomically(self.path, self._encoded(settings), follow=False)
        except (OSError, ValueError) as error:
            raise SettingsError(f"The settings cannot be saved to “{self.path}”: {os_error_words(error)}.") from error
        self._keep_old = False

    def start_anew(self) -> Path | None:
        """Keep the file aside, so that the next ``load`` gives the defaults; where it is now, or None if there is none.

        ``SettingsError`` with one sentence if that is impossible.
        """
        try:
            return set_aside(self.path, "kept") if self.path.exists() else None
        except OSError as error:
            raise SettingsError(f"The settings “{self.path}” cannot be set aside: {os_error_words(error)}.") from error

    def _from_values(self, values: dict[str, msgspec.Raw], bad: list[str], newer: bool) -> Settings:
        good: dict[str, Any] = {}
        for name, kind in _TYPES.items():
            if name not in values:
                continue
            try:
                good[name] = _checked(name, _read(values[name], kind))
            except (NimdeskError, ValueError, RecursionError):
                bad.append(_title(name))
                with suppress(NimdeskError, ValueError, RecursionError):
                    good[name] = _checked(name, _good_entries(values[name], kind))
        self._unknown = {name: value for name, value in values.items() if name not in _TYPES and _is_whole(value)}
        self.problem = _field_problem(self.path, bad, newer)
        return Settings(**good)

    def _set_aside_broken(self, why: str) -> None:
        sentence = f"The settings file “{self.path}” is broken ({why}); nimdesk uses its defaults"
        try:
            aside = set_aside(self.path)
        except OSError as error:
            self._keep_old = True
            self.problem = brief(
                f"{sentence}, and the file stays where it is, since moving it failed: {os_error_words(error)}."
            )
        else:
            self.problem = brief(f"{sentence}, and the file is now “{aside}”.")

    def _encoded(self, settings: Settings) -> bytes:
        parts: dict[str, Any] = {"version": VERSION, **self._unknown}
        for name in _TYPES:
            if (value := _written(getattr(settings, name))) is not None:
                parts[name] = value
        plain = msgspec.json.encode(parts)
        for_people = msgspec.json.format(plain, indent=2) + b"\n"
        return for_people if len(for_people) <= MAX_BYTES[FORMAT] else plain


def _title(name: str) -> str:
    title = next(meta.title for meta in _TYPES[name].__metadata__ if isinstance(meta, Meta) and meta.title)
    return f"{title} ({name})"


_Version = Annotated[int, Meta(ge=0)]


def _values(data: bytes) -> dict[str, msgspec.Raw]:
    """The fields of the document as they are written; ``DocumentFaultError`` if it is not a JSON object."""
    check_size(data, FORMAT, "file of settings")
    try:
        return msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        raise DocumentFaultError("it is not a JSON object") from None
    except (ValueError, RecursionError):
        raise DocumentFaultError("it is not JSON") from None


def _read(raw: msgspec.Raw, kind: Any) -> Any:
    """The value as this type; ``ValueError`` where it is not one, or nests too deep."""
    value = msgspec.json.decode(raw, type=kind)
    if _nests(value, _DEEPEST):
        raise ValueError("it is nested too deeply")
    return value


def _good_entries(raw: msgspec.Raw, kind: Any) -> Any:
    """The list without the entries that are not allowed; ``ValueError`` where too few are left, or it is no list."""
    listed = get_args(kind)[0]
    if get_origin(listed) is not list:
        raise ValueError("it is no list")
    good = []
    for entry in msgspec.json.decode(raw, type=list[msgspec.Raw]):
        with suppress(ValueError, RecursionError):
            good.append(_read(entry, get_args(listed)[0]))
    return msgspec.convert(good, kind)


def _checked(name: str, value: Any) -> Any:
    """The value of this setting; ``NimdeskError`` or ``ValueError`` where it is not allowed."""
    if name in CHECKS:
        with suppress(StillLoadingError):  # the window will take the plug-in up when it is there
            CHECKS[name](value)
    return value


def _written(value: object) -> msgspec.Raw | None:
    """As JSON, a list without the entries that cannot be written; None for another value that cannot be."""
    with suppress(TypeError, ValueError, RecursionError):
        return msgspec.Raw(msgspec.json.encode(value))
    if isinstance(value, list):
        return _written([entry for entry in map(_written, value) if entry is not None])
    return None


def _nests(value: object, levels: int) -> bool:
    """Whether there are lists and objects within each other beyond so many levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_nests(each, levels - 1) for each in inner)


def _is_whole(raw: msgspec.Raw) -> bool:
    """Whether the value of a field that is not known here can be written again."""
    try:
        _read(raw, Any)
    except (ValueError, RecursionError):
        return False
    return True


def _field_problem(path: Path, bad: list[str], newer: bool) -> str | None:
    if not bad and not newer:
        return None
    clauses = []
    if newer:
        clauses.append("are of a newer nimdesk, and what this one does not know is left alone")
    if bad:
        clauses.append(f"have values that are not allowed, left out or replaced by the defaults: {', '.join(bad)}")
    return brief(f"The settings in “{path}” {'; they '.join(clauses)}.")
