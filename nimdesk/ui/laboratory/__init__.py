"""The convergence laboratory: any position, one to four agents, and every view of how they make up their minds.

``model.Laboratory`` holds what is studied and tells what changed; ``page.LaboratoryPage`` is an assembly of panels that
follow it and know nothing of each other. Loaded on first use: the window opens without it.
"""
