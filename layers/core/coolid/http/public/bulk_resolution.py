"""Many identifiers at once, for everybody: `POST /api/v1/resolve`, each answered as if it were asked for alone.

All identifiers of a request share one budget (`coolid.resolution.request_budget`). An identifier that does not fit is answered 503
`line-not-tried`, never 404, and can be sent again; its problem names what was used up. The first few refused
identifiers have suggestions, the others have none.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, field

from coolid.errors import CoolidError, InvalidIdentifier, InvalidInput, LineNotTried, TooLong, UnregisteredIdentifier
from coolid.http import problems
from coolid.http.application import ErrorListener, ignore_error
from coolid.http.caching import NO_STORE
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.request_body import json_of
from coolid.http.routes import Route
from coolid.ports import ProcessorClock
from coolid.recognition.unwrap import behind_resolve, unwrap
from coolid.registry.references import MOST_BYTES, MOST_PASTED, Reference, checked
from coolid.resolution.request_budget import Budget
from coolid.resolution.request_reader import RequestReader
from coolid.strict_json import dump

BULK: Final = "/api/v1/resolve"
MOST: Final = 1000
PATIENCE: Final = 5.0
"""Seconds that all identifiers of a request together may wait for the store."""

_PLAIN: Final = Request("GET", "/", headers={"accept": "*/*"})


class BulkResolutionEndpoint(Struct, frozen=True):
    """Answers as `reading` does, but for many; `heard` gets each kind of refusal once per request.

    `processor` measures how much of the budget's processor time is used.
    """

    reading: ResolutionEndpoint
    processor: ProcessorClock
    heard: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(BULK, {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """`{"ids": […]}`, each in any form that people write: `{"results": […]}`, in their order."""
        budget = Budget(self.reading.clock, self.processor)
        texts = _texts_of(request)
        reader = self.reading.reader.for_request(stale=False, patience=PATIENCE, budget=budget)
        bulk = _BulkRequest(self.reading, reader, budget)
        results = [bulk.result(text) for text in texts]
        for error in bulk.refused.values():
            self.heard(error)
        return Response(
            200,
            {"Content-Type": "application/json", "Cache-Control": NO_STORE},
            '{"results":[' + ",".join(results) + "]}",
        )


class _BulkRequest(Struct):
    """The identifiers of one request: their results, the refusals by kind, and what is left of the limits."""

    reading: ResolutionEndpoint
    reader: RequestReader
    budget: Budget
    results: dict[str, str] = field(default_factory=dict)
    refused: dict[type[CoolidError], CoolidError] = field(default_factory=dict)

    def result(self, text: str) -> str:
        """One result as JSON. An identifier that occurs several times is resolved once."""
        try:
            self.budget.check()
            if text not in self.results:
                self.results[text] = self._resolved(text)
            result = self.results[text]
        except CoolidError as error:
            result = self._refused(text, error)
        self.budget.fill(len(result.encode()))
        return result

    def _resolved(self, text: str) -> str:
        """The status of an identifier with its location, its document, or the problem; `LineNotTried`."""
        reference = _reference(text, self.reading.base_url)
        keys = self.budget.suggestion_keys()
        answer = self.reading.respond(_PLAIN, reference, self.reader, suggestion_keys=keys)
        result: dict[str, Any] = {"id": text, "status": answer.status}
        if "Location" in answer.headers:
            return dump({**result, "location": answer.headers["Location"]})
        assert isinstance(answer.body, str)
        return f'{dump(result)[:-1]},"document":{answer.body}}}'

    def _refused(self, text: str, error: CoolidError) -> str:
        self.refused[type(error)] = error
        if isinstance(error, InvalidIdentifier | UnregisteredIdentifier):
            self.budget.refuse()
        refusal = problems.describe(error, self.reading.base_url)
        result = dump({"id": text, "status": refusal.status, "problem": refusal.document()})
        if not isinstance(error, LineNotTried):
            self.results[text] = result
        return result


def _texts_of(request: Request) -> Sequence[str]:
    """The identifiers of the body; `InvalidInput` points at what is none, and the errors of `json_of`."""
    body = json_of(request)
    match body:
        case {"ids": list(texts)} if len(body) == 1 and len(texts) <= MOST:
            wrong = next((at for at, text in enumerate(texts) if not isinstance(text, str)), None)
            if wrong is not None:
                raise InvalidInput.at(f"/ids/{wrong}", "it is not a string")
            return texts
        case _:
            raise InvalidInput.at("", f'it must be {{"ids": ["…", …]}}, with at most {MOST} of them')


def _reference(text: str, base_url: str) -> Reference:
    """The reference in a pasted text. An over-long text is `TooLong` before it is unwrapped."""
    if len(text) > MOST_PASTED:
        raise TooLong(len(text.encode()), MOST_BYTES)
    inner = checked(unwrap(text, base_url).text)
    size = len(inner.encode())
    if size > MOST_BYTES:
        raise TooLong(size, MOST_BYTES)
    return behind_resolve(Reference.of(inner))
