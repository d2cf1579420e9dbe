"""Works of other services: the metadata of DOIs from their registration agencies, checked, bounded and cached.

>>> works = ForeignWorks(lambda doi: b'{"type": "book", "title": "T", "DOI": "10.1000/x", "reference": [], "x": 1}')
>>> works.work("10.1000/X")
{'type': 'book', 'title': 'T', 'id': 'https://doi.org/10.1000/x', 'DOI': '10.1000/x', 'URL': 'https://doi.org/10.1000/x'}
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, Final

from msgspec import DecodeError, json

from coolid.identifiers import percent_encoding

MAX_ENTRIES: Final = 500
FRESH: Final = timedelta(days=1)
FAILED: Final = timedelta(minutes=1)
"""How long a work, and a failure, are cached."""
MAX_NAMES: Final = 500
"""The names of a longer list that remain: the first ones and the last, which some styles cite."""
MAX_LENGTH: Final = 2_000
_TEXTS: Final = (
    "title", "container-title", "collection-title", "event-title", "publisher", "publisher-place", "volume", "issue",
    "page", "edition", "version", "number", "genre", "medium", "abstract", "language", "ISBN", "ISSN", "PMID", "PMCID",
)  # fmt: skip
_NAMES: Final = ("author", "editor", "translator")
_DATES: Final = ("issued", "accessed", "original-date")
_NAME_PARTS: Final = ("family", "given", "literal", "suffix", "non-dropping-particle", "dropping-particle")
_DOI: Final = re.compile(r"10(?:\.[0-9]+)+/[^\s\x00-\x20]{1,500}")
_TYPE: Final = re.compile("[a-z][a-z_-]{0,40}")
_TAG: Final = re.compile("</?[A-Za-z][^<>]{0,100}>")
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)

Fetch = Callable[[str], bytes | None]
"""Returns the JSON of a DOI's item, or None if there is none. Raises an exception if it cannot be fetched."""


class ForeignWorks:
    """Reads works by `fetch` and caches them, for ever without a clock `now`. Thread-safe."""

    def __init__(self, fetch: Fetch, now: Callable[[], datetime] = lambda: _NEVER) -> None:
        self._fetch = fetch
        self._now = now
        self._lock = Lock()
        self._works: OrderedDict[str, tuple[datetime, Mapping[str, Any] | None]] = OrderedDict()

    def work(self, doi: str) -> Mapping[str, Any] | None:
        """Return the work of a DOI as an item of CSL data, or None if it has none or cannot be fetched now."""
        doi = doi.lower()
        if not _DOI.fullmatch(doi):
            return None
        now = self._now()
        with self._lock:
            until, work = self._works.get(doi, (None, None))
        if until is not None and now <= until:
            return work
        try:
            body = self._fetch(doi)
        except Exception:  # noqa: BLE001 - a page is complete without it
            body = None
        work = None if body is None else read_work(body, doi)
        lifetime = FAILED if work is None else FRESH
        with self._lock:
            self._works[doi] = now + lifetime, work
            self._works.move_to_end(doi)
            while len(self._works) > MAX_ENTRIES:
                self._works.popitem(last=False)
        return work


def read_work(body: bytes, doi: str) -> dict[str, Any] | None:
    """Return the item in a JSON document with only its known members in their types; None if it has no title."""
    try:
        document = json.decode(body)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    kind = document.get("type")
    texts = {name: text for name in _TEXTS if (text := _text(document.get(name)))}
    names = {name: found for name in _NAMES if (found := _names(document.get(name)))}
    dates = {name: date for name in _DATES if (date := _date(document.get(name)))}
    if "title" not in texts:
        return None
    url = f"https://doi.org/{percent_encoding.encode(doi, '/:;()')}"
    kind = kind if isinstance(kind, str) and _TYPE.fullmatch(kind) else "document"
    return {"type": kind, **texts, **names, **dates, "id": url, "DOI": doi, "URL": url}


def _text(value: Any) -> str:
    """Return a text on one line, the first of several, without markup, which agencies partly escape."""
    from html import unescape

    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int):
        value = str(value)
    if not isinstance(value, str):
        return ""
    return "".join(each for each in " ".join(_TAG.sub("", unescape(value)).split()) if each.isprintable())[:MAX_LENGTH]


def _names(value: Any) -> list[dict[str, str]]:
    if not isinstance(value, list):
        return []
    names = (
        {part: text for part in _NAME_PARTS if (text := _text(each.get(part)))}
        for each in value
        if isinstance(each, dict)
    )
    found = [each if "family" in each else {"literal": next(iter(each.values()))} for each in names if each]
    return found if len(found) <= MAX_NAMES else [*found[: MAX_NAMES - 1], found[-1]]


def _date(value: Any) -> dict[str, Any]:
    """Return a date with its year, month and day as far as they are valid."""
    match value:
        case {"date-parts": [[*parts], *_]}:
            pass
        case {"literal": str(text)} | {"raw": str(text)}:
            return {"literal": _text(text)} if _text(text) else {}
        case _:
            return {}
    numbers: list[int] = []
    for part, limits in zip(parts, (range(1, 10_000), range(1, 13), range(1, 32)), strict=False):
        number = int(part) if isinstance(part, str) and part.isascii() and part.isdecimal() else part
        if type(number) is not int or number not in limits:
            break
        numbers.append(number)
    return {"date-parts": [numbers]} if numbers else {}
