"""The notices that a repository's webhook receives when its links break, move or recover, and the webhook's URL.

`coolid.health.webhook_signature` has the format of the signature, `coolid.health.webhook_delivery` the sending.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from coolid.identifiers.target_policy import objection
from coolid.model.conditions import Condition
from coolid.model.records import format_time
from coolid.strict_json import dump

MAX_CHANGES: Final = 100
MAX_CHANGES_BYTES: Final = 100_000
"""The changes in one notice; `more` marks that some are left out."""


class LinkChange(Struct, frozen=True):
    """The location `uri` of the record `pid` changed from the state `was` to the condition `now`."""

    pid: str
    uri: str
    was: str
    now: Condition

    def to_document(self) -> dict[str, Any]:
        """Return the change as JSON members, without absent ones."""
        now = self.now
        members = {
            "pid": self.pid,
            "uri": self.uri,
            "state": now.state,
            "was": self.was,
            "since": format_time(now.since),
            "reason": now.reason or None,
            "lastGood": format_time(now.good) if now.good else None,
            "moved": now.moved,
        }
        return {member: value for member, value in members.items() if value is not None}


def url_objection(url: str) -> str | None:
    """Return why a URL cannot be a webhook's, or None. It must be a valid target and https."""
    reason = objection(url)
    if reason is None and not url.lower().startswith("https:"):
        return "it does not begin with https://, and notices are private"
    return reason


def change_event(repository_id: str, changes: Sequence[LinkChange], at: datetime) -> dict[str, Any]:
    """Return the payload of a notice: the changed locations of a repository's records, found `at` that time."""
    documents: list[dict[str, Any]] = []
    remaining_bytes = MAX_CHANGES_BYTES
    for change in changes[:MAX_CHANGES]:
        document = change.to_document()
        remaining_bytes -= len(dump(document).encode())
        if remaining_bytes < 0:
            break
        documents.append(document)
    more = {"more": True} if len(documents) < len(changes) else {}
    return {
        "type": "links.changed",
        "timestamp": format_time(at),
        "data": {"repository": repository_id, "changes": documents, **more},
    }
