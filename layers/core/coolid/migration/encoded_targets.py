"""Targets with characters that browsers encode, such as spaces, encoded as browsers do.

The target policy refuses these characters, because an accepted target is stored and sent byte for byte. Old services
have such targets nevertheless. Source: WHATWG URL Standard, section "Percent-encoded bytes".

>>> encoded_target("https://x.example/a b/café?q=ü")
'https://x.example/a%20b/caf%C3%A9?q=%C3%BC'
>>> encoded_target("https://x.example/a"), encoded_target("https://é.example/"), encoded_target("javascript:a b")
(None, None, None)
"""

import re
from typing import Final

import can_ada
from msgspec.structs import replace

from coolid.identifiers.target_policy import MAX_BYTES, objection
from coolid.migration.source_identifiers import Entry, SourceIdentifier, SourceVersion
from coolid.model.records import Location

_PARTS: Final = re.compile(r"(https?://[^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.IGNORECASE | re.DOTALL)
_ENCODED: Final = tuple(re.compile(rf"[^\x21-\x7e]|[{each}]") for each in ('"<>`{}', "\"'<>", '"<>`'))
"""The percent-encode sets of a path, of the query of an HTTP URL, and of a fragment."""


def encoded_target(uri: str) -> str | None:
    """Return a target that the policy refuses, with path, query and fragment percent-encoded as a browser does it.

    Return None for a target that the policy admits, and if the encoded one would be refused or another URL.
    """
    parts = _PARTS.fullmatch(uri) if len(uri) <= MAX_BYTES else None
    if parts is None or objection(uri) is None:
        return None
    origin, *others = parts.groups("")
    try:
        encoded = origin + "".join(each.sub(_escape, part) for each, part in zip(_ENCODED, others, strict=True))
        if objection(encoded) is None and can_ada.parse(encoded).href == can_ada.parse(uri).href:
            return encoded
    except ValueError:  # no URL, or half of a surrogate pair
        pass
    return None


def entry_with_encoded_targets(entry: Entry) -> Entry:
    """Return an entry whose targets are encoded, those of all versions."""
    if not isinstance(entry, SourceIdentifier):
        return entry
    return replace(entry, versions=tuple(map(version_with_encoded_targets, entry.versions)))


def version_with_encoded_targets(version: SourceVersion) -> SourceVersion:
    """Return a version whose targets are encoded, where that makes the policy admit them."""
    return replace(version, locations=tuple(map(_encoded_location, version.locations)))


def _encoded_location(location: Location) -> Location:
    encoded = encoded_target(location.uri)
    return location if encoded is None else replace(location, uri=encoded)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
