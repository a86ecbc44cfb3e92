"""m,n,k games."""
