"""Writing with pynamodb: conditions and transactions, and what their failures mean.

What a failed condition stands for is said by whoever writes; every other failure is `StoreUnavailable`, but for a
request that we built wrongly, which stays an error of ours.

The client sends a write again if its answer is lost. If the first attempt was carried out, the condition of the second
fails because of it. Each write therefore has a random token, which is stored with the row (`write_token`). After a
failed condition the row is read back, consistently: if it has the token, the write has succeeded. botocore gives each
transaction a `ClientRequestToken` as well, by which DynamoDB recognises a repeated transaction for ten minutes ("Amazon
DynamoDB API Reference", TransactWriteItems). The stored token has no time limit. It also covers single writes, and
stores without `ClientRequestToken`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from pynamodb.exceptions import PynamoDBException, TransactWriteError
from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.lists import DynamoLists
from coolid.aws.dynamodb.tables import Tables
from coolid.aws.dynamodb_client.transport import VALIDATION_EXCEPTION, Transport
from coolid.aws.entropy import SystemEntropy
from coolid.errors import StoreUnavailable
from coolid.ports import Entropy

CONDITION_FAILED: Final = "ConditionalCheckFailed"
_REFUSED: Final = (CONDITION_FAILED, "TransactionConflict")
_UNFIT: Final = "ValidationError"
_CONDITION_FAILED: Final = "ConditionalCheckFailedException"
_TRANSACTION_CANCELLED: Final = "TransactionCanceledException"
_TOKEN_BYTES: Final = 16

Reasons = Sequence[str | None]
"""Why each part of a transaction was refused, in their order; None for one that was not."""


class DynamoWriter(DynamoLists):
    """What the writing parts of the store share: `tables`, and `entropy` for tokens, beside the asker."""

    def __init__(self, asker: Transport, tables: Tables, entropy: Entropy | None = None) -> None:
        super().__init__(asker, tables.prefix.Meta.table_name, tables.lui.Meta.table_name)
        self._tables = tables
        self._entropy = entropy or SystemEntropy()

    def _new_token(self) -> str:
        """A token for one write: 128 random bits in hexadecimal."""
        return self._entropy.token(_TOKEN_BYTES).hex()

    @contextmanager
    def _transaction(self, refusal: Callable[[Reasons], Exception]) -> Iterator[TransactWrite]:
        """A transaction; `refusal` says what it means that conditions failed, or others were at the same rows."""
        try:
            with TransactWrite(connection=self._tables.connection) as transaction:
                yield transaction
        except TransactWriteError as error:
            if _code_of(error) != _TRANSACTION_CANCELLED:
                raise _unavailable(error) from error
            reasons = [reason.code if reason else None for reason in error.cancellation_reasons]
            if _UNFIT in reasons:
                raise  # a request that we built wrongly
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
    """Whether a part of a transaction stood against it: its condition failed, or somebody else was at its row."""
    return reason in _REFUSED


@contextmanager
def translated(refused: Exception | None) -> Iterator[None]:
    """Turn what pynamodb raises into `refused` where the condition failed, else into `StoreUnavailable`."""
    try:
        yield
    except PynamoDBException as error:
        if refused is not None and _code_of(error) == _CONDITION_FAILED:
            raise refused from error
        raise _unavailable(error) from error
    except KeyError as error:  # botocore takes a body that broke off for an empty one, in which pynamodb finds nothing
        raise StoreUnavailable("the store's answer broke off") from error


def _code_of(error: PynamoDBException) -> str | None:
    """DynamoDB's name for the failure; pynamodb's own property fails where there was no answer at all."""
    return getattr(error, "cause_response_code", None)


def _unavailable(error: PynamoDBException) -> Exception:
    """What a failure means; a request that we built wrongly stays an error of ours."""
    code = _code_of(error)
    if code == VALIDATION_EXCEPTION:
        return error
    return StoreUnavailable(f"the store refused: {code}" if code else "the store did not answer")
