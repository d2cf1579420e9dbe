"""EZID's metadata profiles, and the members of a record's metadata that their elements mean.

Specification: EZID API, version 2, "Metadata profiles" and "Metadata requirements & mapping". The values of elements
with an equivalent in the kernel are stored only in that member, so that both interfaces change the same value.

>>> ELEMENTS["dc"]["who"], default_profile("doi:10.5072/FK2"), default_profile("ark:/99999/fk4")
('dc.creator', 'datacite', 'erc')
>>> resource_type("Image/Photograph"), resource_type("Diary")
({'resourceTypeGeneral': 'Image', 'resourceType': 'Photograph'}, 'Diary')
"""

from collections.abc import Mapping
from typing import Any, Final

from coolid.http.formats.description.work_types import GENERAL_TYPES

WHO: Final = "who"
WHAT: Final = "what"
WHEN: Final = "when"
PUBLISHER: Final = "publisher"
TYPE: Final = "type"
KERNEL: Final = (WHO, WHAT, WHEN, PUBLISHER, TYPE)
"""The members of metadata that elements mean."""

ERC: Final = "erc"
DC: Final = "dc"
DATACITE: Final = "datacite"
CROSSREF: Final = "crossref"
BLOCKS: Final = (DATACITE, CROSSREF, ERC)
"""The elements that contain a whole document."""

ELEMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    ERC: {WHO: "erc.who", WHAT: "erc.what", WHEN: "erc.when"},
    DC: {WHO: "dc.creator", WHAT: "dc.title", WHEN: "dc.date", PUBLISHER: "dc.publisher", TYPE: "dc.type"},
    DATACITE: {
        WHO: "datacite.creator",
        WHAT: "datacite.title",
        WHEN: "datacite.publicationyear",
        PUBLISHER: "datacite.publisher",
        TYPE: "datacite.resourcetype",
    },
}
"""The element of a profile for each member; other profiles have none."""
MAPPED_COLUMNS: Final[Mapping[str, str]] = {
    "_mappedCreator": WHO,
    "_mappedTitle": WHAT,
    "_mappedPublisher": PUBLISHER,
    "_mappedDate": WHEN,
    "_mappedType": TYPE,
}
"""The columns of CSV downloads with values that EZID derives, and the member for each."""


def default_profile(identifier: str) -> str:
    """Return the profile of an identifier for which none was chosen."""
    return DATACITE if identifier.startswith("doi:") else ERC


def resource_type(text: str) -> Any:
    """Return the value of the member `type`: DataCite's general and specific type, or the text."""
    general, slash, specific = text.partition("/")
    if slash and general in GENERAL_TYPES and specific and specific == specific.strip():
        return {"resourceTypeGeneral": general, "resourceType": specific}
    return text


def type_text(value: Mapping[str, Any]) -> str:
    """Return the text of a type in two parts, the inverse of `resource_type`; empty if it has other members."""
    if value.keys() != {"resourceTypeGeneral", "resourceType"} or not all(
        isinstance(each, str) for each in value.values()
    ):
        return ""
    return f"{value['resourceTypeGeneral']}/{value['resourceType']}"
