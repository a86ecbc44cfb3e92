"""Who plays a side: a person, or an agent with its options."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from nimdesk.agents import Agent, agent_from_json
from nimdesk.errors import OptionError


class Human(msgspec.Struct, frozen=True):
    """A person at the board."""

    @property
    def title(self) -> str:
        """What the window calls this player, and what ``Ply.by`` says."""
        return "Human"


Player: TypeAlias = Human | Agent


def player_title(player: Player) -> str:
    """What people call this player: "Human", "Random", "MCTS"."""
    return player.title if isinstance(player, Human) else player.info.title


def player_to_json(player: Player) -> dict[str, object]:
    """``{"player": "human"}``, or the agent's ``{"agent": name, "options": {...}}``."""
    return {"player": "human"} if isinstance(player, Human) else player.to_json()


def player_from_json(data: object) -> Player:
    """The player that ``player_to_json`` wrote; ``OptionError`` for anything else, with what is allowed."""
    if isinstance(data, dict) and "player" in data:
        if data != {"player": "human"}:
            raise OptionError("A player is written as {“player”: “human”} or as an agent with its options.")
        return Human()
    return agent_from_json(data)
