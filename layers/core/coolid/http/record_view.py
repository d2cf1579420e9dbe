"""Bodies of representations of a record: its metadata, its page, or a picture of its PID.

See `coolid.http.formats.catalog` for the forms and `coolid.http.pages` for the page.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from coolid.http.accept import HTML, JSON, choose_format, client_preferences, prefers_html
from coolid.http.caching import REFUSAL_TTL, cache_control_until, ttl_of
from coolid.http.errors import UnknownFormat
from coolid.http.formats.catalog import CITATION, for_media_type, for_name, forms_of, has_content
from coolid.http.formats.representation import Representation
from coolid.http.formats.signposting import signposts
from coolid.http.message import BriefResponse, Request, Response, no_log
from coolid.http.parameters import (
    INCLUSION_PROOF,
    PAGE,
    PICTURE,
    QR,
    TLOG_PROOF,
    citation_style,
    format_of,
    is_inflected,
    requested_style,
)
from coolid.model.locations import archived_urls, located_record, locations_of, next_validity_change, valid_record
from coolid.model.prefixes import Namespace, path_of
from coolid.model.records import WITHDRAWN, Location, Record
from coolid.resolution.content_negotiation import best_offer
from coolid.store.log import LogAccess
from coolid.store.reader import Reader
from coolid.strict_json import dump

_TEXT: Final = "text/plain"
"""The type that the inflections request."""


class RecordView(Struct, frozen=True):
    """Represents a record, found under `prefix`, for one request at the time `now`.

    `reader` reads other versions; `open_log` returns the transparency log, None without one.
    """

    request: Request
    reader: Reader
    now: datetime
    base_url: str
    prefix: Namespace
    record: Record
    open_log: Callable[[], LogAccess | None] = no_log

    def requested_media_type(self) -> str | None:
        """Return the media type that `?format=` or an inflection requests, or None."""
        form = format_of(self.request)
        if form is not None:
            return form.media_type if form.is_ours else None
        if not is_inflected(self.request):
            return None
        if prefers_html(self.request.headers.get("accept")):
            return HTML
        return (
            self._best_with_content((_TEXT, *[each for each in forms_of(self.record).offers if each != _TEXT])) or _TEXT
        )

    def preferred_media_type(self) -> str:
        """Return the requested media type, or that which the client prefers."""
        offers = forms_of(self.record).offers
        return self.requested_media_type() or self._best_with_content(offers) or self._best(offers) or offers[0]

    def version(self) -> str | None:
        """Return the number of this version if the request has it; `?version=` may also mean that of a location."""
        number = self.request.parameter("memento") or self.request.parameter("version")
        return number if number == str(self.record.version) else None

    def render(self, media_type: str, status: int, headers: dict[str, str], *, is_former: bool = False) -> Response:
        """Return the record in this form.

        If it `is_former`, a page shows its locations as text, because they were given up. The response is 204 if the
        form is of metadata and there is none. Raises `UnknownFormat` if the record has no such form.
        """
        if media_type == PICTURE:
            return self.picture(self.record.pid, status, headers)
        if media_type == HTML:
            return self._page(status, headers, is_former=is_former)
        if media_type == INCLUSION_PROOF:
            return self._inclusion_proof(status, headers)
        representation = for_media_type(media_type)
        assert representation is not None
        if not representation.available(self.record):
            if representation.of_metadata:
                return Response(204, headers)
            raise self._unknown_format(representation.name)
        content_type = media_type if media_type in representation.synonyms else representation.content_type
        if media_type == CITATION:
            style = citation_style(self.request)
            if style.is_csl:
                from coolid.http import citation_response
                from coolid.http.formats.citations import csl

                path = path_of(self.prefix.name, self.record.id)
                work = citation_response.CitedWork(csl.write(self._valid_record()), self.record.pid, path)
                return citation_response.response(self.request, work, style, status, headers, self.base_url)
            representation = representation if style.name == "text" else for_name(style.name) or representation
        body = representation.write(self.record if representation.is_whole else self._valid_record())
        if media_type == _TEXT:
            headers["THUMP-Status"] = f"0.6 {status} {'OK' if status == 200 else 'Gone'}"
            if is_inflected(self.request):
                from coolid.http.formats import erc

                body += erc.write_support(self.prefix.repository.support)
        return Response(status, {**headers, "Content-Type": content_type}, body)

    def picture(self, pid: str, status: int, headers: dict[str, str]) -> Response:
        """Return a picture of the PID or of an extension of it, the same for all versions."""
        from coolid.http.formats import qr

        return qr.qr_response(pid, status, headers, requested_style(self.request, QR, qr.STYLES))

    def _inclusion_proof(self, status: int, headers: dict[str, str]) -> Response:
        """Return the proof that the version is in the transparency log. Raises the errors of `inclusion_proofs.write`.

        Raises `UnknownFormat` if the version has no signature.
        """
        from coolid.http import inclusion_proofs

        if self.record.proof is None:
            raise self._unknown_format(TLOG_PROOF)
        body = inclusion_proofs.write(self.record, self.open_log())
        return BriefResponse(status, self._brief(headers) | inclusion_proofs.headers(self.record), body)

    def _brief(self, headers: dict[str, str], seconds: int = REFUSAL_TTL) -> dict[str, str]:
        """Return the headers of a `BriefResponse` that becomes wrong in `seconds`."""
        lifetime = cache_control_until(ttl_of(self.record, self.prefix.repository), min(REFUSAL_TTL, seconds))
        return {**headers, "Cache-Control": lifetime}

    def _unknown_format(self, name: str) -> UnknownFormat:
        return UnknownFormat(name, (*(each.name for each in self._available()), PAGE))

    def choice(self, locations: tuple[Location, ...], headers: dict[str, str]) -> Response:
        """Return 300 with equally good locations (RFC 9110, 15.4.1), as a page for browsers and JSON for programs."""
        documents = [location.to_document() for location in locations]
        accept = self.request.headers.get("accept")
        if accept is not None and choose_format(f"{accept}, */*;q=0.001", (JSON, HTML)) == HTML:
            from coolid.http.formats.description.metadata_reader import heading
            from coolid.http.pages import render

            record, title = self.record.to_document(), heading(self.record)
            values = {"record": record, "title": title, "locations": documents}
            return render("choice.html", 300, headers, self.base_url, **values)
        return Response(300, {**headers, "Content-Type": JSON}, dump({"pid": self.record.pid, "choices": documents}))

    def _page(self, status: int, headers: dict[str, str], *, is_former: bool) -> Response:
        from coolid.http.pages import location_view, record_page, render

        version, valid = self.version(), self._valid_record()
        surroundings = location_view.read_surroundings(self.record, self.reader)
        values: dict[str, Any] = {
            **record_page.values(
                self.record,
                valid,
                self.prefix,
                surroundings,
                self.now,
                version=version,
                formats=self._available(),
                is_former=is_former,
            ),
            "archives": self._archived_copies(),
            "links": signposts(valid, forms_of(valid), canonical=self.record.pid, version=version),
        }
        page = render("record.html", status, headers, self.base_url, **values)
        if not surroundings.is_missing:
            return page
        change = next_validity_change(self.record.records, self.now)
        seconds = REFUSAL_TTL if change is None else int((change - self.now).total_seconds())
        return BriefResponse(page.status, self._brief(dict(page.headers), seconds), page.body)

    def _valid_record(self) -> Record:
        """Return the record with the locations that are valid now, or were valid when the version was written."""
        located = located_record(self.record, self.prefix.repository)
        return valid_record(located, self.now if self.version() is None else self.record.updated)

    def _best_with_content(self, offers: tuple[str, ...]) -> str | None:
        """Return the best offer with content for the record, None if the client accepts none."""
        best = self._best(offers)
        if best is None or has_content(best, self.record):
            return best
        return self._best(tuple([each for each in offers if has_content(each, self.record)]))

    def _best(self, offers: tuple[str, ...]) -> str | None:
        """Return the offer that the client prefers, the page included; None if it excludes them all."""
        return best_offer((*offers, HTML), client_preferences(self.request).types)

    def _available(self) -> list[Representation]:
        """Return the representations that have content for the record."""
        return [each for each in forms_of(self.record).representations if each.available(self.record)]

    def _archived_copies(self) -> tuple[str, ...]:
        """Return the addresses of archived copies of a withdrawn record."""
        if self.record.status != WITHDRAWN:
            return ()
        repository = self.prefix.repository
        locations = locations_of(self.record, repository)
        return archived_urls(repository.archive, locations, self.record.updated, self.record.updated)
