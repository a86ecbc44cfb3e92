"""Nim: its rules, its theory, and its rules and identity as compiled code."""
