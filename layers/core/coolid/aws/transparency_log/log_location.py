"""The row that says where the transparency log of the service is: its table, its bucket and its key.

A rollback to a release without a log removes these from the stack, and the next upgrade creates empty ones. A sequencer
that filled them would begin a second history under the name of the first. The same holds for a second region. So the
first sequencer of a service writes this row into the table of records, which all releases and regions have, and no
other begins a log.
"""

from typing import Any, Final

from msgspec import MsgspecError, Struct, json

from coolid.aws.dynamodb.table_reader import TableReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport, translate_errors
from coolid.errors import StoreUnavailable

_KEY: Final = {"pid": {"S": "/log"}, "version": {"N": "1"}}
"""The key of the row. No record begins with a slash, and the streams' filters pass version 0."""


class OtherLog(Exception):
    """The service has a transparency log elsewhere. The message says how to deploy with it."""


class LogLocation(Struct, frozen=True):
    """The names of a `table` and a `bucket`, and the ARN of a KMS `key`."""

    table: str
    bucket: str
    key: str


_LOCATIONS: Final = json.Decoder(LogLocation)


def require_location(client: Any, lui_table: str, location: LogLocation) -> None:
    """Write the row if there is none. Raises `OtherLog` if it names another location, and `StoreUnavailable`."""
    found = _read(client, lui_table)
    if found is None:
        _write(client, lui_table, location)
        found = _read(client, lui_table)
    if found != location:
        raise OtherLog(
            "the transparency log of this service was begun elsewhere; to continue it, deploy with "
            f"LogTableName={found.table} LogBucketName={found.bucket} LogKeyArn={found.key}"
            if found
            else "the row of the transparency log's location disappeared"
        )


def _read(client: Any, lui_table: str) -> LogLocation | None:
    row = TableReader(BotoTransport(client)).row(lui_table, _KEY)
    try:
        return None if row is None else _LOCATIONS.decode(row["body"])
    except (KeyError, MsgspecError) as error:
        raise StoreUnavailable("the store returned a malformed location of the transparency log") from error


def _write(client: Any, lui_table: str, location: LogLocation) -> None:
    """Put the row unless there is one."""
    item = {**_KEY, "status": {"S": "log"}, "revision": {"N": "1"}, "body": {"S": json.encode(location).decode()}}
    with translate_errors():
        try:
            client.put_item(TableName=lui_table, Item=item, ConditionExpression="attribute_not_exists(pid)")
        except client.exceptions.ConditionalCheckFailedException:
            return
