"""Take-away games on heaps: subtraction games, octal games, Wythoff's game, and sums of them."""
