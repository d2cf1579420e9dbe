"""The client for all requests to other hosts: address policy, rate limit and timeout apply.

Requests carry no credentials, cookies or referrer. The `User-Agent` contains the URL of the service.

>>> user_agent("https://id.example.org").rpartition(" ")[2]
'(+https://id.example.org)'
"""

import re
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final

from coolid.deadlines import Deadline
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.http_exchange import ResponseHead, encode_request, exchange
from coolid.net.rate_limit import RATE_LIMIT, HostRateLimit
from coolid.net.request_target import RequestTarget
from coolid.ports import Seconds
from coolid.version import __version__

REQUEST_TIMEOUT_SECONDS: Final = 8.0
"""For one request: name look-up, TCP, TLS and the head of the response together."""
_COMMENT: Final = re.compile(r"[!-'*-\[\]-~]+")


class GuardedClient:
    """Sends requests to public addresses and `networks` (CIDRs; `ValueError` if invalid). Thread-safe."""

    def __init__(
        self,
        networks: Sequence[str] = (),
        base_url: str = "",
        *,
        connector: GuardedConnector | None = None,
        rate_limit: HostRateLimit = RATE_LIMIT,
        seconds: float = REQUEST_TIMEOUT_SECONDS,
        clock: Seconds = monotonic,
    ) -> None:
        self._connector = connector or GuardedConnector(AddressPolicy(networks))
        self._agent = user_agent(base_url)
        self._rate_limit = rate_limit
        self._clock = clock
        self._seconds = seconds

    def deadline(self, seconds: float) -> Deadline:
        """Return a deadline so many seconds from now."""
        return Deadline(seconds, self._clock)

    def request(
        self,
        method: str,
        target: RequestTarget,
        headers: Mapping[str, str],
        deadline: Deadline,
        body: bytes | None = None,
        *,
        max_response_bytes: int = 0,
    ) -> ResponseHead:
        """Return the head of the response, with its body if `max_response_bytes` allow one.

        Raises `RequestFailed`, and `ValueError` for headers that cannot be sent. The deadline includes the wait for the
        rate limit. The request itself takes at most `seconds`.
        """
        request_bytes = encode_request(method, target, {"User-Agent": self._agent, **headers}, body)
        with self._rate_limit.turn(target.host, deadline):
            request_deadline = deadline.within(self._seconds)
            connection = self._connector.open(target, request_deadline)
            try:
                return exchange(connection, request_bytes, request_deadline, max_response_bytes)
            finally:
                connection.close()


def user_agent(base_url: str) -> str:
    """Return the `User-Agent` of a service at this URL; without a URL, the product alone."""
    about = f" (+{base_url})" if _COMMENT.fullmatch(base_url) else ""
    return f"coolid-probe/{__version__}{about}"
