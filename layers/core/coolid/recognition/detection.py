"""Detection of the schemes that a text could be an identifier of, best first, with validity.

A label (`doi:`, `urn:isbn:`) or a URL decides. A bare text matches the schemes with its length and form. A form that
many texts have by chance (nine letters and digits) is reported only if the text is valid.

>>> [(match.scheme, match.valid) for match in detect("tw0t-ywdj-95")]
[('lui', False)]
>>> detect("ISBN:0-14-029161-X")[0].canonical
'978-0-14-029161-2'
"""

import re
from re import Pattern
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from coolid.errors import BadReference, InvalidIdentifier
from coolid.identifiers.schemes import (
    ark,
    bibcode,
    contextual,
    cooldoi,
    curie,
    digest,
    doi,
    handle,
    igsn,
    isbn,
    isni,
    issn,
    lid,
    linkid,
    lui,
    noid,
    orcid,
    pilin,
    ror,
    urn,
    uuid,
)
from coolid.model.prefixes import is_date_qualified
from coolid.recognition.accessions import guess_accession
from coolid.recognition.unwrap import unwrap

MAX_CHARACTERS: Final = 2048


class SchemeMatch(Struct, frozen=True):
    """A scheme that a text could belong to: `canonical` if it is valid, otherwise `reason`.

    A valid `guess` has only the form of the scheme, which other texts have, too.
    """

    scheme: str
    valid: bool
    canonical: str | None = None
    reason: str | None = None
    guess: bool = False

    def to_document(self) -> dict[str, object]:
        """Return the candidate as the parse API shows it, with `guess` only if it is one."""
        members = to_builtins(self)
        return {name: value for name, value in members.items() if name != "guess" or value}


class _BareForm(Struct, frozen=True):
    """A form without a label: range of lengths, pattern, whether texts match it by chance, and if it is a guess."""

    scheme: str
    length: tuple[int, int]
    pattern: Pattern[str]
    by_chance: bool = False
    guess: bool = False


_MODULES: Final = (
    *(ark, bibcode, contextual, cooldoi, curie, doi, handle, igsn, isbn, isni, issn),
    *(lid, linkid, lui, noid, orcid, pilin, ror, digest, urn, uuid),
)
_BY_SCHEME: Final = {"sha256" if each is digest else each.__name__.rpartition(".")[2]: each for each in _MODULES}
SCHEMES: Final = tuple(_BY_SCHEME)

_LABELS: Final[dict[str, tuple[str, ...]]] = {
    **{each: (each,) for each in ("ark", "doi", "handle", "igsn", "isbn", "isni", "issn", "orcid", "ror")},
    **{each: (each,) for each in ("lid", "linkid", "sha256", "urn", "uuid")},
    **dict.fromkeys(("ads", "bibcode"), ("bibcode",)),
    "eissn": ("issn",),
    "hdl": ("handle",),
    "isbn-10": ("isbn",),
    "isbn-13": ("isbn",),
    "sha-256": ("sha256",),
    "urn:isbn": ("isbn", "urn"),
    "urn:issn": ("issn", "urn"),
    "urn:uuid": ("uuid", "urn"),
}

_ORCID_BLOCKS: Final = re.compile("0000000(?:1[5-9]|2[0-9]|3[0-4])[0-9]{6}[0-9Xx]|0009000[0-9]{8}[0-9Xx]")
"""The numbers that ISNI set aside for ORCID, without hyphens."""
_FORMS: Final = (
    _BareForm("doi", (4, MAX_CHARACTERS), re.compile(r"10\.[0-9]{2,9}(?:\.[0-9]+)*/?.*", re.DOTALL)),
    _BareForm("uuid", (32, 36), re.compile(r"[0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")),
    _BareForm("sha256", (64, 64), re.compile("[0-9A-Fa-f]{64}")),
    _BareForm("orcid", (19, 19), re.compile("(?:[0-9]{4}-){3}[0-9]{3}[0-9Xx]")),
    _BareForm("orcid", (16, 16), _ORCID_BLOCKS),
    _BareForm("isni", (16, 19), re.compile("0000[0-9]{11}[0-9Xx]|(?:[0-9]{4} ){3}[0-9]{3}[0-9Xx]")),
    _BareForm("isni", (16, 19), re.compile("(?:[0-9]{4} ?){3}[0-9]{3}[0-9Xx]"), guess=True),
    _BareForm("bibcode", (19, 19), re.compile("[12][0-9]{3}[A-Za-z][0-9A-Za-z.&]{13}[A-Za-z.:]"), by_chance=True),
    _BareForm("isbn", (10, 10), re.compile("[0-9]{10}"), guess=True),
    _BareForm("isbn", (10, 17), re.compile("97[89](?:-?[0-9]){10}|(?:[0-9]-?){9}[0-9Xx]")),
    _BareForm("issn", (9, 9), re.compile("(?:(?:1[5-9]|20)[0-9]{2}-?){2}"), guess=True),  # a range of years
    _BareForm("issn", (9, 9), re.compile("[0-9]{4}-[0-9]{3}[0-9Xx]")),
    _BareForm("ror", (9, 9), re.compile("0[0-9A-Za-z]{6}[0-9]{2}"), by_chance=True),
    _BareForm("contextual", (14, 512), re.compile(r"[^./]+\.[^./]+\.[^./]+(?:\.[0-9]{4}-.*)?", re.DOTALL)),
    _BareForm("noid", (4, 128), re.compile("[0-9b-df-hj-np-tv-z]{5,}/[0-9b-df-hj-np-tv-z]{2,}"), by_chance=True),
    _BareForm(
        "handle", (3, MAX_CHARACTERS), re.compile(r"[0-9]+(?:\.[0-9A-Za-z_-]+)+/.+|[0-9]{4,}/.*[A-Za-z].*", re.DOTALL)
    ),
    _BareForm("handle", (3, MAX_CHARACTERS), re.compile(r"[0-9]+/.+", re.DOTALL), guess=True),
    _BareForm("lui", (11, 13), re.compile("(?:[0-9A-TV-Za-tv-z]{4}-){2}[0-9]{2}")),
    _BareForm("lui", (14, 17), re.compile("(?:[0-9A-TV-Za-tv-z]{4}-){3}[0-9]{2}")),
    _BareForm("lui", (9, 9), re.compile("[0-9A-TV-Za-tv-z]{4}-[0-9A-TV-Za-tv-z]{2}[0-9]{2}"), by_chance=True),
    _BareForm("lui", (9, 24), re.compile("[0-9A-Za-z]+"), by_chance=True),
    _BareForm("lui", (3, 24), re.compile("[0-9A-Za-z-]+"), by_chance=True, guess=True),
    _BareForm("pilin", (9, 9), re.compile("[0-9B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]{9}"), by_chance=True, guess=True),
    _BareForm("cooldoi", (8, 10), re.compile("[0-9A-TV-Za-tv-z]{4}-?[0-9A-TV-Za-tv-z]{4}"), by_chance=True, guess=True),
    _BareForm("igsn", (5, 16), re.compile("[A-Z]{2,5}[0-9A-Z]{3,11}"), by_chance=True, guess=True),
    _BareForm("lid", (32, 64), re.compile("[0-9A-Za-z._~-]{32,64}"), guess=True),
)

SCHEME_PREFIXES: Final = {each: each for each in ("doi", "isbn", "isni", "issn", "orcid", "ror")} | {"handle": "hdl"}
"""The prefix of each scheme whose bare identifiers are recognised."""


def detect(text: str) -> tuple[SchemeMatch, ...]:
    """Return the matches of a text, valid ones first, and guesses behind others.

    There are none for unknown forms and for more than 2,048 characters.
    """
    if len(text) > MAX_CHARACTERS:
        return ()
    label, colon, rest = text.partition(":")
    if colon:
        matches = _labelled(text, label.lower(), rest)
    elif is_date_qualified(text):
        matches = [judge("lui", text.rpartition("/")[2])]
    else:
        matches = _bare(text)
    return tuple(sorted(matches, key=lambda match: (not match.valid, match.guess)))


def judge(scheme: str, text: str) -> SchemeMatch:
    """Return the match of a text with one of `SCHEMES`, whatever its form."""
    try:
        return SchemeMatch(scheme, True, canonical_form(scheme, text))
    except InvalidIdentifier as error:
        return SchemeMatch(scheme, False, None, str(error))


def plain_identifier(match: SchemeMatch) -> str:
    """Return the canonical form of a valid match as it follows the prefix of its scheme (`SCHEME_PREFIXES`).

    >>> plain_identifier(judge("isbn", "0-14-029161-X")), plain_identifier(judge("ror", "03yrm5c26"))
    ('9780140291612', '03yrm5c26')
    """
    assert match.canonical is not None  # it is valid
    match match.scheme:
        case "isbn" | "isni":
            return match.canonical.replace("-", "").replace(" ", "")
        case "ror":
            return match.canonical.rpartition("/")[2]
        case "doi" | "handle":
            return match.canonical.partition(":")[2]
    return match.canonical


def canonical_form(scheme: str, text: str) -> str:
    """Return the canonical form of a text in one of `SCHEMES`. Raises `InvalidIdentifier`."""
    module = _BY_SCHEME[scheme]
    key = lui.validate(text, _width_of(text)) if module is lui else module.validate(text)
    canonical: str = module.format(key)
    return canonical


def _width_of(text: str) -> int:
    """Return the number of a LUI's symbols before its check digits, or the default for an impossible number."""
    width = len(lui.compact(text)) - lui.CHECK_DIGITS
    return width if 1 <= width <= lui.MAX_SYMBOLS else lui.DEFAULT_SYMBOLS


def _labelled(text: str, label: str, rest: str) -> list[SchemeMatch]:
    if label == "urn":
        namespace = rest.partition(":")[0].lower()
        schemes = _LABELS.get(f"urn:{namespace}", ("urn",))
    elif label in ("http", "https"):
        return _unwrapped(text)
    else:
        schemes = _LABELS.get(label, ())
    matches = [judge(scheme, text) for scheme in schemes]
    if not schemes:
        matches = [match for match in _bare(text) if match.valid]
        matches.append(judge("curie", text))
    return matches


def _unwrapped(text: str) -> list[SchemeMatch]:
    try:
        inner = unwrap(text).text
    except BadReference:
        return []
    return [] if inner == text else list(detect(inner))


def _bare(text: str) -> list[SchemeMatch]:
    accession = guess_accession(text)
    matches = [SchemeMatch("curie", True, accession, guess=True)] if accession is not None else []
    for form in _FORMS:
        least, most = form.length
        if not least <= len(text) <= most or not form.pattern.fullmatch(text):
            continue
        if any(match.scheme == form.scheme for match in matches):
            continue
        if form.scheme == "lid" and any(not match.valid for match in matches):
            continue  # a mistyped identifier of another scheme has the form of a LinkID
        match = judge(form.scheme, text)
        is_guess = form.guess or (form.by_chance and text.isdigit())
        if match.valid or not (form.by_chance or is_guess):
            matches.append(replace(match, guess=True) if match.valid and is_guess else match)
    return matches
