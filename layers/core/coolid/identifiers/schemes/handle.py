"""Handle: `prefix/suffix`, resolved by the Handle System.

Specification: RFC 3650 and RFC 3651, section 3: the prefix is a naming authority, segments between dots; the suffix is
free, and may have further slashes. Case does not matter here, so the key is in lower case. Only ASCII is accepted,
although the protocol allows more.

>>> validate("https://hdl.handle.net/102.100.272/Y35XYS0QH?noredirect")
'102.100.272/y35xys0qh'
>>> parse("hdl:10079/bibid/123456")
Handle(prefix='10079', suffix='bibid/123456')
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

_LABEL: Final = spelling.compile_opening("hdl:/?", "handle:/?", "info:hdl/")
_ADDRESS: Final = spelling.compile_opening(r"https?://hdl\.handle\.net/(?:hdl:)?", r"https?://[!-.0-~]+/hdl[/:]/?")
_PREFIX: Final = re.compile(r"[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*")


class Handle(Struct, frozen=True):
    """The parts of a Handle, in lower case."""

    prefix: str
    suffix: str

    def __str__(self) -> str:
        return f"{self.prefix}/{self.suffix}"


def compact(text: str) -> str:
    """Return the key of a spelling: without label or address, lower case; unchecked."""
    return spelling.compact_bare(text, _ADDRESS, _LABEL)


def validate(text: str) -> str:
    """Return the key of a valid Handle; raise `InvalidCharacter` or `InvalidIdentifier`."""
    bare = spelling.bare(text, _ADDRESS, _LABEL)
    prefix, slash, suffix = bare.partition("/")
    if not slash:
        raise InvalidIdentifier(text, "it has no slash between a prefix and a suffix")
    if not _PREFIX.fullmatch(prefix):
        raise InvalidIdentifier(text, "its prefix is not letters and digits in segments between dots")
    if not suffix:
        raise InvalidIdentifier(text, "it has no suffix behind the slash")
    return bare.lower()


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: with its label."""
    return "hdl:" + compact(text)


def parse(text: str) -> Handle:
    """Return the parts of a valid Handle; raises the errors of `validate`."""
    prefix, _, suffix = validate(text).partition("/")
    return Handle(prefix, suffix)
