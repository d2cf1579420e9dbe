"""Diagnostic checks of the tables, the signing key and the clock.

The checks only read or sign, as the function's role permits (`template.yaml`). The rows that they read need not exist.
"""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport, translate_errors
from coolid.aws.settings import Settings
from coolid.http.management.diagnostics import Diagnostic
from coolid.http.public.health import ABSENT_KEY
from coolid.ports import Clock, Signer
from coolid.proofs.diagnostics import check_clock, check_key_set, check_signing

_NAME: Final = {"name": {"S": ABSENT_KEY}}
_PID: Final = {"pid": {"S": ABSENT_KEY}, "version": {"N": "0"}}
_ID: Final = {"id": {"S": ABSENT_KEY}}


class DiagnosticReader(DynamoReader):
    """Reads rows with a low-level boto3 client, without a cache."""

    def __init__(self, client: Any, prefix_table: str, lui_table: str) -> None:
        super().__init__(BotoTransport(client), prefix_table, lui_table)
        self._client = client

    def read(self, table: str, key: Mapping[str, Any]) -> str:
        """Read a row and return an empty comment. Raises `StoreUnavailable`."""
        self.item(table, key)
        return ""

    def time(self) -> datetime | None:
        """Return the `Date` of a response of the store, or None. Raises `StoreUnavailable`."""
        with translate_errors():
            answer = self._client.get_item(TableName=self._prefix_table, Key=_NAME)
        date = answer["ResponseMetadata"]["HTTPHeaders"].get("date", "")
        try:
            return parsedate_to_datetime(date)
        except ValueError:
            return None


def diagnostic_checks(settings: Settings, client: Any, signer: Signer, clock: Clock) -> dict[str, Diagnostic]:
    """Return the checks of a function that writes, by name."""
    reader = DiagnosticReader(client, settings.prefix_table, settings.lui_table)
    return {
        "prefixes": lambda: reader.read(settings.prefix_table, _NAME),
        "records": lambda: reader.read(settings.lui_table, _PID),
        "clients": lambda: reader.read(settings.client_table, _ID),
        "counters": lambda: reader.read(settings.counter_table, _ID),
        "requests": lambda: reader.read(settings.request_table, _ID),
        "clock": lambda: check_clock(reader.time(), clock),
        "signature": lambda: check_signing(signer),
        "key set": lambda: check_key_set(signer, reader),
    }
