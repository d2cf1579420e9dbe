"""TimeGates and TimeMaps (RFC 7089): redirects to versions of a PID and lists of its versions.

- `/timegate/{pid}` (section 4.2.1, "Pattern 2.1"): redirects like the PID itself by `Accept-Datetime`, for clients that
  prepend the address of a TimeGate to any URL. Without that header it redirects to the last version.
- `/timemap/{pid}` (section 5): all versions, as `application/link-format` (RFC 6690) or as JSON, in the form of
  "Memento Guide: TimeMaps". If they exceed one response, several TimeMaps link to each other. Each has a range of
  numbers, so that it is read without the others. `?version=N` selects the one with version N, by default the last.

Both accept a PID in any spelling, or as a URL.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.errors import UnknownVersion
from coolid.http.accept import JSON
from coolid.http.caching import VARY_IN_TIME, last_modified, with_staleness
from coolid.http.errors import NoSuchAddress
from coolid.http.formats.signposting import TIMEMAP, timemap_of
from coolid.http.message import NUMBER, Request, Response
from coolid.http.parameters import choose_media_type
from coolid.http.public.memento import MementoResponses
from coolid.http.routes import Route
from coolid.model.records import RESERVED, Record, format_time
from coolid.ports import Clock
from coolid.recognition.unwrap import reference_of
from coolid.resolution.caching_reader import MAX_VERSIONS_WAIT_SECONDS, CachingReader, CachingRequestReader
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord, resolve
from coolid.store.versions import RecordVersions
from coolid.strict_json import dump

LINK_FORMAT: Final = "application/link-format"
MOST_VERSIONS: Final = 1_000
MAX_BYTES: Final = 2_000_000
"""Bytes of a TimeMap, whatever its addresses are."""
MAX_PARTS: Final = 20
"""The most TimeMaps that one of them names: itself and the nearest ones. Each takes two reads."""

_FORMATS: Final = {"link": LINK_FORMAT, "json": JSON}
_VERSION_BYTES: Final = 120
"""The maximal bytes of a version besides its address."""


class TimeMap(Struct, frozen=True):
    """Consecutive `versions`; `parts` are the bounds of TimeMaps, and `address` is that of the last one."""

    mementos: MementoResponses
    address: str
    versions: Sequence[Record]
    parts: Sequence[tuple[Record, Record]]
    ends: tuple[Record, Record]

    def link_format(self) -> str:
        """Return the TimeMap in link format (RFC 6690), one line for each link."""
        return ",\n".join(self._links()) + "\n"

    def json(self) -> str:
        """Return the TimeMap as JSON."""
        listed = [self._member(each) for each in self.versions]
        first, last = map(self._member, self.ends)
        own = self._own_address()
        document: dict[str, Any] = {
            "original_uri": self.mementos.original(),
            "timegate_uri": self.mementos.original(),
            "timemap_uri": {"link_format": own, "json_format": _with_parameter(own, "format=json")},
            "mementos": {"first": first, "last": last, "list": listed},
        }
        if len(self.parts) > 1:
            document["timemap_index"] = [
                {"uri": self._address_of(last), "from": format_time(first.updated), "until": format_time(last.updated)}
                for first, last in self.parts
            ]
        return dump(document)

    def _links(self) -> Iterator[str]:
        yield f'<{self.mementos.original()}>; rel="original timegate"'
        own = self._own_address()
        for first, last in self.parts:
            relation = "self" if self._address_of(last) == own else "timemap"
            yield (
                f'<{self._address_of(last)}>; rel="{relation}"; type="{LINK_FORMAT}"; '
                f'from="{last_modified(first.updated)}"; until="{last_modified(last.updated)}"'
            )
        ends = (("first", self.ends[0].version), ("last", self.ends[1].version))
        for each in self.versions:
            yield self.mementos.link(each, [role for role, number in ends if number == each.version])

    def _own_address(self) -> str:
        return self._address_of(self.versions[-1])

    def _address_of(self, last: Record) -> str:
        """Return the address of the TimeMap that ends with this version."""
        is_last = last.version == self.ends[1].version
        return self.address if is_last else _with_parameter(self.address, f"version={last.version}")

    def _member(self, record: Record) -> dict[str, str]:
        return {"datetime": format_time(record.updated), "uri": self.mementos.address(record)}


class TimeMapEndpoint(Struct, frozen=True):
    """Serves TimeGates and TimeMaps with `reader`; `base_url` begins own addresses."""

    reader: CachingReader
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (
            Route("/timegate/", {"GET": self.timegate}, below=True, vary=VARY_IN_TIME),
            Route(TIMEMAP, {"GET": self.timemap}, below=True),
        )

    def timegate(self, request: Request, path: str) -> Response:
        """Return a redirect to the version that was current at `Accept-Datetime`."""
        with self.reader.for_request(max_wait_seconds=MAX_VERSIONS_WAIT_SECONDS) as reader:
            answer = self._mementos(request, path, reader).gate()
        return with_staleness(answer, reader.staleness)

    def timemap(self, request: Request, path: str) -> Response:
        """Return a TimeMap. Raises `UnknownVersion`, `UnknownFormat`, `NotAcceptable`."""
        media_type = choose_media_type(request, _FORMATS)
        plain = Request(request.method, request.path)
        with self.reader.for_request(max_wait_seconds=MAX_VERSIONS_WAIT_SECONDS) as reader:
            mementos = self._mementos(plain, path, reader)
            part = _timemap_with(mementos, mementos.versions(), request.parameter("version"))
        headers = {
            "Link": mementos.links(),
            **mementos.headers(),
            "Last-Modified": last_modified(part.ends[1].updated),
            "Vary": "Accept",
            "Content-Type": media_type,
        }
        body = part.json() if media_type == JSON else part.link_format()
        return with_staleness(Response(200, headers, body), reader.staleness)

    def _mementos(self, request: Request, path: str, reader: CachingRequestReader) -> MementoResponses:
        """Return the versions of the record in the path. Raises `NoSuchAddress` for identifiers of providers."""
        decision = resolve(reference_of(path, self.base_url), reader)
        if not isinstance(decision, FoundRecord | WithdrawnRecord):
            raise NoSuchAddress("only identifiers registered here have versions")
        return MementoResponses(decision, request, reader, self.clock.now(), self.base_url)


def _timemap_with(mementos: MementoResponses, versions: RecordVersions, number: str | None) -> TimeMap:
    """Return the TimeMap with this version, by default the last; their first versions never change."""
    first, last = versions.first(), versions.current
    size = max(1, min(MOST_VERSIONS, MAX_BYTES // (len(mementos.address(last)) + _VERSION_BYTES)))
    ranges = range(first.version, last.version + 1, size)
    version = str(last.version) if number is None else number
    at = (int(version) - first.version) // size if re.fullmatch(NUMBER, version) else -1
    listed = versions.between(ranges[at], ranges[at] + size - 1) if 0 <= at < len(ranges) else ()
    chosen = [each for each in listed if each.status != RESERVED]
    if not any(str(each.version) == version for each in chosen):
        raise UnknownVersion(mementos.decision.record.pid, version)
    nearest = max(0, min(at - MAX_PARTS // 2, len(ranges) - MAX_PARTS))
    bounds = []
    for start in ranges[nearest : nearest + MAX_PARTS]:
        is_chosen = start == ranges[at]
        part = (chosen[0], chosen[-1]) if is_chosen else _bounds(versions, start, start + size - 1)
        bounds += [part] if part else []
    address = timemap_of(mementos.decision.record, mementos.original())
    return TimeMap(mementos, address, chosen, bounds, (first, last))


def _bounds(versions: RecordVersions, first: int, last: int) -> tuple[Record, Record] | None:
    """Return the first and the last version of a range of numbers, or None if there is none."""
    start, end = versions.first_between(first, last), versions.last_between(first, last)
    return (start, end) if start and end else None


def _with_parameter(address: str, parameter: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{parameter}"
