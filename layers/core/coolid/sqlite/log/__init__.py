"""The transparency log on one machine: its rows in the SQLite database, and its files in a folder."""
