"""Errors of the client, below `CoolidError`. Each message is a clause that can end a sentence.

`RequestDeclined` is final: the same request would fail again. `Unreachable` means "not now". Both have a
subclass for each kind of problem (RFC 9457) that a program would treat differently, and the problem document itself.

>>> error = error_of(409, {"type": "https://id.example.org/problems/identifier-taken", "detail": "It exists already."})
>>> type(error).__name__, error.kind, str(error)
('AlreadyExists', 'identifier-taken', 'It exists already (status 409)')
>>> issubclass(ConnectionLost, Unreachable) and issubclass(TooManyRequests, Unreachable)
True
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from coolid.errors import CoolidError

_NO_PROBLEM: Final[Mapping[str, Any]] = MappingProxyType({})
_SECRET: Final = re.compile("(cool_[a-z2-7]{8}_)[A-Za-z0-9_-]+")


def without_keys(text: str) -> str:
    """Return a text without the secrets of API keys, for example of a key that was mistyped as another argument.

    >>> without_keys("no such file: cool_epyx6gxg_aVerySecretText")
    'no such file: cool_epyx6gxg_…'
    """
    return _SECRET.sub(r"\1…", text)


class ClientError(CoolidError):
    """The root of the client's errors. The message has no API key, even if a server repeated the one it received."""

    def __init__(self, message: str = "") -> None:
        super().__init__(without_keys(message))


class RefusedByClient(ClientError):
    """The URL policy forbids the URL or the redirect to it, or the request would be malformed."""


class Unreachable(ClientError):
    """There was no connection, no valid certificate, or no complete response in time."""


class ConnectionLost(Unreachable):
    """The request was sent, but its outcome is unknown."""

    is_stale = False
    """Whether it was an idle connection, which the service probably closed before the request arrived."""


class BadAnswer(ClientError):
    """The response cannot be used: it is too large, compressed, or of an unexpected form."""


class NotServed(ClientError):
    """The service answered, but does not publish the document."""


class FailedVerification(ClientError):
    """The record of a LinkID, or its origin, failed verification. `resolution` has the checks, as JSON."""

    def __init__(self, message: str, resolution: Mapping[str, Any] = _NO_PROBLEM) -> None:
        super().__init__(message)
        self.resolution: Mapping[str, Any] = dict(resolution)


class _Problem(ClientError):
    """An answer of the service with a `status`, and a `problem` document (RFC 9457), which can be empty."""

    def __init__(self, message: str, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.problem: Mapping[str, Any] = dict(problem)  # a mapping proxy cannot be pickled

    @property
    def kind(self) -> str:
        """Return the last segment of the problem type, such as `identifier-taken`, or an empty text."""
        return str(self.problem.get("type", "")).rpartition("/")[2]


class ServiceUnavailable(_Problem, Unreachable):
    """The service cannot answer now: status 5xx. It names `retry_after` seconds until the next try, or 0."""

    def __init__(self, status: int, problem: Mapping[str, Any] = _NO_PROBLEM, retry_after: float = 0.0) -> None:
        detail = problem.get("detail")
        message = f"it cannot answer now (status {status})" + (f": {str(detail).rstrip('.')}" if detail else "")
        if 0 < retry_after < float("inf"):
            message += f"; try again in {retry_after:.0f} seconds"
        super().__init__(message, status, problem)
        self.retry_after = retry_after


class TooManyRequests(ServiceUnavailable):
    """Too many requests in a short time: status 429."""


class MintQuotaExceeded(TooManyRequests):
    """The API key has minted as many identifiers as it may for now."""


class RequestDeclined(_Problem):
    """The service declined: the `status`, its `problem` document, and the number of `tries`."""

    def __init__(self, status: int, problem: Mapping[str, Any], tries: int = 1) -> None:
        detail = problem.get("detail") or problem.get("title") or "without a reason"
        super().__init__(f"{str(detail).rstrip('.')} (status {status})", status, problem)
        self.tries = tries

    @property
    def violations(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a JSON pointer into the request's document and the reason why that part is invalid.

        >>> ValidationFailed(422, {"errors": [{"pointer": "/uri", "detail": "it is no URL"}]}).violations
        (('/uri', 'it is no URL'),)
        """
        return pointers_of(self.problem.get("errors"))


class BadRequest(RequestDeclined):
    """The identifier, or another part of the request, is malformed: status 400 or 414."""


class InvalidKey(RequestDeclined):
    """The request has no API key, or one that is not valid: status 401."""


class InsufficientScope(RequestDeclined):
    """The scopes of the API key do not cover the request: status 403."""


class DeniedByPolicy(RequestDeclined):
    """A policy, of the resolver or of the client, forbids the use of a LinkID's target."""


class ResourceNotFound(RequestDeclined):
    """The record, prefix, repository or other thing does not exist there: status 404."""


class ResourceConflict(RequestDeclined):
    """The stored state forbids the change: status 409."""


class AlreadyExists(ResourceConflict):
    """The chosen identifier or the prefix exists already."""


class Withdrawn(ResourceConflict):
    """The record was withdrawn: status 410, whose `problem` is the tombstone; or 409 for a change."""


class PreconditionFailed(RequestDeclined):
    """The record changed since it was read: status 412. Or the request has no entity tag: status 428."""


class PayloadTooLarge(RequestDeclined):
    """The document is larger than the service accepts: status 413."""


class ValidationFailed(RequestDeclined):
    """The document breaks rules: status 422. `violations` has a JSON pointer to each position."""


_BY_STATUS: Final[Mapping[int, type[RequestDeclined]]] = {
    400: BadRequest,
    401: InvalidKey,
    403: InsufficientScope,
    404: ResourceNotFound,
    409: ResourceConflict,
    410: Withdrawn,
    412: PreconditionFailed,
    413: PayloadTooLarge,
    414: BadRequest,
    422: ValidationFailed,
    428: PreconditionFailed,
}
_BY_KIND: Final[Mapping[str, type[RequestDeclined]]] = {
    "identifier-taken": AlreadyExists,
    "prefix-taken": AlreadyExists,
    "already-withdrawn": Withdrawn,
}


def pointers_of(listed: object) -> tuple[tuple[str, str], ...]:
    """Return pairs of a JSON pointer and a reason from a list of violations or warnings, without odd members."""
    found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return tuple((str(each.get("pointer", "")), str(each.get("detail", ""))) for each in found)


def error_of(
    status: int, problem: Mapping[str, Any] = _NO_PROBLEM, *, tries: int = 1, retry_after: float = 0.0
) -> ServiceUnavailable | RequestDeclined:
    """Return the error for a status and a problem document."""
    if status >= 500:
        return ServiceUnavailable(status, problem, retry_after)
    kind = str(problem.get("type", "")).rpartition("/")[2]
    if status == 429:
        return (MintQuotaExceeded if kind == "quota-exceeded" else TooManyRequests)(status, problem, retry_after)
    return _BY_KIND.get(kind, _BY_STATUS.get(status, RequestDeclined))(status, problem, tries)
