"""Responses with the resolution result of a LinkID, as JSON."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import Unavailable, UnregisteredIdentifier
from coolid.http.accept import JSON
from coolid.http.caching import REFUSAL_TTL, cache_control_until, ttl_of
from coolid.http.errors import NotLoggedYet, NoTransparencyLog
from coolid.http.linkid.result_requests import includes_inclusion, target_preferences
from coolid.http.message import BriefResponse, Request, Response, no_log
from coolid.http.record_responses import RecordResponses
from coolid.identifiers.schemes import linkid
from coolid.linkid.record_results import result_of
from coolid.linkid.results import ResolutionResult
from coolid.model.conditions import last_change
from coolid.model.records import Record
from coolid.resolution.caching_reader import CachingRequestReader
from coolid.resolution.resolver import Decision, FoundRecord, WithdrawnRecord
from coolid.store.log import LogAccess
from coolid.strict_json import dump


class ResultResponses(Struct, frozen=True):
    """Responds to one request with a result at the time `now`. See `RecordResponses` for the members."""

    request: Request
    reader: CachingRequestReader
    now: datetime
    base_url: str
    open_log: Callable[[], LogAccess | None] = no_log
    has_log: bool = False

    def answer(self, decision: Decision) -> Response:
        """Return the result of a registered LinkID: 200, or 410 if it was withdrawn. A stale one is not authoritative.

        Raises `UnregisteredIdentifier` if the service has no record of it, and `PolicyDenied`.
        """
        if not isinstance(decision, FoundRecord | WithdrawnRecord):
            raise UnregisteredIdentifier(linkid.NAME, getattr(decision, "identifier", ""))
        record, repository = decision.record, decision.prefix.repository
        preferences = target_preferences(self.request)
        result = result_of(record, repository, preferences, self.reader, self.now)
        if self.has_log and record.issuer == self.base_url:
            result = replace(result, inclusion_url=f"{record.pid}?format=tlog-proof&version={record.version}")
        if self.reader.staleness is not None:
            result = replace(result, authoritative=False)
        responses = RecordResponses(self.request, self.reader, self.now, self.base_url)
        checked = last_change(record.health) if record.health else None
        locations = decision.locations if isinstance(decision, FoundRecord) else ()
        headers = responses.headers_of(decision.prefix, record, record.pid, locations=locations, checked=checked) | {
            "Content-Type": JSON
        }
        if not includes_inclusion(self.request):
            return Response(result.status_code, headers, dump(result.to_document()))
        headers["Cache-Control"] = cache_control_until(ttl_of(record, repository), REFUSAL_TTL)
        return BriefResponse(result.status_code, headers, dump(self._with_inclusion(result, record).to_document()))

    def _with_inclusion(self, result: ResolutionResult, record: Record) -> ResolutionResult:
        """Return the result with the proof that the record is in the log, if there is a log and it can be read.

        A damaged log proves nothing, but the result is good without it; `?format=tlog-proof` reports the damage.
        """
        if result.inclusion_url is None:
            return result
        from coolid.http import inclusion_proofs
        from coolid.log.malformed_data import FailedProof, MalformedData

        with suppress(NoTransparencyLog, NotLoggedYet, Unavailable, MalformedData, FailedProof):
            return replace(result, inclusion=inclusion_proofs.write(record, self.open_log()).decode())
        return result
