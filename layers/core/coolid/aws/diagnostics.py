"""Diagnostic checks of the tables, the signing key and the clock.

The checks only read or sign, as the function's role permits (`template.yaml`). The rows that they read need not exist.
"""

from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from coolid.aws.dynamodb.reader import DynamoPublicKeyReader
from coolid.aws.dynamodb.table_reader import Key, TableReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport, translate_errors
from coolid.aws.settings import Settings
from coolid.http.management.diagnostics import Diagnostic
from coolid.http.public.health import ABSENT_KEY
from coolid.ports import Clock, Signer
from coolid.proofs.diagnostics import check_clock, check_key_set, check_signing

_NAME: Final = {"name": {"S": ABSENT_KEY}}
_PID: Final = {"pid": {"S": ABSENT_KEY}, "version": {"N": "0"}}
_ID: Final = {"id": {"S": ABSENT_KEY}}


def _store_time(client: Any, prefix_table: str) -> datetime | None:
    """Return the `Date` of a response of the store, or None. Raises `StoreUnavailable`."""
    with translate_errors():
        answer = client.get_item(TableName=prefix_table, Key=_NAME)
    date = answer["ResponseMetadata"]["HTTPHeaders"].get("date", "")
    try:
        return parsedate_to_datetime(date)
    except ValueError:
        return None


def diagnostic_checks(settings: Settings, client: Any, signer: Signer, clock: Clock) -> dict[str, Diagnostic]:
    """Return the checks of a function that writes, by name."""
    reader = TableReader(BotoTransport(client))

    def read(table: str, key: Key) -> str:
        reader.item(table, key)
        return ""

    return {
        "prefixes": lambda: read(settings.prefix_table, _NAME),
        "records": lambda: read(settings.lui_table, _PID),
        "clients": lambda: read(settings.client_table, _ID),
        "counters": lambda: read(settings.counter_table, _ID),
        "requests": lambda: read(settings.request_table, _ID),
        "clock": lambda: check_clock(_store_time(client, settings.prefix_table), clock),
        "signature": lambda: check_signing(signer),
        "key set": lambda: check_key_set(signer, DynamoPublicKeyReader(reader, settings.lui_table)),
    }
