"""Identifiers of people and organizations, by their schemes: ORCID, ISNI, ROR, GND, VIAF and others.

>>> identified("0000-0001-5109-3700")
NameIdentifier(identifier='https://orcid.org/0000-0001-5109-3700', scheme='ORCID', scheme_uri='https://orcid.org')
>>> identified("118540238", "GND").uri
'https://d-nb.info/gnd/118540238'
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.formats.description.json_values import Members, each_of, member, text_of
from coolid.http.formats.description.model import NameIdentifier
from coolid.http.formats.uris import uri_of
from coolid.http.message import compiled

# Of each scheme with URIs: the part of the URI before the identifier, other forms of it, and the identifier.
_SCHEMES: Final = {
    "ORCID": ("https://orcid.org/", "orcid[.]org/|orcid:", "(?:[0-9]{4}-?){3}[0-9]{3}[0-9X]"),
    "ROR": ("https://ror.org/", "ror[.]org/|ror:", "0[0-9a-hj-km-np-tv-z]{6}[0-9]{2}"),
    "ISNI": ("https://isni.org/isni/", "isni[.]org/(?:isni/)?|isni:", "(?:[0-9]{4} ?){3}[0-9]{3}[0-9X]"),
    "GND": ("https://d-nb.info/gnd/", "d-nb[.]info/gnd/|gnd:", "[0-9][0-9X-]{4,}"),
    "VIAF": ("https://viaf.org/viaf/", "viaf[.]org/viaf/|viaf:", "[0-9]{4,}"),
    "Wikidata": ("https://www.wikidata.org/wiki/", "wikidata[.]org/(?:wiki|entity)/|wikidata:", "Q[0-9]+"),
    "GRID": ("https://www.grid.ac/institutes/", "grid[.]ac/institutes/", "grid[.][0-9]+[.][0-9a-f]+"),
    "Crossref Funder ID": ("https://doi.org/", "(?:dx[.])?doi[.]org/|doi:", "10[.]13039/[0-9]+"),
    "LCNAF": ("https://id.loc.gov/authorities/names/", "id[.]loc[.]gov/authorities/names/", "n[a-z]{0,2}[0-9]+"),
    "ResearcherID": ("https://www.researcherid.com/rid/", "researcherid[.]com/rid/", "[A-Z]{1,3}-[0-9]{4}-[0-9]{4}"),
}
_NAMES: Final = {name.lower(): name for name in _SCHEMES} | {"crossref funder": "Crossref Funder ID", "lccn": "LCNAF"}
_RECOGNIZED: Final = ("ORCID", "ROR", "GRID", "Crossref Funder ID")
"""The schemes whose identifiers are recognised without address or name."""
_GROUPED: Final = {"ORCID": "-", "ISNI": ""}

# The members of an object, in order: lists of identifiers, pairs of an identifier and its scheme, and addresses.
_LISTS: Final = ("nameIdentifiers", "nameIdentifier", "identifiers", "identifier")
_PAIRS: Final = (
    ("affiliationIdentifier", "affiliationIdentifierScheme"),
    ("publisherIdentifier", "publisherIdentifierScheme"),
    ("funderIdentifier", "funderIdentifierType"),
)
_BY_SCHEME: Final = {"orcid": "ORCID", "ORCID": "ORCID", "isni": "ISNI", "ISNI": "ISNI", "ror": "ROR", "ROR": "ROR"}
_ADDRESSES: Final = ("@id", "id", "uri", "sameAs", "url", "value")
_IDENTIFIERS: Final = ("nameIdentifier", "identifier", "value", "@id", "id", "url", "@value")
_SCHEME_NAMES: Final = ("nameIdentifierScheme", "propertyID", "scheme", "identifierScheme", "type")


def identified(text: str, scheme: str = "", scheme_uri: str = "") -> NameIdentifier | None:
    """Return an identifier with its scheme; None if the text is neither a URI nor of a scheme."""
    name = _NAMES.get(scheme.lower(), scheme)
    for candidate in (name,) if name in _SCHEMES else _SCHEMES:
        start, forms, pattern = _SCHEMES[candidate]
        is_optional = "?" if candidate == name or candidate in _RECOGNIZED else ""
        found = compiled(rf"(?i)((?:https?://)?(?:www[.])?(?:{forms})){is_optional}({pattern})/?").fullmatch(text)
        if found and _is_valid(candidate, found[2]):
            return NameIdentifier(start + _spelled(candidate, found[2]), candidate, scheme_uri or start.rstrip("/"))
    uri = uri_of(text)
    if uri or (name and text):
        return NameIdentifier(uri or text, name, scheme_uri)
    return None


def identifiers_of(value: Members) -> tuple[NameIdentifier, ...]:
    """Return the different identifiers of the agent that an object describes, in any member."""
    found: dict[str, NameIdentifier] = {}
    for each in _in_object(value):
        if each and (each.identifier not in found or not found[each.identifier].scheme):
            found[each.identifier] = each
    return tuple(found.values())


def _in_object(value: Members) -> Iterator[NameIdentifier | None]:
    for item in each_of([value.get(name) for name in _LISTS]):
        if isinstance(item, Mapping):
            text, scheme = text_of(item, *_IDENTIFIERS), member(item, *_SCHEME_NAMES)
            yield identified(text, scheme if scheme != "PropertyValue" else "", member(item, "schemeUri", "schemeURI"))
        else:
            yield identified(text_of(item), member(value, "nameIdentifierScheme"))
    scheme_uri = member(value, "schemeUri", "schemeURI")
    for name, scheme in _PAIRS:
        if text := member(value, name):
            yield identified(text, member(value, scheme), scheme_uri)
    for name, scheme in _BY_SCHEME.items():
        if text := member(value, name):
            yield identified(text, scheme)
    for item in each_of([value.get(name) for name in _ADDRESSES]):
        yield identified(text_of(item, "@id", "value"))


def _spelled(scheme: str, text: str) -> str:
    """Return the identifier as the scheme's URIs have it."""
    if scheme not in _GROUPED:
        return text.lower() if scheme == "ROR" else text
    symbols = text.replace("-", "").replace(" ", "").upper()
    return _GROUPED[scheme].join((symbols[:4], symbols[4:8], symbols[8:12], symbols[12:]))


def _is_valid(scheme: str, text: str) -> bool:
    """Return whether the check digits are right, in the schemes that have some."""
    from coolid.identifiers.schemes import isni, orcid, ror

    checks: dict[str, Any] = {"ORCID": orcid, "ISNI": isni, "ROR": ror}
    return scheme not in checks or checks[scheme].is_valid(_spelled(scheme, text))
