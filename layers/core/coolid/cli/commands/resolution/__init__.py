"""`coolid resolve`, and its output."""
