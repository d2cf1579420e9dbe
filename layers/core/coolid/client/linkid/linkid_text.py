"""Recognition of LinkIDs in what a user or program wants to resolve.

Specification: draft-linkgenetic-linkid-uri-01, sections 3 and 9.2.

>>> read_linkid("LinkID:00C538EA-846B-47A6-A3D4-70A9EBD29D7C")
'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
>>> read_linkid("doi:10.1000/182") is None
True
>>> read_linkid("LinkId: 4711")
Traceback (most recent call last):
...
coolid.errors.InvalidIdentifier: after linkid: there must be a UUID of 32 hexadecimal digits as 8-4-4-4-12, ...
"""

from typing import Final

from coolid.identifiers.schemes import linkid as scheme

_OPENING: Final = " \t\r\n\v\f\xa0<>()[]{}\"'`"


def read_linkid(text: str) -> str | None:
    """Return the canonical LinkID, or None for a text without the label `linkid:`.

    Nothing is corrected (section 3 of the draft). Raises `InvalidIdentifier` for a text that begins with the label,
    also behind white space, quotation marks or brackets, and is no LinkID.
    """
    if not scheme.has_label(text.lstrip(_OPENING)):
        return None
    return scheme.canonical(text)
