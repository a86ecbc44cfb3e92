"""The Play page: a game in progress and the search that is shown with it."""
