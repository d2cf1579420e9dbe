"""Answers about records of ours: where the thing is, a choice, metadata, or the tombstone.

Contract, sections 2 and 3; the LinkID draft's "Resolution Response". Which of them a client gets is chosen by
`coolid.domain.negotiation`; what metadata looks like is said by `coolid.web.representations.table`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import quote

from coolid.domain.documents import dump
from coolid.domain.errors import NoLocation, UnknownVersion
from coolid.domain.locations import last_turn, next_turn, reasons, serviceable
from coolid.domain.negotiation import Wishes, choose
from coolid.domain.prefixes import Namespace
from coolid.domain.records import Location, Record
from coolid.domain.resolving import Found, Gone, version_of
from coolid.domain.stores import Reader
from coolid.web.caching import VARY, cache_control, cache_control_until, last_modified
from coolid.web.errors import NotAcceptable, UnknownFormat
from coolid.web.message import NO_HEADERS, Request, Response
from coolid.web.negotiation import HTML, JSON, media_type_of, prefers_html, wishes_of
from coolid.web.negotiation import choose as choose_format
from coolid.web.representations.representation import Representation
from coolid.web.representations.table import REPRESENTATIONS, for_media_type, named
from coolid.web.signposting import MOST_BYTES, link_header

PAGE: Final = "html"
_INFLECTIONS: Final = ("info", "?")
_TEXT: Final = "erc"


@dataclass(frozen=True, slots=True)
class Recorded:
    """Answers one request, as of `now`, with versions out of `reader`; `base_url` begins every link to ourselves."""

    request: Request
    reader: Reader
    base_url: str
    now: datetime

    def found(self, found: Found) -> Response:
        """Where it is, a choice of places, or what is known of it.

        Raises `NoLocation`, `UnknownVersion`, `NotAcceptable`, `UnknownFormat`.
        """
        wanted = self._metadata_asked_for(found.record)
        if wanted is not None:
            return self._metadata(found.prefix, self._version(found), wanted, 200)
        good = serviceable(found.locations, self.now)
        offers = tuple(each.media_type for each in _available(found.record))
        # Where none is good, the others show whether the client came for one of them.
        chosen = choose(good or found.locations, _with_json(offers), wishes_of(self.request))
        if isinstance(chosen, str):  # which other locations may change
            return self._metadata(found.prefix, self._version(found), chosen, 200, self._timing(found))
        if found.locations and not good:
            raise NoLocation(found.record.pid, reasons(found.locations, self.now))
        if chosen is None:
            raise NotAcceptable((*(each.media_type or "*/*" for each in good), *offers, HTML))
        if len(chosen) > 1 and found.prefix.repository.choices:
            return self._choice(found, chosen)
        return self._redirect(found, chosen[0])

    def gone(self, gone: Gone) -> Response:
        """The tombstone, in whatever form: that it is gone is the answer to every request but for an older version."""
        wanted = self._metadata_asked_for(gone.record)
        number = self.request.parameter("version")
        if wanted is None:
            offers = tuple(each.media_type for each in _available(gone.record))
            types = wishes_of(self.request).types
            chosen = str(choose((), _with_json(offers), Wishes(types=types)) or offers[0])
            return self._metadata(gone.prefix, gone.record, chosen, 410)
        if number is None:
            return self._metadata(gone.prefix, gone.record, wanted, 410)
        version = _numbered(gone.prefix, gone.record, number, self.reader)
        return self._metadata(gone.prefix, version, wanted, 410 if version == gone.record else 200)

    def _metadata_asked_for(self, record: Record) -> str | None:
        """The media type of the metadata that `?format=` or an inflection asks for; None where they do not.

        `UnknownFormat` for what is neither metadata nor a type that a location could have.
        """
        written = self.request.parameter("format")
        name = written.lower() if written is not None else None
        representation = named(name) if name is not None else None
        if representation is not None:
            if not representation.available(record):
                raise NotAcceptable(tuple(each.media_type for each in _available(record)))
            return representation.media_type
        if name == PAGE:
            return HTML
        if name is not None and media_type_of(name) is None:
            raise UnknownFormat(name, (*(each.name for each in REPRESENTATIONS), PAGE))
        if name is not None or not any(self.request.parameter(each) is not None for each in _INFLECTIONS):
            return None
        if prefers_html(self.request.header("accept")):
            return HTML
        offers = tuple(each.media_type for each in _available(record))
        text = next(each.media_type for each in REPRESENTATIONS if each.name == _TEXT)
        first = (text, *(each for each in _with_json(offers) if each != text))
        return str(choose((), first, wishes_of(self.request)) or text)

    def _version(self, found: Found) -> Record:
        """The version of the record that `?version=` asks for, or the current one."""
        number = self.request.parameter("version")
        return found.record if number is None else _numbered(found.prefix, found.record, number, self.reader)

    def _metadata(
        self, prefix: Namespace, record: Record, media_type: str, status: int, timing: Mapping[str, str] = NO_HEADERS
    ) -> Response:
        headers = {**self._about(prefix, record, record.pid), **timing}
        if media_type == HTML:
            from coolid.web.pages import render

            values = {"record": record.to_document(), "formats": _available(record)}
            return render("record.html", status, headers, **values, version=self.request.parameter("version"))
        representation = for_media_type(media_type)
        assert representation is not None
        content_type = JSON if media_type == JSON else representation.content_type
        if representation.name == _TEXT:
            headers["THUMP-Status"] = f"0.6 {status} {'OK' if status == 200 else 'Gone'}"
            described = f'{headers["Link"]}, <{record.pid}>; rel="describes"'
            headers["Link"] = described if len(described) <= MOST_BYTES else headers["Link"]
        return Response(status, {**headers, "Content-Type": content_type}, representation.write(record))

    def _redirect(self, found: Found, location: Location) -> Response:
        """A redirect, its `Location` byte for byte, with a short page that links there."""
        return redirect(location.uri, found.prefix.repository.redirect, self._leading(found))

    def _choice(self, found: Found, locations: tuple[Location, ...]) -> Response:
        """Several that fit equally (RFC 9110, section 15.4.1), without a preferred one.

        The list is no representation of the thing, so that `Accept` only tells programs from people.
        """
        headers = self._leading(found)
        documents = [location.to_document() for location in locations]
        accept = self.request.header("accept")
        if accept is not None and choose_format(f"{accept}, */*;q=0.001", (JSON, HTML)) == HTML:
            from coolid.web.pages import render

            return render("choice.html", 300, headers, record=found.record.to_document(), locations=documents)
        return Response(300, {**headers, "Content-Type": JSON}, dump({"pid": found.record.pid, "choices": documents}))

    def _leading(self, found: Found) -> dict[str, str]:
        """The headers of an answer that leads somewhere, which time may change."""
        canonical = found.record.pid + quote(found.extension, safe="/")
        return {**self._about(found.prefix, found.record, canonical), **self._timing(found)}

    def _timing(self, found: Found) -> dict[str, str]:
        """The headers that say since when and until when an answer holds, where time changes it."""
        headers = {}
        turned, turning = last_turn(found.locations, self.now), next_turn(found.locations, self.now)
        if turned is not None:
            headers["Last-Modified"] = last_modified(max(_changed(found.prefix, found.record), turned))
        if turning is not None:
            seconds = int((turning - self.now).total_seconds())
            headers["Cache-Control"] = cache_control_until(_ttl(found.prefix, found.record), seconds)
        return headers

    def _about(self, prefix: Namespace, record: Record, canonical: str) -> dict[str, str]:
        """The headers of whatever is said of a record."""
        return {
            "Link": link_header(record, canonical=canonical),
            "Cache-Control": cache_control(_ttl(prefix, record)),
            "Last-Modified": last_modified(_changed(prefix, record)),
            "Vary": VARY,
        }


def redirect(location: str, status: int, headers: dict[str, str]) -> Response:
    """A redirect, its `Location` byte for byte, with a short page that links there."""
    link = escape(location)
    return Response(
        status,
        {"Location": location, **headers, "Content-Type": "text/html; charset=utf-8"},
        f'<!doctype html>\n<html lang="en"><title>It is here</title><p>It is at <a href="{link}">{link}</a>.</html>\n',
    )


def _available(record: Record) -> tuple[Representation, ...]:
    return tuple(each for each in REPRESENTATIONS if each.available(record))


def _with_json(offers: tuple[str, ...]) -> tuple[str, ...]:
    """Plain JSON is what many clients ask for who mean the first of these."""
    return (offers[0], JSON, *offers[1:])


def _numbered(prefix: Namespace, record: Record, number: str, reader: Reader) -> Record:
    if not (number.isascii() and number.isdecimal() and len(number) < 10 and int(number) > 0):
        raise UnknownVersion(record.pid, number)
    return version_of(prefix, record, int(number), reader)


def _ttl(prefix: Namespace, record: Record) -> int:
    return prefix.repository.ttl if record.ttl is None else record.ttl


def _changed(prefix: Namespace, record: Record) -> datetime:
    return max(record.updated, prefix.repository.updated)
