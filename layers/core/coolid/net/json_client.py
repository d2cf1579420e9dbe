"""The client for JSON of other resolvers: their results and their public keys.

A request contains its URL and this service's own URL, and nothing about a client. It carries no cookies, no credentials
and no referrer. Redirects are not followed, because a redirect alone is no resolution result. Requests lead to the
public Internet, and to the addresses in the URLs that the operator configured, which may be private.
"""

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import Final

from coolid.deadlines import Deadline
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.failures import RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from coolid.net.request_target import LOOPBACK, RequestTarget, parse_target

_LIMIT_SECONDS: Final = 10.0
"""The limit of one request. The deadline of the caller is earlier."""


class JsonClient:
    """Implements `coolid.linkid.peer_replies.PeerClient`; `urls` are the configured ones, `base_url` this service's."""

    def __init__(self, urls: Iterable[str], base_url: str, max_response_bytes: int) -> None:
        networks = [network for url in urls for network in _networks(parse_target(url))]
        self._connector = GuardedConnector(AddressPolicy(networks))
        self._base_url = base_url
        self._max_response_bytes = max_response_bytes

    def get(self, url: str, deadline: Deadline) -> tuple[int, Mapping[str, str], bytes]:
        """See `PeerClient`."""
        # Requests to one host run in parallel, so each has a rate limit of its own.
        client = GuardedClient(
            (), self._base_url, connector=self._connector, rate_limit=HostRateLimit(0), seconds=_LIMIT_SECONDS
        )
        headers = {"Accept": "application/json"}
        try:
            response = client.request(
                "GET", parse_target(url), headers, deadline, max_response_bytes=self._max_response_bytes
            )
        except RequestFailed as error:
            raise ConnectionError(error.reason) from error
        except TimeoutError as error:
            raise ConnectionError("there was no time for the request") from error
        return response.status, response.headers, response.body


def _networks(target: RequestTarget) -> tuple[str, ...]:
    """Return the networks of a configured host: its own address, or those of this machine; none for other names."""
    if target.host == "localhost":
        return LOOPBACK
    return () if target.address is None else (str(ip_network(target.address)),)
