"""ARK: Archival Resource Key, `ark:NAAN/Name[Qualifier]`, with or without the address of a resolver.

Specification: J. Kunze and E. Bermès, "The ARK Identifier Scheme", draft-kunze-ark: section 2 (anatomy; NAANs of digits
and consonants, in any number), 3.1 (characters) and 3.2 (normalisation). The normalised ARK is the key: without
address and query, label `ark:`, NAAN in lower case, escapes in upper case, no hyphens, and `/` and `.` only between
other characters. The rest keeps its case and order; nothing is decoded.

>>> validate("https://example.org/ark:/12345/X6np1-wh8k//c3/s5.v7.xsl?info")
'ark:12345/X6np1wh8k/c3/s5.v7.xsl'
>>> parts = parse("ark:12345/x6np1wh8k/c3/s5.v7.xsl")
>>> parts.naan, parts.shoulder, parts.name, parts.qualifier
('12345', 'x6', 'x6np1wh8k', '/c3/s5.v7.xsl')
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

LABEL: Final = "ark:"
HYPHENS: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015"
"""Removed by the draft's normalisation: the hyphen, and the dashes by which word processors replace it."""

# The lazy option matters: an address is skipped only if the text does not begin with the label itself.
_OPENING: Final = spelling.compile_opening(r"""(?:[!"$->@-~]*?/)??ark(?::|%3A)/?""")
_NO_HYPHENS: Final = str.maketrans("", "", HYPHENS)
_HYPHENS: Final = re.escape(HYPHENS)  # escaped, because a hyphen in a class makes a range
_USUAL: Final = re.compile("ark:/?[0-9b-df-hj-km-np-tv-xz]+/[0-9A-Za-z=~*+@_$]+(?:[/.][0-9A-Za-z=~*+@_$]+)*")
"""Normalised ARKs without escapes, also with the older label `ark:/`."""
_PART: Final = "[0-9A-Za-z=~*+@_$][0-9A-Za-z=~*+@_$-]*"
_HYPHENATED: Final = re.compile(f"ark:/?[0-9b-df-hj-km-np-tv-xz]+/{_PART}(?:[/.]{_PART})*")
"""The same with hyphens, which most ARKs of this service have; such an ARK is divided only at its slashes."""
_USUAL_SHOULDER: Final = re.compile("(ark:[^/]+/[a-z]+[0-9])(-*[^-/.].*)")
_STRUCTURE: Final = re.compile("([/.])[/.]+")
_DIVISION: Final = re.compile(rf"[:/.](?:[{_HYPHENS}]*[/.])*")
"""A run of characters that divide an ARK; its first character decides its kind."""
_SHOULDER: Final = re.compile(rf"[{_HYPHENS}]*(?:[a-z][{_HYPHENS}]*)+[0-9](?=[{_HYPHENS}]*[^/.:?{_HYPHENS}])")
_FOREIGN: Final = re.compile(rf"[^0-9A-Za-z=~*+@_$/.%{_HYPHENS}]")
_NAAN_FOREIGN: Final = re.compile(rf"[^0-9b-df-hj-km-np-tv-xzB-DF-HJ-KM-NP-TV-XZ/.{_HYPHENS}]")
_BOUNDARY: Final = re.compile("[/.]")


class Ark(Struct, frozen=True):
    """The parts of a normalised ARK; `qualifier` begins with its `/` or `.`, or is empty."""

    naan: str
    name: str
    qualifier: str = ""

    def __str__(self) -> str:
        return f"{LABEL}{self.naan}/{self.name}{self.qualifier}"

    @property
    def shoulder(self) -> str:
        """The letters up to and including the first digit of the name (draft, section 2.4.1); empty if absent."""
        found = re.match("[A-Za-z]+[0-9]", self.name)
        return found[0] if found else ""


def compact(text: str) -> str:
    """Return the normalised ARK; unchecked."""
    if _USUAL.fullmatch(text):
        return _modern(text)
    start = spelling.opening_end(_OPENING, text)
    rest = text[start:].partition("?")[0]
    if "://" in text[:start]:
        rest = rest.partition("#")[0]
    naan, slash, name = compact_part(rest).partition("/")
    return LABEL + spelling.lower(naan) + slash + name


def compact_part(text: str) -> str:
    """Return the text after a NAAN, or a part of it, as in the normalised ARK; unchecked."""
    rest = _STRUCTURE.sub(r"\1", text.partition("?")[0].translate(_NO_HYPHENS)).strip("/.")
    if "%" in rest:
        rest = re.sub("%[0-9A-Fa-f]{2}", lambda escape: escape[0].upper(), rest)
    return rest


def divisions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the divisions of an ARK: the normalised text before, and the original rest; shortest first.

    It is divided where its normalised form has a slash or a colon; the last division is the whole ARK.

    >>> list(divisions("ark:/9-9999/x5//c-1.pdf"))
    [('ark:99999', 'x5//c-1.pdf'), ('ark:99999/x5', 'c-1.pdf'), ('ark:99999/x5/c1.pdf', '')]
    """
    if _HYPHENATED.fullmatch(text):
        written = _modern(text)
        at = written.find("/")
        while at > 0:
            yield written[:at].replace("-", ""), written[at + 1 :]
            at = written.find("/", at + 1)
        yield written.replace("-", ""), ""
        return
    for before, division in _divided(text):
        rest = text[division.end() :]
        if compact_part(rest):
            yield before, rest
    yield compact(text), ""


def behind_shoulder(text: str) -> tuple[str, str] | None:
    """Return an ARK's normalised NAAN and shoulder, and the original rest; None if one of them is absent.

    A shoulder is lower-case letters and the first digit of the name (draft, section 2.4.1).

    >>> behind_shoulder("ark:/99999/f-k4-rx9d523/c.pdf"), behind_shoulder("ark:99999/fk4/rx9d523")
    (('ark:99999/fk4', '-rx9d523/c.pdf'), None)
    """
    if _HYPHENATED.fullmatch(text):
        usual = _USUAL_SHOULDER.match(_modern(text))
        if usual or "-" not in text:
            return (usual[1], usual[2]) if usual else None
    _, first = next(_divided(text), ("", None))
    found = _SHOULDER.match(text, first.end()) if first and first[0].startswith("/") else None
    return (compact(text[: found.end()]), text[found.end() :]) if found else None


def _divided(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the normalised text before each dividing run, up to the query, and the run."""
    start = spelling.opening_end(_OPENING, text)
    query = text.find("?", start)
    for division in _DIVISION.finditer(text, start, len(text) if query < 0 else query):
        if text[division.start()] != "." and (before := compact(text[: division.start()])) != LABEL:
            yield before, division


def validate(text: str) -> str:
    """Return the normalised form of a valid ARK; `InvalidIdentifier` or `InvalidCharacter`."""
    if _USUAL.fullmatch(text):
        return _modern(text)
    start = spelling.opening_end(_OPENING, text)
    if not start:
        raise InvalidIdentifier(text, "it has no label ark: in front of its NAAN")
    key = compact(text)
    naan, _, name = key[len(LABEL) :].partition("/")
    if not naan:
        raise InvalidIdentifier(text, "it has no NAAN behind its label")
    foreign = _NAAN_FOREIGN.search(naan)
    if foreign:
        at = _NAAN_FOREIGN.search(text, start)
        assert at is not None
        raise InvalidCharacter(text, at.start(), "digits and consonants without l (NAAN)")
    if not name:
        raise InvalidIdentifier(text, "it has no name behind its NAAN")
    if _FOREIGN.search(name):
        spelling.check_symbols(text, start, _FOREIGN, "letters, digits and = ~ * + @ _ $ % - . /")
    bad = spelling.BAD_ESCAPE.search(name)
    if bad:
        raise InvalidIdentifier(text, spelling.escape_reason(name, bad))
    return key


is_valid = validity(validate)
format = compact
"""Return the display form, which is the key."""


def parse(text: str) -> Ark:
    """Return the parts of a valid ARK; raises the errors of `validate`."""
    naan, _, rest = validate(text)[len(LABEL) :].partition("/")
    boundary = _BOUNDARY.search(rest)
    at = boundary.start() if boundary else len(rest)
    return Ark(naan, rest[:at], rest[at:])


def _modern(text: str) -> str:
    """Return a text that matches `_USUAL` or `_HYPHENATED` with the current label."""
    return text if text[len(LABEL)] != "/" else LABEL + text[len(LABEL) + 1 :]
