"""The ports of checks: check states, conditions beside prefixes and records, check cursors, requests and webhooks."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from coolid.model.check_state import AilingScan, CheckCursor, CheckState, CheckSubject
from coolid.model.conditions import Health
from coolid.model.webhooks import Webhook


class CheckStateStore(Protocol):
    """The check states. States that a later release wrote in another form are skipped."""

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        """Return the stored states of at most 100 subjects (consistent)."""

    def put_check_state(self, subject: CheckSubject, check_state: CheckState) -> None:
        """Store a state, replacing the previous one."""

    def delete_check_state(self, subject: CheckSubject) -> None:
        """Delete a subject's state, if there is one."""

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        """Return at most `limit` ailing states of an owner, by name after `after`, and the name to continue after."""


class ConditionStore(Protocol):
    """The conditions beside prefixes and records. A change of the addresses removes them."""

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        """Store conditions, as many as fit, beside a provider prefix; return False if its revision changed."""

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        """Store conditions, as many as fit, beside a current record; return False if its version changed."""


class CheckCursorStore(Protocol):
    """The progress of checks: a cursor for each repository, and that of reading failing targets."""

    def cursor(self, repository_id: str) -> CheckCursor | None:
        """Return a repository's cursor (consistent), or None; None also for one that a later release wrote."""

    def put_cursor(self, repository_id: str, cursor: CheckCursor) -> None:
        """Replace a repository's cursor."""

    def ailing_scan(self) -> AilingScan | None:
        """Return the progress of reading failing targets (consistent); None without one that this release can read."""

    def put_ailing_scan(self, scan: AilingScan) -> None:
        """Replace the progress of reading failing targets."""


class CheckRequestStore(Protocol):
    """The check batches that clients of one machine requested, for the process that checks addresses."""

    def put_check_request(self, name: str, message: str, expires: int) -> None:
        """Store a message, replacing one of the same name. It may be deleted after `expires` (seconds since 1970)."""

    def take_check_requests(self, limit: int) -> Sequence[str]:
        """Delete at most `limit` messages, and return them in the order of their names."""


class WebhookStore(Protocol):
    """The webhooks, at most one for each repository."""

    def webhook(self, repository_id: str) -> Webhook | None:
        """Return a repository's webhook (consistent), or None."""

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        """Create or replace a repository's webhook."""

    def delete_webhook(self, repository_id: str) -> None:
        """Delete a repository's webhook, if there is one."""
