"""Responses about records stored here: a redirect, a choice of locations, metadata, or the tombstone.

See the LinkID draft, revision 00, "Resolution Response" (`docs/reference/linkid.md`),
`coolid.resolution.content_negotiation` for the choice between them, and `coolid.http.record_view` for the bodies of
representations.
"""

import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import NoLocation, PolicyDenied, UnknownVersion
from coolid.http.accept import HTML, JSON, choose_format, client_preferences, parse_preferences, prefers_html
from coolid.http.caching import CACHE_TAG, VARY, VARY_IN_TIME, cache_control_for, cache_tags_of, last_modified, ttl_of
from coolid.http.errors import NoSuchForm, NotAcceptable
from coolid.http.formats.catalog import REPRESENTATIONS, forms, forms_of, has_content
from coolid.http.formats.signposting import link_header
from coolid.http.message import NUMBER, Request, Response, no_log
from coolid.http.redirects import redirect
from coolid.model.conditions import last_change
from coolid.model.locations import (
    archived_urls,
    denied_locations,
    invalidity_reasons,
    last_validity_change,
    located_record,
    next_validity_change,
    valid_locations,
    valid_record,
)
from coolid.model.prefixes import Namespace, has_handles
from coolid.model.records import Location, Record
from coolid.model.repositories import PAGE
from coolid.resolution.content_negotiation import ANY_TYPE, ClientPreferences, choose, meets_requirements, prefers_page
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord
from coolid.store.reader import Reader
from coolid.strict_json import dump

if TYPE_CHECKING:
    from coolid.http.dialects.handle.proxy_parameters import ShownValues
    from coolid.http.record_view import RecordView
    from coolid.store.log import LogAccess

MEMENTO_DATETIME: Final = "Memento-Datetime"
"""RFC 7089, section 2.1.1."""

_METADATA_TYPES: Final = frozenset(name for each in REPRESENTATIONS for name in (each.media_type, *each.synonyms))


class RecordResponses(Struct, frozen=True):
    """Responds to one request at the time `now`; `reader` reads versions, `base_url` begins own addresses.

    With `to_target` a PID leads to a location, even if its repository prefers the record's page. `open_log` returns the
    transparency log, if there is one.
    """

    request: Request
    reader: Reader
    now: datetime
    base_url: str
    to_target: bool = False
    open_log: Callable[[], "LogAccess | None"] = no_log

    def answer(self, decision: FoundRecord | WithdrawnRecord) -> Response:
        """Return the response for a found or withdrawn record. Raises the errors of `found`."""
        return self.found(decision) if isinstance(decision, FoundRecord) else self.gone(decision)

    def found(self, found: FoundRecord) -> Response:
        """Return a redirect, a choice of locations, or a representation of the record.

        Raises `NoLocation`, `PolicyDenied`, `UnknownVersion`, `NotAcceptable`, `NoSuchForm`, `UnknownFormat`.
        """
        headers = self.request.headers
        current = valid_locations(found.locations, self.now)
        if (
            len(current) == 1
            and not self._lands_on_page(found)
            and not self.request.query
            and takes_any_location(headers.get("accept") or "", headers.get("accept-language") or "")
        ):
            return self._redirect(found, current[0])
        return self._requested(found) or self._negotiated(found, current)

    def gone(self, gone: WithdrawnRecord) -> Response:
        """Return the tombstone in the requested form, or the older version that the request names."""
        view = self._view(gone.prefix, gone.record)
        media_type = view.requested_media_type()
        number = self.request.parameter("version")
        if media_type is None or number is None:
            return self._form(view, view.preferred_media_type(), 410)
        version = numbered_version(gone.record, number, self.reader)
        status = 410 if version == gone.record else 200
        view = self._view(gone.prefix, version)
        return self._form(view, view.requested_media_type() or media_type, status, is_former=True)

    def former(self, prefix: Namespace, record: Record) -> Response:
        """Return an earlier version of a withdrawn record in the requested or preferred form."""
        view = self._view(prefix, record)
        return self._form(view, view.preferred_media_type(), 200, is_former=True)

    def _requested(self, found: FoundRecord) -> Response | None:
        """Return the form that `?format=` or an inflection requests, or None."""
        if not self.request.query:
            return None
        from coolid.http.parameters import PICTURE

        view = self._view(found.prefix, found.record)
        media_type = view.requested_media_type()
        if media_type is None:
            return None
        if media_type == PICTURE and found.extension:
            return view.picture(found.record.pid + found.extension, 200, self._redirect_headers(found))
        view = self._version_view(found)
        return self._form(view, view.requested_media_type() or media_type, 200)

    def _negotiated(self, found: FoundRecord, current: tuple[Location, ...]) -> Response:
        """Return the representation that the client prefers, or a location, by default one of the `current` ones."""
        required_media_type = None  # of a location
        to_page = self._lands_on_page(found)
        if self.request.query:
            from coolid.http.parameters import TARGET, format_of

            form = format_of(self.request)
            to_page = to_page and form is None
            # A record without locations is its own target, as it is without parameters.
            required_media_type = form.media_type if form and (found.locations or form.name != TARGET) else None
        if self._has_handle_parameters(found):
            from coolid.http.dialects.handle import proxy_parameters

            narrowed = proxy_parameters.narrow(self.request, found, self.now)
            if not isinstance(narrowed, FoundRecord):
                return self._values(found, narrowed)
            to_page = to_page and narrowed is found  # its parameters select a location
            found, current = narrowed, valid_locations(narrowed.locations, self.now)
        preferences = client_preferences(self.request, required_media_type)
        offers = forms_of(found.record).offers
        # If no location is valid now, the others show whether the client requested one of them.
        candidates = current or (*found.locations, *denied_locations(found.record, found.prefix.repository))
        if to_page and prefers_page(candidates, offers, preferences):
            return self._form(self._view(found.prefix, found.record), HTML, 200, found.locations)
        chosen = choose(candidates, offers, preferences)
        if isinstance(chosen, str):
            view = self._version_view(found)
            if not has_content(chosen, view.record):
                chosen = choose(candidates, offers, without_metadata(preferences)) or chosen
            if isinstance(chosen, str):  # other locations may change the choice
                return self._form(view, chosen, 200, found.locations)
        if candidates and not current:
            raise self._no_location(found, candidates)
        if chosen is None:
            raise self._not_available(found.record, current, preferences)
        if len(chosen) > 1 and found.prefix.repository.choices:
            return self._view(found.prefix, found.record).choice(chosen, self._redirect_headers(found))
        return self._redirect(found, chosen[0])

    def _not_available(
        self, record: Record, current: tuple[Location, ...], preferences: ClientPreferences
    ) -> NoSuchForm | NotAcceptable:
        """Return the error that no location has what the parameters require, or that `Accept` excludes everything."""
        meets = [each for each in current if meets_requirements(each, preferences)]
        if not meets if current else preferences.media_type is not None:
            parameters = ((name, self.request.parameter(name)) for name in ("format", "lang", "version"))
            return NoSuchForm(record.pid, {name: value for name, value in parameters if value})
        return NotAcceptable((*(each.media_type or "*/*" for each in current), *forms_of(record).offers, HTML))

    def _lands_on_page(self, found: FoundRecord) -> bool:
        """Return whether the PID leads to the record's page; an extension of it leads into the target."""
        return found.prefix.repository.landing == PAGE and not found.extension and not self.to_target

    def _view(self, prefix: Namespace, record: Record) -> "RecordView":
        from coolid.http.record_view import RecordView  # not needed to redirect

        return RecordView(self.request, self.reader, self.now, self.base_url, prefix, record, self.open_log)

    def _version_view(self, found: FoundRecord) -> "RecordView":
        """Return the view of the version that `?version=` names, or of the current one."""
        number = self.request.parameter("version")
        record = found.record if number is None else numbered_version(found.record, number, self.reader)
        return self._view(found.prefix, record)

    def _form(
        self,
        view: "RecordView",
        media_type: str,
        status: int,
        locations: tuple[Location, ...] = (),
        *,
        is_former: bool = False,
    ) -> Response:
        """Return a record in a form, dated if it is a version; the validity of `locations` may change the response."""
        form = media_type if media_type != HTML and view.requested_media_type() is not None else None
        version, health = view.version(), view.record.health
        checked = last_change(health) if media_type == HTML and version is None and health else None
        headers = self.headers_of(
            view.prefix, view.record, view.record.pid, form=form, version=version, locations=locations, checked=checked
        )
        if version is not None:
            headers |= {MEMENTO_DATETIME: last_modified(view.record.updated), "Vary": VARY}
        return view.render(media_type, status, headers, is_former=is_former)

    def _has_handle_parameters(self, found: FoundRecord) -> bool:
        """Return whether the record is a Handle and the request has parameters, perhaps those of Handle proxies."""
        return bool(self.request.query) and has_handles(found.prefix.name)

    def _no_location(self, found: FoundRecord, locations: tuple[Location, ...]) -> NoLocation | PolicyDenied:
        """Return the error that none of these locations may be used now, with the time when that may change."""
        if valid_locations(denied_locations(found.record, found.prefix.repository), self.now):
            return PolicyDenied(found.record.pid)
        next_change = next_validity_change(locations, self.now)
        seconds = int((next_change - self.now).total_seconds()) if next_change is not None else None
        copies = archived_urls(found.prefix.repository.archive, found.locations, found.record.updated, self.now)
        return NoLocation(found.record.pid, invalidity_reasons(locations, self.now), seconds, copies)

    def _values(self, found: FoundRecord, values: "ShownValues") -> Response:
        """Return the values of a Handle instead of a redirect: as JSON, on the page, or in a preferred form."""
        accept = self.request.headers.get("accept")
        offers = (JSON, *forms_of(found.record).offers)
        media_type = HTML if values.as_page and prefers_html(accept) else choose_format(accept, offers)
        if media_type is None:
            raise NotAcceptable((*offers, HTML))
        if media_type != JSON:
            return self._form(self._version_view(found), media_type, 200, found.locations)
        headers = self.headers_of(found.prefix, found.record, found.record.pid)
        return Response(200, {**headers, "Content-Type": JSON}, dump(values.document))

    def _redirect(self, found: FoundRecord, location: Location) -> Response:
        """Return a redirect, its `Location` byte for byte, with a short page that links there."""
        repository, uri = found.prefix.repository, location.uri
        if self._has_handle_parameters(found):
            from coolid.http.dialects.handle import proxy_parameters

            uri = proxy_parameters.append_to_target(self.request, uri, repository.domains)
        return redirect(uri, repository.redirect, self._redirect_headers(found))

    def _redirect_headers(self, found: FoundRecord) -> dict[str, str]:
        """Return the headers of a redirect, choice or picture."""
        return self.headers_of(found.prefix, found.record, found.record.pid + found.extension)

    def headers_of(
        self,
        prefix: Namespace,
        record: Record,
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
        changed = max(record.updated, prefix.repository.updated)
        if checked is not None:
            changed = max(changed, checked)
        located = located_record(record, prefix.repository)
        shown = valid_record(located, self.now if version is None else record.updated)
        next_change = None
        if version is None:  # the links lead to the current locations
            locations = record.records
        if version is not None or shown is not located:
            next_change = next_validity_change(locations, self.now)
            changed = max(changed, last_validity_change(locations, self.now) or changed)
        record_forms = forms(is_signed=record.proof is not None)  # cached, so that a redirect stays quick
        return {
            "Link": link_header(shown, record_forms, canonical=canonical, form=form, version=version),
            "Cache-Control": cache_control_for(ttl_of(record, prefix.repository), next_change, self.now),
            "Last-Modified": last_modified(changed),
            CACHE_TAG: cache_tags_of(prefix, record),
            "Vary": VARY_IN_TIME,
        }


def without_metadata(preferences: ClientPreferences) -> ClientPreferences:
    """Return the preferences, excluding all representations of metadata."""
    excluded = [name for each in REPRESENTATIONS if each.of_metadata for name in (each.media_type, *each.synonyms)]
    types = [each for each in preferences.types or ANY_TYPE if each[0].partition(";")[0].rstrip() not in excluded]
    return replace(preferences, types=(*types, *((media_type, 0.0) for media_type in excluded)))


def numbered_version(record: Record, number: str, reader: Reader) -> Record:
    """Return the version that a parameter names. Raises `UnknownVersion`."""
    if not re.fullmatch(NUMBER, number):
        raise UnknownVersion(record.pid, number)
    from coolid.store.versions import public_version  # rarely needed

    return public_version(record, int(number), reader)


@lru_cache(maxsize=64)
def takes_any_location(accept: str, accept_language: str) -> bool:
    """Return whether a client gets a record's only location whatever that is, as browsers and most programs do.

    It accepts every type and language, and names no type of metadata. Cached, because most clients send one of a few
    values.
    """
    preferences = parse_preferences(accept, accept_language)
    types, languages = preferences.types or ANY_TYPE, preferences.languages or ()
    names = {media_range.partition(";")[0].strip() for media_range, _ in types}
    return (
        "*/*" in names and names.isdisjoint(_METADATA_TYPES) and all(weight > 0 for _, weight in (*types, *languages))
    )
