"""Boards: one widget for each kind of game, all with the contract of ``base.BoardView``."""
