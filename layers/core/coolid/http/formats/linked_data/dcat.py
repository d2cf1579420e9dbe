"""A record in the vocabulary DCAT 3 (W3C Recommendation, 2024) with Dublin Core, FOAF and PROV, as JSON-LD.

`dcat:Dataset` is meant broadly: "numbers, text, pixels, imagery, sound and other multi-media" (section 6.6). So every
thing is one, and `dct:type` states its type. Relations that Dublin Core has no term for, and the types of contributors,
are qualified (section 13). DCAT has no terms for funding, so that is in schema.org's.
"""

from typing import Any, Final

from coolid.http.formats import metadata_terms
from coolid.http.formats.description.model import Agent, Description, Related, Rights, Subject, TypedDate
from coolid.http.formats.description.reader import describe
from coolid.http.formats.description.rights import COAR_ACCESS
from coolid.http.formats.linked_data import agents, provenance
from coolid.http.formats.linked_data.nodes import (
    LINKS,
    NAMESPACES,
    SCHEMA,
    Node,
    compact,
    dated,
    literal,
    moment,
    reference,
    references,
    worded,
)
from coolid.http.formats.linked_data.places import dcat_place
from coolid.http.formats.metadata_terms import ANY
from coolid.http.formats.uris import escape, is_plain, uri_of
from coolid.model.records import Location, Record
from coolid.strict_json import dump

PROFILE: Final = NAMESPACES["dcat"]

_MEDIA_TYPES: Final = "https://www.iana.org/assignments/media-types/"
_LANGUAGES: Final = {2: "http://id.loc.gov/vocabulary/iso639-1/", 3: "http://id.loc.gov/vocabulary/iso639-2/"}
_DATES: Final = {
    "Accepted": "dct:dateAccepted",
    "Available": "dct:available",
    "Copyrighted": "dct:dateCopyrighted",
    "Created": "dct:created",
    "Issued": "dct:issued",
    "Submitted": "dct:dateSubmitted",
    "Updated": "dct:modified",
    "Valid": "dct:valid",
}
_RELATIONS: Final = {
    "Cites": "dct:references",
    "HasMetadata": "dct:isReferencedBy",
    "HasPart": "dct:hasPart",
    "HasTranslation": "dct:hasVersion",
    "HasVersion": "dcat:hasVersion",
    "IsCitedBy": "dct:isReferencedBy",
    "IsDerivedFrom": "dct:source",
    "IsNewVersionOf": "dct:replaces",
    "IsObsoletedBy": "dct:isReplacedBy",
    "IsPartOf": "dct:isPartOf",
    "IsPreviousVersionOf": "dct:isReplacedBy",
    "IsPublishedIn": "dct:isPartOf",
    "IsReferencedBy": "dct:isReferencedBy",
    "IsRequiredBy": "dct:isRequiredBy",
    "IsVersionOf": "dcat:isVersionOf",
    "Obsoletes": "dct:replaces",
    "References": "dct:references",
    "Requires": "dct:requires",
}


def write(record: Record) -> str:
    """Return the description as JSON-LD 1.1 with the terms of DCAT."""
    return dump(json_ld(record))


def json_ld(record: Record) -> Node:
    """Return the description as a JSON-LD document, with the funding and provenance of the thing."""
    thing = describe(record)
    context: Node = {"@vocab": SCHEMA, **NAMESPACES, **{name: {"@type": "@id"} for name in sorted(LINKS)}}
    others = {"funding": agents.attributions(thing)["funding"], **provenance.of_thing(thing, record)}
    return {"@context": context, **node_of(record, thing), **compact(others)}


def node_of(record: Record, thing: Description) -> Node:
    """Return the node of the thing that the PID identifies, in the terms of DCAT and Dublin Core."""
    return compact(
        {
            "@id": thing.pid,
            "@type": "dcat:Dataset",
            "dct:identifier": thing.pid,
            "adms:identifier": [
                {"@type": "adms:Identifier", "skos:notation": each.identifier, "dct:type": each.scheme}
                for each in thing.alternates
            ],
            "dct:type": [reference(SCHEMA + (thing.schema_type or ANY)), *filter(None, [thing.resource_type])],
            "dct:title": [worded(each.text, each.lang) for each in thing.titles if not each.type],
            "dct:alternative": [worded(each.text, each.lang) for each in thing.titles if each.type],
            "dct:description": [worded(each.text, each.lang) for each in thing.descriptions],
            "dct:creator": [_agent(each) for each in thing.creators],
            "dct:publisher": [_agent(each, "foaf:Organization") for each in thing.publishers],
            "dct:contributor": [_agent(each) for each in thing.contributors],
            "prov:qualifiedAttribution": [_attribution(each) for each in thing.contributors if each.role],
            **_dates(thing, record),
            "dcat:version": thing.version,
            "dct:language": [_language(each) for each in thing.languages],
            "dcat:keyword": [worded(each.text, each.lang) for each in thing.subjects],
            "dcat:theme": [_theme(each) for each in thing.subjects if uri_of(each.uri)],
            **_terms(thing),
            "dct:spatial": [dcat_place(each) for each in thing.geo_locations],
            "dct:extent": list(thing.sizes),
            "dct:format": list(thing.formats),
            "dcat:landingPage": reference(f"{thing.pid}?format=html"),
            "dcat:distribution": [_distribution(each, thing) for each in thing.files],
            **_relations(thing, record),
        }
    )


def _agent(agent: Agent, default: str = "foaf:Agent") -> Node:
    kind = "foaf:Organization" if agent.is_organization else "foaf:Person" if agent.family or agent.orcid else default
    members = [
        compact(
            {
                "@id": each.identifier.uri if each.identifier else None,
                "@type": "foaf:Organization",
                "foaf:name": each.name,
                "dct:identifier": each.identifier.identifier if each.identifier else None,
            }
        )
        for each in agent.affiliations
    ]
    return compact(
        {
            "@id": agent.uri,
            "@type": kind,
            "foaf:name": agent.name,
            "foaf:givenName": agent.given,
            "foaf:familyName": agent.family,
            "dct:identifier": [each.identifier for each in agent.identifiers],
            "org:memberOf": members,
        }
    )


def _attribution(each: Agent) -> Node:
    role = {"@type": "dcat:Role", "rdfs:label": each.role}
    return {"@type": "prov:Attribution", "prov:agent": _agent(each), "dcat:hadRole": role}


def _dates(thing: Description, record: Record) -> Node:
    """Return the dates; a period of coverage has both ends, of which one may be open."""
    found: dict[str, list[Any]] = {}
    issued = [TypedDate(thing.when, "Issued")] if thing.when else []
    embargo = [TypedDate(thing.access.embargo_end, "Available")] if thing.access.embargo_end else []
    for each in (*issued, *(date for date in thing.dates if date.type != "Issued"), *embargo):
        if each.type == "Coverage":
            found.setdefault("dct:temporal", []).append(_period(each.date))
        elif each.type != "Collected":
            found.setdefault(_DATES.get(each.type, "dct:date"), []).append(dated(each.date))
    return {"dct:modified": moment(record.updated), **found}


def _period(text: str) -> Node:
    start, slash, end = text.partition("/")
    if not slash:
        return {"@type": "dct:PeriodOfTime", "rdfs:label": text, "dcat:startDate": dated(text)}
    ends = {"dcat:startDate": start.strip(". "), "dcat:endDate": end.strip(". ")}
    return {"@type": "dct:PeriodOfTime", **{name: dated(each) for name, each in ends.items() if each}}


def _language(tag: str) -> Node | str:
    code = tag.partition("-")[0].lower()
    known = code.isascii() and code.isalpha() and len(code) in _LANGUAGES
    return reference(_LANGUAGES[len(code)] + code) if known else tag


def _theme(each: Subject) -> Node:
    vocabulary = uri_of(each.scheme_uri)
    return compact(
        {
            "@id": uri_of(each.uri),
            "@type": "skos:Concept",
            "skos:prefLabel": worded(each.text, each.lang),
            "skos:notation": each.code,
            "skos:inScheme": vocabulary and reference(vocabulary),
        }
    )


def _terms(thing: Description) -> Node:
    """Return the licences, the statements of rights and the access."""
    level = thing.access.level
    return {
        "dct:license": references(each.uri for each in thing.rights),
        "dct:rights": [_statement(each) for each in thing.rights if each.name or each.identifier],
        "dct:accessRights": [
            *references([COAR_ACCESS.get(level)]),
            *({"@type": "dct:RightsStatement", "rdfs:label": each} for each in thing.access.conditions),
        ],
    }


def _statement(each: Rights) -> Node:
    label = worded(each.name, each.lang) if each.name else None
    return compact({"@type": "dct:RightsStatement", "rdfs:label": label, "dct:identifier": each.identifier})


def _distribution(file: Location, thing: Description) -> Node:
    media_type = (file.media_type or "").partition(";")[0].strip().lower()
    is_known = media_type.count("/") == 1 and is_plain(media_type)
    checksum = file.checksum or {}
    algorithm, value = checksum.get("algorithm"), checksum.get("value")
    return compact(
        {
            "@type": "dcat:Distribution",
            "dcat:accessURL": reference(file.uri),
            "dcat:downloadURL": reference(file.uri),
            "dcat:mediaType": reference(_MEDIA_TYPES + media_type) if is_known else None,
            "dct:format": file.media_type,
            "dcat:byteSize": literal(str(file.size), "xsd:nonNegativeInteger") if file.size is not None else None,
            "dct:language": _language(file.language) if file.language else None,
            "dct:modified": dated(file.last_modified) if file.last_modified else None,
            "dcat:version": file.version,
            "dct:license": references(each.uri for each in thing.rights),
            "spdx:checksum": {
                "@type": "spdx:Checksum",
                "spdx:algorithm": reference(f"{NAMESPACES['spdx']}checksumAlgorithm_{_plain(algorithm)}"),
                "spdx:checksumValue": value,
            }
            if algorithm and value
            else None,
        }
    )


def _plain(algorithm: str) -> str:
    return escape(algorithm.lower().replace("-", ""))


def _relations(thing: Description, record: Record) -> Node:
    found: dict[str, list[Node | str]] = {}
    for each in thing.related:
        value = reference(each.uri) if each.uri else _described(each)
        name = _RELATIONS.get(each.relation)
        if name is not None:
            found.setdefault(name, []).append(value)
            continue
        found.setdefault("dct:relation", []).append(value)
        if each.relation:
            role = {"@type": "dcat:Role", "rdfs:label": each.relation}
            relationship = {"@type": "dcat:Relationship", "dct:relation": value, "dcat:hadRole": role}
            found.setdefault("dcat:qualifiedRelation", []).append(relationship)
    successor = metadata_terms.successor_uri(record)
    if successor:
        found.setdefault("dct:isReplacedBy", []).append(reference(successor))
    return found


def _described(each: Related) -> Node:
    titles = [worded(title.text, title.lang) for title in each.titles]
    return compact({"@type": "dcat:Resource", "dct:title": titles, "dct:identifier": each.identifier})
