"""Lessons in the window: the pane that tells and asks, and what a step does to the other pages."""
