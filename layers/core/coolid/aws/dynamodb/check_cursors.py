"""Rounds in the store: how far each repository's records were gone through, beside the pulses of their targets."""

from contextlib import suppress
from typing import Final

from msgspec import MsgspecError, json

from coolid.aws.dynamodb.writer import DynamoWriter, translated
from coolid.health.schedule import CheckCursor
from coolid.model.check_state import repository_owner

NAME: Final = "/round"
"""Under which it stands among the pulses of a repository, whose names all have a `#`."""
_ROUNDS: Final = json.Decoder(CheckCursor)


class DynamoCheckCursors(DynamoWriter):
    """Implements `coolid.health.schedule.CheckCursorStore`."""

    def cursor(self, repository_id: str) -> CheckCursor | None:
        """As of `CheckCursorStore`: one GetItem. One that cannot be read, as a later release may write, is begun anew."""
        key = {"owner": {"S": repository_owner(repository_id)}, "name": {"S": NAME}}
        row = self.item(self._tables.pulse.Meta.table_name, key, consistent=True)
        with suppress(MsgspecError):
            return None if row is None else _ROUNDS.decode(row["body"])
        return None

    def put_cursor(self, repository_id: str, kept: CheckCursor) -> None:
        """As of `CheckCursorStore`."""
        with translated(None):
            self._tables.pulse(owner=repository_owner(repository_id), name=NAME, body=json.encode(kept).decode()).save()
