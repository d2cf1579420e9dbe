"""The Atom feed (RFC 4287) of a repository's faulty links, with an entry for each that links to its record.

An entry's id stays the same while the record has the location; its `updated` is when its state last changed. Pages are
linked by `next` (RFC 5005, section 3).

>>> _fit("a\\x00b")
'a\\ufffdb'
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from msgspec import Struct

from coolid.health.link_report import LinkProblem, kinds_of
from coolid.http.formats.metadata_text import heading
from coolid.model.check_state import CheckState
from coolid.model.conditions import DEGRADED, DOWN
from coolid.model.records import format_time

MEDIA_TYPE: Final = "application/atom+xml"
_ATOM: Final = "http://www.w3.org/2005/Atom"
_TITLES: Final = {DOWN: "Dead", DEGRADED: "Failing"}
_MAX_TITLE: Final = 200
_UNFIT: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2


class Feed(Struct, frozen=True):
    """The members of a feed: `title`, `author`, its URL `address`, and the URL of the next page if there is one.

    `since` is its last change if it has no entries. `name` identifies the list of links, whatever its URL, and
    `selection` the part of it, empty for all.
    """

    title: str
    author: str
    name: str
    selection: str
    address: str
    next_address: str | None
    since: datetime

    def write(self, links: Sequence[LinkProblem]) -> str:
        """Return the feed as XML."""
        feed = Element("feed", {"xmlns": _ATOM})
        _text(feed, "id", _id_of(f"{self.name}?{self.selection}"))
        _text(feed, "title", self.title)
        _text(feed, "updated", format_time(max((each.check_state.since for each in links), default=self.since)))
        _text(SubElement(feed, "author"), "name", self.author)
        _text(feed, "generator", "coolid")
        SubElement(feed, "link", {"rel": "self", "type": MEDIA_TYPE, "href": self.address})
        if self.next_address is not None:
            SubElement(feed, "link", {"rel": "next", "type": MEDIA_TYPE, "href": self.next_address})
        for link in links:
            self._add(feed, link)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(feed, encoding="unicode") + "\n"

    def _add(self, feed: Element, link: LinkProblem) -> None:
        check, record = link.check_state, link.record
        entry = SubElement(feed, "entry")
        _text(entry, "id", _id_of(f"{self.name}#{link.name}"))
        _text(entry, "title", f"{_TITLES.get(check.state, 'Moved')}: {heading(record)[:_MAX_TITLE]}")
        _text(entry, "updated", format_time(check.since))
        SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": f"{record.pid}?format=html"})
        SubElement(entry, "link", {"rel": "related", "href": check.url})
        for kind in sorted(kinds_of(check)):
            SubElement(entry, "category", {"term": kind})
        _text(entry, "content", f"{record.pid} leads to {check.url}. {describe_state(check)}")


def describe_state(check: CheckState) -> str:
    """Return a check state in sentences.

    >>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
    >>> check = CheckState(url="https://a.example/", state=DOWN, since=noon, checked=noon, reason="it answered 404")
    >>> describe_state(check)
    'Down since 2026-05-04T12:00:00Z: it answered 404. Never seen well. Last looked at 2026-05-04T12:00:00Z.'
    """
    reason = f": {check.reason}" if check.reason else ""
    last_good = f"Last seen well {format_time(check.good)}" if check.good else "Never seen well"
    moved = f" It says that it is now at {check.moved} for good." if check.moved is not None else ""
    state = f"{check.state.capitalize()} since {format_time(check.since)}{reason}."
    return f"{state} {last_good}. Last looked at {format_time(check.checked)}.{moved}"


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _fit(text)


def _fit(text: str) -> str:
    """Return the text with a replacement character for each character that XML cannot contain."""
    return _UNFIT.sub("\ufffd", text)


def _id_of(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"
