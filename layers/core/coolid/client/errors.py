"""Errors of the client, a tree below `CoolidError`. Each message is a clause that can end a sentence.

::

    ClientError
    ├── RefusedByClient  the URL policy forbids the URL or the redirect
    ├── Unreachable      no connection, no valid certificate, or no complete response in time
    │   └── ConnectionLost  the request was sent, but its outcome is unknown
    └── BadAnswer        the response cannot be used: too large, compressed, or of an unexpected form

>>> issubclass(Unreachable, ClientError)
True
"""

from coolid.errors import CoolidError


class ClientError(CoolidError):
    """The root of the client's errors."""


class RefusedByClient(ClientError):
    """The URL policy forbids the URL, or the redirect to it."""


class Unreachable(ClientError):
    """There was no connection, no valid certificate, or no complete response in time."""


class ConnectionLost(Unreachable):
    """The request was sent, but its outcome is unknown."""


class BadAnswer(ClientError):
    """The response cannot be used."""
