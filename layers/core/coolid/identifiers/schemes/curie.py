"""CURIE: a compact URI, `prefix:reference`, whose prefix a registry defines.

Specification: CURIE Syntax 1.0, sections 3 (prefix and reference) and 6 (safe CURIEs, in square brackets); the seed
"Cool LUIs Don't Change". As in identifiers.org and the Bioregistry a prefix may begin with a digit, and its case does
not matter: the key has it in lower case and the reference as it is.

>>> validate("UniProt:A0A022YWF9")
'uniprot:A0A022YWF9'
>>> parse("[go:0006915]")
Curie(prefix='go', reference='0006915')
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

_PREFIX_FOREIGN: Final = re.compile("[^0-9A-Za-z._-]")


class Curie(Struct, frozen=True):
    """The parts of a CURIE; the prefix in lower case."""

    prefix: str
    reference: str

    def __str__(self) -> str:
        return f"{self.prefix}:{self.reference}"


def compact(text: str) -> str:
    """Return the key of a spelling: without brackets, prefix in lower case; unchecked."""
    prefix, colon, reference = text[_start(text) : _stop(text)].partition(":")
    return spelling.lower(prefix) + colon + reference


def validate(text: str) -> str:
    """Return the key of a well-formed CURIE; raise `InvalidCharacter` or `InvalidIdentifier`."""
    start = _start(text)
    prefix, colon, reference = text[start : _stop(text)].partition(":")
    if not colon:
        raise InvalidIdentifier(text, "it has no colon between a prefix and a reference")
    if not prefix or prefix[0] in ".-":
        raise InvalidIdentifier(text, "it has no prefix that begins with a letter, a digit or _")
    foreign = _PREFIX_FOREIGN.search(prefix)
    if foreign:
        raise InvalidCharacter(text, start + foreign.start(), "A-Z, a-z, 0-9 and . _ - (prefix)")
    if reference.startswith("//"):
        raise InvalidIdentifier(text, "it is a URL; a CURIE has no // behind the colon")
    if not reference:
        raise InvalidIdentifier(text, "it has no reference behind the colon")
    spelling.check_visible(text, start)
    return f"{prefix.lower()}:{reference}"


is_valid = validity(validate)
format = compact
"""Return the display form, which is the key."""


def parse(text: str) -> Curie:
    """Return the parts of a well-formed CURIE; raises the errors of `validate`."""
    prefix, _, reference = validate(text).partition(":")
    return Curie(prefix, reference)


def _start(text: str) -> int:
    return 1 if text.startswith("[") and text.endswith("]") and len(text) > 1 else 0


def _stop(text: str) -> int:
    return len(text) - _start(text)
