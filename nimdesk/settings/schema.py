"""Every setting, declared once as data: type, bounds, default, title, explanation.

``version`` belongs to the file.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from nimdesk.agents import agent_from_json, make_agent
from nimdesk.games import parse_position
from nimdesk.play.players import Human, player_from_json, player_to_json

VERSION = 1

PlayerJson = dict[str, Any]
_Base64 = Annotated[str, Meta(max_length=100_000)]
_ShortText = Annotated[str, Meta(max_length=100)]
_PathText = Annotated[str, Meta(max_length=4096)]


def _default_players() -> list[PlayerJson]:
    return [player_to_json(Human()), make_agent("mcts").to_json()]


def _default_suggest() -> PlayerJson:
    return make_agent("mcts").to_json()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What nimdesk remembers from one start to the next; change it with ``msgspec.structs.replace``.

    The lists and dictionaries in it are not to be changed in place.
    """

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
        Meta(title="Show the search on the board", description="Draw on the board what a search thinks of each move."),
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
    show_truth: Annotated[
        bool,
        Meta(title="Show the truth", description="Show what is proven of the position and of every move."),
    ] = False
    feedback: Annotated[
        bool,
        Meta(title="Feedback on your moves", description="Say after each of your moves if it kept the value."),
    ] = False
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
    slow_motion_s: Annotated[
        float,
        Meta(
            ge=0.0,
            le=60.0,
            title="Slow motion",
            description="A search is spread over this many seconds, so that its first iterations can be watched; "
            "0 lets it run at full speed.",
            extra={"unit": "s"},
        ),
    ] = 2.5
    position: Annotated[
        str, Meta(max_length=4000, title="Game", description="The game that nimdesk opens with, in notation.")
    ] = "nim:1,3,5,7"
    players: Annotated[
        list[PlayerJson],
        Meta(min_length=2, max_length=2, title="Players", description="Who plays first, and who plays second."),
    ] = msgspec.field(default_factory=_default_players)
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
    tour_seen: Annotated[
        bool, Meta(title="Guided look", description="Whether the guided look at the laboratory has been offered.")
    ] = False
    window_geometry: Annotated[
        _Base64, Meta(title="Window", description="Where the window was, as Qt wrote it, in base64.")
    ] = ""
    window_state: Annotated[
        _Base64, Meta(title="Docks", description="Where the docks were, as Qt wrote it, in base64.")
    ] = ""
    games_folder: Annotated[
        _PathText, Meta(title="Folder of games", description="Where a game was last opened or saved.")
    ] = ""
    recent_games: Annotated[
        list[_PathText], Meta(max_length=50, title="Recent games", description="Saved games, the latest first.")
    ] = msgspec.field(default_factory=list)


def choices(name: str) -> tuple[str, dict[object, str]]:
    """The title of a setting, and the values that a menu offers, with their words (``&`` before their letter)."""
    meta: Meta = get_type_hints(Settings, include_extras=True)[name].__metadata__[0]
    return meta.title or name, (meta.extra or {})["labels"]


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
    "window_state": _check_base64,
}
