"""What nimdesk remembers from one start to the next: typed schema, migrations, atomic store."""

from nimdesk.settings.fields import SettingField, setting_fields
from nimdesk.settings.schema import Settings
from nimdesk.settings.store import SettingsStore

__all__ = ["SettingField", "Settings", "SettingsStore", "setting_fields"]
