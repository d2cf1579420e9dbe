"""Representations of a record in the requested form: metadata, its page, or a picture of its PID.

See `coolid.http.formats.catalog` for the forms and `coolid.http.pages` for the page.
"""

from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.accept import HTML, client_preferences, prefers_html
from coolid.http.caching import (
    CACHE_TAG,
    REFUSAL_TTL,
    VARY,
    VARY_IN_TIME,
    cache_control_for,
    cache_control_until,
    cache_tags_of,
    last_modified,
)
from coolid.http.errors import UnknownFormat
from coolid.http.format_parameter import PAGE, format_of, is_inflected
from coolid.http.formats.catalog import CITATION, for_media_type, forms
from coolid.http.formats.representation import Representation
from coolid.http.message import Request, Response
from coolid.http.signposting import link_header, signposts
from coolid.http.style_parameter import PICTURE
from coolid.model.conditions import last_change
from coolid.model.locations import (
    are_time_independent,
    last_validity_change,
    locations_of,
    next_validity_change,
    valid_locations,
)
from coolid.model.prefixes import Namespace
from coolid.model.records import WITHDRAWN, Location, Record
from coolid.resolution.content_negotiation import best_offer
from coolid.store.reader import Reader

DATETIME: Final = "Memento-Datetime"
"""RFC 7089, section 2.1.1."""

_TEXT: Final = "text/plain"
"""The type that the inflections request."""


class PartialPage(Response, frozen=True):
    """A page without data that the store failed to return; its lifetime is short."""


class RecordView(Struct, frozen=True):
    """Represents a record, found under `prefix`, for one request at the time `now`.

    `reader` reads other versions; `base_url` begins own addresses.
    """

    request: Request
    reader: Reader
    now: datetime
    base_url: str
    prefix: Namespace
    record: Record

    def requested_media_type(self) -> str | None:
        """Return the media type that `?format=` or an inflection requests, or None."""
        form = format_of(self.request)
        if form is not None:
            return form.media_type if form.is_ours else None
        if not is_inflected(self.request):
            return None
        if prefers_html(self.request.header("accept")):
            return HTML
        return self._best_with_content((_TEXT, *[each for each in forms(self.record).offers if each != _TEXT])) or _TEXT

    def best_form(self, status: int, *, is_former: bool = False) -> Response:
        """Return the requested form, or the preferred one. See `form` for `is_former`."""
        media_type = self.requested_media_type()
        if media_type is None:
            offers = forms(self.record).offers
            media_type = self._best_with_content(offers) or self._best(offers) or offers[0]
        return self.form(media_type, status, is_former=is_former)

    def form(
        self, media_type: str, status: int, locations: tuple[Location, ...] = (), *, is_former: bool = False
    ) -> Response:
        """Return the record in this form; `locations` are those whose validity may change the response.

        If it `is_former`, a page shows its locations as text, because they were given up. The response is 204 if the
        form is of metadata and there is none. Raises `UnknownFormat` if the record has no such form.
        """
        headers = self._headers(media_type, locations)
        if media_type == PICTURE:
            return self.picture(self.record.pid, status, headers)
        if media_type == HTML:
            return self._page(status, headers, is_former=is_former)
        representation = for_media_type(media_type)
        assert representation is not None
        if not representation.available(self.record):
            if representation.of_metadata:
                return Response(204, headers)
            raise UnknownFormat(representation.name, (*(each.name for each in self._available()), PAGE))
        content_type = media_type if media_type in representation.synonyms else representation.content_type
        if media_type == CITATION:
            from coolid.http import citation_parameter

            representation = citation_parameter.styled(representation, self.request)
        body = representation.write(
            self.record if representation.is_whole else self._valid_record(is_version=self._version() is not None)
        )
        if media_type == _TEXT:
            headers["THUMP-Status"] = f"0.6 {status} {'OK' if status == 200 else 'Gone'}"
            if is_inflected(self.request):
                from coolid.http.formats import erc

                body += erc.write_support(self.prefix.repository.support)
        return Response(status, {**headers, "Content-Type": content_type}, body)

    def picture(self, pid: str, status: int, headers: dict[str, str]) -> Response:
        """Return a picture of the PID or of an extension of it, the same for all versions."""
        from coolid.http.formats import qr

        return qr.qr_response(self.request, pid, status, headers)

    def headers(
        self,
        canonical: str,
        *,
        form: str | None = None,
        version: str | None = None,
        locations: tuple[Location, ...] = (),
        checked: datetime | None = None,
    ) -> dict[str, str]:
        """Return the headers of a response about a record, including when it changed and when it expires.

        The links of a `version` never change, but the validity of other `locations` may change the response.
        `checked` is when the condition of a location last changed, if the response shows that.
        """
        repository = self.prefix.repository
        ttl = repository.ttl_of(self.record)
        changed = max(self.record.updated, repository.updated)
        if checked is not None:
            changed = max(changed, checked)
        previous_change = next_change = None
        if version is None:  # the links lead to the current locations
            locations = self.record.records
        if not are_time_independent(locations):
            previous_change = last_validity_change(locations, self.now)
            next_change = next_validity_change(locations, self.now)
        valid_record = self._valid_record(is_version=version is not None)
        return {
            "Link": link_header(valid_record, canonical=canonical, form=form, version=version),
            "Cache-Control": cache_control_for(ttl, next_change, self.now),
            "Last-Modified": last_modified(changed if previous_change is None else max(changed, previous_change)),
            CACHE_TAG: cache_tags_of(self.prefix, self.record),
            "Vary": VARY_IN_TIME,
        }

    def _headers(self, media_type: str, locations: tuple[Location, ...]) -> dict[str, str]:
        """Return the headers of a form; those of a version have `Memento-Datetime`, because it never changes."""
        form = media_type if media_type != HTML and self.requested_media_type() is not None else None
        version = self._version()
        is_current_page = media_type == HTML and version is None
        checked = last_change(self.record.health) if is_current_page and self.record.health else None
        headers = self.headers(self.record.pid, form=form, version=version, locations=locations, checked=checked)
        if version is not None:
            headers |= {DATETIME: last_modified(self.record.updated), "Vary": VARY}
        return headers

    def _version(self) -> str | None:
        """Return the number of this version if the request has it; `?version=` may also mean that of a location."""
        number = self.request.parameter("memento") or self.request.parameter("version")
        return number if number == str(self.record.version) else None

    def _page(self, status: int, headers: dict[str, str], *, is_former: bool) -> Response:
        from coolid.http.pages import location_view, record_page, render

        version = self._version()
        valid_record = self._valid_record(is_version=version is not None)
        surroundings = location_view.read_surroundings(self.record, self.reader)
        values: dict[str, Any] = {
            **record_page.values(
                self.record,
                valid_record,
                self.prefix,
                surroundings,
                self.now,
                version=version,
                formats=self._available(),
                is_former=is_former,
            ),
            "archives": self._archived_copies(),
            "links": signposts(valid_record, canonical=self.record.pid, version=version),
        }
        page = render("record.html", status, headers, self.base_url, **values)
        if not surroundings.is_missing:
            return page
        change = next_validity_change(self.record.records, self.now)
        seconds = REFUSAL_TTL if change is None else min(REFUSAL_TTL, int((change - self.now).total_seconds()))
        caching = cache_control_until(self.prefix.repository.ttl_of(self.record), seconds)
        return PartialPage(page.status, {**page.headers, "Cache-Control": caching}, page.body)

    def _valid_record(self, *, is_version: bool) -> Record:
        """Return the record with the locations that are valid now, or were valid when the version was written."""
        if are_time_independent(self.record.records):
            return self.record
        moment = self.record.updated if is_version else self.now
        return replace(self.record, records=valid_locations(self.record.records, moment))

    def _best_with_content(self, offers: tuple[str, ...]) -> str | None:
        """Return the best offer with content for the record, None if the client accepts none."""
        from coolid.http import citation_parameter

        best = self._best(offers)
        if best is None or citation_parameter.has_content(best, self.record):
            return best
        return self._best(tuple([each for each in offers if citation_parameter.has_content(each, self.record)]))

    def _best(self, offers: tuple[str, ...]) -> str | None:
        """Return the offer that the client prefers, the page included; None if it excludes them all."""
        return best_offer((*offers, HTML), client_preferences(self.request).types)

    def _available(self) -> list[Representation]:
        """Return the representations that have content for the record."""
        return [each for each in forms(self.record).representations if each.available(self.record)]

    def _archived_copies(self) -> tuple[str, ...]:
        """Return the addresses of archived copies of a withdrawn record."""
        if self.record.status != WITHDRAWN:
            return ()
        from coolid.model.web_archives import archived_urls

        repository = self.prefix.repository
        locations = locations_of(self.record, repository)
        return archived_urls(repository.archive, locations, self.record.updated, self.record.updated)
