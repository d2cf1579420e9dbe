"""The operations of a command on many records: several at once, each with an outcome, which is printed as it arrives.

A record that the service refuses does not stop the others. If the service cannot be reached, or answers for several
records in a row that it cannot answer now, the command ends: it can be repeated, and leaves out what is done.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import typer
from msgspec import Struct

from coolid.cli.exit_codes import NO
from coolid.cli.output import print_line
from coolid.cli.progress import progress
from coolid.cli.row_output import print_rows
from coolid.client.async_connections import ParallelFlows
from coolid.client.errors import ClientError, InvalidKey, RequestDeclined, ServiceUnavailable
from coolid.client.flows import Flow

REFUSED: Final = "refused"
_FAILED: Final = "failed"
_MAX_UNAVAILABLE: Final = 8
"""The records in a row for which the service is unavailable, after which a command ends."""
_BLOCK_FACTOR: Final = 4


class CustodyOutcome(Struct, frozen=True):
    """What happened to a record, by its LinkID or PID: a word or two, and the reason if it was refused."""

    subject: str
    result: str
    reason: str = ""
    linkid: str | None = None
    sender: str | None = None


class _Ended(Struct, frozen=True):
    """The outcome of a flow: an `outcome`, or the `error` that ends the command."""

    outcome: CustodyOutcome | None = None
    error: ClientError | None = None


class CustodyOutcomes:
    """Carries out flows, at most `parallel` at the same time, and counts their outcomes."""

    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._counts: Counter[str] = Counter()
        self._unavailable = 0

    def of(
        self, flows: Iterator[tuple[str, Flow[CustodyOutcome]]], what: str, total: int | None
    ) -> Iterator[CustodyOutcome]:
        """Yield the outcomes in the order of the flows, each with the name of its record. Raises client errors."""
        with (
            progress(what, total, "records", on_stdout=True) as show,
            ParallelFlows(self._parallel) as running,
        ):
            done = 0
            while block := list(islice(flows, self._parallel * _BLOCK_FACTOR)):
                ended = running.run(self._guarded(subject, flow) for subject, flow in block)
                for outcome in (each.outcome for each in ended if each.outcome is not None):
                    self._counts[outcome.result] += 1
                    done += 1
                    yield outcome
                show(done, done)
                error = next((each.error for each in ended if each.error is not None), None)
                if error is not None:
                    raise error

    def report(self, outcomes: Iterator[CustodyOutcome], *, as_json: bool) -> None:
        """Print the outcomes and a summary. Exits with 1 if a record was refused."""
        try:
            print_rows(("record", "result", "reason"), map(_row, outcomes), as_json=as_json, nothing="records")
        finally:
            if self._counts:
                print_line("coolid: " + ", ".join(f"{count} {result}" for result, count in self._counts.items()))
        if any(self._counts[each] for each in (REFUSED, _FAILED)):
            raise typer.Exit(NO)

    def _guarded(self, subject: str, flow: Flow[CustodyOutcome]) -> Flow[_Ended]:
        """Return the outcome of a flow, also of one that raises a client error."""
        try:
            outcome = yield from flow
        except InvalidKey as error:
            return _Ended(error=error)
        except RequestDeclined as error:
            outcome = CustodyOutcome(subject, REFUSED, str(error))
        except ServiceUnavailable as error:
            self._unavailable += 1
            if self._unavailable >= _MAX_UNAVAILABLE:
                return _Ended(error=error)
            return _Ended(CustodyOutcome(subject, _FAILED, str(error)))
        except ClientError as error:
            return _Ended(error=error)
        self._unavailable = 0
        return _Ended(outcome)


def _row(outcome: CustodyOutcome) -> tuple[dict[str, Any], tuple[str, ...]]:
    document = {"record": outcome.subject, "linkid": outcome.linkid, "result": outcome.result}
    if outcome.reason:
        document["reason"] = outcome.reason
    return document, (outcome.subject, outcome.result, outcome.reason)
