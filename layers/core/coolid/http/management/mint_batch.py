"""The batch mint endpoint: `POST /api/v1/records/batch`, with a JSON array or JSON Lines, answered in the same form.

Each line is minted independently and has its own result. With an `Idempotency-Key` each line has its own idempotency
record, so a partly completed batch can be sent again unchanged.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from msgspec import Struct

from coolid.deadlines import current_deadline, limited
from coolid.errors import CoolidError, InvalidInput, LineNotTried
from coolid.http import problems
from coolid.http.application import ErrorListener, Reporter, ignore_error
from coolid.http.authentication import client_of
from coolid.http.caching import NO_STORE
from coolid.http.errors import MalformedBody
from coolid.http.json_bodies import checked_body, json_of, target_warnings
from coolid.http.management.mint import MintEndpoint, idempotent_request_of
from coolid.http.management.record_access import RECORDS
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import Client
from coolid.strict_json import NotJson, dump, load

BATCH: Final = RECORDS + "/batch"
MAX_LINES: Final = 1000
AT_ONCE: Final = 8
MIN_SECONDS_LEFT: Final = 5.0
"""The seconds that must be left of the request's time to begin a line."""

_LINES: Final = "application/x-ndjson"


class MintBatchEndpoint(Struct, frozen=True):
    """Mints several lines at a time with `mint_endpoint`; `report` receives unexpected errors, `on_error` others."""

    mint_endpoint: MintEndpoint
    base_url: str
    report: Reporter
    on_error: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """Return the one route; its other methods belong to a record of a prefix called `batch`."""
        return (Route(BATCH, {"POST": self.post}, other_methods=("GET", "PUT", "PATCH", "DELETE")),)

    def post(self, request: Request, _path: str) -> Response:
        """Mint a record for every line: 200 with a status for each."""
        client = client_of(request, self.mint_endpoint.clients)
        idempotent_request_of(request, client, None)  # an invalid key is refused once, not for each line
        is_array, lines = _lines_of(request)
        if len(lines) > MAX_LINES:
            raise InvalidInput.at("", f"there are {len(lines)} lines, more than {MAX_LINES}")
        deadline = current_deadline()

        def answer(at: int) -> dict[str, Any]:
            with limited(deadline):  # in each thread, because it has its own context
                return self._answer(request, client, lines[at], at)

        with ThreadPoolExecutor(AT_ONCE) as threads:
            answers = list(threads.map(answer, range(len(lines))))
        headers = {"Cache-Control": NO_STORE, "Content-Type": "application/json" if is_array else _LINES}
        if is_array:
            return Response(200, headers, dump(answers))
        return Response(200, headers, "".join(dump(answer) + "\n" for answer in answers))

    def _answer(self, request: Request, client: Client, line: Any, at: int) -> dict[str, Any]:
        deadline = current_deadline()
        if deadline is not None and not deadline.exceeds(MIN_SECONDS_LEFT):
            return self._refusal(LineNotTried(), request)
        if isinstance(line, NotJson):
            return self._refusal(MalformedBody(f"the line is not JSON: {line}"), request)
        try:
            record, _ = self.mint_endpoint.mint(client, line, idempotent_request_of(request, client, line, at))
        except CoolidError as error:
            self.on_error(error)
            return self._refusal(error, request)
        except Exception as error:  # noqa: BLE001 - it is reported; the other lines continue
            self.report(error, request)
            return self._refusal(error, request)
        found = target_warnings(record)
        return {"status": 201, "record": record.to_document(), **({"warnings": found} if found else {})}

    def _refusal(self, error: Exception, request: Request) -> dict[str, Any]:
        refusal = problems.describe(error, self.base_url, request.request_id)
        result = {"status": refusal.status, "problem": refusal.document()}
        seconds = refusal.headers.get("Retry-After")
        return result if seconds is None else result | {"retryAfter": int(seconds)}


def _lines_of(request: Request) -> tuple[bool, Sequence[Any]]:
    """Return whether the body is an array, and its lines: documents, or `NotJson` for malformed ones."""
    body = checked_body(request)
    media_type = (request.headers.get("content-type") or "").partition(";")[0].strip().lower()
    if body.lstrip()[:1] == b"[" and media_type not in (_LINES, "application/jsonl", "application/jsonlines"):
        document = json_of(request)
        assert isinstance(document, list)
        return True, document
    return False, [_line(line) for line in body.splitlines() if line.strip()]


def _line(line: bytes) -> Any:
    try:
        return load(line)
    except NotJson as error:
        return error
