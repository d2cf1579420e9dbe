"""The release of coolid, for the package, its `User-Agent` and `/health`."""

__version__ = "0.5.0"
