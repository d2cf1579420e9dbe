"""DOI: Digital Object Identifier, `10.registrant[.subdivision]/suffix`.

Specification: ISO 26324; DOI Handbook, section 2 (numbering): the registrant code is digits, the suffix is free,
and ASCII letters are compared without regard to case. The key is in lower case, without label or address.
An address is decoded once, a bare DOI never. Only ASCII is accepted, as Crossref and DataCite register.

>>> validate("https://doi.org/10.1002/(SICI)1097-4571(199510)46:9%3C646::AID-ASI2%3E3.0.CO;2-1")
'10.1002/(sici)1097-4571(199510)46:9<646::aid-asi2>3.0.co;2-1'
>>> parse("doi:10.5281/ZENODO.31780")
Doi(registrant='5281', suffix='zenodo.31780')
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

DIRECTORY: Final = "10"

_LABEL: Final = spelling.compile_opening("doi:", "info:doi/", "urn:doi:")
_ADDRESS: Final = spelling.compile_opening(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/(?:doi:)?")
_PREFIX: Final = re.compile(r"10\.[0-9]{2,9}(?:\.[0-9]+)*")
_BARE: Final = re.compile(_PREFIX.pattern + "/[!-~]+")


class Doi(Struct, frozen=True):
    """The parts of a DOI: `registrant` is what follows `10.`; in lower case."""

    registrant: str
    suffix: str

    def __str__(self) -> str:
        return f"{self.prefix}/{self.suffix}"

    @property
    def prefix(self) -> str:
        """The registrant's prefix, such as `10.5281`."""
        return f"{DIRECTORY}.{self.registrant}"


def compact(text: str) -> str:
    """Return the key of a spelling: without label or address, lower case; unchecked."""
    if _BARE.fullmatch(text):
        return text.lower()
    return spelling.compact_bare(text, _ADDRESS, _LABEL)


def validate(text: str) -> str:
    """Return the key of a valid DOI; raise `InvalidCharacter` or `InvalidIdentifier`."""
    if _BARE.fullmatch(text):
        return text.lower()
    bare = spelling.bare(text, _ADDRESS, _LABEL)
    prefix, _, suffix = bare.partition("/")
    if prefix == DIRECTORY and suffix:
        raise InvalidIdentifier(text, "it is a short DOI, a Handle that stands for a DOI; only doi.org knows for which")
    if not _PREFIX.fullmatch(prefix):
        raise InvalidIdentifier(text, "it does not begin with 10. and the digits of a registrant")
    if not suffix:
        raise InvalidIdentifier(text, "it has no suffix behind a slash")
    return bare.lower()


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: with its label."""
    return "doi:" + compact(text)


def parse(text: str) -> Doi:
    """Return the parts of a valid DOI; raises the errors of `validate`."""
    prefix, _, suffix = validate(text).partition("/")
    return Doi(prefix[len(DIRECTORY) + 1 :], suffix)
