"""The Atom feed (RFC 4287) of a repository's links that are not well: an entry for each, which leads to its record.

An entry's id stays the same for as long as the record has the location, its `updated` is when its state last changed.
Pages follow one another by `next` (RFC 5005, section 3).

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
_MOST_TITLE: Final = 200
_UNFIT: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2


class Feed(Struct, frozen=True):
    """What a feed says of itself: its `title`, whose it is, where it is (`address`) and goes on, if it does (`behind`).

    `since` is when it last changed if nothing is in it; `name` tells apart whose links are told, wherever that is, and
    `part` which of them, empty for all.
    """

    title: str
    author: str
    name: str
    part: str
    address: str
    behind: str | None
    since: datetime

    def write(self, links: Sequence[LinkProblem]) -> str:
        """The document."""
        feed = Element("feed", {"xmlns": _ATOM})
        _text(feed, "id", _id_of(f"{self.name}?{self.part}"))
        _text(feed, "title", self.title)
        _text(feed, "updated", format_time(max((each.pulse.since for each in links), default=self.since)))
        _text(SubElement(feed, "author"), "name", self.author)
        _text(feed, "generator", "coolid")
        SubElement(feed, "link", {"rel": "self", "type": MEDIA_TYPE, "href": self.address})
        if self.behind is not None:
            SubElement(feed, "link", {"rel": "next", "type": MEDIA_TYPE, "href": self.behind})
        for link in links:
            self._add(feed, link)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(feed, encoding="unicode") + "\n"

    def _add(self, feed: Element, link: LinkProblem) -> None:
        pulse, record = link.pulse, link.record
        entry = SubElement(feed, "entry")
        _text(entry, "id", _id_of(f"{self.name}#{link.name}"))
        _text(entry, "title", f"{_TITLES.get(pulse.state, 'Moved')}: {heading(record)[:_MOST_TITLE]}")
        _text(entry, "updated", format_time(pulse.since))
        SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": f"{record.pid}?format=html"})
        SubElement(entry, "link", {"rel": "related", "href": pulse.url})
        for kind in sorted(kinds_of(pulse)):
            SubElement(entry, "category", {"term": kind})
        _text(entry, "content", f"{record.pid} leads to {pulse.url}. {told_of(pulse)}")


def told_of(pulse: CheckState) -> str:
    """What is known, in sentences.

    >>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
    >>> told_of(CheckState(url="https://a.example/", state=DOWN, since=noon, checked=noon, reason="it answered 404"))
    'Down since 2026-05-04T12:00:00Z: it answered 404. Never seen well. Last looked at 2026-05-04T12:00:00Z.'
    """
    reason = f": {pulse.reason}" if pulse.reason else ""
    seen = f"Last seen well {format_time(pulse.good)}" if pulse.good else "Never seen well"
    moved = f" It says that it is now at {pulse.moved} for good." if pulse.moved is not None else ""
    state = f"{pulse.state.capitalize()} since {format_time(pulse.since)}{reason}."
    return f"{state} {seen}. Last looked at {format_time(pulse.checked)}.{moved}"


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _fit(text)


def _fit(text: str) -> str:
    """The text without what no XML can hold, which stands for nothing that can be read."""
    return _UNFIT.sub("\ufffd", text)


def _id_of(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"
