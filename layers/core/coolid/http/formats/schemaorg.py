"""A record in the vocabulary of schema.org: the statements of the JSON-LD and Turtle formats.

A node is a mapping as in JSON-LD. A value is a text, a whole number, a node or a list of these. The property determines
whether a text is a link or a date; `LINKS` and `DATES` are an excerpt of the context that schema.org publishes.
"""

import re
from itertools import starmap
from typing import Any, Final

from coolid.http.formats import metadata_terms, metadata_text
from coolid.http.formats.metadata_terms import ANY, without_controls
from coolid.http.formats.uris import alternate_uri, escape
from coolid.model.records import WITHDRAWN, Location, Record, format_time
from coolid.strict_json import dump

CONTEXT: Final = "https://schema.org"
LINKS: Final = frozenset({"contentUrl", "identifier", "license", "sameAs", "supersededBy"})
DATES: Final = frozenset({"datePublished", "dateModified", "expires"})

Node = dict[str, Any]

_ORCID: Final = "https://orcid.org/"
_SHA256: Final = re.compile("[0-9a-f]{64}")


def write(record: Record) -> str:
    """Return the description as JSON-LD 1.1 (`application/ld+json`), for search engines."""
    return dump(json_ld(record))


def json_ld(record: Record) -> Node:
    """Return the description as a JSON-LD document."""
    return {"@context": CONTEXT, **describe(record)}


def describe(record: Record) -> Node:
    """Return the node of the thing that the PID identifies."""
    pid = escape(record.pid)
    alternates = [(each["scheme"], each["identifier"]) for each in record.alternates]
    unlinked = [
        {"@type": "PropertyValue", "propertyID": without_controls(scheme), "value": without_controls(identifier)}
        for scheme, identifier in alternates
        if alternate_uri(scheme, identifier) is None
    ]
    dates = [date for text in metadata_text.dates(record) if (date := metadata_text.iso_date(text))]
    return _compact(
        {
            "@id": pid,
            "@type": metadata_terms.schema_type(record) or ANY,
            "identifier": [pid, *unlinked],
            "name": list(metadata_text.titles(record)),
            "description": list(metadata_text.descriptions(record)),
            "creator": [_person(each) for each in metadata_text.creators(record)],
            "datePublished": dates[:1],
            "license": [
                each.uri or {"@type": "CreativeWork", "name": each.name} for each in metadata_text.licenses(record)
            ],
            "encoding": [_media(location) for location in metadata_terms.items(record)],
            "sameAs": list(filter(None, starmap(alternate_uri, alternates))),
            "version": record.version,
            "dateModified": format_time(record.updated),
            **_withdrawal(record),
        }
    )


def _withdrawal(record: Record) -> Node:
    """Return the time, reason and successor of a tombstone, in the closest terms of schema.org."""
    if record.status != WITHDRAWN:
        return {}
    node: Node = {"creativeWorkStatus": "Withdrawn"}
    if record.withdrawn:
        node["expires"] = format_time(record.withdrawn.at)
        node["conditionsOfAccess"] = without_controls(record.withdrawn.reason)
        node["supersededBy"] = metadata_terms.successor_uri(record)
    return node


def _compact(node: Node) -> Node:
    """Return the node without empty values, and with single members instead of lists of one."""
    values = {name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in node.items()}
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def _person(each: metadata_text.NamedEntity) -> Node | str:
    """Return a node, or a text if there is only a name, which may not be a person's."""
    if each.uri is None:
        return str(each)
    return _compact({"@id": each.uri, "@type": "Person" if each.uri.startswith(_ORCID) else None, "name": each.name})


def _media(location: Location) -> Node:
    return _compact(
        {
            "@type": "MediaObject",
            "contentUrl": escape(location.uri),
            "encodingFormat": without_controls(location.media_type or ""),
            "inLanguage": without_controls(location.language or ""),
            "contentSize": str(location.size) if location.size is not None else None,
            "sha256": _sha256(location),
            "version": without_controls(location.version or ""),
            "dateModified": metadata_text.iso_date(location.last_modified) if location.last_modified else None,
        }
    )


def _sha256(location: Location) -> str | None:
    """Return the checksum in hexadecimal digits if it is SHA-256, the only one that schema.org has a property for."""
    checksum = location.checksum or {}
    if checksum.get("algorithm", "").lower().replace("-", "") != "sha256":
        return None
    value = checksum.get("value", "").lower()
    return value if _SHA256.fullmatch(value) else None
