"""Explaining over HTTP, for everybody: what a text is (`/api/v1/parse`), and how identifiers are validated
(`/api/v1/schemas/{prefix}`). What does the work is imported when it is asked for: a redirect never needs it.

Many texts of one request share one budget (`coolid.resolution.request_budget`). A text that does not fit has a member `problem` of
its own, 503 `line-not-tried`, and can be sent again.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from coolid.errors import InvalidInput, LineNotTried, UnknownPrefix
from coolid.http.caching import NO_STORE, cache_control
from coolid.http.errors import UnknownFormat
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.ports import Clock, ProcessorClock
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import lookup
from coolid.registry.references import decode
from coolid.resolution.request_budget import MOST_SUGGESTION_KEYS, Budget
from coolid.resolution.request_reader import RequestReader, RequestReaderFactory
from coolid.strict_json import dump

if TYPE_CHECKING:
    from coolid.recognition.explanation import Explanation

PARSE: Final = "/api/v1/parse"
SCHEMAS: Final = "/api/v1/schemas/"
MOST_TEXTS: Final = 1000
PATIENCE: Final = 5.0
"""Seconds that all texts of a request together may wait for the store."""
SECONDS: Final = 60


class ExplanationEndpoint(Struct, frozen=True):
    """Explains out of `reader`; `base_url` is how our own links begin, `directory` has all prefixes at once.

    `processor` measures how much of the budget's processor time is used.
    """

    reader: RequestReaderFactory
    clock: Clock
    processor: ProcessorClock
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        """Two addresses."""
        return (
            Route(PARSE, {"GET": self.get_parse, "POST": self.post_parse}),
            Route(SCHEMAS, {"GET": self.get_schema}, below=True),
        )

    def get_parse(self, request: Request, _path: str) -> Response:
        """What the text in `?id=` is."""
        text = request.parameter("id")
        if text is None:
            raise InvalidInput.at("", "the query parameter id is missing")
        return _json(dump(self._parsed(text)), cache_control(SECONDS))

    def post_parse(self, request: Request, _path: str) -> Response:
        """The same for `{"id": …}`, or for each of `{"ids": […]}`, at most 1,000, as `{"results": […]}`."""
        from coolid.http.request_body import json_of

        body = json_of(request)
        match body:
            case {"id": str(text)} if len(body) == 1:
                return _json(dump(self._parsed(text)), NO_STORE)
            case {"ids": list(texts)} if len(body) == 1:
                if len(texts) > MOST_TEXTS:
                    raise InvalidInput.at("/ids", f"there are {len(texts)} texts, more than {MOST_TEXTS}")
                wrong = next((at for at, text in enumerate(texts) if not isinstance(text, str)), None)
                if wrong is not None:
                    raise InvalidInput.at(f"/ids/{wrong}", "it is not a string")
                return _json('{"results":[' + ",".join(self._all_parsed(texts)) + "]}", NO_STORE)
            case _:
                raise InvalidInput.at("", 'it must be {"id": "…"} or {"ids": ["…", …]}')

    def get_schema(self, request: Request, path: str) -> Response:
        """A validation schema of the prefix in the path, in `?format=` `regex`, `jsonschema` or `schematron`."""
        from coolid.http.formats import schemas

        name = decode(path)
        with self.reader.for_request(stale=False) as reader:
            prefix = lookup(name, reader)
        if prefix is None:
            raise UnknownPrefix(name)
        chosen = request.parameter("format") or schemas.DEFAULT
        formats = schemas.formats_of(prefix)
        if chosen not in formats:
            raise UnknownFormat(chosen, tuple(formats))
        media_type, write = formats[chosen]
        return Response(200, {"Content-Type": media_type, "Cache-Control": cache_control(SECONDS)}, write())

    def _parsed(self, text: str) -> dict[str, Any]:
        """What the text is. Raises `StoreUnavailable`."""
        from coolid.http.formats import parse_result

        with self._watch() as reader:
            return parse_result.document(self._parser(reader)(text, MOST_SUGGESTION_KEYS))

    def _all_parsed(self, texts: Sequence[str]) -> list[str]:
        """What each text is, as JSON; one that occurs several times is explained once. Raises `StoreUnavailable`."""
        from coolid.http.formats import parse_result

        budget = Budget(self.clock, self.processor)
        results: list[str] = []
        by_text: dict[str, str] = {}
        with self._watch(budget) as reader:
            parse = self._parser(reader)
            for text in texts:
                try:
                    budget.check()
                    if text not in by_text:
                        explained = parse(text, budget.suggestion_keys())
                        by_text[text] = dump(parse_result.document(explained))
                        if explained.refused:
                            budget.refuse()
                    result = by_text[text]
                except LineNotTried as error:
                    result = self._not_tried(text, error)
                budget.fill(len(result.encode()))
                results.append(result)
        return results

    def _watch(self, budget: Budget | None = None) -> RequestReader:
        """A reader without anything stale, because the steps could not say so."""
        return self.reader.for_request(stale=False, patience=PATIENCE, budget=budget)

    def _parser(self, reader: RequestReader) -> "Callable[[str, int], Explanation]":
        """What parses a text, with the most keys to read for suggestions."""
        from coolid.recognition.explanation import explain
        from coolid.resolution.reverse_lookup import url_index

        reverse = url_index(self.directory, reader)
        return lambda text, suggestion_keys: explain(
            text, reader, self.base_url, self.clock.now(), reverse, suggestion_keys=suggestion_keys
        )

    def _not_tried(self, text: str, error: LineNotTried) -> str:
        """The result of a text that did not fit into the budget."""
        from coolid.http import problems
        from coolid.http.formats import parse_result
        from coolid.recognition.explanation import Explanation

        nothing = Explanation(text)
        nothing.add_step("not-tried", str(error))
        refusal = problems.describe(error, self.base_url)
        return dump({**parse_result.document(nothing), "problem": refusal.document()})


def _json(text: str, caching: str) -> Response:
    return Response(200, {"Content-Type": "application/json", "Cache-Control": caching}, text)
