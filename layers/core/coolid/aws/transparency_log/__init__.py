"""The transparency log on AWS: its feed from the tables' streams, and the function that sequences it."""
