"""Bulk resolution: `POST /api/v1/resolve`. Each identifier gets the same response as in a request of its own.

All identifiers of a request share one budget (`coolid.resolution.request_budget`). An identifier beyond the budget gets
503 `line-not-tried`, never 404, and can be sent again; its problem names the exhausted limit. Only the first few
refused identifiers have suggestions.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, field

from coolid.errors import CoolidError, InvalidIdentifier, InvalidInput, LineNotTried, TooLong, UnregisteredIdentifier
from coolid.http import problems
from coolid.http.application import ErrorListener, ignore_error
from coolid.http.caching import NO_STORE
from coolid.http.json_bodies import json_of, require_texts
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.routes import Route
from coolid.ports import ProcessorClock
from coolid.recognition.unwrap import reference_after_resolve, unwrap_any_url
from coolid.registry.references import MAX_BYTES, MAX_PASTED_CHARACTERS, Reference, is_plain, require_valid_text
from coolid.resolution.caching_reader import CachingRequestReader
from coolid.resolution.request_budget import Budget
from coolid.strict_json import dump

BULK: Final = "/api/v1/resolve"
MAX_IDENTIFIERS: Final = 1000
STORE_TIMEOUT_SECONDS: Final = 5.0
"""The total time that the identifiers of a request may wait for the store."""

_PLAIN: Final = Request("GET", "/", headers={"accept": "*/*"})


class BulkResolutionEndpoint(Struct, frozen=True):
    """Resolves many identifiers by `resolution`, within a budget of `processor` time; `on_error` gets each kind."""

    resolution: ResolutionEndpoint
    processor: ProcessorClock
    on_error: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        return (Route(BULK, {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """Resolve `{"ids": […]}`, each in any spelling, into `{"results": […]}` in the same order."""
        budget = Budget(self.resolution.clock, self.processor)
        texts = _texts_of(request)
        reader = self.resolution.reader.for_request(stale=False, max_wait_seconds=STORE_TIMEOUT_SECONDS, budget=budget)
        bulk = _BulkRequest(self.resolution, reader, budget)
        results = [bulk.result(text) for text in texts]
        for error in bulk.refused.values():
            self.on_error(error)
        return Response(
            200,
            {"Content-Type": "application/json", "Cache-Control": NO_STORE},
            '{"results":[' + ",".join(results) + "]}",
        )


class _BulkRequest(Struct):
    """The state of one request: results by text, errors by class, and the budget."""

    resolution: ResolutionEndpoint
    reader: CachingRequestReader
    budget: Budget
    results: dict[str, str] = field(default_factory=dict)
    refused: dict[type[CoolidError], CoolidError] = field(default_factory=dict)

    def result(self, text: str) -> str:
        """Return one result as JSON. A repeated identifier is resolved once."""
        try:
            self.budget.check()
            if text not in self.results:
                self.results[text] = self._resolve(text)
            result = self.results[text]
        except CoolidError as error:
            result = self._refusal(text, error)
        self.budget.charge_response(len(result.encode()))
        return result

    def _resolve(self, text: str) -> str:
        """Return the status of an identifier with its location or document, as JSON. Raises `LineNotTried`."""
        reference = _reference(text, self.resolution.base_url)
        keys = self.budget.max_suggestion_keys()
        answer = self.resolution.respond(_PLAIN, reference, self.reader, suggestion_keys=keys, text=text)
        result: dict[str, Any] = {"id": text, "status": answer.status}
        if "Location" in answer.headers:
            return dump({**result, "location": answer.headers["Location"]})
        assert isinstance(answer.body, str)
        return f'{dump(result)[:-1]},"document":{answer.body}}}'

    def _refusal(self, text: str, error: CoolidError) -> str:
        self.refused[type(error)] = error
        if isinstance(error, InvalidIdentifier | UnregisteredIdentifier):
            self.budget.count_refusal()
        refusal = problems.describe(error, self.resolution.base_url)
        result = dump({"id": text, "status": refusal.status, "problem": refusal.document()})
        if not isinstance(error, LineNotTried):
            self.results[text] = result
        return result


def _texts_of(request: Request) -> Sequence[str]:
    """Return the identifiers in the body. Raises `InvalidInput` and the errors of `json_of`."""
    body = json_of(request)
    match body:
        case {"ids": list(texts)} if len(body) == 1 and len(texts) <= MAX_IDENTIFIERS:
            return require_texts(texts)
        case _:
            raise InvalidInput.at("", f'it must be {{"ids": ["…", …]}}, with at most {MAX_IDENTIFIERS} of them')


def _reference(text: str, base_url: str) -> Reference:
    """Return the reference in a pasted text. Raises `TooLong`, for very long texts before they are unwrapped."""
    if len(text) > MAX_PASTED_CHARACTERS:
        raise TooLong(len(text.encode()), MAX_BYTES)
    inner = require_valid_text(unwrap_any_url(text, base_url).text)
    size = len(inner.encode())
    if size > MAX_BYTES:
        raise TooLong(size, MAX_BYTES)
    reference = Reference.of(inner)
    return reference_after_resolve(reference) if is_plain(inner) else reference  # a LinkID is plain
