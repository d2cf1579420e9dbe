"""A record in the vocabulary of schema.org, as Google Dataset Search and assessors of FAIR data read it.

Source: schema.org 29; Google Search Central, "Dataset structured data". The statements that schema.org has no terms for
are in Dublin Core (`dct`) and PROV (`prov`). Datasets have `distribution`, other works `encoding`, as the domains of
these properties require.
"""

import re
from typing import Any, Final

from coolid.http.formats.description import dcmi_terms
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import (
    DATASET_MEMBERS,
    METHODS,
    AlternateIdentifier,
    Description,
    Rights,
    Subject,
)
from coolid.http.formats.description.rights import COAR_ACCESS
from coolid.http.formats.linked_data import agents, dcat, provenance, relations
from coolid.http.formats.linked_data.nodes import NAMESPACES, Node, compact, copied, dated
from coolid.http.formats.linked_data.places import schema_place
from coolid.http.formats.metadata_terms import ANY, successor_uri, without_controls
from coolid.http.formats.metadata_text import iso_date
from coolid.http.formats.uris import uri_of
from coolid.model.records import WITHDRAWN, Location, Record, format_time
from coolid.strict_json import dump

CONTEXT: Final = "https://schema.org"
_PREFIXES: Final = ("dct", "prov", "rdfs", "xsd")
_DATASET: Final = "Dataset"
_SHA256: Final = re.compile("[0-9a-f]{64}")

_DATES: Final = {"Issued": "datePublished", "Created": "dateCreated", "Updated": "dateModified"}
"""The dates that schema.org has a property for."""


def write(record: Record) -> str:
    """Return the description as JSON-LD 1.1 (`application/ld+json`), for search engines."""
    return dump(json_ld(record))


def json_ld(record: Record, thing: Description | None = None) -> Node:
    """Return the description as a JSON-LD document, of the `thing` if it has been read from the record."""
    context = [CONTEXT, {name: NAMESPACES[name] for name in _PREFIXES}]
    return {"@context": context, **node_of(record, thing or describe(record))}


def node_of(record: Record, thing: Description) -> Node:
    """Return the node of the thing that the PID identifies."""
    kind = thing.schema_type or ANY
    links = relations.relations(thing.related, kind)
    return compact(
        {
            "@id": thing.pid,
            "@type": kind,
            "identifier": [thing.pid, *map(_identifier, thing.other_identifiers)],
            "url": thing.pid,
            "name": [each.text for each in thing.titles if not each.type],
            "alternateName": [each.text for each in thing.titles if each.type],
            **_descriptions(thing, kind),
            "genre": thing.resource_type,
            **agents.attributions(thing),
            **_dates(thing, record),
            "version": thing.version,
            "inLanguage": list(thing.languages),
            "keywords": [_keyword(each) for each in thing.subjects],
            "license": [_license(each) for each in thing.rights],
            "dct:rights": dcat.rights_of(thing),
            **_access(thing, record),
            **_files(thing, kind),
            **{name: copied(record.metadata.get(name)) for name in DATASET_MEMBERS if kind == _DATASET},
            "spatialCoverage": [schema_place(each) for each in thing.geo_locations],
            **links,
            "sameAs": [*(each.uri for each in thing.other_identifiers if each.uri), *links.get("sameAs", ())],
            "subjectOf": [*links.get("subjectOf", ()), provenance.of_record(record)],
            **_withdrawal(record),
            **provenance.of_thing(thing, record),
        }
    )


def _identifier(each: AlternateIdentifier) -> Node:
    value = {"@type": "PropertyValue", "propertyID": each.scheme, "value": each.identifier, "url": each.uri}
    return compact(value)


def _descriptions(thing: Description, kind: str) -> Node:
    """Return the descriptions; only datasets have a property for methods."""
    methods = thing.methods if kind == _DATASET else ()
    others = (each.text for each in thing.descriptions if not (methods and each.type == METHODS))
    return {
        "description": list(dict.fromkeys(filter(None, (thing.abstract, *others)))),
        "measurementTechnique": list(methods),
    }


def _dates(thing: Description, record: Record) -> Node:
    """Return the dates, in schema.org's terms if they are dates and it has a term."""
    found: dict[str, list[Any]] = {}
    typed = [(each.type, each.date) for each in thing.dates if each.type != "Issued"]
    for kind, text in (("Issued", thing.when), *typed, ("Available", thing.access.embargo_end)):
        date, year = iso_date(text), re.fullmatch("[0-9]{4}", text)
        if kind == "Coverage":
            found.setdefault("temporalCoverage", []).append(text)
        elif kind == "Copyrighted" and year:
            found.setdefault("copyrightYear", []).append(int(text))
        elif kind in _DATES and date:
            found.setdefault(_DATES[kind], []).append(date)
        elif text and kind != "Collected":
            found.setdefault(f"dct:{dcmi_terms.DATES.get(kind, 'date')}", []).append(dated(text))
    return {"dateModified": format_time(record.updated), **found}


def _keyword(each: Subject) -> Node | str:
    uri = uri_of(each.uri)
    if not (uri or each.scheme or each.scheme_uri or each.code):
        return each.text
    vocabulary = uri_of(each.scheme_uri)
    terms = {"@type": "DefinedTermSet", "@id": vocabulary, "name": each.scheme}
    code = {"termCode": each.code, "inDefinedTermSet": compact(terms) if vocabulary or each.scheme else None}
    return compact({"@id": uri, "@type": "DefinedTerm", "name": each.text, "url": uri, **code})


def _license(each: Rights) -> Node | str:
    return each.uri or compact({"@type": "CreativeWork", "name": each.name, "identifier": each.identifier})


def _access(thing: Description, record: Record) -> Node:
    """Return the level of access by COAR's concept, the conditions, and the reason of a withdrawal."""
    access = thing.access
    by_level = {"open": True, "restricted": False, "closed": False}
    reason = without_controls(record.withdrawn.reason) if record.withdrawn else ""
    return {
        "isAccessibleForFree": by_level.get(access.level) if access.is_free is None else access.is_free,
        "conditionsOfAccess": [text for text in (COAR_ACCESS.get(access.level), *access.conditions, reason) if text],
    }


def _files(thing: Description, kind: str) -> Node:
    is_dataset = kind == _DATASET
    name, media = ("distribution", "DataDownload") if is_dataset else ("encoding", "MediaObject")
    return {
        name: [_media(each, media) for each in thing.files],
        "size": list(thing.sizes),
        "encodingFormat": list(thing.formats),
    }


def _media(file: Location, kind: str) -> Node:
    return compact(
        {
            "@type": kind,
            "contentUrl": file.uri,
            "encodingFormat": file.media_type,
            "inLanguage": file.language,
            "contentSize": str(file.size) if file.size is not None else None,
            "sha256": _sha256(file),
            "version": file.version,
            "dateModified": iso_date(file.last_modified) if file.last_modified else None,
        }
    )


def _sha256(file: Location) -> str | None:
    """Return the checksum in hexadecimal digits if it is SHA-256, the only one that schema.org has a property for."""
    checksum = file.checksum or {}
    if checksum.get("algorithm", "").lower().replace("-", "") != "sha256":
        return None
    value = checksum.get("value", "").lower()
    return value if _SHA256.fullmatch(value) else None


def _withdrawal(record: Record) -> Node:
    """Return the time and successor of a tombstone, in the closest terms of schema.org."""
    if record.status != WITHDRAWN:
        return {}
    node: Node = {"creativeWorkStatus": "Withdrawn"}
    if record.withdrawn:
        node["expires"] = format_time(record.withdrawn.at)
        node["supersededBy"] = successor_uri(record)
    return node
