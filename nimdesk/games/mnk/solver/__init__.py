"""The exact solver of m,n,k games as compiled code."""
