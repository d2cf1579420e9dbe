"""The release of coolid, as the package, its `User-Agent` and `/health` state it."""

__version__ = "0.5.0"
