"""A service at a base URL, used over plain HTTP, without any assumption about its implementation.

The requested address may differ from the public base URL, for instance for a REST API's stage. The service returns its
own at `/.well-known/linkid-resolver`, and `Service.path_of` converts it to the requested one.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from tests.support.servers.responses import Reply

DISCOVERY = "/.well-known/linkid-resolver"
RECORDS = "/api/v1/records"
BATCH = f"{RECORDS}/batch"
HISTORY = "/api/v1/history"
CUSTODY = "/api/v1/custody"
PREFIXES = "/api/v1/prefixes"
REPOSITORIES = "/api/v1/repositories"
CLIENTS = "/api/v1/clients"

Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Service:
    """A running service: `url` is where it is asked, `issuer` what it calls itself, `key` an administrator's.

    `lag` is what is allowed beyond the promised times, for DynamoDB and the network, or a CDN. `is_localstack` is for
    what LocalStack does otherwise than AWS, and only for that.
    """

    client: httpx.Client
    url: str
    issuer: str
    key: str
    lag: float
    is_localstack: bool

    def request(
        self,
        method: str,
        target: str,
        *,
        key: str | None = None,
        document: Any = None,
        body: bytes | None = None,
        **headers: Any,
    ) -> Reply:
        """Send a request with its target, path and query, exactly as given; `headers` with `_` for `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if document is not None:
            body = json.dumps(document).encode()
            sent.setdefault("Content-Type", "application/json")
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        return _send(self.client, self.url, method, target, content=body, headers=sent)

    def get(self, target: str, **headers: Any) -> Reply:
        """GET, as everybody may."""
        return self.request("GET", target, **headers)

    def admin(self, method: str, target: str, document: Any = None, **headers: Any) -> Reply:
        """A request of the administrator's."""
        return self.request(method, target, key=self.key, document=document, **headers)

    def path_of(self, url: str) -> str:
        """The path, here, of one of the service's own URLs."""
        assert url.startswith(f"{self.issuer}/"), url
        return url.removeprefix(self.issuer)

    def seen_within(self, seconds: float, look: Callable[[], Seen], expected: Seen) -> Seen:
        """What is seen as soon as it is as expected, or at last when it should have been."""
        until = time.monotonic() + seconds + self.lag
        while (seen := look()) != expected and time.monotonic() < until:
            time.sleep(0.2)
        return seen


@contextmanager
def connected(url: str, key: str, lag: float) -> Iterator[Service]:
    """The service at this URL, once it has said who it is."""
    url = url.rstrip("/")
    # A CDN that compresses an answer weakens its tag.
    with httpx.Client(timeout=60, headers={"Accept-Encoding": "identity"}) as client:
        discovery = _send(client, url, "GET", DISCOVERY)
        assert discovery.status == 200, f"{url}{DISCOVERY} is answered with {discovery.status}: {discovery.body!r}"
        service = Service(client, url, discovery.json()["issuer"], key, lag, "x-localstack" in discovery.headers)
        known = service.admin("GET", f"{PREFIXES}?limit=1")
        assert known.status == 200, f"the API key is of no use at {url}: {known.text}"
        yield service


def _send(client: httpx.Client, url: str, method: str, target: str, **content: Any) -> Reply:
    """httpx would tidy the path up, so it is given apart from the URL."""
    raw = (urlsplit(url).path + target).encode("ascii")
    response = client.request(method, url, extensions={"target": raw}, **content)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)
