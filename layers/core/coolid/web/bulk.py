"""Many identifiers at once, for everybody: `POST /api/v1/resolve`, each answered as if it were asked for alone."""

from typing import Any, Final

from msgspec import Struct

from coolid.domain.documents import dump
from coolid.domain.errors import CoolidError, InvalidInput, LineNotTried, TooLong
from coolid.domain.references import MOST_BYTES, Reference, checked
from coolid.domain.unwrapping import behind_resolve, unwrap
from coolid.domain.watching import Watch
from coolid.web import problem
from coolid.web.application import Listener, unheard
from coolid.web.bodies import json_of
from coolid.web.caching import NO_STORE
from coolid.web.message import Request, Response
from coolid.web.reading import Reading
from coolid.web.routes import Route

BULK: Final = "/api/v1/resolve"
MOST: Final = 1000
MOST_ANSWERED: Final = 4_000_000
"""Bytes of results after which no more identifiers are looked up: a Lambda function's answer has at most 6 MB."""
PATIENCE: Final = 5.0
"""Seconds that all identifiers of a request together may wait for the store."""

_PLAIN: Final = Request("GET", "/", headers={"accept": "*/*"})


class Bulk(Struct, frozen=True):
    """Answers as `reading` does, but for many; `heard` is told of every kind of refusal once a request."""

    reading: Reading
    heard: Listener = unheard

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(BULK, {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """`{"ids": […]}`, each in any form that people write: `{"results": […]}`, in their order."""
        body = json_of(request)
        match body:
            case {"ids": list(texts)} if len(body) == 1 and len(texts) <= MOST:
                wrong = next((at for at, text in enumerate(texts) if not isinstance(text, str)), None)
                if wrong is not None:
                    raise InvalidInput.at(f"/ids/{wrong}", "it is not a string")
            case _:
                raise InvalidInput.at("", f'it must be {{"ids": ["…", …]}}, with at most {MOST} of them')
        reader = self.reading.reader.watch(stale=False, patience=PATIENCE)
        results: list[str] = []
        refused: dict[type[CoolidError], CoolidError] = {}
        room = MOST_ANSWERED
        for text in texts:
            result = self._result(text, reader, refused) if room > 0 else self._refused(text, LineNotTried("room"))
            room -= len(result.encode())
            results.append(result)
        for error in refused.values():
            self.heard(error)
        return Response(
            200,
            {"Content-Type": "application/json", "Cache-Control": NO_STORE},
            '{"results":[' + ",".join(results) + "]}",
        )

    def _result(self, text: str, reader: Watch, refused: dict[type[CoolidError], CoolidError]) -> str:
        """One result as JSON: its status, and where it leads, what is known of it, or the problem, which is noted."""
        told: dict[str, Any] = {"id": text}
        try:
            answer = self.reading.respond(_PLAIN, _reference(text, self.reading.base_url), reader)
        except CoolidError as error:
            refused[type(error)] = error
            return self._refused(text, error)
        told["status"] = answer.status
        if "Location" in answer.headers:
            return dump({**told, "location": answer.headers["Location"]})
        assert isinstance(answer.body, str)
        return f'{dump(told)[:-1]},"document":{answer.body}}}'

    def _refused(self, text: str, error: CoolidError) -> str:
        refusal = problem.describe(error, self.reading.base_url)
        return dump({"id": text, "status": refusal.status, "problem": refusal.document()})


def _reference(text: str, base_url: str) -> Reference:
    inner = checked(unwrap(text, base_url).text)
    size = len(inner.encode())
    if size > MOST_BYTES:
        raise TooLong(size, MOST_BYTES)
    return behind_resolve(Reference.of(inner))
