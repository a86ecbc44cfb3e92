"""What nimdesk remembers from one start to the next: typed schema, atomic store."""

from nimdesk.settings.schema import Settings
from nimdesk.settings.store import SettingsStore

__all__ = ["Settings", "SettingsStore"]
