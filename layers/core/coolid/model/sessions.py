"""Sessions: the proof that a client has authenticated, for clients that send it instead of their key."""

from datetime import datetime

from msgspec import Struct


class Session(Struct, frozen=True):
    """A session of a client until `expires`. `digest` is the SHA-256 of its secret in hexadecimal."""

    digest: str
    client: str
    expires: datetime
