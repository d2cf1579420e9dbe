"""LinkID: 32 to 64 URL-safe characters after the label `lid:`.

Specification: "The LinkID (lid) URI Scheme", draft-linkgenetic-lid-uri-00, "URI Scheme Definition": `A-Za-z0-9._~-`,
typically a UUID without hyphens or a SHA-256 digest in hexadecimal, then optional `?parameters` that select a form of
the thing and are not part of the identifier. The draft does not define case, so it is preserved.

>>> validate("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=en")
'b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14'
>>> parse("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=en")
Lid(id='b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14', parameters='format=pdf&lang=en', form='uuid')
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

NAME: Final = "lid"
"""The prefix that a service registers to answer for LinkIDs."""
LABEL: Final = f"{NAME}:"
MIN_LENGTH: Final = 32
MAX_LENGTH: Final = 64

UUID: Final = "uuid"
DIGEST: Final = "sha256"
OPAQUE: Final = "opaque"

_OPENING: Final = spelling.compile_opening(LABEL, r"https?://[!-.0-~]+/resolve/(?:lid:)?")
_FOREIGN: Final = re.compile("[^0-9A-Za-z._~-]")
_UUID: Final = re.compile("[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}", re.IGNORECASE | re.ASCII)
_DIGEST: Final = re.compile("[0-9a-f]{64}", re.IGNORECASE | re.ASCII)


class Lid(Struct, frozen=True):
    """The parts of a LinkID: `parameters` is the query as written, `form` the form of the identifier."""

    id: str
    parameters: str = ""
    form: str = OPAQUE

    def __str__(self) -> str:
        return f"{LABEL}{self.id}" + (f"?{self.parameters}" if self.parameters else "")


def compact(text: str) -> str:
    """Return the key of a spelling: without label, address and parameters; unchecked."""
    return text[spelling.opening_end(_OPENING, text) :].partition("?")[0]


def validate(text: str) -> str:
    """Return the identifier of a valid LinkID; raise `InvalidCharacter` or `InvalidIdentifier`."""
    key = compact(text)
    if _FOREIGN.search(key):
        spelling.check_symbols(text, spelling.opening_end(_OPENING, text), _FOREIGN, "A-Z, a-z, 0-9 and . _ ~ -")
    if not MIN_LENGTH <= len(key) <= MAX_LENGTH:
        raise InvalidIdentifier(text, f"it has {len(key)} characters; a LinkID has {MIN_LENGTH} to {MAX_LENGTH}")
    return key


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: with its label, without parameters."""
    return LABEL + compact(text)


def parse(text: str) -> Lid:
    """Return the parts of a valid LinkID; raises the errors of `validate`; the parameters must be visible ASCII."""
    key = validate(text)
    parameters = text[spelling.opening_end(_OPENING, text) + len(key) + 1 :]
    spelling.check_visible(text, len(text) - len(parameters))
    return Lid(key, parameters, form_of(key))


def form_of(key: str) -> str:
    """Return the form of a key: `uuid` without hyphens (RFC 9562 variant, versions 1 to 8), `sha256`, or `opaque`."""
    if _UUID.fullmatch(key):
        return UUID
    return DIGEST if _DIGEST.fullmatch(key) else OPAQUE
