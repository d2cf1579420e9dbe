"""Explanations: what a text is (`/api/v1/parse`), and how identifiers are validated (`/api/v1/schemas/{prefix}`).

The modules that do the work are imported on first use, because redirects never need them. All texts of one request
share one budget (`coolid.resolution.request_budget`). A text beyond the budget gets its own `problem`, 503
`line-not-tried`, and can be sent again.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from coolid.errors import InvalidInput, LineNotTried
from coolid.http.caching import NO_STORE, cache_control
from coolid.http.errors import UnknownFormat
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.ports import Clock, ProcessorClock
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import prefix_named
from coolid.registry.references import decode
from coolid.resolution.caching_reader import CachingReader, CachingRequestReader
from coolid.resolution.request_budget import MAX_SUGGESTION_KEYS, Budget
from coolid.strict_json import dump

if TYPE_CHECKING:
    from coolid.recognition.explanation_steps import Explanation

PARSE: Final = "/api/v1/parse"
SCHEMAS: Final = "/api/v1/schemas/"
MAX_TEXTS: Final = 1000
STORE_TIMEOUT_SECONDS: Final = 5.0
"""The total time that the texts of a request may wait for the store."""
CACHE_SECONDS: Final = 60


class ExplanationEndpoint(Struct, frozen=True):
    """Explains texts with `reader`, within a budget of `processor` time; `directory` caches all prefixes."""

    reader: CachingReader
    clock: Clock
    processor: ProcessorClock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(PARSE, {"GET": self.get_parse, "POST": self.post_parse}),
            Route(SCHEMAS, {"GET": self.get_schema}, below=True),
        )

    def get_parse(self, request: Request, _path: str) -> Response:
        """Explain the text in `?id=`."""
        text = request.parameter("id")
        if text is None:
            raise InvalidInput.at("", "the query parameter id is missing")
        return _json(dump(self._parse(text)), cache_control(CACHE_SECONDS))

    def post_parse(self, request: Request, _path: str) -> Response:
        """Explain `{"id": …}`, or each of `{"ids": […]}`, at most 1,000, as `{"results": […]}`."""
        from coolid.http.json_bodies import json_of, require_texts

        body = json_of(request)
        match body:
            case {"id": str(text)} if len(body) == 1:
                return _json(dump(self._parse(text)), NO_STORE)
            case {"ids": list(texts)} if len(body) == 1:
                if len(texts) > MAX_TEXTS:
                    raise InvalidInput.at("/ids", f"there are {len(texts)} texts, more than {MAX_TEXTS}")
                return _json('{"results":[' + ",".join(self._parse_all(require_texts(texts))) + "]}", NO_STORE)
            case _:
                raise InvalidInput.at("", 'it must be {"id": "…"} or {"ids": ["…", …]}')

    def get_schema(self, request: Request, path: str) -> Response:
        """Return a validation schema of the prefix, in `?format=` `regex`, `jsonschema` or `schematron`."""
        from coolid.http.formats.prefixes import schemas_of

        with self.reader.for_request(stale=False) as reader:
            prefix = prefix_named(decode(path), reader)
        chosen = request.parameter("format") or "jsonschema"
        formats = schemas_of(prefix)
        if chosen not in formats:
            raise UnknownFormat(chosen, tuple(formats))
        media_type, write = formats[chosen]
        return Response(200, {"Content-Type": media_type, "Cache-Control": cache_control(CACHE_SECONDS)}, write())

    def _parse(self, text: str) -> dict[str, Any]:
        """Return the explanation of the text. Raises `StoreUnavailable`."""
        with self._reader() as reader:
            return self._parser(reader)(text, MAX_SUGGESTION_KEYS).to_document()

    def _parse_all(self, texts: Sequence[str]) -> list[str]:
        """Return the explanation of each text as JSON; repeated ones once. Raises `StoreUnavailable`."""
        budget = Budget(self.clock, self.processor)
        results: list[str] = []
        by_text: dict[str, str] = {}
        with self._reader(budget) as reader:
            parse = self._parser(reader)
            for text in texts:
                try:
                    budget.check()
                    if text not in by_text:
                        explained = parse(text, budget.max_suggestion_keys())
                        by_text[text] = dump(explained.to_document())
                        if explained.refused:
                            budget.count_refusal()
                    result = by_text[text]
                except LineNotTried as error:
                    result = self._not_tried(text, error)
                budget.charge_response(len(result.encode()))
                results.append(result)
        return results

    def _reader(self, budget: Budget | None = None) -> CachingRequestReader:
        """Return a reader that never serves stale entries, because the steps could not mark them."""
        return self.reader.for_request(stale=False, max_wait_seconds=STORE_TIMEOUT_SECONDS, budget=budget)

    def _parser(self, reader: CachingRequestReader) -> "Callable[[str, int], Explanation]":
        """Return the function that explains a text, given the maximal number of keys to read for suggestions."""
        from coolid.recognition.explanation import explain

        return lambda text, suggestion_keys: explain(
            text, reader, self.base_url, self.clock.now(), self.directory, suggestion_keys=suggestion_keys
        )

    def _not_tried(self, text: str, error: LineNotTried) -> str:
        """Return the result of a text beyond the budget."""
        from coolid.http import problems
        from coolid.recognition.explanation_steps import Explanation

        nothing = Explanation(text)
        nothing.add_step("not-tried", str(error))
        refusal = problems.describe(error, self.base_url)
        return dump({**nothing.to_document(), "problem": refusal.document()})


def _json(text: str, caching: str) -> Response:
    return Response(200, {"Content-Type": "application/json", "Cache-Control": caching}, text)
