"""Identifiers of things with their types in DataCite's words (4.6, appendix 1, table 6: relatedIdentifierType)."""

from typing import Final

from coolid.http.formats.description.datacite_terms import IDENTIFIER_TYPES
from coolid.http.formats.uris import uri_of
from coolid.http.message import compiled
from coolid.identifiers import percent_encoding

_TYPES: Final = {name.lower(): name for name in IDENTIFIER_TYPES} | {"hdl": "Handle", "uri": "URL", "pubmed": "PMID"}
# The types of identifiers that are recognised without a name, and the part of them that stays.
_PATTERNS: Final = (
    ("DOI", r"(?i)(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9.]+/.+)"),
    ("ARK", r"(?i)(?:https?://[^/]+/)?(ark:/?[0-9a-z]+/.+)"),
    ("arXiv", r"(?i)((?:arxiv:\s*).+)"),
    ("URN", r"(?i)(urn:.+)"),
    ("Handle", r"(?i)(?:https?://hdl\.handle\.net/|hdl:\s*)(.+)"),
    ("PMID", r"(?i)pmid:\s*([0-9]+)"),
    ("ISSN", r"(?i)(?:issn:?\s*)?([0-9]{4}-[0-9]{3}[0-9X])"),
    ("ISBN", r"(?i)(?:isbn(?:-1[03])?:?\s*)((?:[0-9][ -]?){9,12}[0-9X])"),
)


def identifier_of(text: str, kind: str = "") -> tuple[str, str]:
    """Return an identifier and its type in DataCite's words, which may be unknown.

    >>> identifier_of("https://doi.org/10.1000/182"), identifier_of("x1", "accession")
    (('10.1000/182', 'DOI'), ('x1', 'accession'))
    """
    name = _TYPES.get(kind.lower(), kind)
    if name:
        pattern = dict(_PATTERNS).get(name) if name in ("DOI", "Handle", "PMID") else None
        found = compiled(pattern).fullmatch(text) if pattern else None
        return (_decoded(text, found[1]), name) if found else (text, name)
    for candidate, pattern in _PATTERNS:
        if found := compiled(pattern).fullmatch(text):
            return _decoded(text, found[1]), candidate
    return text, "URL" if uri_of(text) else ""


def _decoded(text: str, identifier: str) -> str:
    """Return an identifier as it is outside of the URL from which it comes."""
    if text == identifier or not text.lower().startswith("http"):
        return identifier
    return percent_encoding.decode(identifier).decode(errors="replace")
