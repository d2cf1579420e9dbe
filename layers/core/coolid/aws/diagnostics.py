"""Examining what functions stand on: each table is asked for a row, the key for a signature, the store for the time.

Only questions, each of which the function's role allows (`template.yaml`). The rows that are asked for need not exist.
"""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport, translated
from coolid.aws.settings import Settings
from coolid.http.management.diagnostics import Trial
from coolid.http.public.health import NOBODY
from coolid.ports import Clock, Signer
from coolid.proofs.diagnostics import try_clock, try_key_set, try_signing

_NAME: Final = {"name": {"S": NOBODY}}
_PID: Final = {"pid": {"S": NOBODY}, "version": {"N": "0"}}
_ID: Final = {"id": {"S": NOBODY}}


class DiagnosticReader(DynamoReader):
    """Asks tables for rows, by a low-level boto3 client; nothing is remembered between."""

    def __init__(self, client: Any, prefix_table: str, lui_table: str) -> None:
        super().__init__(BotoTransport(client), prefix_table, lui_table)
        self._client = client

    def read(self, table: str, key: Mapping[str, Any]) -> str:
        """Ask a table for a row; `StoreUnavailable`."""
        self.item(table, key)
        return ""

    def time(self) -> datetime | None:
        """The time that the store gives with its answers; None if it gives none. Raises `StoreUnavailable`."""
        with translated():
            answer = self._client.get_item(TableName=self._prefix_table, Key=_NAME)
        told = answer["ResponseMetadata"]["HTTPHeaders"].get("date", "")
        try:
            return parsedate_to_datetime(told)
        except ValueError:
            return None


def diagnostic_checks(settings: Settings, client: Any, signer: Signer, clock: Clock) -> dict[str, Trial]:
    """The trials of a function that writes, by the names of what they try."""
    examiner = DiagnosticReader(client, settings.prefix_table, settings.lui_table)
    return {
        "prefixes": lambda: examiner.read(settings.prefix_table, _NAME),
        "records": lambda: examiner.read(settings.lui_table, _PID),
        "clients": lambda: examiner.read(settings.client_table, _ID),
        "counters": lambda: examiner.read(settings.counter_table, _ID),
        "requests": lambda: examiner.read(settings.request_table, _ID),
        "clock": lambda: try_clock(examiner.time(), clock),
        "signature": lambda: try_signing(signer),
        "key set": lambda: try_key_set(signer, examiner),
    }
