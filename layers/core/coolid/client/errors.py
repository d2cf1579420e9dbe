"""Why the client gives up: a tree below `CoolidError`; each message is a clause for a sentence to end with.

::

    ClientError
    ├── Refused          the client will not ask this URL, or not after that one
    ├── Unreachable      no connection, no valid certificate, no whole answer in time
    │   └── Lost             the request was sent, but what came of it is not known
    └── BadAnswer        an answer came, but it cannot be used: too large, compressed, not what it should be

>>> issubclass(Unreachable, ClientError)
True
"""

from coolid.errors import CoolidError


class ClientError(CoolidError):
    """The root of what the client gives up for."""


class RefusedByClient(ClientError):
    """The client will not ask this URL, or not after the one that led there."""


class Unreachable(ClientError):
    """No connection, no valid certificate, or no whole answer in time."""


class ConnectionLost(Unreachable):
    """The request was sent, but what came of it is not known."""


class BadAnswer(ClientError):
    """An answer came, but it cannot be used."""
