"""The docks around the board."""
