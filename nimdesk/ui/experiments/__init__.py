"""The experiments page: convergence studies, matches and the published tables; loaded when it is first shown."""
