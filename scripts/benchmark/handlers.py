"""The resolve function in this process, as Lambda would start it, and the events that it is given."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any, Final
from unittest.mock import patch

from coolid.aws.api_gateway import Handler
from coolid.aws.settings import Settings
from coolid.resolution.caching_reader import CachingReader
from coolid.wiring.read_access import caching_reader
from scripts.benchmark.canned import ROOT
from scripts.benchmark.identifiers import NAMESPACE, suffix
from tests.support.fixtures.events import to_event
from tests.support.fixtures.functions import load_handler

Event = dict[str, Any]

# What a browser's request has when a REST API hands it over.
HEADERS: Final = [
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Accept-Language", "en-US,en;q=0.5"),
    ("CloudFront-Forwarded-Proto", "https"),
    ("CloudFront-Viewer-Country", "DE"),
    ("Host", "id.example.org"),
    ("Sec-Fetch-Dest", "document"),
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    ("X-Amzn-Trace-Id", "Root=1-68a1b2c3-0123456789abcdef01234567"),
    ("X-Forwarded-For", "192.0.2.17, 198.51.100.23"),
    ("X-Forwarded-Port", "443"),
    ("X-Forwarded-Proto", "https"),
]
REQUEST_ID: Final = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"


def event(path: str, method: str = "GET", query: str = "", **headers: str) -> Event:
    """A browser's request; further `headers` with `_` for `-`."""
    sent = [*HEADERS, *((name.replace("_", "-"), value) for name, value in headers.items())]
    return to_event(method, path, query, headers=sent, body=b"", request_id=REQUEST_ID)


def events(paths: Iterable[str]) -> list[Event]:
    """A browser's requests for many paths, which have in common what they can."""
    one = event("/")
    return [{**one, "path": path, "pathParameters": {"proxy": path[1:]}} for path in paths]


def own_path(number: int, namespace: str = NAMESPACE) -> str:
    """The path of a record of the canned store."""
    return f"/{namespace}/{suffix(number)}"


@contextmanager
def told(environment: Mapping[str, str]) -> Iterator[None]:
    """Set the environment of a function, without the developer's own AWS settings."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"), os.devnull)
    with patch.dict(os.environ, {**others, **nowhere, **environment}, clear=True):
        yield


def resolving(environment: Mapping[str, str]) -> Handler:
    """Return the resolve function with this environment, after its first response."""
    with told(environment):
        handler = load_handler(ROOT / "functions" / "resolve")
        demand(handler(event(own_path(0)), None), 302)
    return handler


def repeated(handler: Handler, paths: Sequence[str]) -> Callable[[], object]:
    """Return work that requests these few redirects again and again, after each of them is in the cache."""
    requests = events(paths)
    for each in requests:
        demand(handler(each, None), 302)
    following = cycle(requests).__next__
    return lambda: handler(following(), None)


def reader_of(environment: Mapping[str, str]) -> CachingReader:
    """Return the reader, with its cache, of the functions in this process with this environment."""
    return caching_reader(Settings.read(environment, writes=False))


def cold(
    environment: Mapping[str, str], requests: Sequence[Event], status: int = 302
) -> Callable[[], Mapping[str, Any]]:
    """Return work that sends one of these requests after the other, each with an empty cache."""
    handler, clear = resolving(environment), reader_of(environment).clear
    demand(handler(requests[-1], None), status)
    following = cycle(requests).__next__

    def resolve() -> Mapping[str, Any]:
        clear()
        return handler(following(), None)

    return resolve


def demand(answer: Mapping[str, Any], status: int) -> Mapping[str, Any]:
    """The answer, if it has this status: what fails quickly must not count as fast."""
    if answer["statusCode"] != status:
        raise AssertionError(f"{answer['statusCode']} instead of {status}: {answer['body'][:300]}")
    return answer
