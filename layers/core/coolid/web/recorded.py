"""Answers about records of ours: where the thing is, a choice, metadata, or the tombstone.

The LinkID draft, "Resolution Response" (`docs/linkid.md`). Which of them a client gets is chosen by
`coolid.domain.negotiation`; what metadata looks like is said by `coolid.web.representations.table`.
"""

import re
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.domain.documents import dump
from coolid.domain.errors import NoLocation, UnknownVersion
from coolid.domain.locations import are_steady, last_turn, next_turn, reasons, serviceable
from coolid.domain.negotiation import best_offer, choose, meets
from coolid.domain.prefixes import Namespace, as_path
from coolid.domain.reader import Reader
from coolid.domain.records import Location, Record
from coolid.domain.resolving import Found, Gone, version_of
from coolid.web import cachetags
from coolid.web.caching import VARY, cache_control, cache_control_until, last_modified
from coolid.web.errors import NoSuchForm, NotAcceptable, UnknownFormat
from coolid.web.formats import PAGE, format_of, is_inflected
from coolid.web.message import Request, Response
from coolid.web.negotiation import HTML, JSON, choose_format, prefers_html, wishes_of
from coolid.web.redirects import redirect
from coolid.web.representations.table import for_media_type, forms
from coolid.web.signposting import MOST_BYTES, link_header
from coolid.web.syntax import NUMBER

_DEMANDS: Final = ("format", "lang", "version")
_TEXT: Final = "text/plain"
"""The citation, which the inflections ask for."""


class Recorded(Struct, frozen=True):
    """Answers one request, as of `now`, with versions out of `reader`."""

    request: Request
    reader: Reader
    now: datetime

    def answer(self, decision: Found | Gone) -> Response:
        """What the record is answered with, there or gone; errors as of `found`."""
        return self.found(decision) if isinstance(decision, Found) else self.gone(decision)

    def found(self, found: Found) -> Response:
        """Where it is, a choice of places, or what is known of it.

        Raises `NoLocation`, `UnknownVersion`, `NotAcceptable`, `NoSuchForm`, `UnknownFormat`.
        """
        wanted = self._metadata_asked_for(found.record)
        if wanted is not None:
            return self._metadata(found.prefix, self._version(found), wanted, 200)
        good = serviceable(found.locations, self.now)
        offers = forms(found.record).offers
        form = format_of(self.request)
        wishes = wishes_of(self.request, form.media_type if form else None)
        # Where none is good, the others show whether the client came for one of them.
        chosen = choose(good or found.locations, offers, wishes)
        if isinstance(chosen, str):  # which other locations may change
            return self._metadata(found.prefix, self._version(found), chosen, 200, found.locations)
        if found.locations and not good:
            raise self._nowhere(found)
        if chosen is None:
            if not any(meets(each, wishes) for each in good) if good else form is not None:
                raise self._unmet(found)
            raise NotAcceptable((*(each.media_type or "*/*" for each in good), *offers, HTML))
        if len(chosen) > 1 and found.prefix.repository.choices:
            return self._choice(found, chosen)
        return self._redirect(found, chosen[0])

    def gone(self, gone: Gone) -> Response:
        """The tombstone, in whatever form: that it is gone is the answer to every request but for an older version."""
        wanted = self._metadata_asked_for(gone.record)
        number = self.request.parameter("version")
        if wanted is None:
            offers = forms(gone.record).offers
            return self._metadata(gone.prefix, gone.record, self._best(offers) or offers[0], 410)
        if number is None:
            return self._metadata(gone.prefix, gone.record, wanted, 410)
        version = _numbered(gone.prefix, gone.record, number, self.reader)
        return self._metadata(gone.prefix, version, wanted, 410 if version == gone.record else 200)

    def _metadata_asked_for(self, record: Record) -> str | None:
        """The media type of the metadata that `?format=` or an inflection asks for; None where they do not."""
        form = format_of(self.request)
        if form is not None:
            return form.media_type if form.is_ours else None
        if not is_inflected(self.request):
            return None
        if prefers_html(self.request.header("accept")):
            return HTML
        return self._best((_TEXT, *(each for each in forms(record).offers if each != _TEXT))) or _TEXT

    def _best(self, offers: tuple[str, ...]) -> str | None:
        """The metadata that the client likes best, or the page; None if it excludes them all."""
        return best_offer((*offers, HTML), wishes_of(self.request).types)

    def _version(self, found: Found) -> Record:
        """The version of the record that `?version=` asks for, or the current one."""
        number = self.request.parameter("version")
        return found.record if number is None else _numbered(found.prefix, found.record, number, self.reader)

    def _nowhere(self, found: Found) -> NoLocation:
        """That none of the locations is good now, and when that may change."""
        turning = next_turn(found.locations, self.now)
        seconds = int((turning - self.now).total_seconds()) if turning is not None else None
        return NoLocation(found.record.pid, reasons(found.locations, self.now), seconds)

    def _unmet(self, found: Found) -> NoSuchForm:
        """That the request's parameters ask for what no location is."""
        given = ((name, self.request.parameter(name)) for name in _DEMANDS)
        return NoSuchForm(found.record.pid, {name: value for name, value in given if value})

    def _metadata(
        self, prefix: Namespace, record: Record, media_type: str, status: int, locations: tuple[Location, ...] = ()
    ) -> Response:
        """The record in this form; `locations` are those that may come to be the answer instead, or cease to be.

        Raises `UnknownFormat` if this version of it cannot be had so.
        """
        headers = self._headers(prefix, record, record.pid, locations)
        if media_type == HTML:
            from coolid.web.pages import render

            number = self.request.parameter("version")  # perhaps of a location: a tombstone is shown whatever it is
            version = number if number == str(record.version) else None
            values = {"record": record.to_document(), "formats": forms(record).representations, "version": version}
            return render("record.html", status, headers, **values)
        representation = for_media_type(media_type)
        assert representation is not None
        if not representation.available(record):
            raise UnknownFormat(representation.name, (*(each.name for each in forms(record).representations), PAGE))
        content_type = JSON if media_type == JSON else representation.content_type
        if media_type == _TEXT:
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
        """The headers of an answer that leads somewhere."""
        canonical = found.record.pid + as_path(found.extension)
        return self._headers(found.prefix, found.record, canonical, found.locations)

    def _headers(
        self, prefix: Namespace, record: Record, canonical: str, locations: tuple[Location, ...]
    ) -> dict[str, str]:
        """The headers of whatever is said of a record: since when it holds, and until when, where time changes it."""
        ttl = prefix.repository.ttl if record.ttl is None else record.ttl
        changed = max(record.updated, prefix.repository.updated)
        turned = turning = None
        if not are_steady(locations):
            turned, turning = last_turn(locations, self.now), next_turn(locations, self.now)
        return {
            "Link": link_header(record, canonical=canonical),
            "Cache-Control": cache_control(ttl)
            if turning is None
            else cache_control_until(ttl, int((turning - self.now).total_seconds())),
            "Last-Modified": last_modified(changed if turned is None else max(changed, turned)),
            cachetags.HEADER: cachetags.header_of(prefix, record),
            "Vary": VARY,
        }


def _numbered(prefix: Namespace, record: Record, number: str, reader: Reader) -> Record:
    if not re.fullmatch(NUMBER, number):
        raise UnknownVersion(record.pid, number)
    return version_of(prefix, record, int(number), reader)
