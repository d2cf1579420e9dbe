"""Mementos (RFC 7089): a PID at an earlier time, by version number or by datetime.

A PID is its own TimeGate (section 4.1.1, "Pattern 1.1"): with `Accept-Datetime` it redirects to `?memento=N`. N is the
version that was current then, or the first for earlier moments. That address is a Memento. It gives the response of the
PID when version N was written (`Memento-Datetime`), redirects included. Validity periods are evaluated at that moment,
so a Memento never changes.

A withdrawn PID never redirects. It responds with the earlier version itself ("Pattern 1.2"), and its Mementos show the
record of that time, with its locations as text.

>>> moment_of("Thu, 10 Jul 2025 14:22:30 GMT")
datetime.datetime(2025, 7, 10, 14, 22, 30, tzinfo=datetime.timezone.utc)
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import UnknownVersion
from coolid.http import caching
from coolid.http.errors import BadDatetime
from coolid.http.formats.signposting import MAX_BYTES, dated_links
from coolid.http.formats.uris import escape
from coolid.http.message import BriefResponse, Request, Response, no_log
from coolid.http.parameters import JSON_INFLECTION, is_inflected
from coolid.http.record_responses import MEMENTO_DATETIME, RecordResponses, numbered_version
from coolid.http.redirects import MAX_LOCATION_BYTES, redirect
from coolid.identifiers import percent_encoding
from coolid.model.locations import permitted_locations
from coolid.model.records import WITHDRAWN, Location, Record
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord
from coolid.store.log import LogAccess
from coolid.store.reader import Reader
from coolid.store.versions import DatedVersion, RecordVersions, current_versions

_FORM_PARAMETERS: Final = ("format", "style", "locale", "lang")
"""The parameters that select a form, as inflections do; an address with them has versions, too."""
_MAX_QUERY_LENGTH: Final = 300
_MAX_CONTENT_LOCATION_BYTES: Final = MAX_LOCATION_BYTES - MAX_BYTES
_SEPARATOR: Final = ", "
_DATE: Final = (
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ({'|'.join(caching.MONTHS)}) "
    r"(\d{4}) (\d\d):(\d\d):(\d\d) GMT"
)


def moment_of(written: str) -> datetime:
    """Parse `Accept-Datetime`. Weekdays are ignored, leap seconds count as :59. Raises `BadDatetime`."""
    match = re.fullmatch(_DATE, written.strip(" \t"), re.ASCII)
    if match is None:
        raise BadDatetime(f"{written!a} is not a date like 'Thu, 10 Jul 2025 14:22:30 GMT'")
    day, month, year, hour, minute, second = match.groups()
    seconds = int(second) - (int(second) == 60)
    try:
        return datetime(
            int(year), caching.MONTHS.index(month) + 1, int(day), int(hour), int(minute), seconds, tzinfo=UTC
        )
    except ValueError:
        raise BadDatetime(f"there is no such moment as {written!a}") from None


class MementoResponses(Struct, frozen=True):
    """Responds to one request for versions of a record at the time `now`; `reader` reads other versions."""

    decision: FoundRecord | WithdrawnRecord
    request: Request
    reader: Reader
    now: datetime
    base_url: str
    open_log: Callable[[], LogAccess | None] = no_log

    def answer(self) -> Response:
        """Return the response for `?memento=`, else `?version=`, else `Accept-Datetime`. Raises `BadDatetime`."""
        number = self.request.parameter("memento")
        if number is not None:
            return self.memento(number)
        if self.request.parameter("version") is not None:
            return self._responses(self.request, self.now).answer(self.decision)
        moment = moment_of(self.request.headers.get("accept-datetime") or "")
        dated = self.versions().at(moment)
        return self._negotiated(dated) if dated.last.status == WITHDRAWN else self._redirect(dated)

    def gate(self) -> Response:
        """Return the redirect of a separate TimeGate to a version, the last one without `Accept-Datetime`."""
        versions = self.versions()
        written = self.request.headers.get("accept-datetime")
        if written is None:
            return self._redirect(versions.dated(versions.current, versions.first()))
        return self._redirect(versions.at(moment_of(written)))

    def memento(self, number: str) -> Response:
        """Return the public response of a version when it was written. Raises `UnknownVersion`."""
        record = numbered_version(self.decision.record, number, self.reader)
        first = [("first", record)] if record.version == 1 else []
        links = self._links([*first, ("last", self.decision.record)], record)
        return self._memento_response(record, links, is_gone=isinstance(self.decision, WithdrawnRecord))

    def versions(self) -> RecordVersions:
        """Return the versions up to the current one, which is never a cached one."""
        return current_versions(self.decision.record, self.reader)

    def original(self) -> str:
        """Return the original address, without parameters, as a URI."""
        return escape(self.decision.record.pid + self._extension)

    def links(self) -> str:
        """Return the value of `Link` in responses about all versions."""
        return self._links((), self.decision.record)

    def address(self, version: Record) -> str:
        """Return the URI of a version."""
        query = self._form_query()
        return f"{self.original()}?{query + '&' if query else ''}memento={version.version}"

    def link(self, version: Record, roles: Sequence[str] = ()) -> str:
        """Return the link value of a version, with additional relations such as `first`."""
        relation = " ".join((*roles, "memento"))
        return f'<{self.address(version)}>; rel="{relation}"; datetime="{caching.last_modified(version.updated)}"'

    def headers(self) -> dict[str, str]:
        """Return the lifetime and cache tags of all responses about versions."""
        repository = self.decision.prefix.repository
        ttl = caching.ttl_of(self.decision.record, repository)
        return {
            "Cache-Control": caching.cache_control(ttl),
            caching.CACHE_TAG: caching.cache_tags_of(self.decision.prefix, self.decision.record),
        }

    def _redirect(self, dated: DatedVersion) -> Response:
        """Return a redirect to a version (section 4.1.1), which is not a Memento itself."""
        location = self.address(dated.version)
        links = self._links(_around(dated), dated.version, min(MAX_BYTES, MAX_LOCATION_BYTES - len(location)))
        changed = caching.last_modified(dated.last.updated)
        headers = {**self.headers(), "Last-Modified": changed, "Vary": caching.VARY_IN_TIME}
        return redirect(location, 302, {"Link": links, **headers} if links else headers)

    def _negotiated(self, dated: DatedVersion) -> Response:
        """Return a version of a withdrawn record at the address of the PID."""
        answer = self._memento_response(dated.version, self._links(_around(dated), dated.version), is_gone=True)
        location = self.address(dated.version)
        content_location = {"Content-Location": location} if len(location) <= _MAX_CONTENT_LOCATION_BYTES else {}
        return replace(answer, headers={**answer.headers, **content_location, "Vary": caching.VARY_IN_TIME})

    def _memento_response(self, record: Record, version_links: str, *, is_gone: bool) -> Response:
        """Return the response when the version was written, or its representation if the record `is_gone` now."""
        prefix = self.decision.prefix
        others = ((name, value) for name, value in self.request.query if name not in ("memento", "version"))
        version_request = replace(self.request, query=(*others, ("memento", str(record.version))))
        responses = self._responses(version_request, record.updated)
        if record.status == WITHDRAWN:
            answer = responses.answer(WithdrawnRecord(prefix, record))
        elif is_gone:
            answer = responses.former(prefix, record)
        else:
            answer = responses.answer(FoundRecord(prefix, record, self._locations(record), self._extension))
        usual = dated_links(self.decision.record, self.original())  # without the parameters of the request
        links = _SEPARATOR.join(
            (answer.headers["Link"].replace(_SEPARATOR + usual, ""), *([version_links] if version_links else ()))
        )
        dated = {
            "Link": links if len(links) <= MAX_BYTES else version_links,
            MEMENTO_DATETIME: caching.last_modified(record.updated),
        }
        cache_headers = self.headers()
        if isinstance(answer, BriefResponse):
            ttl = caching.ttl_of(self.decision.record, prefix.repository)
            cache_headers["Cache-Control"] = caching.cache_control_until(ttl, caching.REFUSAL_TTL)
        return replace(answer, headers={**answer.headers, **dated, **cache_headers, "Vary": caching.VARY})

    def _responses(self, request: Request, now: datetime) -> RecordResponses:
        return RecordResponses(request, self.reader, now, self.base_url, open_log=self.open_log)

    @property
    def _extension(self) -> str:
        """Return the suffix of the request after the identifier of the record."""
        return self.decision.extension if isinstance(self.decision, FoundRecord) else ""

    def _locations(self, record: Record) -> tuple[Location, ...]:
        """Return the locations of the version, with the suffix of the request."""
        locations = permitted_locations(record, self.decision.prefix.repository)
        if not self._extension:
            return locations
        from coolid.resolution.suffix_passthrough import extend_all

        longer = extend_all(locations, self._extension)
        if not longer:
            raise UnknownVersion(self.decision.record.pid + self._extension, str(record.version))
        return longer

    def _form_query(self) -> str:
        """Return the parameters that select a form, as a query string."""
        parameters = ((name, self.request.parameter(name)) for name in _FORM_PARAMETERS)
        parts = [f"{name}={percent_encoding.encode(value, '')}" for name, value in parameters if value is not None]
        if self.request.parameter(JSON_INFLECTION) is not None:
            parts.append(f"{JSON_INFLECTION}=")  # its value does not matter
        query = "&".join([*parts, "info="] if is_inflected(self.request) else parts)
        return query if len(query) <= _MAX_QUERY_LENGTH else ""

    def _links(self, others: Sequence[tuple[str, Record]], this: Record, limit: int = MAX_BYTES) -> str:
        """Return the value of `Link`: the PID, its TimeMap, this version and, as far as they fit, others by role."""
        versions = {record.version: record for record in (this, *(record for _, record in others))}
        query = self._form_query()
        value = dated_links(self.decision.record, self.original(), f"?{query}" if query else "")
        if len(value) > limit:  # an identifier with thousands of escapes
            value = f'<{self.original()}>; rel="original"'
        for number in sorted(versions, key=lambda each: (each != this.version, each)):
            link = self.link(versions[number], [role for role, record in others if record.version == number])
            if len(value) + len(link) + len(_SEPARATOR) <= limit:
                value += _SEPARATOR + link
        return value if len(value) <= limit else ""


def _around(dated: DatedVersion) -> list[tuple[str, Record]]:
    """Return the versions to link to from one, with their relations to it (section 2.2.4)."""
    roles = (("first", dated.first), ("prev", dated.previous), ("next", dated.following), ("last", dated.last))
    return [(role, version) for role, version in roles if version is not None]
