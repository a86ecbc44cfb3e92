"""The window: the only place, with ``nimdesk.app``, that knows Qt."""
