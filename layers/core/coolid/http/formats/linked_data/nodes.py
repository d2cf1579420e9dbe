"""Nodes: the statements about a thing, as in JSON-LD 1.1, which Turtle writes too.

A node is a mapping. A name without a prefix is of schema.org; `NAMESPACES` has the others. A value is a text, a number,
a truth value, a node, a reference (`{"@id": …}`), a literal (`{"@value": …}`) or a list of these. For schema.org, the
property determines whether a text is a link or a date; `LINKS` and `DATES` are an excerpt of the context that
schema.org publishes.

>>> compact({"name": ["Tea"], "keywords": [], "isAccessibleForFree": False})
{'name': 'Tea', 'isAccessibleForFree': False}
>>> dated("2024-05"), dated("spring 1952")
({'@value': '2024-05', '@type': 'xsd:gYearMonth'}, 'spring 1952')
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, Final

from coolid.http.formats.description.json_values import each_of, text_of
from coolid.http.formats.metadata_text import iso_date
from coolid.http.formats.uris import escape, uri_of
from coolid.http.message import LANGUAGE, compiled
from coolid.model.records import Record, format_time

SCHEMA: Final = "http://schema.org/"
"""The context of schema.org expands its terms to these, even if a document names it by `https`."""
NAMESPACES: Final = {
    "adms": "http://www.w3.org/ns/adms#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "org": "http://www.w3.org/ns/org#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": SCHEMA,
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
LINKS: Final = frozenset({"contentUrl", "identifier", "inDefinedTermSet", "license", "sameAs", "supersededBy", "url"})
DATES: Final = frozenset({"dateCreated", "dateModified", "datePublished", "expires"})

Node = dict[str, Any]

_MAX_VALUES: Final = 20
_MAX_TEXT_LENGTH: Final = 300
_PRECISIONS: Final = {4: "xsd:gYear", 7: "xsd:gYearMonth", 10: "xsd:date"}


def compact(node: Node) -> Node:
    """Return the node without empty and repeated values, and with single members instead of lists of one."""
    values = {name: _single(value) if isinstance(value, list) else value for name, value in node.items()}
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def _single(values: list[Any]) -> Any:
    """Return the different values, or the only one."""
    distinct = [value for at, value in enumerate(values) if value not in values[:at]]
    return distinct[0] if len(distinct) == 1 else distinct


def shortened(value: Any, name: str = "") -> Any:
    """Return a document with at most 20 values of each property, and without links and the ends of texts beyond 300.

    >>> shortened({"name": "a" * 301, "url": "https://a.example/" + "b" * 300})["name"][-2:]
    'a…'
    """
    if isinstance(value, dict):
        pairs = ((each, shortened(item, each)) for each, item in value.items())
        return {each: item for each, item in pairs if item not in (None, [], {})}
    if isinstance(value, list):
        return [item for each in value[:_MAX_VALUES] if (item := shortened(each, name)) is not None]
    if not isinstance(value, str) or len(value) <= _MAX_TEXT_LENGTH:
        return value
    return None if name in LINKS or name.startswith("@") else f"{value[: _MAX_TEXT_LENGTH - 1]}…"


def copied(value: Any, depth: int = 4) -> Any:
    """Return a value of schema.org's own vocabulary as a node, a list or a text, without what is neither.

    >>> copied({"@type": "PropertyValue", "name": "T", "@id": "x", "value": 1.5, "a b": "c", "alternateName": [None]})
    {'@type': 'PropertyValue', 'name': 'T', 'value': '1.5'}
    """
    if isinstance(value, Mapping) and "@value" not in value:
        names = [name for name in value if compiled("@id|@type|[a-z][A-Za-z]{1,50}").fullmatch(name)] if depth else []
        node = {name: copied(value[name], depth - 1) for name in names}
        if "@id" in node:
            node["@id"] = uri_of(node["@id"]) if isinstance(node["@id"], str) else None
        if not compiled("[A-Z][A-Za-z]{1,50}").fullmatch(str(node.get("@type"))):
            node.pop("@type", None)
        return compact(node)
    if isinstance(value, list | tuple):
        return [each for item in each_of(value) if (each := copied(item, depth)) not in (None, "", {})]
    return value if isinstance(value, int) else text_of(value)


def reference(uri: str) -> Node:
    """Return a reference to the thing of this URI."""
    return {"@id": uri}


def references(uris: Iterable[str | None]) -> list[Node]:
    """Return a reference for each URI, without those that are None."""
    return [reference(uri) for uri in uris if uri]


def literal(text: str, datatype: str) -> Node:
    """Return a literal of this type."""
    return {"@value": text, "@type": datatype}


def worded(text: str, lang: str) -> Node | str:
    """Return the text with its language, if that is a language tag."""
    return {"@value": text, "@language": lang} if lang and compiled(LANGUAGE).fullmatch(lang) else text


def moment(at: datetime) -> Node:
    """Return a time as a literal."""
    return literal(format_time(at), "xsd:dateTime")


def dated(text: str) -> Node | str:
    """Return a date as a literal of the type that has its precision, or the text as it is if it is no date."""
    written = iso_date(text)
    if written is None:
        return text
    try:
        if len(written) > len("2024-05-06"):
            return moment(datetime.fromisoformat(written)) if written[-1] == "Z" or written[-6] in "+-" else text
        date.fromisoformat(f"{written}-01-01"[:10])
    except (ValueError, OverflowError):
        return text
    return literal(written, _PRECISIONS[len(written)])


def version_address(record: Record, version: int) -> str:
    """Return the address of a version of the record itself, with its proof."""
    return f"{escape(record.pid)}?format=linkid&version={version}"
