"""Explaining over HTTP, for everybody: what a text is (`/api/v1/parse`), and how identifiers are validated
(`/api/v1/schemas/{prefix}`). What does the work is imported when it is asked for: a redirect never needs it."""

from typing import Any, Final

from msgspec import Struct

from coolid.domain.directory import Directory
from coolid.domain.documents import dump
from coolid.domain.errors import InvalidInput, UnknownPrefix
from coolid.domain.finding import lookup
from coolid.domain.ports import Clock
from coolid.domain.references import decode
from coolid.domain.watching import Watchable
from coolid.web.caching import NO_STORE, cache_control
from coolid.web.errors import UnknownFormat
from coolid.web.message import Request, Response
from coolid.web.routes import Route

PARSE: Final = "/api/v1/parse"
SCHEMAS: Final = "/api/v1/schemas/"
MOST_TEXTS: Final = 1000
PATIENCE: Final = 5.0
"""Seconds that all texts of a request together may wait for the store."""
SECONDS: Final = 60


class Explaining(Struct, frozen=True):
    """Explains out of `reader`; `base_url` is how our own links begin, `directory` has all prefixes at once."""

    reader: Watchable
    clock: Clock
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
        return _json(self._parsed(text)[0], cache_control(SECONDS))

    def post_parse(self, request: Request, _path: str) -> Response:
        """The same for `{"id": …}`, or for each of `{"ids": […]}`, at most 1,000, as `{"results": […]}`."""
        from coolid.web.bodies import json_of

        body = json_of(request)
        match body:
            case {"id": str(text)} if len(body) == 1:
                return _json(self._parsed(text)[0], NO_STORE)
            case {"ids": list(texts)} if len(body) == 1:
                if len(texts) > MOST_TEXTS:
                    raise InvalidInput.at("/ids", f"there are {len(texts)} texts, more than {MOST_TEXTS}")
                wrong = next((at for at, text in enumerate(texts) if not isinstance(text, str)), None)
                if wrong is not None:
                    raise InvalidInput.at(f"/ids/{wrong}", "it is not a string")
                return _json({"results": self._parsed(*texts)}, NO_STORE)
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

    def _parsed(self, *texts: str) -> list[dict[str, Any]]:
        """What the texts are; nothing stale is told, for the steps could not say so."""
        from coolid.domain.parsing import parse
        from coolid.domain.reversing import reversing
        from coolid.web.representations import parsed

        with self.reader.watch(stale=False, patience=PATIENCE) as reader:
            reverse = reversing(self.directory, reader)
            return [parsed.document(parse(text, reader, self.base_url, self.clock.now(), reverse)) for text in texts]


def _json(document: dict[str, Any], caching: str) -> Response:
    return Response(200, {"Content-Type": "application/json", "Cache-Control": caching}, dump(document))
