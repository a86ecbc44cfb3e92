"""Plots of a search; the only folder that knows pyqtgraph. Import it after the first paint."""
