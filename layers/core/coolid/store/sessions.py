"""The port of sessions, and the ids of their rows, which are beside the idempotency records: both expire."""

from typing import Final, Protocol

from coolid.model.sessions import Session

_PREFIX: Final = "session:"
"""No idempotency record has an id that begins so."""


class SessionStore(Protocol):
    """The sessions of clients, by the digests of their secrets."""

    def session(self, digest: str) -> Session | None:
        """Return the session, or None (consistent); an expired one until it is removed."""

    def create_session(self, session: Session) -> None:
        """Write a new session."""

    def delete_session(self, digest: str) -> None:
        """Delete a session, if it exists."""


def session_id(digest: str) -> str:
    """Return the id of a session's row."""
    return _PREFIX + digest
