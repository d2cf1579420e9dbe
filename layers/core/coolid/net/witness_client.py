"""The client for requests to witnesses of the transparency log. Their URLs are those of the operator's policy.

An operator may name any address, also one of this machine. Redirects are not followed.
"""

from typing import Final

from coolid.deadlines import Deadline
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.failures import RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from coolid.net.request_target import parse_target
from coolid.version import __version__

MAX_RESPONSE_BYTES: Final = 65_536
_HEADERS: Final = {
    "User-Agent": f"coolid/{__version__}",
    "Content-Type": "text/plain; charset=utf-8",
    "Accept": "text/plain, text/x.tlog.size",
}
_EVERYWHERE: Final = ("0.0.0.0/0", "::/0")
_SECONDS: Final = 60.0
"""The limit of one request. The deadline of the caller is earlier."""


class HttpWitnessClient:
    """Implements `coolid.log.witnesses.WitnessClient`."""

    def __init__(self) -> None:
        self._connector = GuardedConnector(AddressPolicy(_EVERYWHERE))

    def post(self, url: str, body: bytes, deadline: Deadline) -> tuple[int, bytes]:
        """See `WitnessClient`."""
        # Several witnesses may have one host, so each request has a rate limit of its own.
        client = GuardedClient(connector=self._connector, rate_limit=HostRateLimit(0), seconds=_SECONDS)
        try:
            target = parse_target(url)
            response = client.request("POST", target, _HEADERS, deadline, body, max_response_bytes=MAX_RESPONSE_BYTES)
        except RequestFailed as error:
            raise ConnectionError(error.reason) from error
        return response.status, response.body
