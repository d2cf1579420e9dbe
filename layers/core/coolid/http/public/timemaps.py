"""TimeGates and TimeMaps (RFC 7089): which versions of a PID there are, and an address that leads to one of them.

- `/timegate/{pid}` (section 4.2.1, "Pattern 2.1"): what the PID itself does with `Accept-Datetime`, for clients that
  put the beginning of a TimeGate's address before that of anything. Without that header it leads to the last version.
- `/timemap/{pid}` (section 5): all versions, as `application/link-format` (RFC 6690) or as JSON, in the form of
  "Memento Guide: TimeMaps". So many versions that they would be more than an answer can have are spread over several
  TimeMaps, that each name the others; `?version=N` asks for the one that has version N, the last is had
  without.

Both take a PID in any spelling, or as a URL.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.errors import UnknownVersion
from coolid.http.accept import JSON
from coolid.http.caching import VARY_IN_TIME, last_modified, with_staleness
from coolid.http.errors import NoSuchAddress
from coolid.http.format_parameter import one_of
from coolid.http.message import Request, Response
from coolid.http.public.memento import MementoResponses
from coolid.http.routes import Route
from coolid.http.signposting import TIMEMAP, timemap_of
from coolid.model.records import Record, format_time
from coolid.ports import Clock
from coolid.recognition.unwrap import reference_of
from coolid.resolution.request_reader import RequestReader, RequestReaderFactory
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord, resolve
from coolid.strict_json import dump

TIMEGATE: Final = "/timegate/"
LINK_FORMAT: Final = "application/link-format"
MOST_VERSIONS: Final = 1_000
MOST_BYTES: Final = 2_000_000
"""Of a TimeMap, so that it can be sent whatever its addresses are."""

_FORMATS: Final = {"link": LINK_FORMAT, "json": JSON}
_OF_A_VERSION: Final = 120
"""Bytes that a version takes besides its address, at the most."""


class TimeMap(Struct, frozen=True):
    """Some versions of one PID, one after the other, and all TimeMaps of it as their first and last versions.

    `address` is that of the TimeMap of the last ones, `mementos` knows the versions' addresses.
    """

    mementos: MementoResponses
    address: str
    versions: Sequence[Record]
    parts: Sequence[tuple[Record, Record]]
    ends: tuple[Record, Record]

    def link_format(self) -> str:
        """As RFC 6690 writes it, a line for each link."""
        return ",\n".join(self._links()) + "\n"

    def json(self) -> str:
        """As an object."""
        listed = [self._member(each) for each in self.versions]
        first, last = map(self._member, self.ends)
        document: dict[str, Any] = {
            "original_uri": self.mementos.original(),
            "timegate_uri": self.mementos.original(),
            "timemap_uri": {"link_format": self._own(), "json_format": _with(self._own(), "format=json")},
            "mementos": {"first": first, "last": last, "list": listed},
        }
        if len(self.parts) > 1:
            document["timemap_index"] = [
                {"uri": self._of(last), "from": format_time(first.updated), "until": format_time(last.updated)}
                for first, last in self.parts
            ]
        return dump(document)

    def _links(self) -> Iterator[str]:
        yield f'<{self.mementos.original()}>; rel="original timegate"'
        own = self._own()
        for first, last in self.parts:
            relation = "self" if self._of(last) == own else "timemap"
            yield (
                f'<{self._of(last)}>; rel="{relation}"; type="{LINK_FORMAT}"; '
                f'from="{last_modified(first.updated)}"; until="{last_modified(last.updated)}"'
            )
        ends = (("first", self.ends[0].version), ("last", self.ends[1].version))
        for each in self.versions:
            yield self.mementos.link(each, [role for role, number in ends if number == each.version])

    def _own(self) -> str:
        return self._of(self.versions[-1])

    def _of(self, last: Record) -> str:
        """The address of the TimeMap that ends with this version."""
        return self.address if last.version == self.ends[1].version else _with(self.address, f"version={last.version}")

    def _member(self, record: Record) -> dict[str, str]:
        return {"datetime": format_time(record.updated), "uri": self.mementos.address(record)}


class TimeMapEndpoint(Struct, frozen=True):
    """Answers out of `reader`; `base_url` is how our own addresses begin."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Two beginnings of addresses."""
        return (
            Route(TIMEGATE, {"GET": self.timegate}, below=True, vary=VARY_IN_TIME),
            Route(TIMEMAP, {"GET": self.timemap}, below=True),
        )

    def timegate(self, request: Request, path: str) -> Response:
        """A redirect to the version that was current at the moment of `Accept-Datetime`."""
        with self.reader.for_request() as reader:
            answer = self._mementos(request, path, reader).gate()
        return with_staleness(answer, reader.staleness)

    def timemap(self, request: Request, path: str) -> Response:
        """All versions; raises `UnknownVersion`, `UnknownFormat`, `NotAcceptable`."""
        media_type = one_of(request, _FORMATS)
        plain = Request(request.method, request.path)
        with self.reader.for_request() as reader:
            mementos = self._mementos(plain, path, reader)
            versions = mementos.versions()
            told = _part_of(mementos, versions, request.parameter("version"))
        headers = {
            "Link": mementos.links(),
            **mementos.headers(),
            "Last-Modified": last_modified(versions[-1].updated),
            "Vary": "Accept",
            "Content-Type": media_type,
        }
        body = told.json() if media_type == JSON else told.link_format()
        return with_staleness(Response(200, headers, body), reader.staleness)

    def _mementos(self, request: Request, path: str, reader: RequestReader) -> MementoResponses:
        """The versions of what the path refers to; `NoSuchAddress` where that is not ours to tell."""
        decision = resolve(reference_of(path, self.base_url), reader)
        if not isinstance(decision, FoundRecord | WithdrawnRecord):
            raise NoSuchAddress("only identifiers that are kept here have versions here")
        return MementoResponses(decision, request, reader, self.clock.now(), self.base_url)


def _part_of(mementos: MementoResponses, versions: Sequence[Record], number: str | None) -> TimeMap:
    """The TimeMap with this version, or the last; each begins where it will always begin."""
    size = max(1, min(MOST_VERSIONS, MOST_BYTES // (len(mementos.address(versions[-1])) + _OF_A_VERSION)))
    parts = [versions[start : start + size] for start in range(0, len(versions), size)]
    wanted = str(versions[-1].version) if number is None else number
    chosen = next((part for part in parts if any(str(each.version) == wanted for each in part)), None)
    if chosen is None:
        raise UnknownVersion(mementos.decision.record.pid, wanted)
    address = timemap_of(mementos.decision.record, mementos.original())
    bounds = [(part[0], part[-1]) for part in parts]
    return TimeMap(mementos, address, chosen, bounds, (versions[0], versions[-1]))


def _with(address: str, parameter: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{parameter}"
