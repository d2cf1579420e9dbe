"""The PIDs that a service lists in its sitemaps (Sitemaps XML format 0.90), to find those that the log lacks."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from coolid.audit.log_source import LogSource

_INDEX: Final = "/sitemap.xml"
_LISTS: Final = "/sitemaps/"
_MAX_LISTS: Final = 100_000
_LOCATION: Final = re.compile(rb"<loc>([^<]{1,9000})</loc>")


def listed_pids(source: LogSource, issuer: str) -> Iterator[str]:
    """Yield the PIDs in all sitemaps of the service; none if it has no sitemaps. Raises `ClientError`."""
    pending = [_INDEX]
    read: set[str] = set()
    while pending and len(read) < _MAX_LISTS:
        path = pending.pop()
        if path in read:
            continue
        read.add(path)
        for url in _locations(source.file(source.base_url + path) or b""):
            own = url.removeprefix(issuer)
            if own != url and own.startswith(_LISTS):
                pending.append(own)
            else:
                yield url


def _locations(document: bytes) -> Iterator[str]:
    for found in _LOCATION.finditer(document):
        yield unescape(found[1].decode("utf-8", "replace"))
