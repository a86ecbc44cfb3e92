"""The process that loads a game of another package before nimdesk does, and plays it at random.

An endless loop, a demand for all memory or a crash then costs nothing but the game.
"""

from __future__ import annotations

import msgspec

from nimdesk.errors import NimdeskError, RulesError
from nimdesk.faults import fault_words
from nimdesk.games.check import check_end, check_game
from nimdesk.games.installed import made_kit
from nimdesk.games.kit import register
from nimdesk.plugins.process import Begun, Failed, Ready
from nimdesk.plugins.side import Conversation, limit_memory

_MEMORY_MB = 4096
_TRIED_S = 1.0
_GAMES = 5


def main(name: str, reference: str) -> None:
    """Say of the game that ``reference`` names (``package.module:attribute``) that it is sound, or why it is not."""
    conversation = Conversation()
    limit_memory(_MEMORY_MB)
    conversation.say(msgspec.json.encode(Begun()))
    try:
        kit = made_kit(name, reference)
        register(kit)
        for preset in kit.presets:
            check_game(preset.game, name, kit.game_type.parse, seconds=_TRIED_S / len(kit.presets), games=_GAMES)
            check_end(preset.game)
    except RulesError as error:
        conversation.say(msgspec.json.encode(Failed(f"cannot be played: {error}"[:1000])))
    except NimdeskError as error:
        conversation.say(msgspec.json.encode(Failed(f"cannot be loaded: {error}"[:1000])))
    except BaseException as error:
        conversation.say(msgspec.json.encode(Failed(f"cannot be loaded: {fault_words(error)}")))
    else:
        conversation.say(msgspec.json.encode(Ready()))
