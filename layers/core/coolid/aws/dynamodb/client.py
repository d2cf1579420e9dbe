"""The client of the stores: reads through a transport, conditional writes and transactions with pynamodb.

The caller supplies the exception for a failed condition. Every other failure becomes `StoreUnavailable`, except that of
an invalid request, which is a programming error and becomes `UnstorableValue`.

The client sends a write again if its response is lost. If the first attempt was carried out, the condition of the
second fails because of it. Each write therefore has a random token, which is stored with the row (`write_token`). After
a failed condition the row is read back, consistently: if it has the token, the write has succeeded. botocore gives each
transaction a `ClientRequestToken` as well, by which DynamoDB recognises a repeated transaction for ten minutes ("Amazon
DynamoDB API Reference", TransactWriteItems). The stored token has no time limit. It also covers single writes, and
stores without `ClientRequestToken`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from pynamodb.exceptions import PynamoDBException, TransactWriteError
from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.table_reader import TableReader
from coolid.aws.dynamodb.tables import Tables
from coolid.aws.dynamodb_client.transport import VALIDATION_EXCEPTION, Transport
from coolid.aws.entropy import SystemEntropy
from coolid.errors import StoreUnavailable, UnstorableValue
from coolid.ports import Entropy

CONDITION_FAILED: Final = "ConditionalCheckFailed"
_REFUSED: Final = (CONDITION_FAILED, "TransactionConflict")
_INVALID_REQUEST: Final = "ValidationError"
_CONDITION_FAILED: Final = "ConditionalCheckFailedException"
_TRANSACTION_CANCELLED: Final = "TransactionCanceledException"
_TOKEN_BYTES: Final = 16

Reasons = Sequence[str | None]
"""The cancellation reason of each part of a transaction, in order; None for parts without one."""


class DynamoClient:
    """Reads with `reader`, and writes the rows of `tables`. `entropy` supplies write tokens."""

    def __init__(self, transport: Transport, tables: Tables, entropy: Entropy | None = None) -> None:
        self.reader = TableReader(transport)
        self.tables = tables
        self._entropy = entropy or SystemEntropy()

    def new_token(self) -> str:
        """Return a token for one write: 128 random bits in hexadecimal."""
        return self._entropy.token(_TOKEN_BYTES).hex()

    @contextmanager
    def transaction(self, refusal: Callable[[Reasons], Exception]) -> Iterator[TransactWrite]:
        """Run a transaction. `refusal` returns the exception for failed conditions or conflicts."""
        try:
            with TransactWrite(connection=self.tables.connection) as transaction:
                yield transaction
        except TransactWriteError as error:
            if _code_of(error) != _TRANSACTION_CANCELLED:
                raise _unavailable(error) from error
            reasons = [reason.code if reason else None for reason in error.cancellation_reasons]
            if _INVALID_REQUEST in reasons:
                raise UnstorableValue(error.msg) from error
            if not any(is_refused(reason) for reason in reasons):
                raise StoreUnavailable("the store cancelled the change") from error
            raise refusal(reasons) from error
        except PynamoDBException as error:
            raise _unavailable(error) from error


@contextmanager
def accept_own_write(is_written: Callable[[], bool], *refusals: type[Exception]) -> Iterator[None]:
    """Suppress one of the `refusals` of a write if `is_written` finds the token of that write in the store."""
    try:
        yield
    except refusals:
        if not is_written():
            raise


def is_refused(reason: str | None) -> bool:
    """Return whether a part of a transaction failed: its condition was false, or another write used its row."""
    return reason in _REFUSED


@contextmanager
def translate_errors(refused: Exception | None) -> Iterator[None]:
    """Convert pynamodb's exceptions to `refused` if the condition failed, else to `StoreUnavailable`."""
    try:
        yield
    except PynamoDBException as error:
        if refused is not None and _code_of(error) == _CONDITION_FAILED:
            raise refused from error
        raise _unavailable(error) from error
    except KeyError as error:  # botocore treats a truncated body as an empty one
        raise StoreUnavailable("the store's response is incomplete") from error


def try_write(write: Callable[[], object]) -> bool:
    """Carry out a conditional write. Return False if its condition failed."""
    try:
        with translate_errors(_ConditionFailed()):
            write()
    except _ConditionFailed:
        return False
    return True


class _ConditionFailed(Exception):
    """The condition of a write failed."""


def _code_of(error: PynamoDBException) -> str | None:
    """Return DynamoDB's error code, or None. pynamodb's own property fails if there was no response."""
    return getattr(error, "cause_response_code", None)


def _unavailable(error: PynamoDBException) -> Exception:
    """Return `StoreUnavailable`, or `UnstorableValue` for an invalid request."""
    code = _code_of(error)
    if code == VALIDATION_EXCEPTION:
        return UnstorableValue(error.msg)
    return StoreUnavailable(f"the store refused: {code}" if code else "the store did not answer")
