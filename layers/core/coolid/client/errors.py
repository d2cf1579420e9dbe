"""Errors of the client, below `CoolidError`. Each message is a clause that can end a sentence.

>>> issubclass(ConnectionLost, Unreachable)
True
"""

from collections.abc import Mapping
from typing import Any

from coolid.errors import CoolidError


class ClientError(CoolidError):
    """The root of the client's errors."""


class RefusedByClient(ClientError):
    """The URL policy forbids the URL or the redirect to it, or the request would be malformed."""


class Unreachable(ClientError):
    """There was no connection, no valid certificate, or no complete response in time."""


class ConnectionLost(Unreachable):
    """The request was sent, but its outcome is unknown."""


class BadAnswer(ClientError):
    """The response cannot be used: it is too large, compressed, or of an unexpected form."""


class NotServed(ClientError):
    """The service answered, but does not publish the document."""


class RequestDeclined(ClientError):
    """The service declined: the `status`, its `problem` document (RFC 9457), and the number of `tries`."""

    def __init__(self, status: int, problem: Mapping[str, Any], tries: int = 1) -> None:
        detail = problem.get("detail") or problem.get("title") or "without a reason"
        super().__init__(f"{str(detail).rstrip('.')} (status {status})")
        self.status = status
        self.problem = problem
        self.tries = tries

    @property
    def violations(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a JSON pointer into the request's document and the reason why that part is invalid.

        >>> RequestDeclined(422, {"errors": [{"pointer": "/uri", "detail": "it is no URL"}]}).violations
        (('/uri', 'it is no URL'),)
        """
        listed = self.problem.get("errors")
        found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        return tuple((str(each.get("pointer", "")), str(each.get("detail", ""))) for each in found)
