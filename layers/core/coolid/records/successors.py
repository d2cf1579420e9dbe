"""Validation of a tombstone's successor. It happens before the write, because tombstones never change.

A successor is a URL that the target policy allows, or an identifier that resolves here.
"""

from coolid.errors import CoolidError, StoreUnavailable
from coolid.identifiers.target_policy import objection
from coolid.model.prefixes import Namespace
from coolid.model.records import Record
from coolid.recognition.unwrap import unwrap
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference, require_valid_text
from coolid.resolution.identifier_spellings import keys_under
from coolid.store.prefixes import PrefixReader


def successor_objection(text: str, record: Record, prefixes: PrefixReader, base_url: str) -> str | None:
    """Return why the text cannot be the successor of a record, or None if it can."""
    is_url = text.lower().startswith(("http:", "https:"))
    reason = objection(text) if is_url else None
    if reason:
        return reason
    try:
        match = find_prefix(Reference.of(require_valid_text(unwrap(text, base_url).text)), prefixes)
        if not isinstance(match.prefix, Namespace):
            return None if match.identifier or is_url else "it is a prefix, not an identifier"
        if match.prefix.repository.id == record.repository and record.key in keys_under(match.prefix, match.identifier):
            return "it is the identifier itself"
    except StoreUnavailable:
        raise
    except CoolidError as error:
        return None if is_url else f"it is neither a URL nor an identifier that resolves here: {error}"
    return None
