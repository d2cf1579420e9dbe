"""The formats of dumps, read in bounded memory: tables as SQL, CSV or JSON, Berkeley DB files, and compressed files."""
