"""The console commands about transparency logs, one module each."""
