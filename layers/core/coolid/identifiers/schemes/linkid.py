"""LinkID, revision 01: a UUID after the label `linkid:`, with hyphens, without anything else.

Specification: "The LinkID URI Scheme and Resolution Model", draft-linkgenetic-linkid-uri-01, section 3 (syntax) and
section 7 (new identifiers are UUIDs of version 4, RFC 9562, section 5.4). Case does not matter; the display form is in
lower case. Nothing is corrected: white space, escapes, braces, queries and suffixes make a text invalid. The key is the
UUID in lower case without hyphens, which is also the key of revision 00 (`lid`) for the same UUID.

>>> validate("LinkID:00C538EA-846B-47A6-A3D4-70A9EBD29D7C")
'00c538ea846b47a6a3d470a9ebd29d7c'
>>> format("00c538ea846b47a6a3d470a9ebd29d7c")
'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
>>> is_valid("LinkId: 4711"), is_valid("00c538ea-846b-47a6-a3d4-70a9ebd29d7c")
(False, False)
"""

import re
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, uuid, validity
from coolid.ports import Entropy

NAME: Final = "linkid"
"""The prefix that a service registers to answer for LinkIDs."""
LABEL: Final = f"{NAME}:"
VERSION: Final = 4
"""The version of new UUIDs."""

_UUID: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def has_label(text: str) -> bool:
    """Return whether a text begins with `linkid:`, in any case; such a text is a LinkID or no identifier at all."""
    return spelling.lower(text[: len(LABEL)]) == LABEL


def compact(text: str) -> str:
    """Return the key of a LinkID or of a UUID with or without hyphens: 32 digits in lower case; unchecked."""
    return uuid.compact(text[len(LABEL) :] if has_label(text) else text)


def validate(text: str) -> str:
    """Return the key of a valid LinkID. Raises `InvalidIdentifier`."""
    if not has_label(text):
        raise InvalidIdentifier(text, "it does not begin with linkid:")
    return validate_uuid(text[len(LABEL) :], text)


def validate_uuid(written: str, text: str | None = None) -> str:
    """Return the key of what follows the label. Raises `InvalidIdentifier` about the whole `text`, if supplied."""
    if not _UUID.fullmatch(written):
        reason = "after linkid: there must be a UUID of 32 hexadecimal digits as 8-4-4-4-12, and nothing else"
        raise InvalidIdentifier(written if text is None else text, reason)
    return uuid.compact(written)


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the canonical form of a LinkID or key: `linkid:` and the UUID in lower case, with hyphens."""
    return LABEL + uuid.format(compact(text))


def canonical(text: str) -> str:
    """Return the canonical form of a valid LinkID. Raises `InvalidIdentifier`."""
    return format(validate(text))


def generate(entropy: Entropy) -> str:
    """Return the key of a new LinkID, a UUID of version 4."""
    return uuid.generate(entropy)
