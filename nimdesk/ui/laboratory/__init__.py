"""The convergence laboratory: any position, one to four agents, and every view of how they make up their minds.

``model.Laboratory`` holds what is studied and signals its changes. ``display.LabDisplay`` works out what is shown, one
value of ``nimdesk.play.laboratory``, and hands it to the panels of ``page.LaboratoryPage``. They show it and do not
know each other. Loaded on first use, after the window has opened.
"""
