"""What nimdesk remembers from one start to the next: typed schema, migrations, atomic store.

``nimdesk.settings.fields`` is not imported here: the window paints without it.
"""

from nimdesk.settings.schema import Settings
from nimdesk.settings.store import SettingsStore

__all__ = ["Settings", "SettingsStore"]
