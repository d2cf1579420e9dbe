"""Atom feeds (RFC 4287), such as that of a repository's faulty links, with an entry for each that links to its record.

An entry's id stays the same while the record has the location; its `updated` is when its state last changed. Pages are
linked by `next` (RFC 5005, section 3).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element

from coolid.health.link_report import LinkProblem, kinds_of
from coolid.http.formats.description.metadata_reader import heading
from coolid.http.formats.xml_elements import add_element, serialize
from coolid.model.check_state import CheckState
from coolid.model.conditions import DEGRADED, DOWN
from coolid.model.records import format_time

MEDIA_TYPE: Final = "application/atom+xml"
_TITLES: Final = {DOWN: "Dead", DEGRADED: "Failing"}
_MAX_TITLE: Final = 200


def write(
    links: Sequence[LinkProblem],
    *,
    owner: str,
    name: str,
    selection: str,
    url: str,
    next_url: str | None,
    since: datetime,
) -> str:
    """Return a page of the feed as XML; `url` is the page's, and `next_url` that of the next one.

    `name` identifies the list of links, whatever its URL, and `selection` the part of it, empty for all. `since` is the
    last change of an empty feed.
    """
    updated = max((each.check_state.since for each in links), default=since)
    feed = new_feed(f"{name}?{selection}", f"Links of {owner}", owner, updated, url, next_url)
    for link in links:
        _add_entry(feed, link, uuid_of(f"{name}#{link.name}"))
    return serialize(feed)


def new_feed(name: str, title: str, owner: str, updated: datetime, url: str, next_url: str | None) -> Element:
    """Return a page of a feed without entries; `name` identifies the feed, and `owner` is its author."""
    feed = Element("feed", {"xmlns": "http://www.w3.org/2005/Atom"})
    add_element(feed, "id", uuid_of(name))
    add_element(feed, "title", title)
    add_element(feed, "updated", format_time(updated))
    add_element(add_element(feed, "author"), "name", owner)
    add_element(feed, "generator", "coolid")
    add_element(feed, "link", "", {"rel": "self", "type": MEDIA_TYPE, "href": url})
    if next_url is not None:
        add_element(feed, "link", "", {"rel": "next", "type": MEDIA_TYPE, "href": next_url})
    return feed


def uuid_of(name: str) -> str:
    """Return the id of a feed or entry of this name (RFC 9562, section 5.5)."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def describe_state(check: CheckState) -> str:
    """Return a check state in sentences.

    >>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
    >>> check = CheckState(url="https://a.example/", state=DOWN, since=noon, checked=noon, reason="it answered 404")
    >>> describe_state(check)
    'Down since 2026-05-04T12:00:00Z: it answered 404. Never reached. Last checked 2026-05-04T12:00:00Z.'
    """
    reason = f": {check.reason}" if check.reason else ""
    last_good = f"Last reached {format_time(check.good)}" if check.good else "Never reached"
    moved = f" It redirects permanently to {check.moved}." if check.moved is not None else ""
    state = f"{check.state.capitalize()} since {format_time(check.since)}{reason}."
    return f"{state} {last_good}. Last checked {format_time(check.checked)}.{moved}"


def _add_entry(feed: Element, link: LinkProblem, entry_id: str) -> None:
    check, record = link.check_state, link.record
    entry = add_element(feed, "entry")
    add_element(entry, "id", entry_id)
    add_element(entry, "title", f"{_TITLES.get(check.state, 'Moved')}: {heading(record)[:_MAX_TITLE]}")
    add_element(entry, "updated", format_time(check.since))
    add_element(entry, "link", "", {"rel": "alternate", "type": "text/html", "href": f"{record.pid}?format=html"})
    add_element(entry, "link", "", {"rel": "related", "href": check.url})
    for kind in sorted(kinds_of(check)):
        add_element(entry, "category", "", {"term": kind})
    add_element(entry, "content", f"{record.pid} leads to {check.url}. {describe_state(check)}")
