"""Figures for print: what they show (``content``), how they are drawn (``drawing``), and their files (``files``)."""
