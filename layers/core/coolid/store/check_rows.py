"""Conversions between the rows of check states, check cursors and webhooks and the values of the domain.

All three are in one table, below their owner. `name` is the name of a check state, `CURSOR` or `WEBHOOK`.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import MsgspecError, Struct, json

from coolid.model.check_state import AilingScan, CheckCursor, CheckState, CheckSubject
from coolid.model.conditions import STATES
from coolid.model.webhooks import Webhook

RETENTION_SECONDS: Final = 180 * 86_400
"""The time after its last check for which a check state is stored. Cursors and webhooks never expire."""
CURSOR: Final = "/round"
WEBHOOK: Final = "/webhook"
INDEX: Final = "/index"
"""The names of a repository's cursor, webhook and state of its index by time of change.

The names of check states contain a `#`.
"""
PLANNER: Final = "/planner"
"""The owner of the progress of reading failing targets, whose name is `CURSOR`, too."""
REQUESTS: Final = "/requests"
"""The owner of the requested check batches."""
_CHECK_STATE: Final = json.Decoder(CheckState)
_CURSOR: Final = json.Decoder(CheckCursor)
_SCAN: Final = json.Decoder(AilingScan)
_WEBHOOK: Final = json.Decoder(Webhook)


def check_state_row(subject: CheckSubject, check_state: CheckState) -> dict[str, Any]:
    """Return the row of a check state. `ailing` repeats the owner if the state is ailing."""
    return {
        "owner": subject.owner,
        "name": subject.name,
        "ailing": subject.owner if check_state.is_ailing() else None,
        "expires": round(check_state.checked.timestamp()) + RETENTION_SECONDS,
        "body": json_text(check_state),
    }


def check_states_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[CheckSubject, CheckState]]:
    """Decode check states. Skip those that a later release wrote and this one cannot read."""
    for row in rows:
        with suppress(MsgspecError):
            check_state = _CHECK_STATE.decode(row["body"])
            if check_state.state in STATES:
                yield CheckSubject(row["owner"], row["name"]), check_state


def cursor_of(body: str | None) -> CheckCursor | None:
    """Return the cursor of a body. None without a body, and for a body that this release cannot read."""
    with suppress(MsgspecError):
        return None if body is None else _CURSOR.decode(body)
    return None


def scan_of(body: str | None) -> AilingScan | None:
    """Return the progress of a body. None without a body, and for a body that this release cannot read."""
    with suppress(MsgspecError):
        return None if body is None else _SCAN.decode(body)
    return None


def webhook_of(body: str | None) -> Webhook | None:
    """Return the webhook of a body, or None without a body."""
    return None if body is None else _WEBHOOK.decode(body)


def json_text(value: Struct) -> str:
    """Return the body of a cursor or webhook."""
    return json.encode(value).decode()
