"""The records of LinkIDs in a store, read consistently by those who change them."""

from coolid.errors import UnregisteredIdentifier
from coolid.identifiers.schemes import linkid, uuid
from coolid.model.prefixes import Namespace
from coolid.model.records import Record
from coolid.registry.prefix_lookup import prefix_by_name
from coolid.resolution.identifier_spellings import first_record, keys_under
from coolid.store.prefixes import PrefixReader
from coolid.store.records import RecordReader


def linkid_namespace(prefixes: PrefixReader) -> Namespace | None:
    """Return the namespace of LinkIDs, or None if there is none."""
    found = prefix_by_name(linkid.NAME, prefixes, consistent=True)
    return found if isinstance(found, Namespace) else None


def linkid_keys(namespace: Namespace, name: str) -> tuple[str, ...]:
    """Return the keys that a LinkID may have, the preferred one first; none if the repository's rules refuse it."""
    try:
        return keys_under(namespace, uuid.format(linkid.compact(name)))
    except UnregisteredIdentifier:
        return ()


def linkid_record(namespace: Namespace, name: str, records: RecordReader) -> Record | None:
    """Return the current version of a LinkID's record, or None."""
    repository = namespace.repository.id
    return first_record(linkid_keys(namespace, name), lambda key: records.record(repository, key, consistent=True))
