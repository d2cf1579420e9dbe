"""URN: Uniform Resource Name, `urn:NID:NSS`, and the Life Science Identifiers (LSID) among them.

Specification: RFC 8141, section 2 (syntax) and 3 (equivalence: `urn` and the namespace without regard to case, escapes
in upper case; the resolution, query and fragment components play no part); Life Sciences Identifiers, OMG dtc/04-10-08
(`urn:lsid:authority:namespace:object[:revision]`, the authority without regard to case).

>>> validate("URN:LSID:CatalogueOfLife.org:taxon:02af8238-ac8f:col20150401")
'urn:lsid:catalogueoflife.org:taxon:02af8238-ac8f:col20150401'
>>> parse("urn:example:a%2fb/c?+resolve?=query#part")
Urn(namespace='example', specific='a%2Fb/c', resolution='resolve', query='query', fragment='part')
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

LSID: Final = "lsid"

_SCHEME: Final = spelling.compile_opening("urn:")
_NAMESPACE: Final = re.compile("[0-9A-Za-z](?:[0-9A-Za-z-]{0,30}[0-9A-Za-z])")
_FOREIGN: Final = re.compile(r"[^0-9A-Za-z._~!$&'()*+,;=:@/%?#-]")
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")


class Urn(Struct, frozen=True):
    """The parts of a URN; the first two identify it, the others are components of a request. Absent ones are empty."""

    namespace: str
    specific: str
    resolution: str = ""
    query: str = ""
    fragment: str = ""

    def __str__(self) -> str:
        return f"urn:{self.namespace}:{self.specific}"


def compact(text: str) -> str:
    """Return the key of a spelling, without resolution, query and fragment components; unchecked."""
    return str(_split(text))


def validate(text: str) -> str:
    """Return the key of a valid URN; raise `InvalidCharacter` or `InvalidIdentifier`."""
    return str(parse(text))


is_valid = validity(validate)
format = compact
"""Return the display form, which is the key."""


def parse(text: str) -> Urn:
    """Return the parts of a valid URN; raises the errors of `validate`."""
    start = spelling.opening_end(_SCHEME, text)
    if not start:
        raise InvalidIdentifier(text, "it does not begin with urn:")
    spelling.check_symbols(text, start, _FOREIGN, "letters, digits and - . _ ~ ! $ & ' ( ) * + , ; = : @ / % ? #")
    urn = _split(text)
    if not _NAMESPACE.fullmatch(urn.namespace):
        raise InvalidIdentifier(text, "its namespace is not 2 to 32 letters, digits and hyphens, hyphens only inside")
    if not urn.specific:
        raise InvalidIdentifier(text, "it names nothing behind its namespace")
    if urn.specific[0] == "/":
        raise InvalidIdentifier(text, "the name in its namespace begins with a slash")
    if "?" in urn.specific:
        raise InvalidIdentifier(text, "a question mark must begin a component, ?+ or ?=")
    if "#" in urn.fragment:
        raise InvalidIdentifier(text, "it has a second # behind the one that begins its fragment")
    bad = spelling.BAD_ESCAPE.search(text)
    if bad:
        raise InvalidIdentifier(text, spelling.escape_reason(text, bad))
    parts = urn.specific.split(":")
    if urn.namespace == LSID and (len(parts) not in (3, 4) or not all(parts)):
        raise InvalidIdentifier(text, "an LSID has an authority, a namespace, an object, and perhaps a revision")
    return urn


def _split(text: str) -> Urn:
    """Return the parts in the case of the key, unchecked."""
    rest, _, fragment = text[spelling.opening_end(_SCHEME, text) :].partition("#")
    rest, _, query = rest.partition("?=")
    rest, _, resolution = rest.partition("?+")
    namespace, _, specific = rest.partition(":")
    namespace = spelling.lower(namespace)
    specific = _ESCAPE.sub(lambda escape: escape[0].upper(), specific)
    if namespace == LSID:
        authority, colon, others = specific.partition(":")
        specific = spelling.lower(authority) + colon + others
    return Urn(namespace, specific, resolution, query, fragment)
