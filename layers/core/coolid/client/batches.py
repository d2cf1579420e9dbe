"""Batches of rows to mint: split at the service's limits, sent again safely, and read in the order of the rows.

Each batch has an Idempotency-Key, which makes every line of it repeatable: a line that was minted returns the same
record again. So a batch is always repeated as a whole, after a lost response and for lines that were not tried.

>>> splitter = BatchSplitter("import", max_lines=2)
>>> [splitter.add({"prefix": "demo"}) is None for _ in range(3)]
[True, True, False]
>>> len(splitter.rest().lines), splitter.rest() is None
(1, True)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from coolid.client.documents import Record, read_record
from coolid.client.errors import (
    BadAnswer,
    ClientError,
    PayloadTooLarge,
    RefusedByClient,
    ServiceUnavailable,
    error_of,
    pointers_of,
)
from coolid.client.flows import Delay, Flow
from coolid.client.http_request import HttpAnswer
from coolid.client.record_operations import new_idempotency_key
from coolid.client.service_api import ServiceApi, body_of
from coolid.strict_json import MAX_BYTES, NotJson, load

MAX_LINES: Final = 1000
BATCH_SECONDS: Final = 60.0
"""The least time limit of a batch, and the least limit of a delay between two tries: quotas last a minute."""

_NDJSON: Final = "application/x-ndjson"
_AGAIN: Final = frozenset({"request-under-way", "contended"})
"""Conflicts that pass by themselves."""


@dataclass(frozen=True, slots=True)
class MintResult:
    """The result of a row, whose number from 0 is `index`: a `record`, or an `error`.

    `warnings` are pairs of a JSON pointer into the record and a suspicious property of that target.
    """

    index: int
    row: Mapping[str, object]
    record: Record | None = None
    error: ClientError | None = None
    warnings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MintLine:
    """A row as a line of JSON, or the error for which it cannot be sent."""

    row: Mapping[str, object]
    body: bytes = field(default=b"", repr=False)
    error: ClientError | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows from the number `start` on, with the idempotency key of their request."""

    start: int
    idempotency_key: str
    lines: tuple[MintLine, ...]


class BatchSplitter:
    """Collects rows until a batch is full. Only one batch is held in memory."""

    def __init__(self, idempotency_key: str | None = None, max_lines: int = MAX_LINES) -> None:
        """Begin the key of each batch with an idempotency key, by default a random one."""
        if not 1 <= max_lines <= MAX_LINES:
            raise ValueError(f"a batch has 1 to {MAX_LINES} lines, not {max_lines}")
        self._key = idempotency_key or new_idempotency_key()
        self._max_lines = max_lines
        self._start = 0
        self._size = 0
        self._lines: list[MintLine] = []

    def add(self, row: Mapping[str, object]) -> Batch | None:
        """Add a row. Return the batch that was full before it, if any."""
        line = _line(row)
        is_full = len(self._lines) == self._max_lines or self._size + len(line.body) > MAX_BYTES
        batch = self.rest() if is_full else None
        self._lines.append(line)
        self._size += len(line.body)
        return batch

    def rest(self) -> Batch | None:
        """Return the batch of the rows since the last one, or None if there are none."""
        if not self._lines:
            return None
        batch = Batch(self._start, f"{self._key}/{self._start}", tuple(self._lines))
        self._start += len(self._lines)
        self._lines, self._size = [], 0
        return batch


def mint_batch(api: ServiceApi, batch: Batch) -> Flow[tuple[MintResult, ...]]:
    """Return a result for each row of a batch.

    Lines that the service did not try, or refused for the moment, are tried again as long as others succeed meanwhile,
    and a few times more. Raises the errors of the request as a whole.
    """
    sent = [line for line in batch.lines if line.error is None]
    outcomes: list[_Outcome] = []
    failures = 0
    while sent:
        pending = sum(each.is_temporary for each in outcomes)
        outcomes = _outcomes((yield from _post(api, batch.idempotency_key, sent)), len(sent))
        left = [each for each in outcomes if each.is_temporary]
        failures = 0 if pending and len(left) < pending else failures + 1
        delay = max([api.policy.backoff(failures), *(each.retry_after for each in left)])
        if not left or failures >= api.policy.max_tries or delay > max(api.policy.max_wait, BATCH_SECONDS):
            break
        yield Delay(delay)
    received = iter(outcomes)
    return tuple(_result(batch.start + at, line, received) for at, line in enumerate(batch.lines))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of a line: a record with warnings, or an error."""

    record: Record | None = None
    error: ClientError | None = None
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def is_temporary(self) -> bool:
        return isinstance(self.error, ServiceUnavailable) or getattr(self.error, "kind", None) in _AGAIN

    @property
    def retry_after(self) -> float:
        return self.error.retry_after if isinstance(self.error, ServiceUnavailable) else 0.0


def _line(row: Mapping[str, object]) -> MintLine:
    try:
        body = body_of(row) + b"\n"
    except RefusedByClient as error:
        return MintLine(row, error=error)
    if len(body) > MAX_BYTES:
        problem = {"detail": f"The row has {len(body)} bytes, more than the {MAX_BYTES} that are sent"}
        return MintLine(row, error=PayloadTooLarge(413, problem))
    return MintLine(row, body)


def _post(api: ServiceApi, idempotency_key: str, lines: list[MintLine]) -> Flow[HttpAnswer]:
    headers = {"Idempotency-Key": idempotency_key, "Content-Type": _NDJSON, "Accept": f"{_NDJSON}, application/json"}
    body = b"".join(line.body for line in lines)
    return api.call_raw("POST", "records/batch", body, headers, seconds=BATCH_SECONDS)


def _outcomes(answer: HttpAnswer, count: int) -> list[_Outcome]:
    """Return the outcomes in an answer. Raises `BadAnswer` unless there is one for each line."""
    lines = [line for line in answer.body.splitlines() if line.strip()]
    if answer.media_type != _NDJSON or len(lines) != count:
        raise BadAnswer(f"it answers with {len(lines)} results to a batch of {count} lines")
    return [_outcome(line) for line in lines]


def _outcome(line: bytes) -> _Outcome:
    try:
        document: Any = load(line)
    except NotJson as error:
        raise BadAnswer(f"a line of its body is not valid JSON: {error}") from None
    status = document.get("status") if isinstance(document, dict) else None
    if status == 201:
        return _Outcome(read_record(document.get("record")), None, pointers_of(document.get("warnings")))
    problem = document.get("problem") if isinstance(document, dict) else None
    if not isinstance(status, int) or not isinstance(problem, dict):
        raise BadAnswer("a line of its body is not a result")
    seconds = document.get("retryAfter", 0)
    return _Outcome(error=error_of(status, problem, retry_after=float(seconds) if isinstance(seconds, int) else 0.0))


def _result(index: int, line: MintLine, outcomes: Any) -> MintResult:
    if line.error is not None:
        return MintResult(index, line.row, error=line.error)
    outcome: _Outcome = next(outcomes)
    return MintResult(index, line.row, outcome.record, outcome.error, outcome.warnings)
