"""The bridge between threads and the event loop."""
