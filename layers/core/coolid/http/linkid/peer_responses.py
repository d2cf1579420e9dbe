"""Responses about LinkIDs that are not registered here, with what another resolver has of them.

A verified record gets the answers that own records get: a redirect to a location, a representation, or the tombstone.
Its canonical link is the authority's PID, and it is fresh for no longer than at the peer. A claim that was refused is
never served, but shown as evidence in results and problems.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from coolid.errors import DeniedByPeers, NotFound, PeersUnavailable, PolicyDenied, RefusedClaims
from coolid.http import caching
from coolid.http.accept import JSON, prefers_html
from coolid.http.linkid.result_requests import target_preferences
from coolid.http.message import Request, Response
from coolid.http.parameters import PAGE, TLOG_PROOF, format_of, is_inflected
from coolid.http.record_responses import RecordResponses
from coolid.http.redirects import redirect
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import linkid
from coolid.linkid import peer_decisions
from coolid.linkid.peer_decisions import Claim, PeerAnswer
from coolid.linkid.peer_lookup import LookupResult
from coolid.linkid.peer_queries import FORWARD, NO_FORWARD
from coolid.linkid.record_results import target_of
from coolid.linkid.results import ResolutionResult
from coolid.linkid.states import ACTIVE, INACTIVE
from coolid.model.locations import denied_locations, permitted_locations, valid_locations
from coolid.model.prefixes import Namespace
from coolid.model.records import WITHDRAWN, Location, Record
from coolid.model.repositories import TARGET, Repository
from coolid.registry.references import Reference
from coolid.resolution.caching_reader import CachingRequestReader
from coolid.resolution.content_negotiation import ranked
from coolid.resolution.identifier_spellings import first_record, keys_under
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord
from coolid.strict_json import dump

if TYPE_CHECKING:
    from coolid.linkid.peer_lookup import PeerLookup

_TITLE: Final = "LinkIDs of other resolvers"


def found_by_peers(
    peers: "PeerLookup", request: Request, reference: Reference, reader: CachingRequestReader, error: NotFound
) -> LookupResult:
    """Return what the peers have of a LinkID that is not registered here.

    Raises the `error` if the request must not be forwarded, if no peer has a record, or if the LinkID is reserved here.
    Raises `DeniedByPeers`, `RefusedClaims`, `PeersUnavailable`.
    """
    if (FORWARD, NO_FORWARD) in request.query or not linkid.is_valid(reference.text):
        raise error
    name = linkid.canonical(reference.text)
    if reader.staleness is not None or _is_assigned_here(name, reader):
        raise error
    found = peers.lookup(name)
    match found.answer.kind:
        case peer_decisions.UNKNOWN:
            raise error
        case peer_decisions.DENIED:
            raise DeniedByPeers(name)
        case peer_decisions.REFUSED:
            raise RefusedClaims(name, _conflicts(found.answer))
        case peer_decisions.UNAVAILABLE:
            raise PeersUnavailable(name, [peer for peer, _ in found.answer.details], _conflicts(found.answer))
    return found


class PeerResponses(Struct, frozen=True):
    """Responds to one request with a verified record of another service, at the time `now`."""

    request: Request
    reader: CachingRequestReader
    now: datetime
    base_url: str

    def record(self, found: LookupResult, error: NotFound) -> Response:
        """Return what an own record would get: a redirect, a representation, or the tombstone.

        Raises the `error` if the record leads back to this service, and the errors of `RecordResponses`.
        """
        claim, record, namespace = self._own_form(found, error)
        reader = PeerReader(self.reader, record, claim.result)
        responses = RecordResponses(self.request, reader, self.now, self.base_url)
        form = form_at_authority(self.request)
        if form == TLOG_PROOF or (form is not None and record.status != WITHDRAWN):
            headers = responses.headers_of(namespace, record, record.pid)
            response = redirect(f"{record.pid}?format={form}", namespace.repository.redirect, headers)
        elif record.status == WITHDRAWN:
            # Without the proof, which the page would verify with the keys of this service.
            shown = replace(record, proof=None) if form == PAGE or self._prefers_page() else record
            response = responses.gone(WithdrawnRecord(namespace, shown))
        else:
            response = responses.found(FoundRecord(namespace, record, self._locations(record, namespace)))
        return self._finished(response, found)

    def _prefers_page(self) -> bool:
        """Return whether the client is a browser that requests no form of the record."""
        return self.request.parameter("format") is None and prefers_html(self.request.headers.get("accept"))

    def result(self, found: LookupResult, error: NotFound) -> Response:
        """Return the resolution result, not authoritative.

        Raises the `error` as `record` does, `PolicyDenied`, `UnknownFormat`.
        """
        claim, record, namespace = self._own_form(found, error)
        result = replace(claim.result, conflicts=found.answer.conflicts)
        if result.status == ACTIVE:
            locations = valid_locations(self._locations(record, namespace), self.now)
            if not locations and valid_locations(denied_locations(record, namespace.repository), self.now):
                raise PolicyDenied(record.pid)
            result = self._with_targets(result, locations)
        responses = RecordResponses(self.request, self.reader, self.now, self.base_url)
        headers = responses.headers_of(namespace, record, record.pid) | {"Content-Type": JSON}
        return self._finished(Response(result.status_code, headers, dump(result.to_document())), found)

    def _own_form(self, found: LookupResult, error: NotFound) -> tuple[Claim, Record, Namespace]:
        """Return the claim, its record, and the namespace that own LinkIDs have or could have."""
        claim = found.answer.claim
        assert claim is not None
        assert claim.result.record is not None
        if claim.result.authority == self.base_url:
            raise error
        key = linkid.compact(claim.result.id or "")
        record = Record.from_document(claim.result.record, key=key)
        own = self.reader.prefixes((linkid.NAME,)).get(linkid.NAME)
        created, updated = record.created, record.updated
        if isinstance(own, Namespace):
            repository = replace(own.repository, landing=TARGET, target=None, updated=updated)
        else:
            repository = Repository(linkid.NAME, _TITLE, created, updated, UuidRules(version=linkid.VERSION))
        return claim, record, Namespace(name=linkid.NAME, repository=repository, created=created, updated=updated)

    def _locations(self, record: Record, namespace: Namespace) -> tuple[Location, ...]:
        """Return the permitted locations, except those that lead back to this service, which would be a loop."""
        permitted = permitted_locations(record, namespace.repository)
        return tuple(each for each in permitted if not _leads_to(each.uri, self.base_url, record.key))

    def _with_targets(self, result: ResolutionResult, locations: Sequence[Location]) -> ResolutionResult:
        """Return the result with the targets in the order of the client's preferences."""
        best, others = ranked(locations, target_preferences(self.request))
        targets = (*(target_of(each) for each in best), *(target_of(each, fallback=True) for each in others))
        if not targets:
            return replace(result, status=INACTIVE, target_url=None, targets=(), last_verified_at=None)
        verified_at = result.last_verified_at if targets[0].url == result.target_url else None
        return replace(result, target_url=targets[0].url, targets=targets, last_verified_at=verified_at)

    def _finished(self, response: Response, found: LookupResult) -> Response:
        """Return the response with the lifetime at the peer, and how the cache was used (RFC 9211)."""
        seconds = int(found.seconds)
        if seconds <= 0 and found.cached:
            status = f"coolid; fwd=stale; ttl={seconds}; detail={caching.PEERS_UNAVAILABLE}"
        else:
            status = f"coolid; {'hit' if found.cached else 'fwd=miss'}; ttl={seconds}; detail=peer"
        lifetime = caching.cache_control_until(caching.STALE_IF_ERROR, max(0, seconds))
        tag = caching.prefix_tag(linkid.NAME)
        return response.with_headers(Cache_Control=lifetime, Cache_Status=status, Cache_Tag=tag)


def form_at_authority(request: Request) -> str | None:
    """Return the form that a request names and only the authority has: the page, and the proof of its log. Else None.

    >>> form_at_authority(Request("GET", "/x", (("format", "html"),))), form_at_authority(Request("GET", "/x"))
    ('html', None)
    """
    if not request.query:
        return None
    form = format_of(request)
    if form is not None:
        return form.name if form.name in (PAGE, TLOG_PROOF) else None
    return PAGE if is_inflected(request) and prefers_html(request.headers.get("accept")) else None


class PeerReader:
    """Reads the versions of a record that a peer's result contains, and everything else from the store."""

    def __init__(self, reader: CachingRequestReader, record: Record, result: ResolutionResult) -> None:
        self.prefixes, self.all_prefixes, self.public_keys = reader.prefixes, reader.all_prefixes, reader.public_keys
        transfers = (Record.from_document(each.record, key=record.key) for each in reversed(result.custody))
        self._versions = {each.version: each for each in (record, *transfers)}
        self._record = record

    def record(self, _repository: str, _key: str, *, consistent: bool = False) -> Record | None:  # noqa: ARG002
        """See `RecordReader`; the verified record."""
        return self._record

    def records(self, _repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """See `RecordReader`."""
        return {key: self._record for key in keys if key == self._record.key}

    def superseded(self, _repository: str, _key: str, version: int) -> Record | None:
        """See `RecordReader`; only versions by which the record was transferred."""
        return self._versions.get(version) if version != self._record.version else None

    def history(self, _repository: str, _key: str, newest: int) -> Sequence[Record]:  # noqa: ARG002
        """See `RecordReader`; the verified record alone."""
        return (self._record,)

    def superseded_between(
        self, _repository: str, _key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        """See `RecordReader`; only versions by which the record was transferred."""
        numbers = sorted((each for each in self._versions if first <= each <= last), reverse=descending)
        return [self._versions[each] for each in numbers if each != self._record.version][:limit]


def _is_assigned_here(name: str, reader: CachingRequestReader) -> bool:
    """Return whether this service has a record of the LinkID, such as a reserved one, which is not public."""
    own = reader.prefixes((linkid.NAME,)).get(linkid.NAME)
    if not isinstance(own, Namespace):
        return False
    try:
        keys = keys_under(own, name.removeprefix(linkid.LABEL))
    except NotFound:
        return False
    return first_record(keys, partial(reader.record, own.repository.id)) is not None


def _leads_to(uri: str, base_url: str, key: str) -> bool:
    """Return whether a location is an address of the same LinkID at this service.

    >>> _leads_to("https://c.example/LINKID%3A00C538EA-846B-47A6-A3D4-70A9EBD29D7C", "https://c.example",
    ...     "00c538ea846b47a6a3d470a9ebd29d7c")
    True
    """
    lower = uri.lower()
    return lower.startswith(f"{base_url.lower()}/") and key in lower.replace("-", "")


def _conflicts(answer: PeerAnswer) -> list[dict[str, Any]]:
    """Return the refused claims as JSON."""
    return [to_builtins(conflict) for conflict in answer.conflicts]
