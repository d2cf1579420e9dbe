"""Responses about records stored here: a redirect, a choice of locations, metadata, or the tombstone.

See the LinkID draft, "Resolution Response" (`docs/linkid.md`), `coolid.resolution.content_negotiation` for the choice
between them, and `coolid.http.record_view` for the representations of a record.
"""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from coolid.errors import NoLocation, UnknownVersion
from coolid.http.accept import HTML, JSON, choose_format, client_preferences, prefers_html
from coolid.http.errors import NoSuchForm, NotAcceptable
from coolid.http.format_parameter import format_of
from coolid.http.formats.catalog import forms
from coolid.http.message import Request, Response
from coolid.http.record_view import RecordView
from coolid.http.redirects import redirect
from coolid.http.style_parameter import PICTURE
from coolid.http.tokens import NUMBER
from coolid.model.locations import invalidity_reasons, next_validity_change, valid_locations
from coolid.model.prefixes import Namespace, has_handles
from coolid.model.records import Location, Record
from coolid.resolution.content_negotiation import choose, meets_requirements
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord
from coolid.store.reader import Reader
from coolid.strict_json import dump

if TYPE_CHECKING:
    from coolid.http.dialects.handle.proxy_parameters import ShownValues

_DEMANDS: Final = ("format", "lang", "version")


class RecordResponses(Struct, frozen=True):
    """Responds to one request at the time `now`; `reader` reads versions, `base_url` begins own addresses."""

    request: Request
    reader: Reader
    now: datetime
    base_url: str

    def answer(self, decision: FoundRecord | WithdrawnRecord) -> Response:
        """Return the response for a found or withdrawn record. Raises the errors of `found`."""
        return self.found(decision) if isinstance(decision, FoundRecord) else self.gone(decision)

    def found(self, found: FoundRecord) -> Response:
        """Return a redirect, a choice of locations, or a representation of the record.

        Raises `NoLocation`, `UnknownVersion`, `NotAcceptable`, `NoSuchForm`, `UnknownFormat`.
        """
        view = self.view(found.prefix, found.record)
        media_type = view.requested_media_type()
        if media_type == PICTURE and found.extension:
            return view.picture(found.record.pid + found.extension, 200, self._redirect_headers(found))
        if media_type is not None:
            view = self._version_view(found)
            return view.form(view.requested_media_type() or media_type, 200)
        if self._has_handle_parameters(found):
            from coolid.http.dialects.handle import proxy_parameters

            narrowed = proxy_parameters.narrow(self.request, found, self.now)
            if not isinstance(narrowed, FoundRecord):
                return self._values(found, narrowed)
            found = narrowed
        current = valid_locations(found.locations, self.now)
        offers = forms(found.record).offers
        form = format_of(self.request)
        preferences = client_preferences(self.request, form.media_type if form else None)
        # If no location is valid now, the others show whether the client requested one of them.
        chosen = choose(current or found.locations, offers, preferences)
        if isinstance(chosen, str):
            from coolid.http import citation_parameter

            view = self._version_view(found)
            if not citation_parameter.has_content(chosen, view.record):
                chosen = (
                    choose(current or found.locations, offers, citation_parameter.without_metadata(preferences))
                    or chosen
                )
        if isinstance(chosen, str):  # other locations may change the choice
            return view.form(chosen, 200, found.locations)
        if found.locations and not current:
            raise self._no_location(found)
        if chosen is None:
            if not any(meets_requirements(each, preferences) for each in current) if current else form is not None:
                raise self._no_such_form(found)
            raise NotAcceptable((*(each.media_type or "*/*" for each in current), *offers, HTML))
        if len(chosen) > 1 and found.prefix.repository.choices:
            return self._choice(found, chosen)
        return self._redirect(found, chosen[0])

    def gone(self, gone: WithdrawnRecord) -> Response:
        """Return the tombstone in the requested form, or the older version that the request names."""
        view = self.view(gone.prefix, gone.record)
        media_type = view.requested_media_type()
        number = self.request.parameter("version")
        if media_type is None or number is None:
            return view.best_form(410)
        version = numbered_version(gone.record, number, self.reader)
        status = 410 if version == gone.record else 200
        view = self.view(gone.prefix, version)
        return view.form(view.requested_media_type() or media_type, status, is_former=True)

    def view(self, prefix: Namespace, record: Record) -> RecordView:
        """Return the view of a record for this request."""
        return RecordView(self.request, self.reader, self.now, self.base_url, prefix, record)

    def _version_view(self, found: FoundRecord) -> RecordView:
        """Return the view of the version that `?version=` names, or of the current one."""
        number = self.request.parameter("version")
        record = found.record if number is None else numbered_version(found.record, number, self.reader)
        return self.view(found.prefix, record)

    def _has_handle_parameters(self, found: FoundRecord) -> bool:
        """Return whether the record is a Handle and the request has parameters, perhaps those of Handle proxies."""
        return bool(self.request.query) and has_handles(found.prefix.name)

    def _no_location(self, found: FoundRecord) -> NoLocation:
        """Return the error that no location is valid now, with the time when that may change."""
        from coolid.model.web_archives import archived_urls

        next_change = next_validity_change(found.locations, self.now)
        seconds = int((next_change - self.now).total_seconds()) if next_change is not None else None
        copies = archived_urls(found.prefix.repository.archive, found.locations, found.record.updated, self.now)
        return NoLocation(found.record.pid, invalidity_reasons(found.locations, self.now), seconds, copies)

    def _no_such_form(self, found: FoundRecord) -> NoSuchForm:
        """Return the error that no location has the form that the request's parameters name."""
        parameters = ((name, self.request.parameter(name)) for name in _DEMANDS)
        return NoSuchForm(found.record.pid, {name: value for name, value in parameters if value})

    def _values(self, found: FoundRecord, values: "ShownValues") -> Response:
        """Return the values of a Handle instead of a redirect: as JSON, on the page, or in a preferred form."""
        accept = self.request.header("accept")
        offers = (JSON, *forms(found.record).offers)
        media_type = HTML if values.as_page and prefers_html(accept) else choose_format(accept, offers)
        if media_type is None:
            raise NotAcceptable((*offers, HTML))
        if media_type != JSON:
            return self._version_view(found).form(media_type, 200, found.locations)
        headers = self.view(found.prefix, found.record).headers(found.record.pid)
        return Response(200, {**headers, "Content-Type": JSON}, dump(values.document))

    def _redirect(self, found: FoundRecord, location: Location) -> Response:
        """Return a redirect, its `Location` byte for byte, with a short page that links there."""
        repository, uri = found.prefix.repository, location.uri
        if self._has_handle_parameters(found):
            from coolid.http.dialects.handle import proxy_parameters

            uri = proxy_parameters.append_to_target(self.request, uri, repository.domains)
        return redirect(uri, repository.redirect, self._redirect_headers(found))

    def _choice(self, found: FoundRecord, locations: tuple[Location, ...]) -> Response:
        """Return 300 with the locations that match equally well (RFC 9110, section 15.4.1).

        The list does not represent the thing, so `Accept` only distinguishes programs from browsers.
        """
        headers = self._redirect_headers(found)
        documents = [location.to_document() for location in locations]
        accept = self.request.header("accept")
        if accept is not None and choose_format(f"{accept}, */*;q=0.001", (JSON, HTML)) == HTML:
            from coolid.http.formats.metadata_text import heading
            from coolid.http.pages import render

            return render(
                "choice.html",
                300,
                headers,
                self.base_url,
                record=found.record.to_document(),
                title=heading(found.record),
                locations=documents,
            )
        return Response(300, {**headers, "Content-Type": JSON}, dump({"pid": found.record.pid, "choices": documents}))

    def _redirect_headers(self, found: FoundRecord) -> dict[str, str]:
        """Return the headers of a redirect, choice or picture."""
        canonical = found.record.pid + found.extension
        return self.view(found.prefix, found.record).headers(canonical)


def numbered_version(record: Record, number: str, reader: Reader) -> Record:
    """Return the version that a parameter names. Raises `UnknownVersion`."""
    if not re.fullmatch(NUMBER, number):
        raise UnknownVersion(record.pid, number)
    from coolid.store.versions import public_version  # rarely needed

    return public_version(record, int(number), reader)
