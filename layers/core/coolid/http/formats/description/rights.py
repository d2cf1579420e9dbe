"""The licences and the conditions of access of a thing.

Source: DataCite's rightsList; schema.org's `license`, `conditionsOfAccess` and `isAccessibleForFree`; Dublin Core's
`accessRights`; COAR Access Rights 1.0 (vocabularies.coar-repositories.org); the access terms of `info:eu-repo`.

>>> access_of({"accessRights": "http://purl.org/coar/access_right/c_16ec"}).level
'restricted'
>>> next(licences({"license": "CC-BY-4.0"})).uri
'https://creativecommons.org/licenses/by/4.0/legalcode'
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.formats.description.json_values import Members, in_members, language_of, member, text_of
from coolid.http.formats.description.model import Access, Rights
from coolid.http.formats.metadata_terms import LICENSES, NAMES
from coolid.http.formats.metadata_text import iso_date
from coolid.http.formats.uris import uri_of

COAR_ACCESS: Final = {
    "open": "http://purl.org/coar/access_right/c_abf2",
    "embargoed": "http://purl.org/coar/access_right/c_f1cf",
    "restricted": "http://purl.org/coar/access_right/c_16ec",
    "closed": "http://purl.org/coar/access_right/c_14cb",
}
"""The concepts of COAR Access Rights 1.0; its name for `closed` is "metadata only access"."""
COAR_LABELS: Final = {
    "open": "open access",
    "embargoed": "embargoed access",
    "restricted": "restricted access",
    "closed": "metadata only access",
}
FREE_LABELS: Final = {True: "Accessible for free", False: "Not accessible for free"}
"""The statements of schema.org's `isAccessibleForFree` in words."""
SPDX: Final = "SPDX"
SPDX_URI: Final = "https://spdx.org/licenses/"

_LEVELS: Final = {uri: level for level, uri in COAR_ACCESS.items()} | {
    "open": "open", "openaccess": "open", "public": "open",
    "embargoed": "embargoed", "embargoedaccess": "embargoed", "embargo": "embargoed",
    "restricted": "restricted", "restrictedaccess": "restricted", "restrictedpublic": "restricted",
    "closed": "closed", "closedaccess": "closed", "metadataonly": "closed", "metadataonlyaccess": "closed",
    "nonpublic": "closed", "private": "closed",
}  # fmt: skip
_ACCESS: Final = ("accessRights", "access_right", "accessLevel", "access", "conditionsOfAccess")
# Creative Commons' addresses of licences, and of the public domain dedication.
_CREATIVE_COMMONS: Final = r"https?://creativecommons\.org/(licenses|publicdomain)/([a-z-]+)/([0-9.]+)(?:/igo)?(?:/.*)?"
_CC_IDENTIFIER: Final = r"(?i)CC[- ](BY(?:-NC)?(?:-SA|-ND)?)[- ]([1-4]\.[05])(?: International)?"
_SPDX_ADDRESS: Final = r"https?://(?:www\.)?spdx\.org/licenses/([0-9A-Za-z.+-]+?)(?:\.html|\.json)?/?"
_OPEN_SOURCE: Final = r"https?://(?:www\.)?opensource\.org/licenses?/([0-9A-Za-z.+-]+)/?"
_IDENTIFIER: Final = (
    r"(?:(?:Apache|MIT|BSD|GPL|LGPL|AGPL|MPL|EUPL|ODbL|ODC|PDDL|CC0|CDLA|OGL|ISC|Zlib)(?:-[0-9A-Za-z.+]+)*)"
)
_SINGLE: Final = ("MIT", "ISC", "Zlib")
_URIS: Final = (
    *("rightsUri", "rightsURI", "rights_uri", "@id", "uri", "url", "link", "identifier", "id", "sameAs", "rights"),
    "name",
)

MEMBERS: Final = frozenset((*LICENSES, *_ACCESS, "isAccessibleForFree", "embargoEnd"))
"""The members that this module reads."""


def licences(metadata: Members) -> Iterator[Rights]:
    """Yield the licences and statements of rights, without those that only state the level of access."""
    for item in in_members(metadata, LICENSES):
        rights = _rights(item)
        is_access = rights and (level_of(rights.uri) or (not rights.uri and level_of(rights.name)))
        if rights and not is_access and rights.name not in FREE_LABELS.values():
            yield rights


def access_of(metadata: Members, available: str = "") -> Access:
    """Return the access to the thing, also if only the list of rights states it.

    The date from which it is `available` ends an embargo without another end.
    """
    levels: list[str] = []
    conditions: list[str] = []
    ends = [member(metadata, "embargoEnd")]
    for item in in_members(metadata, _ACCESS):
        text = text_of(item, "@id", "id", "status", "record", "files", *NAMES)
        (levels if level_of(text) else conditions).append(level_of(text) or text)
        if isinstance(item, Mapping):
            conditions.append(member(item, "conditions", "description"))
            embargo = item.get("embargo")
            ends.append(member(embargo if isinstance(embargo, Mapping) else item, "until", "embargoEnd"))
            if isinstance(embargo, Mapping) and embargo.get("active") is True:
                levels.insert(0, "embargoed")
    stated_rights = list(filter(None, map(_rights, in_members(metadata, LICENSES))))
    for rights in stated_rights:
        if stated := level_of(rights.uri) or ("" if rights.uri else level_of(rights.name)):
            levels.append(stated)
            conditions.append("" if level_of(rights.name) else rights.name)
    free = [each for each in in_members(metadata, ("isAccessibleForFree",)) if isinstance(each, bool)]
    free += [name for rights in stated_rights for name, label in FREE_LABELS.items() if rights.name == label]
    is_free = next(iter(free), None)
    level = next(iter(levels), "")
    ends.append(available if level == "embargoed" else "")
    end = next(filter(None, map(iso_date, ends)), None) or ""
    conditions += [each for each in ends if iso_date(each) is None]  # a text in the place of a date
    return Access(level, tuple(dict.fromkeys(filter(None, conditions))), is_free, end)


def level_of(text: str) -> str:
    """Return the level of access that a term or URI names, or an empty text.

    >>> level_of("info:eu-repo/semantics/openAccess"), level_of("Open Access"), level_of("CC BY")
    ('open', 'open', '')
    """
    name = text.removeprefix("https://").removeprefix("http://")
    if name.startswith("purl.org/coar/"):
        return _LEVELS.get(f"http://{name}".rstrip("/"), "")
    return _LEVELS.get(re.sub("[^a-z]", "", text.removeprefix("info:eu-repo/semantics/").lower()), "")


def spdx_of(text: str) -> str:
    """Return the SPDX identifier of a licence's address or short name, or an empty text.

    >>> spdx_of("http://creativecommons.org/licenses/by-sa/4.0/deed.de"), spdx_of("CC BY 4.0"), spdx_of("free")
    ('CC-BY-SA-4.0', 'CC-BY-4.0', '')
    """
    if found := re.fullmatch(_CREATIVE_COMMONS, text):
        _, name, version = found.groups()
        return {"zero": f"CC0-{version}", "mark": ""}.get(name, f"CC-{name.upper()}-{version}")
    if found := re.fullmatch(_CC_IDENTIFIER, text):
        return f"CC-{found[1].upper()}-{found[2]}"
    for pattern in (_SPDX_ADDRESS, _OPEN_SOURCE):
        if found := re.fullmatch(pattern, text):
            return found[1]
    is_identifier = re.fullmatch(_IDENTIFIER, text) and ("-" in text or text in _SINGLE)
    return text if is_identifier else ""


def licence_uri(spdx: str) -> str:
    """Return the address of a licence by its SPDX identifier: Creative Commons' own, or that at SPDX."""
    if spdx.startswith("CC0-"):
        return f"https://creativecommons.org/publicdomain/zero/{spdx[4:]}/legalcode"
    if found := re.fullmatch(r"CC-(BY(?:-NC)?(?:-SA|-ND)?)-([0-9.]+)", spdx):
        return f"https://creativecommons.org/licenses/{found[1].lower()}/{found[2]}/legalcode"
    return SPDX_URI + spdx


def _rights(item: Any) -> Rights | None:
    """Return the licence of a text, URI or object, with its SPDX identifier and address if these are known."""
    if isinstance(item, Mapping):
        name = text_of(item, "rights", *NAMES)
        uri = next(filter(None, (_address(member(item, each)) for each in _URIS)), "")
        identifier = member(item, "rightsIdentifier", "spdx", "spdxId", "identifier", "id")
        scheme = member(item, "rightsIdentifierScheme")
        scheme_uri, lang = member(item, "schemeUri", "schemeURI"), language_of(item)
        identifier = "" if uri_of(identifier) else identifier
    else:
        name, identifier, scheme, scheme_uri, lang = text_of(item), "", "", "", ""
        uri = _address(name)
    if name and _address(name):
        name, uri = "", uri or _address(name)
    spdx = "" if identifier else spdx_of(uri) or spdx_of(name)
    if spdx and not scheme:
        identifier, scheme, scheme_uri = spdx, SPDX, SPDX_URI
    rights = Rights(name, uri or (licence_uri(spdx) if spdx else ""), identifier, scheme, scheme_uri, lang)
    return rights if any((name, uri, identifier)) else None


def _address(text: str) -> str:
    """Return the text as a URI, also of the terms of access of `info:eu-repo`; empty if it is none."""
    return text if text.startswith("info:eu-repo/") and text.isascii() and " " not in text else uri_of(text) or ""


def keys_of(rights: Rights) -> Iterator[tuple[str, str]]:
    """Yield what identifies a licence: identifier, address and name."""
    pairs = (("identifier", rights.identifier.lower()), ("uri", rights.uri), ("name", rights.name))
    yield from (pair for pair in pairs if pair[1])
