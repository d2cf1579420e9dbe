"""Explaining over HTTP, for everybody: what a text is (`/api/v1/parse`), and how identifiers are validated
(`/api/v1/schemas/{prefix}`). What does the work is imported when it is asked for: a redirect never needs it.

Many texts of one request share one budget (`coolid.domain.budget`). A text that does not fit has a member `problem` of
its own, 503 `line-not-tried`, and can be sent again.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from coolid.domain.budget import MOST_SUGGESTION_KEYS, Budget
from coolid.domain.directory import Directory
from coolid.domain.documents import dump
from coolid.domain.errors import InvalidInput, LineNotTried, UnknownPrefix
from coolid.domain.finding import lookup
from coolid.domain.ports import Clock, ProcessorClock
from coolid.domain.references import decode
from coolid.domain.watching import Watch, Watchable
from coolid.web.caching import NO_STORE, cache_control
from coolid.web.errors import UnknownFormat
from coolid.web.message import Request, Response
from coolid.web.routes import Route

if TYPE_CHECKING:
    from coolid.domain.parsing import Parsed

PARSE: Final = "/api/v1/parse"
SCHEMAS: Final = "/api/v1/schemas/"
MOST_TEXTS: Final = 1000
PATIENCE: Final = 5.0
"""Seconds that all texts of a request together may wait for the store."""
SECONDS: Final = 60


class Explaining(Struct, frozen=True):
    """Explains out of `reader`; `base_url` is how our own links begin, `directory` has all prefixes at once.

    `processor` measures how much of the budget's processor time is used.
    """

    reader: Watchable
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
        from coolid.web.bodies import json_of

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
        from coolid.web.representations import schemas

        name = decode(path)
        with self.reader.watch(stale=False) as reader:
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
        from coolid.web.representations import parsed

        with self._watch() as reader:
            return parsed.document(self._parser(reader)(text, MOST_SUGGESTION_KEYS))

    def _all_parsed(self, texts: Sequence[str]) -> list[str]:
        """What each text is, as JSON; one that occurs several times is explained once. Raises `StoreUnavailable`."""
        from coolid.web.representations import parsed

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
                        by_text[text] = dump(parsed.document(explained))
                        if explained.refused:
                            budget.refuse()
                    result = by_text[text]
                except LineNotTried as error:
                    result = self._not_tried(text, error)
                budget.fill(len(result.encode()))
                results.append(result)
        return results

    def _watch(self, budget: Budget | None = None) -> Watch:
        """A reader without anything stale, because the steps could not say so."""
        return self.reader.watch(stale=False, patience=PATIENCE, budget=budget)

    def _parser(self, reader: Watch) -> "Callable[[str, int], Parsed]":
        """What parses a text, with the most keys to read for suggestions."""
        from coolid.domain.parsing import parse
        from coolid.domain.reversing import reversing

        reverse = reversing(self.directory, reader)
        return lambda text, suggestion_keys: parse(
            text, reader, self.base_url, self.clock.now(), reverse, suggestion_keys=suggestion_keys
        )

    def _not_tried(self, text: str, error: LineNotTried) -> str:
        """The result of a text that did not fit into the budget."""
        from coolid.domain.parsing import Parsed
        from coolid.web import problem
        from coolid.web.representations import parsed

        nothing = Parsed(text)
        nothing.tell("not-tried", str(error))
        refusal = problem.describe(error, self.base_url)
        return dump({**parsed.document(nothing), "problem": refusal.document()})


def _json(text: str, caching: str) -> Response:
    return Response(200, {"Content-Type": "application/json", "Cache-Control": caching}, text)
