"""The window around the pages: session, menus, modes, start."""
