"""ARK: Archival Resource Key, `ark:NAAN/Name[Qualifier]`, wherever it is served from.

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
from coolid.identifiers.schemes import spelling

LABEL: Final = "ark:"
HYPHENS: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015"
"""What the draft lets be removed: the hyphen, and what word processors make of it."""

# The lazy option matters: an address is only skipped where the text does not begin with the label itself.
_OPENING: Final = spelling.opening_of(r"""(?:[!"$->@-~]*?/)??ark(?::|%3A)/?""")
_NO_HYPHENS: Final = str.maketrans("", "", HYPHENS)
_HYPHENS: Final = re.escape(HYPHENS)  # or they would make ranges of their neighbours
_USUAL: Final = re.compile("ark:/?[0-9b-df-hj-km-np-tv-xz]+/[0-9A-Za-z=~*+@_$]+(?:[/.][0-9A-Za-z=~*+@_$]+)*")
"""Normalised ARKs without escapes, and the same with the label that was usual before."""
_PART: Final = "[0-9A-Za-z=~*+@_$][0-9A-Za-z=~*+@_$-]*"
_HYPHENATED: Final = re.compile(f"ark:/?[0-9b-df-hj-km-np-tv-xz]+/{_PART}(?:[/.]{_PART})*")
"""The same with hyphens in its parts, as most of ours are shown: it is divided just where it has slashes."""
_USUAL_SHOULDER: Final = re.compile("(ark:[^/]+/[a-z]+[0-9])(-*[^-/.].*)")
_STRUCTURE: Final = re.compile("([/.])[/.]+")
_DIVISION: Final = re.compile(rf"[:/.](?:[{_HYPHENS}]*[/.])*")
"""A run of what divides an ARK, as it may be written: the first of the run decides what it is."""
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
        """The letters up to and including the first digit of the name (draft, section 2.4.1); empty if it has none."""
        found = re.match("[A-Za-z]+[0-9]", self.name)
        return found[0] if found else ""


def compact(text: str) -> str:
    """The normalised ARK; unchecked.

    >>> compact("ark:B5060/D8xz")
    'ark:b5060/D8xz'
    """
    if _USUAL.fullmatch(text):
        return _modern(text)
    start = spelling.end_of(_OPENING, text)
    rest = text[start:].partition("?")[0]
    if "://" in text[:start]:
        rest = rest.partition("#")[0]
    naan, slash, name = compact_part(rest).partition("/")
    return LABEL + spelling.lower(naan) + slash + name


def compact_part(text: str) -> str:
    """What is behind a NAAN, or a piece of it, as it stands in the normalised ARK; unchecked.

    >>> compact_part("-x6np1-wh8k//c3/s5.v7.xsl/")
    'x6np1wh8k/c3/s5.v7.xsl'
    """
    rest = _STRUCTURE.sub(r"\1", text.partition("?")[0].translate(_NO_HYPHENS)).strip("/.")
    if "%" in rest:
        rest = re.sub("%[0-9A-Fa-f]{2}", lambda escape: escape[0].upper(), rest)
    return rest


def divisions(text: str) -> Iterator[tuple[str, str]]:
    """Where the text of an ARK can be divided: what is before, normalised, and the rest as it is written.

    It is divided where its normalised form has a slash, or a colon; the last is the whole of it. Shortest first.

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
    """NAAN and shoulder of an ARK, normalised, and the rest as it is written; None if it has none, or nothing behind.

    A shoulder ends with the first digit of the name (draft, section 2.4.1); before it are lower-case letters.

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
    """Each run that divides it, up to its query, and what is before it, normalised."""
    start = spelling.end_of(_OPENING, text)
    query = text.find("?", start)
    for division in _DIVISION.finditer(text, start, len(text) if query < 0 else query):
        if text[division.start()] != "." and (before := compact(text[: division.start()])) != LABEL:
            yield before, division


def validate(text: str) -> str:
    """The normalised form of a valid ARK; `InvalidIdentifier` or `InvalidCharacter`.

    >>> validate("ark:12a45/x6np1wh8k")
    Traceback (most recent call last):
    ...
    coolid.errors.InvalidCharacter: character 7, 'a', is not one of the symbols it may have: digits and \
consonants without l (NAAN)
    """
    if _USUAL.fullmatch(text):
        return _modern(text)
    start = spelling.end_of(_OPENING, text)
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


def is_valid(text: str) -> bool:
    """Whether `validate` would accept it.

    >>> is_valid("ark:/99999/fk4rx9d523"), is_valid("ark:99999")
    (True, False)
    """
    try:
        validate(text)
    except InvalidIdentifier:
        return False
    return True


def format(text: str) -> str:
    """The form for people: the normalised ARK."""
    return compact(text)


def parse(text: str) -> Ark:
    """The parts of a valid ARK; errors as of `validate`."""
    naan, _, rest = validate(text)[len(LABEL) :].partition("/")
    boundary = _BOUNDARY.search(rest)
    at = boundary.start() if boundary else len(rest)
    return Ark(naan, rest[:at], rest[at:])


def _modern(text: str) -> str:
    """A usual ARK, with the label of today."""
    return text if text[len(LABEL)] != "/" else LABEL + text[len(LABEL) + 1 :]
