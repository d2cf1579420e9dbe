"""IGSN: International Generic Sample Number, of a rock, a core or another specimen.

Specification: IGSN e.V., "IGSN syntax"; the pattern that identifiers.org and the Bioregistry hold: the two or more
letters of an allocating agent, then letters, digits, dots and hyphens, 75 at most; no check character. Case does not
matter; the key is in upper case. IGSNs were Handles under 10273 and are DOIs today; `doi` reads those
under other DOI prefixes.

>>> validate("igsn:iecur0002")
'IECUR0002'
>>> format("https://hdl.handle.net/10273/AU124")
'igsn:AU124'
"""

import re
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

MIN_LENGTH: Final = 3
MAX_LENGTH: Final = 75

_OPENING: Final = spelling.compile_opening(
    "igsn:(?:10273/)?",
    "(?:hdl:/?)?10273/",
    r"https?://(?:www\.)?(?:igsn\.org|(?:hdl\.handle\.net|doi\.org)/10273)/(?:10273/)?",
)
_FOREIGN: Final = re.compile("[^0-9A-Za-z.-]")
_AGENT: Final = re.compile("[A-Za-z]{2}")


def compact(text: str) -> str:
    """Return the key of a spelling: without label or address, upper case; unchecked."""
    return spelling.upper(text[spelling.opening_end(_OPENING, text) :])


def validate(text: str) -> str:
    """Return the key of a well-formed number; raise `InvalidCharacter` or `InvalidIdentifier`."""
    start = spelling.opening_end(_OPENING, text)
    spelling.check_symbols(text, start, _FOREIGN, "A-Z, 0-9, . and -")
    if not MIN_LENGTH <= len(text) - start <= MAX_LENGTH:
        raise InvalidIdentifier(
            text, f"it has {len(text) - start} characters; an IGSN has {MIN_LENGTH} to {MAX_LENGTH}"
        )
    if not _AGENT.match(text, start):
        raise InvalidIdentifier(text, "it does not begin with the two or more letters of an allocating agent")
    return text[start:].upper()


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: with its label."""
    return "igsn:" + compact(text)
