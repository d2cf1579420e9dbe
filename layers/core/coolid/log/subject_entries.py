"""The entries of the log that follow from states of records, repositories, prefixes and keys.

All feeds of the log (streams, triggers, the sweep) use these functions. So an entry has one name, whoever adds it.

>>> from coolid.model.repositories import Repository
>>> from datetime import UTC, datetime
>>> from coolid.identifiers.rules.catalog import rules_of
>>> when = datetime(2025, 7, 10, tzinfo=UTC)
>>> repository = Repository("r4k2-9m3x-62", "Maps", when, when, rules_of("lui", {}), revision=3)
>>> entry = repository_entry(repository, 0)
>>> entry.name, "Maps" in entry.statement
('repository/r4k2-9m3x-62#3', False)
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import json
from msgspec.structs import replace

from coolid.log.entries import change_name, change_statement, name_of_version
from coolid.model.clients import Client
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import RESERVED, Record, format_time
from coolid.model.repositories import Repository
from coolid.proofs.canonical_json import canonical
from coolid.store.log import WaitingEntry
from coolid.store.rows import prefix_body, prefix_kind, repository_body, side_attributes

_SYNONYM: Final = "synonym"


def version_entry(record: Record, since: int) -> WaitingEntry | None:
    """Return the entry of a version, or None if the version is not public, has no proof or is of another service.

    A reserved version never becomes public: the record is published by its next version. The versions before a transfer
    of custody are in the log of the service that signed them.
    """
    if record.status == RESERVED or not record.proof or record.stated_repository is not None:
        return None
    return WaitingEntry(name_of_version(record), since, leaf=record.proof)


def repository_entry(repository: Repository, since: int) -> WaitingEntry:
    """Return the entry of a revision of a repository."""
    state = {**json.decode(repository_body(repository)), **_side_members(repository)}
    return _change(("repository", repository.id, repository.revision), state, since, revision=repository.revision)


def prefix_entries(prefix: Namespace | ProviderPrefix, since: int) -> list[WaitingEntry]:
    """Return the entries of a revision of a prefix: its own, and one for each synonym that it has then.

    So a synonym that moves to another prefix and back has entries for both moves, and one that is removed has none.
    """
    state = {"name": prefix.name, **json.decode(prefix_body(prefix)), **_side_members(prefix)}
    target = prefix.repository.id if isinstance(prefix, Namespace) else None
    public = {"kind": prefix_kind(prefix), "target": target, "revision": prefix.revision}
    entry = _change(("prefix", prefix.name, prefix.revision), state, since, **public)
    if isinstance(prefix, Namespace):
        return [entry]
    return [entry, *(_synonym_entry(synonym, prefix, since) for synonym in prefix.synonyms)]


def public_key_entry(key: Mapping[str, Any], since: int) -> WaitingEntry:
    """Return the entry of a public key of proofs. The whole key is public, so that the log suffices to verify it."""
    return _change(("public_key", key["kid"], 1), key, since, jwk=dict(key))


def client_entries(client: Client, since: int) -> list[WaitingEntry]:
    """Return the entries of an API key: of its creation, and of its revocation if it was revoked."""
    states = [replace(client, revoked=None), *([client] if client.revoked else [])]
    return [
        _change(("key", client.id, revision), _client_state(state), since, revision=revision)
        for revision, state in enumerate(states, 1)
    ]


def _client_state(client: Client) -> dict[str, Any]:
    """Return what the digest covers: neither the note nor the digest of the secret."""
    return {
        "id": client.id,
        "scopes": sorted(client.scopes),
        "created": format_time(client.created),
        "revoked": format_time(client.revoked) if client.revoked else None,
    }


def _synonym_entry(synonym: str, prefix: ProviderPrefix, since: int) -> WaitingEntry:
    state = {"name": synonym, "kind": _SYNONYM, "target": prefix.name}
    public = {"kind": _SYNONYM, "target": prefix.name, "revision": prefix.revision}
    entry = _change(("prefix", synonym, prefix.revision), state, since, **public)
    return replace(entry, name=change_name(_SYNONYM, f"{synonym}#{prefix.name}", prefix.revision))


def _change(change: tuple[str, str, int], state: Mapping[str, Any], since: int, **public: Any) -> WaitingEntry:
    """Return the entry of a change, given its subject, the name of that and its revision."""
    subject, name, _ = change
    statement = change_statement(subject, name, state, **public)
    return WaitingEntry(change_name(*change), since, statement=canonical(statement).decode())


def _side_members(prefix: Repository | Namespace | ProviderPrefix) -> dict[str, Any]:
    return {name: json.decode(text) for name, text in side_attributes(prefix).items()}
