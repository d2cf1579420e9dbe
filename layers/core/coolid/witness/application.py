"""The HTTP interface of a witness (C2SP tlog-witness). Submission prefix and monitoring prefix are the root.

- `POST /add-checkpoint` returns a cosignature.
- `GET /<origin hash>/checkpoint` returns the latest cosigned checkpoint of a log.
- `GET /` returns the verifier key of the witness, for the policies of logs.
"""

import re
from typing import Final

from coolid.errors import StoreUnavailable
from coolid.http.message import Request, Response
from coolid.log.malformed_data import MalformedData
from coolid.log.submissions import ADD_CHECKPOINT, SIZE_TYPE
from coolid.witness.checkpoint_rules import Refused
from coolid.witness.witness import Witness

_CHECKPOINT: Final = re.compile("/([0-9a-f]{64})/checkpoint")
_READS: Final = ("GET", "HEAD")
_SECONDS: Final = 5
"""How long caches may return a checkpoint. Monitors tolerate an hour."""


class WitnessApplication:
    """Answers the requests to a witness."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    def answer(self, request: Request) -> Response:
        """Return the response to a request."""
        found = _CHECKPOINT.fullmatch(request.path)
        methods = ("POST",) if request.path == ADD_CHECKPOINT else _READS
        if not found and request.path not in ("/", ADD_CHECKPOINT):
            return _text(404, "there is no such address")
        if request.method not in methods:
            return _text(405, "the method is not allowed").with_headers(Allow=", ".join(methods))
        try:
            if found:
                return self._checkpoint(found[1])
            return self._cosignature(request.body) if methods == ("POST",) else _text(200, str(self._witness.key))
        except StoreUnavailable as error:
            return _text(503, str(error)).with_headers(Retry_After="1")

    def _checkpoint(self, origin_hash: str) -> Response:
        note = self._witness.checkpoint(origin_hash)
        if note is None:
            return _text(404, "no checkpoint of such a log was cosigned")
        return _text(200, note[:-1]).with_headers(Cache_Control=f"public, max-age={_SECONDS}")

    def _cosignature(self, body: bytes) -> Response:
        try:
            return _text(200, self._witness.add_checkpoint(body)[:-1])
        except MalformedData as error:
            return _text(400, str(error))
        except Refused as refusal:
            if refusal.size is None:
                return _text(refusal.status, str(refusal))
            return _text(refusal.status, str(refusal.size)).with_headers(Content_Type=SIZE_TYPE)


def _text(status: int, line: str) -> Response:
    """Return a response of plain text, to which a newline is added."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}
    return Response(status, headers | {"X-Content-Type-Options": "nosniff"}, f"{line}\n")
