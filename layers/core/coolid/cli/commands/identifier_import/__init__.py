"""`coolid import`: the command, the import and its summary, and the comparison afterwards."""
