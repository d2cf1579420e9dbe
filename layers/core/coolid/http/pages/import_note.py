"""The claims of another service about an imported record, which its page shows in a sentence.

An import stores them in the metadata (`coolid.migration.history_drafts`). Members of other forms are shown as metadata.

>>> note = import_note({"imported": {"source": "EZID", "identifier": "ark:/99999/fk4x"}})
>>> note["source"].text, note["identifier"].text, note["created"]
('EZID', 'ark:/99999/fk4x', '')
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.pages.metadata_view import brief

IMPORTED: Final = "imported"
"""The member of the metadata with the claims."""
TARGETS: Final = "targets"
"""The claim with the source's spellings of targets that were encoded."""
_MEMBERS: Final = frozenset({"source", "identifier", "created", "updated", TARGETS})
_MAX_LENGTH: Final = 300
_MAX_TARGETS: Final = 10


class ImportClaim(Struct, frozen=True):
    """A claim as shown, and its JSON pointer in the record if it is whole."""

    text: str
    pointer: str


def import_note(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the claims, or None if the metadata has none; times are texts, empty if they are absent."""
    claims = metadata.get(IMPORTED)
    if not isinstance(claims, Mapping) or not {"source", "identifier"} <= claims.keys() <= _MEMBERS:
        return None
    targets = claims.get(TARGETS, [])
    values = [value for name, value in claims.items() if name != TARGETS]
    if not isinstance(targets, list) or not all(isinstance(value, str) and value.strip() for value in values + targets):
        return None
    shown: dict[str, Any] = {name: _claim(name, claims[name]) for name in ("source", "identifier")}
    shown[TARGETS] = [_claim(f"{TARGETS}/{at}", target) for at, target in enumerate(targets[:_MAX_TARGETS])]
    return shown | {name: claims.get(name, "")[:_MAX_LENGTH] for name in ("created", "updated")}


def _claim(path: str, value: str) -> ImportClaim:
    text = brief(value, _MAX_LENGTH)
    return ImportClaim(text, f"/metadata/{IMPORTED}/{path}" if text == value else "")
