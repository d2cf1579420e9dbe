"""What the synchronous and the asynchronous connections have in common: settings of `httpx` and meanings of its errors.

>>> pool_of("http://127.0.0.1:8080/"), pool_of("https://id.example.org/")
(('http', True), ('https', False))
"""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import MappingProxyType
from typing import Any, Final, cast

import httpx

from coolid.client.errors import ConnectionLost, Unreachable
from coolid.client.url_policy import is_loopback

CONNECT_TIMEOUT_SECONDS: Final = 5.0
IDLE_SECONDS: Final = 3.0
"""How long an idle connection is used again. Servers commonly close it after five seconds or more."""
_HEADERS: Final = "coolid_headers"


def pool_of(target: str) -> tuple[str, bool]:
    """Return the URL's scheme and whether its host is this machine. Requests that agree in both share settings."""
    return target.partition(":")[0], is_loopback(target)


def settings(scheme: str, is_local: bool) -> dict[str, Any]:
    """Return the arguments of an `httpx` client for the URLs of a scheme, on this machine or elsewhere."""
    return {
        # The authorities of SSL_CERT_FILE and SSL_CERT_DIR, or else those of httpx. Without TLS none are loaded.
        "verify": httpx.create_ssl_context() if scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        "trust_env": not is_local,  # the user's proxies are for other hosts
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "limits": httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=IDLE_SECONDS),
    }


def timeouts(seconds: float) -> httpx.Timeout:
    """Return the limits of the steps of an exchange that may take `seconds`."""
    return httpx.Timeout(seconds, connect=min(CONNECT_TIMEOUT_SECONDS, seconds))


def limit_backend(client: Any, transport_class: type, backend: object) -> None:
    """Use a network backend in all transports of a client, including those for proxies."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, transport_class):
            cast(Any, transport)._pool._network_backend = backend


class ConnectionTrace:
    """Whether a request opened a connection, and whether a response to it began. httpcore calls it at each event."""

    def __init__(self) -> None:
        self.is_new = False
        self.is_answered = False

    def __call__(self, event: str, _info: object) -> None:
        """Note an event."""
        if event == "connection.connect_tcp.started":
            self.is_new = True

    async def note(self, event: str, info: object) -> None:
        """See `__call__`."""
        self(event, info)


class ReceivedHeaders:
    """The headers of a response as received. httpx would parse `Location`, and fail if it is not a URL."""

    @staticmethod
    def hold(response: httpx.Response) -> None:
        """Move the headers out of the reach of httpx."""
        response.extensions[_HEADERS] = MappingProxyType(dict(response.headers))
        response.headers.pop("location", None)

    @staticmethod
    async def hold_async(response: httpx.Response) -> None:
        """See `hold`."""
        ReceivedHeaders.hold(response)

    @staticmethod
    def of(response: httpx.Response) -> Mapping[str, str]:
        """Return the headers by their names in lower case."""
        return cast(Mapping[str, str], response.extensions[_HEADERS])


def too_late(seconds: float) -> str:
    """Return the message about an exchange that took longer than `seconds`."""
    return f"no whole answer within {seconds:g} seconds"


@contextmanager
def client_errors(seconds: float, trace: ConnectionTrace) -> Iterator[None]:
    """Raise errors of httpx as errors of the client."""
    try:
        yield
    except httpx.PoolTimeout as error:
        raise Unreachable(f"no connection was free within {seconds:g} seconds") from error
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
        raise Unreachable(str(error) or type(error).__name__) from error
    except httpx.HTTPError as error:
        is_late = isinstance(error, httpx.TimeoutException)
        lost = ConnectionLost(too_late(seconds) if is_late else str(error) or type(error).__name__)
        lost.is_stale = not (trace.is_new or trace.is_answered or is_late)
        raise lost from error
    except (httpx.InvalidURL, ImportError, OSError, ValueError) as error:
        # The host has no valid DNS name, or the environment names unusable certificates or an unusable proxy.
        raise Unreachable(f"the request cannot be sent: {error}") from error
