"""The resolution endpoint: every path that is not the service's own is a reference to resolve."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from coolid.errors import CoolidError, ExtraneousText, InvalidPattern, NotFound, UnknownPrefix, UnregisteredIdentifier
from coolid.http import caching
from coolid.http.message import BriefResponse, CacheableResponse, Request, Response, no_log
from coolid.http.public.provider_responses import ProviderResponses
from coolid.http.routes import Route
from coolid.model.locations import are_time_independent
from coolid.model.prefixes import LINKID, fold
from coolid.ports import Clock
from coolid.registry.references import Reference, is_plain, parse_reference
from coolid.resolution.caching_reader import (
    MAX_VERSIONS_WAIT_SECONDS,
    MAX_WAIT_SECONDS,
    CachingReader,
    CachingRequestReader,
)
from coolid.resolution.request_budget import MAX_SUGGESTION_KEYS
from coolid.resolution.resolver import Decision, DescribePrefix, FoundRecord, ProviderRedirect, WithdrawnRecord, resolve

if TYPE_CHECKING:
    from coolid.linkid.peer_lookup import PeerLookup
    from coolid.store.log import LogAccess

RESOLVE: Final = "/resolve/"
_LINKID: Final = f"{LINKID}:"
_OWN: Final = (FoundRecord, WithdrawnRecord)
_QUALIFIED: Final = (
    r"(?i)(?:urn:|info:|(?:[a-z0-9-]+\.)+[a-z]{2,}/)[^:/]|"
    r"(?:doi\.?|isbn|issn|orcid|pmcid|pmc|pmid)[0-9]|[a-z]{2,20}_[0-9]{4}"
)
"""A URN, an `info` URI, a URL without its scheme, or a label without a separator, which may contain an identifier.

It is not compiled here, because no redirect needs it.
"""


class ResolutionEndpoint(Struct, frozen=True):
    """Resolves references with `reader`; `base_url` begins own addresses.

    `works` returns the metadata of a foreign DOI, an item of CSL data, or None (`coolid.http.foreign_works`).
    `open_log` returns the transparency log, if there is one; `has_log` is whether there is, without opening it. `peers`
    look up LinkIDs of others.
    """

    reader: CachingReader
    clock: Clock
    base_url: str
    works: Callable[[str], Mapping[str, Any] | None] | None = None
    open_log: Callable[[], "LogAccess | None"] = no_log
    has_log: bool = False
    peers: "PeerLookup | None" = None

    def routes(self) -> tuple[Route, ...]:
        """Return the routes, which match all paths."""
        return (
            Route(RESOLVE, {"GET": self.linkid}, below=True, vary=caching.VARY_IN_TIME, refuse=self.refuse),
            Route("/", {"GET": self.answer}, below=True, vary=caching.VARY_IN_TIME, refuse=self.refuse),
        )

    def refuse(self, error: Exception, request: Request) -> Response | None:
        """Return the response for an error as a resolution result if the client wants one, else None."""
        if "json" not in (request.headers.get("accept") or "").lower():
            return None
        from coolid.http.linkid.result_errors import ResultErrors

        return ResultErrors(self.base_url).refuse(error, request)

    def answer(self, request: Request, path: str) -> Response:
        """Resolve the reference in the path."""
        return self._resolve(request, parse_reference(path))

    def linkid(self, request: Request, path: str) -> Response:
        """Resolve a LinkID, or any other PID, as the LinkID drafts require."""
        from coolid.recognition.unwrap import reference_after_resolve

        return self._resolve(request, reference_after_resolve(parse_reference(path)))

    def _resolve(self, request: Request, reference: Reference) -> Response:
        """Return the response, a resolution result if the client wants one. Raises the errors of `result`."""
        if not _is_linkid(reference):
            return self._negotiated(request, reference)
        from coolid.http.linkid import result_requests

        if result_requests.wants_result(request):
            return self.result(request, reference)
        response = self._negotiated(request, reference)
        return self.result(request, reference) if result_requests.is_record(response, request) else response

    def _negotiated(self, request: Request, reference: Reference) -> Response:
        """Return a redirect, a representation or a page, of a LinkID of others also by the peers."""
        is_dated = "accept-datetime" in request.headers
        max_wait = MAX_VERSIONS_WAIT_SECONDS if is_dated else MAX_WAIT_SECONDS
        with self.reader.for_request(max_wait_seconds=max_wait) as reader:
            try:
                decision = self._decision(request, reference, reader)
            except (UnknownPrefix, UnregisteredIdentifier) as error:
                return self._response_by_peers(request, reference, reader, error, as_result=False)
            response = self._answer_to(decision, request, reader)
        return self._finished(response, decision, reader)

    def result(self, request: Request, reference: Reference) -> Response:
        """Return the resolution result of a LinkID. Raises `InvalidIdentifier`, the errors of `ResultResponses`."""
        from coolid.http.linkid.result_responses import ResultResponses
        from coolid.identifiers.schemes import linkid

        linkid.validate(reference.text)
        with self.reader.for_request() as reader:
            try:
                decision = self._decision(request, reference, reader, suggestion_keys=0)
                _require_current(decision)
            except (UnknownPrefix, UnregisteredIdentifier) as error:
                return self._response_by_peers(request, reference, reader, error, as_result=True)
            self._require_integrity(decision, reader)
            now = self.clock.now()
            responses = ResultResponses(request, reader, now, self.base_url, self.open_log, self.has_log)
            response = responses.answer(decision)
        return self._finished(response, decision, reader)

    def _response_by_peers(
        self, request: Request, reference: Reference, reader: CachingRequestReader, error: NotFound, *, as_result: bool
    ) -> Response:
        """Return the response about a LinkID of others, else raise the `error`, or one of `found_by_peers`."""
        if self.peers is None or not _is_linkid(reference):
            raise error
        from coolid.http.linkid.peer_responses import PeerResponses, found_by_peers

        found = found_by_peers(self.peers, request, reference, reader, error)
        responses = PeerResponses(request, reader, self.clock.now(), self.base_url)
        return responses.result(found, error) if as_result else responses.record(found, error)

    def _finished(self, response: Response, decision: Decision, reader: CachingRequestReader) -> Response:
        """Return the response, marked if it is stale, else cacheable if it does not depend on the time."""
        if reader.staleness is not None:
            return caching.with_staleness(response, reader.staleness)
        validity = reader.validity()
        if (
            validity is None
            or isinstance(response, BriefResponse)
            or (isinstance(decision, FoundRecord) and not are_time_independent(decision.record.records))
            or (response.status == 200 and self._provider_responses.has_works(decision))
        ):
            return response
        return CacheableResponse(response.status, response.headers, response.body, validity=validity)

    def respond(
        self,
        request: Request,
        reference: Reference,
        reader: CachingRequestReader,
        *,
        suggestion_keys: int,
        text: str | None = None,
    ) -> Response:
        """Return the response with the target, not the page; an error reads at most `suggestion_keys` similar keys.

        `text` is what the reference was found in, if it is not the reference itself.
        """
        decision = self._decision(request, reference, reader, suggestion_keys, text)
        return self._answer_to(decision, request, reader, to_target=True)

    def _decision(
        self,
        request: Request,
        reference: Reference,
        reader: CachingRequestReader,
        suggestion_keys: int = MAX_SUGGESTION_KEYS,
        text: str | None = None,
    ) -> Decision:
        if reference.text[:4].lower() == "http":
            from coolid.recognition.unwrap import unwrap_reference

            reference = unwrap_reference(reference, self.base_url)
        provider, strict = None, False
        if request.query:
            provider, strict = request.parameter("provider"), request.parameter("strict") in ("1", "true")
        try:
            return resolve(reference, reader, provider=provider, strict=strict, suggestion_keys=suggestion_keys)
        except (ExtraneousText, InvalidPattern, UnknownPrefix) as error:
            text = reference.text if text is None else text
            if not isinstance(error, ExtraneousText) and is_plain(text) and not re.match(_QUALIFIED, text):
                raise
            from coolid.recognition.correction import correct

            return correct(error, text, reader, self.base_url, provider=provider, strict=strict)

    def _answer_to(
        self, decision: Decision, request: Request, reader: CachingRequestReader, *, to_target: bool = False
    ) -> Response:
        try:
            return self._response_to(decision, request, reader, to_target=to_target)
        except CoolidError as error:
            # A version requested by its number has no versions itself.
            error.is_versioned = isinstance(decision, _OWN) and request.parameter("memento") is None
            raise

    def _response_to(
        self, decision: Decision, request: Request, reader: CachingRequestReader, *, to_target: bool
    ) -> Response:
        match decision:
            case ProviderRedirect():
                return self._provider_responses.redirect(decision, request)
            case DescribePrefix():
                return self._provider_responses.description(decision.prefix, request, reader)
            case FoundRecord() | WithdrawnRecord():
                self._require_integrity(decision, reader)
                if "accept-datetime" in request.headers or (request.query and request.parameter("memento") is not None):
                    from coolid.http.public.memento import MementoResponses  # rarely needed

                    responses = MementoResponses(
                        decision, request, reader, self.clock.now(), self.base_url, self.open_log
                    )
                    return responses.answer()
                from coolid.http.record_responses import RecordResponses  # not needed to redirect to a provider

                now = self.clock.now()
                return RecordResponses(request, reader, now, self.base_url, to_target, self.open_log).answer(decision)

    @property
    def _provider_responses(self) -> ProviderResponses:
        return ProviderResponses(self.base_url, self.works)

    def _require_integrity(self, decision: Decision, reader: CachingRequestReader) -> None:
        """Raise `IntegrityFailure` if a record found by its LinkID is not what its issuer signed."""
        if isinstance(decision, _OWN) and decision.prefix.name == LINKID:
            from coolid.resolution.linkid_integrity import require_integrity  # not needed for other prefixes

            require_integrity(decision.record, reader)


def _is_linkid(reference: Reference) -> bool:
    """Return whether a reference begins with `linkid:`, without loading the scheme."""
    return fold(reference.text[: len(_LINKID)]) == _LINKID


def _require_current(decision: Decision) -> None:
    """Raise `UnregisteredIdentifier` for a copy of another service's record that may be out of date."""
    if isinstance(decision, _OWN) and decision.record.stated_repository is not None:
        from coolid.model.custody import is_unoffered_copy

        if is_unoffered_copy(decision.record):
            raise UnregisteredIdentifier(decision.prefix.name, decision.record.id)
