"""TimeGates and TimeMaps (RFC 7089): redirects to versions of a PID and lists of its versions.

- `/timegate/{pid}` (section 4.2.1, "Pattern 2.1"): redirects like the PID itself by `Accept-Datetime`, for clients that
  prepend the address of a TimeGate to any URL. Without that header it redirects to the last version.
- `/timemap/{pid}` (section 5): all versions, as `application/link-format` (RFC 6690) or as JSON, in the form of
  "Memento Guide: TimeMaps". If they exceed one response, several TimeMaps link to each other. `?version=N` selects the
  one with version N, by default the last.

Both accept a PID in any spelling, or as a URL.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.errors import UnknownVersion
from coolid.http.accept import JSON
from coolid.http.caching import VARY_IN_TIME, last_modified, with_staleness
from coolid.http.errors import NoSuchAddress
from coolid.http.formats.signposting import TIMEMAP, timemap_of
from coolid.http.message import Request, Response
from coolid.http.parameters import choose_media_type
from coolid.http.public.memento import MementoResponses
from coolid.http.routes import Route
from coolid.model.records import Record, format_time
from coolid.ports import Clock
from coolid.recognition.unwrap import reference_of
from coolid.resolution.caching_reader import CachingReader, CachingRequestReader
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord, resolve
from coolid.strict_json import dump

LINK_FORMAT: Final = "application/link-format"
MOST_VERSIONS: Final = 1_000
MAX_BYTES: Final = 2_000_000
"""Bytes of a TimeMap, whatever its addresses are."""

_FORMATS: Final = {"link": LINK_FORMAT, "json": JSON}
_VERSION_BYTES: Final = 120
"""The maximal bytes of a version besides its address."""


class TimeMap(Struct, frozen=True):
    """Consecutive `versions`; `parts` are the bounds of all TimeMaps, and `address` is that of the last one."""

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
        with self.reader.for_request() as reader:
            answer = self._mementos(request, path, reader).gate()
        return with_staleness(answer, reader.staleness)

    def timemap(self, request: Request, path: str) -> Response:
        """Return a TimeMap. Raises `UnknownVersion`, `UnknownFormat`, `NotAcceptable`."""
        media_type = choose_media_type(request, _FORMATS)
        plain = Request(request.method, request.path)
        with self.reader.for_request() as reader:
            mementos = self._mementos(plain, path, reader)
            versions = mementos.versions()
            part = _timemap_with(mementos, versions, request.parameter("version"))
        headers = {
            "Link": mementos.links(),
            **mementos.headers(),
            "Last-Modified": last_modified(versions[-1].updated),
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


def _timemap_with(mementos: MementoResponses, versions: Sequence[Record], number: str | None) -> TimeMap:
    """Return the TimeMap with this version, by default the last; their first versions never change."""
    size = max(1, min(MOST_VERSIONS, MAX_BYTES // (len(mementos.address(versions[-1])) + _VERSION_BYTES)))
    parts = [versions[start : start + size] for start in range(0, len(versions), size)]
    version = str(versions[-1].version) if number is None else number
    chosen = next((part for part in parts if any(str(each.version) == version for each in part)), None)
    if chosen is None:
        raise UnknownVersion(mementos.decision.record.pid, version)
    address = timemap_of(mementos.decision.record, mementos.original())
    bounds = [(part[0], part[-1]) for part in parts]
    return TimeMap(mementos, address, chosen, bounds, (versions[0], versions[-1]))


def _with_parameter(address: str, parameter: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{parameter}"
