"""Mementos (RFC 7089): a PID as it was, by the number of a version or by the moment that a client is interested in.

A PID is its own TimeGate (section 4.1.1, "Pattern 1.1"): with `Accept-Datetime` it leads to `?memento=N`, N being the
version that was current then, the first for any moment before it. That address is a Memento: what the PID was answered
with at the moment that version N was written, `Memento-Datetime`, redirects included. What time decides is decided for
that moment, so that a Memento stays as it is.

A PID that is withdrawn never redirects. So it answers with the version of then itself, at once ("Pattern 1.2"), and
its Mementos show the record of then, where it was being text.

>>> moment_of("Thu, 10 Jul 2025 14:22:30 GMT")
datetime.datetime(2025, 7, 10, 14, 22, 30, tzinfo=datetime.timezone.utc)
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import UnknownVersion
from coolid.http import cache_tags
from coolid.http.caching import (
    MONTHS,
    REFUSAL_TTL,
    VARY,
    VARY_IN_TIME,
    cache_control,
    cache_control_until,
    last_modified,
)
from coolid.http.errors import BadDatetime
from coolid.http.format_parameter import JSON_INFLECTION, is_inflected
from coolid.http.formats.uris import escape
from coolid.http.message import Request, Response
from coolid.http.record_responses import RecordResponses, numbered
from coolid.http.record_view import DATETIME, PartialPage
from coolid.http.redirects import MOST_LOCATED, redirect
from coolid.http.signposting import MOST_BYTES, dated_links
from coolid.identifiers import percent_encoding
from coolid.model.locations import locations_of
from coolid.model.records import WITHDRAWN, Location, Record
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord
from coolid.store.reader import Reader
from coolid.store.versions import current_at, public

_KEPT: Final = ("format", "style", "lang")
"""The parameters that say what of a version is asked for, as inflections do: an address with them has versions, too."""
_MOST_KEPT: Final = 300
_MOST_NAMED: Final = MOST_LOCATED - MOST_BYTES
_VERSION: Final = ("memento", "version")
_SEPARATOR: Final = ", "
_DATE: Final = (
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ({'|'.join(MONTHS)}) "
    r"(\d{4}) (\d\d):(\d\d):(\d\d) GMT"
)
_LEAP: Final = 60


def moment_of(written: str) -> datetime:
    """What `Accept-Datetime` says; `BadDatetime`. Days of the week are not checked; a leap second is the one before."""
    match = re.fullmatch(_DATE, written.strip(" \t"), re.ASCII)
    if match is None:
        raise BadDatetime(f"{written!a} is not a date like 'Thu, 10 Jul 2025 14:22:30 GMT'")
    day, month, year, hour, minute, second = match.groups()
    seconds = int(second) - (int(second) == _LEAP)
    try:
        return datetime(int(year), MONTHS.index(month) + 1, int(day), int(hour), int(minute), seconds, tzinfo=UTC)
    except ValueError:
        raise BadDatetime(f"there is no such moment as {written!a}") from None


class MementoResponses(Struct, frozen=True):
    """Answers one request about versions of what was found, as of `now`; other versions are in `reader`."""

    decision: FoundRecord | WithdrawnRecord
    request: Request
    reader: Reader
    now: datetime
    base_url: str

    def answer(self) -> Response:
        """The version that `?memento=` or else `Accept-Datetime` asks for; a `?version=` is one already.

        Raises `BadDatetime`, and as of `RecordResponses.found`.
        """
        number = self.request.parameter("memento")
        if number is not None:
            return self.memento(number)
        if self.request.parameter("version") is not None:
            return RecordResponses(self.request, self.reader, self.now, self.base_url).answer(self.decision)
        moment = moment_of(self.request.header("accept-datetime") or "")
        versions = self.versions()
        at = current_at(versions, moment)
        if versions[-1].status == WITHDRAWN:
            return self._negotiated(versions, at)
        return self._led(versions, at)

    def gate(self) -> Response:
        """The same at an address that is not the PID: it always leads to a version, without a moment to the last."""
        versions = self.versions()
        written = self.request.header("accept-datetime")
        at = len(versions) - 1 if written is None else current_at(versions, moment_of(written))
        return self._led(versions, at)

    def memento(self, number: str) -> Response:
        """A version as everybody was answered with it; `UnknownVersion`."""
        record = numbered(self.decision.prefix, self.decision.record, number, self.reader)
        first = [("first", record)] if record.version == 1 else []
        told = self._links([*first, ("last", self.decision.record)], record)
        return self._as_it_was(record, told, is_gone=isinstance(self.decision, WithdrawnRecord))

    def versions(self) -> Sequence[Record]:
        """All that are public, the first one first; at least one."""
        record = self.decision.record
        key = self.decision.prefix.repository.rules.validate(record.id)
        return public(self.reader.history(record.repository, key)) or (record,)

    def original(self) -> str:
        """The address whose versions they are, without parameters, as a URI."""
        return escape(self.decision.record.pid + self._extension)

    def links(self) -> str:
        """The value of `Link` of whatever is said of all of them."""
        return self._links((), self.decision.record)

    def address(self, version: Record) -> str:
        """Where a version is, a URI."""
        kept = self._kept()
        return f"{self.original()}?{kept + '&' if kept else ''}memento={version.version}"

    def link(self, version: Record, roles: Sequence[str] = ()) -> str:
        """The link value of a version, of which it may be told besides that it is the first, or the like."""
        relation = " ".join((*roles, "memento"))
        return f'<{self.address(version)}>; rel="{relation}"; datetime="{last_modified(version.updated)}"'

    def headers(self) -> dict[str, str]:
        """What all that is said of versions has: how long to keep it, and what it shows."""
        repository = self.decision.prefix.repository
        ttl = repository.ttl_of(self.decision.record)
        return {
            "Cache-Control": cache_control(ttl),
            cache_tags.HEADER: cache_tags.header_of(self.decision.prefix, self.decision.record),
        }

    def _led(self, versions: Sequence[Record], at: int) -> Response:
        """A redirect to a version (section 4.1.1), which is no Memento itself."""
        location = self.address(versions[at])
        told = self._links(_around(versions, at), versions[at], min(MOST_BYTES, MOST_LOCATED - len(location)))
        changed = last_modified(versions[-1].updated)
        headers = {**self.headers(), "Last-Modified": changed, "Vary": VARY_IN_TIME}
        return redirect(location, 302, {"Link": told, **headers} if told else headers)

    def _negotiated(self, versions: Sequence[Record], at: int) -> Response:
        """A version of what is gone, under the address of the PID."""
        told = self._links(_around(versions, at), versions[at])
        answer = self._as_it_was(versions[at], told, is_gone=True)
        location = self.address(versions[at])
        named = {"Content-Location": location} if len(location) <= _MOST_NAMED else {}
        return replace(answer, headers={**answer.headers, **named, "Vary": VARY_IN_TIME})

    def _as_it_was(self, record: Record, told: str, *, is_gone: bool) -> Response:
        """What was answered when the version had been written; if by now it `is_gone`, what the record said."""
        prefix, asked = self.decision.prefix, self._asked(record)
        recorded = RecordResponses(asked, self.reader, record.updated, self.base_url)
        if record.status == WITHDRAWN:
            answer = recorded.answer(WithdrawnRecord(prefix, record))
        elif is_gone:
            answer = recorded.telling(prefix, record).told(200, is_former=True)
        else:
            answer = recorded.answer(FoundRecord(prefix, record, self._locations(record), self._extension))
        usual = dated_links(self.decision.record, self.original())  # perhaps of the PID as it is asked for else
        links = _SEPARATOR.join((answer.headers["Link"].replace(_SEPARATOR + usual, ""), *([told] if told else ())))
        dated = {"Link": links if len(links) <= MOST_BYTES else told, DATETIME: last_modified(record.updated)}
        kept = self.headers()
        if isinstance(answer, PartialPage):
            ttl = prefix.repository.ttl_of(self.decision.record)
            kept["Cache-Control"] = cache_control_until(ttl, REFUSAL_TTL)
        return Response(answer.status, {**answer.headers, **dated, **kept, "Vary": VARY}, answer.body)

    @property
    def _extension(self) -> str:
        """What the request has behind the identifier of the record."""
        return self.decision.extension if isinstance(self.decision, FoundRecord) else ""

    def _locations(self, record: Record) -> tuple[Location, ...]:
        """Where the version led to."""
        locations = locations_of(record, self.decision.prefix.repository)
        if not self._extension:
            return locations
        from coolid.resolution.suffix_passthrough import extended_all

        longer = extended_all(locations, self._extension)
        if not longer:
            raise UnknownVersion(self.decision.record.pid + self._extension, str(record.version))
        return longer

    def _asked(self, record: Record) -> Request:
        """The request, asking for nothing but this version."""
        others = ((name, value) for name, value in self.request.query if name not in _VERSION)
        return replace(self.request, query=(*others, ("memento", str(record.version))))

    def _kept(self) -> str:
        """The parameters that stay, as they stand in an address."""
        given = ((name, self.request.parameter(name)) for name in _KEPT)
        told = [f"{name}={percent_encoding.encode(value, '')}" for name, value in given if value is not None]
        if self.request.parameter(JSON_INFLECTION) is not None:
            told.append(f"{JSON_INFLECTION}=")  # whatever it is given: it means the same
        query = "&".join([*told, "info="] if is_inflected(self.request) else told)
        return query if len(query) <= _MOST_KEPT else ""

    def _links(self, others: Sequence[tuple[str, Record]], this: Record, room: int = MOST_BYTES) -> str:
        """The value of `Link`: the PID, its TimeMap, this version and, where there is room, others by their roles."""
        versions = {record.version: record for record in (this, *(record for _, record in others))}
        kept = self._kept()
        told = dated_links(self.decision.record, self.original(), f"?{kept}" if kept else "")
        if len(told) > room:  # an identifier of thousands of signs that have to be encoded
            told = f'<{self.original()}>; rel="original"'
        for number in sorted(versions, key=lambda each: (each != this.version, each)):
            link = self.link(versions[number], [role for role, record in others if record.version == number])
            if len(told) + len(link) + len(_SEPARATOR) <= room:
                told += _SEPARATOR + link
        return told if len(told) <= room else ""


def _around(versions: Sequence[Record], at: int) -> list[tuple[str, Record]]:
    """Those that are told of besides one, with their relations to it (section 2.2.4)."""
    places = (("first", 0), ("prev", at - 1), ("next", at + 1), ("last", len(versions) - 1))
    return [(role, versions[place]) for role, place in places if 0 <= place < len(versions)]
