"""Conversion of DataCite's XML to the properties of its REST API: the inverse of `coolid.http.formats.citations`.

Source: DataCite Metadata Schema 4.0 to 4.6, `metadata.xsd`; positions as texts in schema 3 (`geoLocationPoint`).

>>> from coolid.http.formats.xml_parser import parse_xml
>>> properties_of(parse_xml('<resource><titles><title xml:lang="en">A</title></titles></resource>'))
{'titles': [{'title': 'A', 'lang': 'en'}]}
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element

from coolid.http.formats.xml_parser import local_name, text_in

Properties = dict[str, Any]

_RENAMED: Final = {"resourceType": "types"}
_NAMES: Final = {"schemeURI": "schemeUri", "valueURI": "valueUri", "rightsURI": "rightsUri", "awardURI": "awardUri"}
_BREAK: Final = "br"


def properties_of(root: Element) -> Properties:
    """Return the properties that have a value."""
    named = ((local_name(each), each) for each in root)
    return _with_values((_RENAMED.get(name, name), _READERS.get(name, _nothing)(each)) for name, each in named)


def identifier_of(root: Element) -> tuple[str, str]:
    """Return the identifier and its type, both empty without an identifier."""
    element = _child(root, "identifier")
    return text_in(element), "" if element is None else element.get("identifierType", "")


def _nothing(_: Element) -> Any:
    return None


def _list(read: Callable[[Element], Any]) -> Callable[[Element], list[Any]]:
    return lambda parent: [value for each in parent if (value := read(each))]


def _text(element: Element) -> Properties:
    """Return a text under the name of its element, with its attributes."""
    return _with_values([(local_name(element), text_in(element)), *_attributes(element)])


def _description(element: Element) -> Properties:
    parts = [element.text or ""]
    for each in element:
        parts += ["\n" if local_name(each) == _BREAK else "".join(each.itertext()), each.tail or ""]
    return _with_values([("description", "".join(parts).strip()), *_attributes(element)])


def _named(element: Element) -> Properties:
    """Return a publisher: its text is its name."""
    return _with_values([("name", text_in(element)), *_attributes(element)])


def _agent(element: Element) -> Properties:
    name = next((each for each in element if local_name(each).endswith("Name") and _is_main_name(each)), None)
    return _with_values(
        [
            ("name", text_in(name)),
            *(() if name is None else _attributes(name)),
            ("givenName", text_in(_child(element, "givenName"))),
            ("familyName", text_in(_child(element, "familyName"))),
            ("nameIdentifiers", [_text(each) for each in _children(element, "nameIdentifier")]),
            ("affiliation", [_named(each) for each in _children(element, "affiliation")]),
            *_attributes(element),
        ]
    )


def _is_main_name(element: Element) -> bool:
    return local_name(element) in ("creatorName", "contributorName")


def _types(element: Element) -> Properties:
    return _with_values([*_attributes(element), ("resourceType", text_in(element))])


def _geo_location(element: Element) -> Properties:
    polygon = [
        {local_name(point): _texts(point)} for each in _children(element, "geoLocationPolygon") for point in each
    ]
    return _with_values(
        [
            ("geoLocationPlace", text_in(_child(element, "geoLocationPlace"))),
            ("geoLocationPoint", _position(element, "geoLocationPoint", ("pointLatitude", "pointLongitude"))),
            ("geoLocationBox", _position(element, "geoLocationBox", _BOX)),
            ("geoLocationPolygon", polygon),
        ]
    )


_BOX: Final = ("southBoundLatitude", "westBoundLongitude", "northBoundLatitude", "eastBoundLongitude")


def _position(element: Element, name: str, order: tuple[str, ...]) -> Properties:
    """Return a point or box, whose numbers are elements, or in schema 3 a text with a fixed order."""
    found = _child(element, name)
    if found is None:
        return {}
    numbers = text_in(found).split()
    if len(found) == 0 and len(numbers) == len(order):
        return dict(zip(order, numbers, strict=True))
    return _texts(found)


def _funding(element: Element) -> Properties:
    return _with_values(
        member for each in element for member in [(local_name(each), text_in(each)), *_attributes(each)]
    )


def _related_item(element: Element) -> Properties:
    members: list[tuple[str, Any]] = list(_attributes(element))
    for each in element:
        name = local_name(each)
        if name in ("creators", "contributors"):
            members.append((name, _list(_agent)(each)))
        elif name == "titles":
            members.append((name, _list(_text)(each)))
        elif name == "relatedItemIdentifier":
            members.append((name, _text(each)))
        else:
            members += [(name, text_in(each)), *_attributes(each)]
    return _with_values(members)


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    for name, value in element.attrib.items():
        plain = name.rpartition("}")[2]
        if not name.startswith("{http://www.w3.org/2001/XMLSchema-instance}"):
            yield _NAMES.get(plain, plain), value.strip()


def _texts(element: Element) -> Properties:
    return _with_values((local_name(each), text_in(each)) for each in element)


def _with_values(members: "Iterator[tuple[str, Any]] | list[tuple[str, Any]]") -> Properties:
    return {name: value for name, value in members if value}


def _child(element: Element, name: str) -> Element | None:
    return next(_children(element, name), None)


def _children(element: Element, name: str) -> Iterator[Element]:
    return (each for each in element if local_name(each) == name)


_READERS: Final[Mapping[str, Callable[[Element], Any]]] = {
    "creators": _list(_agent),
    "contributors": _list(_agent),
    "titles": _list(_text),
    "publisher": _named,
    "publicationYear": text_in,
    "resourceType": _types,
    "subjects": _list(_text),
    "dates": _list(_text),
    "language": text_in,
    "version": text_in,
    "alternateIdentifiers": _list(_text),
    "relatedIdentifiers": _list(_text),
    "relatedItems": _list(_related_item),
    "sizes": _list(text_in),
    "formats": _list(text_in),
    "rightsList": _list(_text),
    "descriptions": _list(_description),
    "geoLocations": _list(_geo_location),
    "fundingReferences": _list(_funding),
}
