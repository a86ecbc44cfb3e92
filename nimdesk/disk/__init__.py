"""All that is kept on disk: documents, databases, locks, paths, logs, and what made a file."""
