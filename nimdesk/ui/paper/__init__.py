"""What is printed: a game's report, a lesson's worksheet and its answer key, as PDF."""
