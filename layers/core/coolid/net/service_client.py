"""The client for requests to the services of other operators, by which the custody of records is transferred.

Answers of any status are returned. Redirects are not followed, because another address could belong to somebody else.
Connections are secure, except to this machine, which the `networks` must allow.
"""

from collections.abc import Sequence
from typing import Final

from coolid.deadlines import current_deadline
from coolid.errors import OtherServiceUnavailable
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from coolid.net.request_target import LOOPBACK, RequestTarget, parse_target

SECONDS: Final = 10.0
"""The limit of one request."""
_HEADERS: Final = {"Accept": "application/json, application/problem+json"}
_BODY_HEADERS: Final = {**_HEADERS, "Content-Type": "application/json"}


class HttpServiceClient:
    """Implements `coolid.linkid.custody.other_service.ServiceClient` for the service at `base_url`."""

    def __init__(self, networks: Sequence[str], base_url: str, *, seconds: float = SECONDS) -> None:
        # An acceptance takes several requests to one host in a row, so there is no gap between them.
        self._client = GuardedClient(networks, base_url, rate_limit=HostRateLimit(0), seconds=seconds)
        self._seconds = seconds

    def request(self, method: str, url: str, body: bytes | None, max_bytes: int) -> tuple[int, bytes]:
        """See `ServiceClient`."""
        deadline = current_deadline() or self._client.deadline(self._seconds)
        try:
            target = _secure_target(url)
            headers = _HEADERS if body is None else _BODY_HEADERS
            answer = self._client.request(method, target, headers, deadline, body, max_response_bytes=max_bytes)
        except RequestFailed as error:
            raise OtherServiceUnavailable(f"{url} cannot be used: {error.reason}") from error
        return answer.status, answer.body


def networks_of(base_url: str, networks: Sequence[str]) -> tuple[str, ...]:
    """Return the networks that a service at this URL may access: with its own machine, if it is at such an address.

    >>> networks_of("http://127.0.0.1:8080", ["10.0.0.0/8"])
    ('10.0.0.0/8', '127.0.0.0/8', '::1/128')
    """
    return (*networks, *(LOOPBACK if parse_target(base_url).is_on_this_machine else ()))


def _secure_target(url: str) -> RequestTarget:
    target = parse_target(url)
    if not target.secure and not target.is_on_this_machine:
        raise RequestRefused("it leads to a connection that is not secure")
    return target
