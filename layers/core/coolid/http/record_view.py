"""What a record says of itself, in the form that a request asks for: metadata, its page, a picture of its PID.

Which forms there are is said by `coolid.http.formats.catalog`; the page is made by `coolid.http.pages`.
"""

from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http import cache_tags
from coolid.http.accept import HTML, prefers_html, wishes_of
from coolid.http.caching import REFUSAL_TTL, VARY, VARY_IN_TIME, cache_control_for, cache_control_until, last_modified
from coolid.http.errors import UnknownFormat
from coolid.http.format_parameter import PAGE, format_of, is_inflected
from coolid.http.formats.catalog import CITATION, for_media_type, forms
from coolid.http.formats.representation import Representation
from coolid.http.message import Request, Response
from coolid.http.signposting import link_header, signposts
from coolid.http.style_parameter import PICTURE
from coolid.model.conditions import last_change
from coolid.model.locations import are_steady, last_validity_change, locations_of, next_validity_change, serviceable
from coolid.model.prefixes import Namespace
from coolid.model.records import WITHDRAWN, Location, Record
from coolid.resolution.content_negotiation import best_offer
from coolid.store.reader import Reader

DATETIME: Final = "Memento-Datetime"
"""RFC 7089, section 2.1.1."""

_TEXT: Final = "text/plain"
"""The citation, which the inflections ask for."""


class PartialPage(Response, frozen=True):
    """A page that lacks what the store could not tell at the moment: it is not for as long as others."""


class RecordView(Struct, frozen=True):
    """Tells one request what the record says, as of `now`; `prefix` is what it was found under.

    Other versions are in `reader`; `base_url` begins our own addresses.
    """

    request: Request
    reader: Reader
    now: datetime
    base_url: str
    prefix: Namespace
    record: Record

    def asked_for(self) -> str | None:
        """The media type that `?format=` or an inflection asks for; None where they do not."""
        form = format_of(self.request)
        if form is not None:
            return form.media_type if form.is_ours else None
        if not is_inflected(self.request):
            return None
        if prefers_html(self.request.header("accept")):
            return HTML
        return self._telling((_TEXT, *[each for each in forms(self.record).offers if each != _TEXT])) or _TEXT

    def told(self, status: int, *, is_former: bool = False) -> Response:
        """In whatever form: it is the answer, wherever the thing is, or was if it `is_former`."""
        wanted = self.asked_for()
        if wanted is None:
            offers = forms(self.record).offers
            wanted = self._telling(offers) or self._best(offers) or offers[0]
        return self.form(wanted, status, is_former=is_former)

    def form(
        self, media_type: str, status: int, locations: tuple[Location, ...] = (), *, is_former: bool = False
    ) -> Response:
        """In this form; `locations` are those that may come to be the answer instead, or cease to be.

        If it `is_former`, a page has its locations as text, for they were given up. Without content, if the form is of
        metadata and there is none. Raises `UnknownFormat` if the record cannot be had so.
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
            raise UnknownFormat(representation.name, (*(each.name for each in self._had()), PAGE))
        content_type = media_type if media_type in representation.also else representation.content_type
        if media_type == CITATION:
            from coolid.http import citation_parameter

            representation = citation_parameter.styled(representation, self.request)
        body = representation.write(
            self.record if representation.is_whole else self._timely(is_version=self._version() is not None)
        )
        if media_type == _TEXT:
            headers["THUMP-Status"] = f"0.6 {status} {'OK' if status == 200 else 'Gone'}"
            if is_inflected(self.request):
                from coolid.http.formats import erc

                body += erc.write_support(self.prefix.repository.support)
        return Response(status, {**headers, "Content-Type": content_type}, body)

    def picture(self, pid: str, status: int, headers: dict[str, str]) -> Response:
        """A picture of the PID, or of what extends it, the same for all versions."""
        from coolid.http.formats import qr

        return qr.picture(self.request, pid, status, headers)

    def headers(
        self,
        canonical: str,
        *,
        form: str | None = None,
        version: str | None = None,
        locations: tuple[Location, ...] = (),
        seen: datetime | None = None,
    ) -> dict[str, str]:
        """The headers of whatever is said of a record: since when it holds, and until when, where time changes it.

        A version, whose own links stay, may still cease to be the answer: `locations` are what may come instead.
        What was `seen` of the locations is said with it.
        """
        repository = self.prefix.repository
        ttl = repository.ttl_of(self.record)
        changed = max(self.record.updated, repository.updated)
        if seen is not None:
            changed = max(changed, seen)
        turned = turning = None
        if version is None:  # the links tell where it is now
            locations = self.record.records
        if not are_steady(locations):
            turned, turning = last_validity_change(locations, self.now), next_validity_change(locations, self.now)
        timely = self._timely(is_version=version is not None)
        return {
            "Link": link_header(timely, canonical=canonical, form=form, version=version),
            "Cache-Control": cache_control_for(ttl, turning, self.now),
            "Last-Modified": last_modified(changed if turned is None else max(changed, turned)),
            cache_tags.HEADER: cache_tags.header_of(self.prefix, self.record),
            "Vary": VARY_IN_TIME,
        }

    def _headers(self, media_type: str, locations: tuple[Location, ...]) -> dict[str, str]:
        """The headers of a form; those of a version say of when it is, for as it is, it stays."""
        form = media_type if media_type != HTML and self.asked_for() is not None else None
        version = self._version()
        is_current_page = media_type == HTML and version is None
        seen = last_change(self.record.health) if is_current_page and self.record.health else None
        headers = self.headers(self.record.pid, form=form, version=version, locations=locations, seen=seen)
        if version is not None:
            headers |= {DATETIME: last_modified(self.record.updated), "Vary": VARY}
        return headers

    def _version(self) -> str | None:
        """The number that the request has for this version; another may be that of a location."""
        number = self.request.parameter("memento") or self.request.parameter("version")
        return number if number == str(self.record.version) else None

    def _page(self, status: int, headers: dict[str, str], *, is_former: bool) -> Response:
        from coolid.http.pages import location_view, record_page, render

        version = self._version()
        timely = self._timely(is_version=version is not None)
        known = location_view.surroundings_of(self.record, self.prefix, self.reader)
        values: dict[str, Any] = {
            **record_page.values(
                self.record,
                timely,
                self.prefix,
                known,
                self.now,
                version=version,
                formats=self._had(),
                is_former=is_former,
            ),
            "archives": self._copies(),
            "links": signposts(timely, canonical=self.record.pid, version=version),
        }
        page = render("record.html", status, headers, self.base_url, **values)
        if not known.is_missing:
            return page
        turning = next_validity_change(self.record.records, self.now)
        soon = REFUSAL_TTL if turning is None else min(REFUSAL_TTL, int((turning - self.now).total_seconds()))
        caching = cache_control_until(self.prefix.repository.ttl_of(self.record), soon)
        return PartialPage(page.status, {**page.headers, "Cache-Control": caching}, page.body)

    def _timely(self, *, is_version: bool) -> Record:
        """The record with those of its locations alone that are good now; of a version, that were then."""
        if are_steady(self.record.records):
            return self.record
        moment = self.record.updated if is_version else self.now
        return replace(self.record, records=serviceable(self.record.records, moment))

    def _telling(self, offers: tuple[str, ...]) -> str | None:
        """The best of the offers that say something of the record; None if the client takes none of these."""
        from coolid.http import citation_parameter

        best = self._best(offers)
        if best is None or citation_parameter.says(best, self.record):
            return best
        return self._best(tuple([each for each in offers if citation_parameter.says(each, self.record)]))

    def _best(self, offers: tuple[str, ...]) -> str | None:
        """The metadata that the client likes best, or the page; None if it excludes them all."""
        return best_offer((*offers, HTML), wishes_of(self.request).types)

    def _had(self) -> list[Representation]:
        """The forms that have something to say of the record."""
        return [each for each in forms(self.record).representations if each.available(self.record)]

    def _copies(self) -> tuple[str, ...]:
        """Where copies may be of what was withdrawn."""
        if self.record.status != WITHDRAWN:
            return ()
        from coolid.model.web_archives import archived

        repository = self.prefix.repository
        locations = locations_of(self.record, repository)
        return archived(repository.archive, locations, self.record.updated, self.record.updated)
