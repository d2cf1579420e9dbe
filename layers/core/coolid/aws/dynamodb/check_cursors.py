"""Check cursors in DynamoDB, stored in the table of check states."""

from contextlib import suppress
from typing import Final

from msgspec import MsgspecError, json

from coolid.aws.dynamodb.writer import DynamoWriter, translate_errors
from coolid.model.check_state import CheckCursor, repository_owner

NAME: Final = "/round"
"""The range key of a cursor. The names of check states differ, because they contain a `#`."""
_DECODER: Final = json.Decoder(CheckCursor)


class DynamoCheckCursors(DynamoWriter):
    """Implements `coolid.store.checks.CheckCursorStore`."""

    def cursor(self, repository_id: str) -> CheckCursor | None:
        """See `CheckCursorStore`. Takes one GetItem. Returns None also for an unreadable cursor of a later release."""
        key = {"owner": {"S": repository_owner(repository_id)}, "name": {"S": NAME}}
        row = self.item(self._tables.pulse.Meta.table_name, key, consistent=True)
        with suppress(MsgspecError):
            return None if row is None else _DECODER.decode(row["body"])
        return None

    def put_cursor(self, repository_id: str, cursor: CheckCursor) -> None:
        """See `CheckCursorStore`."""
        with translate_errors(None):
            self._tables.pulse(
                owner=repository_owner(repository_id), name=NAME, body=json.encode(cursor).decode()
            ).save()
