"""Many mints in one request: `POST /api/v1/records/batch`, as a JSON array or as JSON Lines, answered in the same form.

Each line is minted for itself and answered in its place: a line that fails, fails alone. With an `Idempotency-Key` each
line has a receipt of its own, so that a batch of which a part was lost can be sent again as it was.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from msgspec import Struct

from coolid.deadlines import Deadline, current_deadline, limited
from coolid.errors import CoolidError, InvalidInput, LineNotTried
from coolid.http import problems
from coolid.http.application import ErrorListener, Reporter, ignore_error
from coolid.http.authentication import client_of
from coolid.http.caching import NO_STORE
from coolid.http.errors import MalformedBody
from coolid.http.management.mint import MintEndpoint, errand_of
from coolid.http.management.record_access import RECORDS
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of, sized
from coolid.http.routes import Route
from coolid.http.target_warnings import target_warnings
from coolid.model.clients import Client
from coolid.strict_json import NotJson, dump, load

BATCH: Final = RECORDS + "/batch"
MOST_LINES: Final = 1000
AT_ONCE: Final = 8
LINE_SECONDS: Final = 5.0
"""A line is begun while so many seconds of the request's time are left."""

_LINES: Final = "application/x-ndjson"
_LINE_TYPES: Final = (_LINES, "application/jsonl", "application/jsonlines")
_ARRAY: Final = "application/json"


class MintBatchEndpoint(Struct, frozen=True):
    """Mints by `minting`, a few lines at a time; `report` hears of errors that nobody foresaw, `heard` of the rest."""

    minting: MintEndpoint
    base_url: str
    report: Reporter
    heard: ErrorListener = ignore_error

    def routes(self) -> tuple[Route, ...]:
        """One address; what else can be done there, is done to a record of a prefix called `batch`."""
        return (Route(BATCH, {"POST": self.post}, elsewhere=("GET", "PUT", "PATCH", "DELETE")),)

    def post(self, request: Request, _path: str) -> Response:
        """Mint a record for every line: 200, with a status for each."""
        client = client_of(request, self.minting.store)
        errand_of(request, client, None)  # a key that is none is refused once, not once a line
        is_array, lines = _lines_of(request)
        if len(lines) > MOST_LINES:
            raise InvalidInput.at("", f"there are {len(lines)} lines, more than {MOST_LINES}")
        deadline = current_deadline()

        def answer(at: int) -> dict[str, Any]:
            with limited(deadline):  # in each thread, because it begins with a context of its own
                return self._answer(request, client, lines[at], at)

        with ThreadPoolExecutor(AT_ONCE) as threads:
            answers = list(threads.map(answer, range(len(lines))))
        headers = {"Cache-Control": NO_STORE, "Content-Type": _ARRAY if is_array else _LINES}
        if is_array:
            return Response(200, headers, dump(answers))
        return Response(200, headers, "".join(dump(answer) + "\n" for answer in answers))

    def _answer(self, request: Request, client: Client, line: Any, at: int) -> dict[str, Any]:
        if not _has_time(current_deadline()):
            return self._refused(LineNotTried(), request)
        if isinstance(line, NotJson):
            return self._refused(MalformedBody(f"the line is not JSON: {line}"), request)
        try:
            record, _ = self.minting.mint(client, line, errand_of(request, client, line, at))
        except CoolidError as error:
            self.heard(error)
            return self._refused(error, request)
        except Exception as error:  # noqa: BLE001 - the other lines were minted; this one is reported, told as a bare 500
            self.report(error, request)
            return self._refused(error, request)
        told = target_warnings(record)
        return {"status": 201, "record": record.to_document(), **({"warnings": told} if told else {})}

    def _refused(self, error: Exception, request: Request) -> dict[str, Any]:
        told = problems.describe(error, self.base_url, request.request_id)
        return {"status": told.status, "problem": told.document()}


def _has_time(deadline: Deadline | None) -> bool:
    """Whether a line may be begun."""
    try:
        return deadline is None or deadline.left() >= LINE_SECONDS
    except TimeoutError:
        return False


def _lines_of(request: Request) -> tuple[bool, Sequence[Any]]:
    """Whether the body is an array, and its lines: documents, or `NotJson` for one that is none."""
    body = sized(request)
    said = (request.header("content-type") or "").partition(";")[0].strip().lower()
    if body.lstrip()[:1] == b"[" and said not in _LINE_TYPES:
        document = json_of(request)
        assert isinstance(document, list)
        return True, document
    return False, [_line(line) for line in body.splitlines() if line.strip()]


def _line(line: bytes) -> Any:
    try:
        return load(line)
    except NotJson as error:
        return error
