"""Answers about records of ours: where the thing is, a choice, metadata, or the tombstone.

The LinkID draft, "Resolution Response" (`docs/linkid.md`). Which of them a client gets is chosen by
`coolid.resolution.content_negotiation`; what a record says is told by `coolid.http.record_view`.
"""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from coolid.errors import NoLocation, UnknownVersion
from coolid.http.accept import HTML, JSON, choose_format, prefers_html, wishes_of
from coolid.http.errors import NoSuchForm, NotAcceptable
from coolid.http.format_parameter import format_of
from coolid.http.formats.catalog import forms
from coolid.http.message import Request, Response
from coolid.http.record_view import RecordView
from coolid.http.redirects import redirect
from coolid.http.style_parameter import PICTURE
from coolid.http.tokens import NUMBER
from coolid.model.locations import next_validity_change, reasons, serviceable
from coolid.model.prefixes import Namespace, has_handles
from coolid.model.records import Location, Record
from coolid.resolution.content_negotiation import choose, meets
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord
from coolid.store.reader import Reader
from coolid.strict_json import dump

if TYPE_CHECKING:
    from coolid.http.dialects.handle.proxy_parameters import Values

_DEMANDS: Final = ("format", "lang", "version")


class RecordResponses(Struct, frozen=True):
    """Answers one request, as of `now`, with versions out of `reader`; `base_url` begins our own addresses."""

    request: Request
    reader: Reader
    now: datetime
    base_url: str

    def answer(self, decision: FoundRecord | WithdrawnRecord) -> Response:
        """What the record is answered with, there or gone; errors as of `found`."""
        return self.found(decision) if isinstance(decision, FoundRecord) else self.gone(decision)

    def found(self, found: FoundRecord) -> Response:
        """Where it is, a choice of places, or what is known of it.

        Raises `NoLocation`, `UnknownVersion`, `NotAcceptable`, `NoSuchForm`, `UnknownFormat`.
        """
        telling = self.telling(found.prefix, found.record)
        wanted = telling.asked_for()
        if wanted == PICTURE and found.extension:
            return telling.picture(found.record.pid + found.extension, 200, self._leading(found))
        if wanted is not None:
            telling = self._version(found)
            return telling.form(telling.asked_for() or wanted, 200)
        if self._has_handle_parameters(found):
            from coolid.http.dialects.handle import proxy_parameters

            narrowed = proxy_parameters.narrowed(self.request, found, self.now)
            if not isinstance(narrowed, FoundRecord):
                return self._values(found, narrowed)
            found = narrowed
        good = serviceable(found.locations, self.now)
        offers = forms(found.record).offers
        form = format_of(self.request)
        wishes = wishes_of(self.request, form.media_type if form else None)
        # Where none is good, the others show whether the client came for one of them.
        chosen = choose(good or found.locations, offers, wishes)
        if isinstance(chosen, str):
            from coolid.http import citation_parameter

            telling = self._version(found)
            if not citation_parameter.says(chosen, telling.record):
                chosen = choose(good or found.locations, offers, citation_parameter.without_metadata(wishes)) or chosen
        if isinstance(chosen, str):  # which other locations may change
            return telling.form(chosen, 200, found.locations)
        if found.locations and not good:
            raise self._nowhere(found)
        if chosen is None:
            if not any(meets(each, wishes) for each in good) if good else form is not None:
                raise self._unmet(found)
            raise NotAcceptable((*(each.media_type or "*/*" for each in good), *offers, HTML))
        if len(chosen) > 1 and found.prefix.repository.choices:
            return self._choice(found, chosen)
        return self._redirect(found, chosen[0])

    def gone(self, gone: WithdrawnRecord) -> Response:
        """The tombstone, in whatever form: that it is gone is the answer to every request but for an older version."""
        telling = self.telling(gone.prefix, gone.record)
        wanted = telling.asked_for()
        number = self.request.parameter("version")
        if wanted is None or number is None:
            return telling.told(410)
        version = numbered(gone.prefix, gone.record, number, self.reader)
        status = 410 if version == gone.record else 200
        telling = self.telling(gone.prefix, version)
        return telling.form(telling.asked_for() or wanted, status, is_former=True)

    def telling(self, prefix: Namespace, record: Record) -> RecordView:
        """What tells this request of a record."""
        return RecordView(self.request, self.reader, self.now, self.base_url, prefix, record)

    def _version(self, found: FoundRecord) -> RecordView:
        """The version of the record that `?version=` asks for, or the current one."""
        number = self.request.parameter("version")
        record = found.record if number is None else numbered(found.prefix, found.record, number, self.reader)
        return self.telling(found.prefix, record)

    def _has_handle_parameters(self, found: FoundRecord) -> bool:
        """Whether there may be parameters of the proxies of Handles, and it is a Handle."""
        return bool(self.request.query) and has_handles(found.prefix.name)

    def _nowhere(self, found: FoundRecord) -> NoLocation:
        """That none of the locations is good now, and when that may change."""
        from coolid.model.web_archives import archived

        turning = next_validity_change(found.locations, self.now)
        seconds = int((turning - self.now).total_seconds()) if turning is not None else None
        copies = archived(found.prefix.repository.archive, found.locations, found.record.updated, self.now)
        return NoLocation(found.record.pid, reasons(found.locations, self.now), seconds, copies)

    def _unmet(self, found: FoundRecord) -> NoSuchForm:
        """That the request's parameters ask for what no location is."""
        given = ((name, self.request.parameter(name)) for name in _DEMANDS)
        return NoSuchForm(found.record.pid, {name: value for name, value in given if value})

    def _values(self, found: FoundRecord, values: "Values") -> Response:
        """The values of a Handle instead of a redirect to one: in JSON, on the page, or in a form that is preferred."""
        accept = self.request.header("accept")
        offers = (JSON, *forms(found.record).offers)
        wanted = HTML if values.on_a_page and prefers_html(accept) else choose_format(accept, offers)
        if wanted is None:
            raise NotAcceptable((*offers, HTML))
        if wanted != JSON:
            return self._version(found).form(wanted, 200, found.locations)
        headers = self.telling(found.prefix, found.record).headers(found.record.pid)
        return Response(200, {**headers, "Content-Type": JSON}, dump(values.document))

    def _redirect(self, found: FoundRecord, location: Location) -> Response:
        """A redirect, its `Location` byte for byte, with a short page that links there."""
        repository, uri = found.prefix.repository, location.uri
        if self._has_handle_parameters(found):
            from coolid.http.dialects.handle import proxy_parameters

            uri = proxy_parameters.appended(self.request, uri, repository.domains)
        return redirect(uri, repository.redirect, self._leading(found))

    def _choice(self, found: FoundRecord, locations: tuple[Location, ...]) -> Response:
        """Several that fit equally (RFC 9110, section 15.4.1), without a preferred one.

        The list is no representation of the thing, so that `Accept` only tells programs from people.
        """
        headers = self._leading(found)
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

    def _leading(self, found: FoundRecord) -> dict[str, str]:
        """The headers of an answer that leads somewhere."""
        canonical = found.record.pid + found.extension
        return self.telling(found.prefix, found.record).headers(canonical)


def numbered(prefix: Namespace, record: Record, number: str, reader: Reader) -> Record:
    """The version that a parameter asks for; `UnknownVersion`."""
    if not re.fullmatch(NUMBER, number):
        raise UnknownVersion(record.pid, number)
    from coolid.store.versions import version_of  # which few ask for

    return version_of(prefix, record, int(number), reader)
