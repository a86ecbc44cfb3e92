"""The convergence laboratory: any position, one to four agents, and every view of how they make up their minds.

``model.Laboratory`` holds what is studied and signals its changes; ``page.LaboratoryPage`` assembles panels that follow
it and do not know each other. Loaded on first use, after the window has opened.
"""
