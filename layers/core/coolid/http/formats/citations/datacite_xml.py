"""`application/vnd.datacite.datacite+xml`: the properties of DataCite as XML.

Specification: DataCite Metadata Schema 4.6, `metadata.xsd`. The elements have the properties of the JSON, of which
`_LISTS` and `_ATTRIBUTES` list those that become attributes. Values that the schema restricts (years, languages,
coordinates, URIs) are only written if they are valid. The identifier is the DOI, or else the PID as a URL.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element

from coolid.http.formats.citations.datacite import SCHEMA, properties
from coolid.http.formats.uris import escape
from coolid.http.formats.xml_elements import LANG, add_element, serialize
from coolid.http.message import LANGUAGE
from coolid.model.records import Record

LOCATION: Final = f"{SCHEMA} https://schema.datacite.org/meta/kernel-4.6/metadata.xsd"

# Lists of texts with attributes: the property, the element of each, its text, and its attributes.
_LISTS: Final[tuple[tuple[str, str, str, tuple[str, ...]], ...]] = (
    ("subjects", "subject", "subject", ("subjectScheme", "schemeUri", "valueUri", "classificationCode", "lang")),
    ("dates", "date", "date", ("dateType", "dateInformation")),
    ("alternateIdentifiers", "alternateIdentifier", "alternateIdentifier", ("alternateIdentifierType",)),
    (
        "relatedIdentifiers",
        "relatedIdentifier",
        "relatedIdentifier",
        (
            *("relatedIdentifierType", "relationType", "resourceTypeGeneral", "relatedMetadataScheme", "schemeUri"),
            "schemeType",
        ),
    ),
    (
        "rightsList",
        "rights",
        "rights",
        ("rightsUri", "rightsIdentifier", "rightsIdentifierScheme", "schemeUri", "lang"),
    ),
    ("descriptions", "description", "description", ("descriptionType", "lang")),
)
_ITEM_IDENTIFIER: Final = ("relatedItemIdentifierType", "relatedMetadataScheme", "schemeUri", "schemeType")
_AFFILIATION: Final = ("affiliationIdentifier", "affiliationIdentifierScheme", "schemeUri")
_BEFORE_NUMBER: Final = ("publicationYear", "volume", "issue")
_AFTER_NUMBER: Final = ("firstPage", "lastPage", "publisher", "edition")
# The names of attributes that differ from those of the JSON.
_NAMES: Final = {
    "lang": LANG,
    "schemeUri": "schemeURI",
    "valueUri": "valueURI",
    "rightsUri": "rightsURI",
    "awardUri": "awardURI",
}
_XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_URIS: Final = ("schemeURI", "valueURI", "classificationCode", "rightsURI", "awardURI")
"""The attributes of the type `xs:anyURI`."""
_URI: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?[^:\[\]]*(?:[/?#][^\[\]]*)?")


def write(record: Record) -> str:
    """Return the document."""
    return serialize(element(record))


def element(record: Record) -> Element:
    """Return the root element, which also other documents contain (such as a response of OAI-PMH)."""
    return resource(properties(record))


def resource(values: Mapping[str, Any]) -> Element:
    """Return the element of DataCite's properties."""
    root = Element("resource", {"xmlns": SCHEMA, "xmlns:xsi": _XSI, "xsi:schemaLocation": LOCATION})
    doi = values.get("doi")
    add_element(root, "identifier", doi or values["id"], {"identifierType": "DOI" if doi else "URL"})
    _add_agents(root, "creators", values)
    _add_titles(root, values["titles"])
    publisher = values["publisher"]
    names = ("publisherIdentifier", "publisherIdentifierScheme", "schemeUri", "lang")
    add_element(root, "publisher", publisher["name"], _attributes(publisher, names))
    add_element(root, "publicationYear", f"{values['publicationYear']:04}")
    types = values["types"]
    general = types["resourceTypeGeneral"]
    add_element(root, "resourceType", types.get("resourceType") or general, {"resourceTypeGeneral": general})
    _add_agents(root, "contributors", values)
    for name, single in (("sizes", "size"), ("formats", "format")):
        parent = add_element(root, name) if name in values else root
        for text in values.get(name, ()):
            add_element(parent, single, text)
    _add_texts(root, values, ("language", "version"))
    for name, each, text, attributes in _LISTS:
        if name in values:
            parent = add_element(root, name)
            for value in values[name]:
                add_element(parent, each, value.get(text, ""), _attributes(value, attributes))
    _add_geo_locations(root, values.get("geoLocations", ()))
    _add_funding(root, values.get("fundingReferences", ()))
    _add_related_items(root, values.get("relatedItems", ()))
    return root


def _add_agents(parent: Element, name: str, values: Mapping[str, Any]) -> None:
    """Add creators or contributors, of the thing or of a related one."""
    if not values.get(name):
        return
    single = name.removesuffix("s")
    agents = add_element(parent, name)
    for each in values[name]:
        agent = add_element(agents, single, "", _attributes(each, ("contributorType",)))
        add_element(agent, f"{single}Name", each["name"], _attributes(each, ("nameType", "lang")))
        _add_texts(agent, each, ("givenName", "familyName"))
        for identifier in each.get("nameIdentifiers", ()):
            attributes = _attributes(identifier, ("nameIdentifierScheme", "schemeUri"))
            add_element(agent, "nameIdentifier", identifier["nameIdentifier"], attributes)
        for affiliation in each.get("affiliation", ()):
            attributes = _attributes(affiliation, _AFFILIATION)
            add_element(agent, "affiliation", affiliation["name"], attributes)


def _add_titles(parent: Element, values: Iterable[Mapping[str, str]]) -> None:
    titles = add_element(parent, "titles")
    for each in values:
        add_element(titles, "title", each["title"], _attributes(each, ("titleType", "lang")))


def _add_geo_locations(root: Element, values: Iterable[Mapping[str, Any]]) -> None:
    locations = add_element(root, "geoLocations") if values else root
    for each in values:
        location = add_element(locations, "geoLocation")
        _add_texts(location, each, ("geoLocationPlace",))
        for name in ("geoLocationPoint", "geoLocationBox"):
            if name in each:
                _add_texts(add_element(location, name), each[name], tuple(each[name]))
        points = each.get("geoLocationPolygon")
        polygon = add_element(location, "geoLocationPolygon") if points else location
        for entry in points or ():
            for name, point in entry.items():
                _add_texts(add_element(polygon, name), point, tuple(point))


def _add_funding(root: Element, values: Iterable[Mapping[str, str]]) -> None:
    references = add_element(root, "fundingReferences") if values else root
    for each in values:
        reference = add_element(references, "fundingReference")
        add_element(reference, "funderName", each["funderName"])
        if identifier := each.get("funderIdentifier"):
            names = ("funderIdentifierType", "schemeUri")
            add_element(reference, "funderIdentifier", identifier, _attributes(each, names))
        if "awardNumber" in each or "awardUri" in each:
            add_element(reference, "awardNumber", each.get("awardNumber", ""), _attributes(each, ("awardUri",)))
        _add_texts(reference, each, ("awardTitle",))


def _add_related_items(root: Element, values: Iterable[Mapping[str, Any]]) -> None:
    """Add the related items, whose elements have an order."""
    items = add_element(root, "relatedItems") if values else root
    for each in values:
        item = add_element(items, "relatedItem", "", _attributes(each, ("relatedItemType", "relationType")))
        if identifier := each.get("relatedItemIdentifier"):
            attributes = _attributes(identifier, _ITEM_IDENTIFIER)
            add_element(item, "relatedItemIdentifier", identifier["relatedItemIdentifier"], attributes)
        _add_agents(item, "creators", each)
        _add_titles(item, each["titles"])
        year = str(each.get("publicationYear", ""))
        _add_texts(item, {**each, "publicationYear": year if re.fullmatch("[0-9]{4}", year) else ""}, _BEFORE_NUMBER)
        if number := each.get("number"):
            add_element(item, "number", number, _attributes(each, ("numberType",)))
        _add_texts(item, each, _AFTER_NUMBER)
        _add_agents(item, "contributors", each)


def _add_texts(parent: Element, values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Add an element for each member that has a value."""
    for name in names:
        value = values.get(name, "")
        if value != "":
            add_element(parent, name, str(value))


def _attributes(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    """Return the attributes that have a valid value, by their names in the XML."""
    pairs = ((_NAMES.get(name, name), values.get(name, "")) for name in names)
    return {name: text for name, value in pairs if (text := _valid(name, value))}


def _valid(name: str, value: str) -> str:
    """Return the value of an attribute as its type requires; empty if it cannot be."""
    if name == LANG:
        return value if re.fullmatch(LANGUAGE, value) else ""
    if name in _URIS:
        uri = escape(value)
        return uri if _URI.fullmatch(uri) else ""
    return value
