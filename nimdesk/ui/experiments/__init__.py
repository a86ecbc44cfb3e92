"""The experiments page: convergence studies, matches and the published tables.

Nothing here is loaded before the page is first shown.
"""
