"""What is said where the hypothesis of a sequential test is asked for; it imports nothing, so that help comes fast."""

OF_SCORE = (
    "This Elo is that of the mean score, with a draw as half a win. Where draws are many it asks for a lot: with 60% "
    "draws, who wins the other games like 60 Elo scores only like 24. Choose a smaller one there."
)
"""What such an Elo means where draws are many."""
