"""A record in the vocabulary DCAT 3 (W3C Recommendation, 2024) with Dublin Core, FOAF and PROV, as JSON-LD.

`dcat:Dataset` is meant broadly: "numbers, text, pixels, imagery, sound and other multi-media" (section 6.6). So every
thing is one, and `dct:type` states its type. Relations that Dublin Core has no term for, and the types of contributors,
are qualified (section 13). DCAT has no terms for funding, so that is in schema.org's.
"""

import re
from typing import Any, Final

from coolid.http.formats.description import dcmi_terms
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import Agent, Description, Related, Rights, Subject, TypedDate
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
from coolid.http.formats.linked_data.relations import type_of
from coolid.http.formats.metadata_terms import ANY, successor_uri
from coolid.http.formats.metadata_text import iso_date
from coolid.http.formats.uris import is_plain, uri_of
from coolid.model.records import Location, Record
from coolid.strict_json import dump

_ALGORITHMS: Final = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512"})
_MEDIA_TYPES: Final = "https://www.iana.org/assignments/media-types/"
_LANGUAGES: Final = {2: "http://id.loc.gov/vocabulary/iso639-1/", 3: "http://id.loc.gov/vocabulary/iso639-2/"}
_VERSIONS: Final = {"HasVersion": "dcat:hasVersion", "IsVersionOf": "dcat:isVersionOf"}
"""The relations for which DCAT has properties of its own."""


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
                for each in thing.other_identifiers
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
            found.setdefault(f"dct:{dcmi_terms.DATES.get(each.type, 'date')}", []).append(dated(each.date))
    return {"dct:modified": moment(record.updated), **found}


def _period(text: str) -> Node:
    start, slash, end = text.partition("/")
    if not slash:
        return {"@type": "dct:PeriodOfTime", "rdfs:label": text, "dcat:startDate": dated(text)}
    ends = {"dcat:startDate": start.strip(". "), "dcat:endDate": end.strip(". ")}
    return {"@type": "dct:PeriodOfTime", **{name: dated(each) for name, each in ends.items() if each}}


def _language(tag: str) -> Node | str:
    code = tag.partition("-")[0].lower()
    is_iso_639 = code.isascii() and code.isalpha() and len(code) in _LANGUAGES
    return reference(_LANGUAGES[len(code)] + code) if is_iso_639 else tag


def _theme(each: Subject) -> Node:
    vocabulary = uri_of(each.scheme_uri)
    return compact(
        {
            "@id": uri_of(each.uri),
            "@type": "skos:Concept",
            "skos:prefLabel": worded(each.text, each.lang),
            "skos:notation": each.code,
            "skos:inScheme": compact({"@id": vocabulary, "@type": "skos:ConceptScheme", "rdfs:label": each.scheme})
            if vocabulary or each.scheme
            else None,
        }
    )


def _terms(thing: Description) -> Node:
    """Return the licences, the statements of rights and the access."""
    level = thing.access.level
    return {
        "dct:license": references(each.uri for each in thing.rights),
        "dct:rights": rights_of(thing),
        "dct:accessRights": [
            *references([COAR_ACCESS.get(level)]),
            *({"@type": "dct:RightsStatement", "rdfs:label": each} for each in thing.access.conditions),
        ],
    }


def rights_of(thing: Description) -> list[Node]:
    """Return the licences and statements of rights by their names."""
    return [_statement(each) for each in thing.rights if each.name or each.identifier]


def _statement(each: Rights) -> Node:
    label = worded(each.name, each.lang) if each.name else None
    return compact({"@type": "dct:RightsStatement", "rdfs:label": label, "dct:identifier": each.identifier})


def _distribution(file: Location, thing: Description) -> Node:
    media_type = (file.media_type or "").partition(";")[0].strip().lower()
    is_known = media_type.count("/") == 1 and is_plain(media_type)
    return compact(
        {
            "@type": "dcat:Distribution",
            "dcat:accessURL": reference(file.uri),
            "dcat:downloadURL": reference(file.uri),
            "dcat:mediaType": reference(_MEDIA_TYPES + media_type) if is_known else None,
            "dct:format": file.media_type,
            "dcat:byteSize": literal(str(file.size), "xsd:nonNegativeInteger") if file.size is not None else None,
            "dct:language": _language(file.language) if file.language else None,
            "dct:modified": dated(iso_date(file.last_modified or "") or ""),
            "dcat:version": file.version,
            "dct:license": references(each.uri for each in thing.rights),
            "spdx:checksum": _checksum(file),
        }
    )


def _checksum(file: Location) -> Node | None:
    """Return the checksum in hexadecimal digits, of an algorithm that SPDX 2.3 names."""
    checksum = file.checksum or {}
    algorithm, value = checksum.get("algorithm", "").lower().replace("-", ""), checksum.get("value", "")
    if algorithm not in _ALGORITHMS or not re.fullmatch("[0-9A-Fa-f]+", value):
        return None
    concept = reference(f"{NAMESPACES['spdx']}checksumAlgorithm_{algorithm}")
    return {"@type": "spdx:Checksum", "spdx:algorithm": concept, "spdx:checksumValue": value.lower()}


def _relations(thing: Description, record: Record) -> Node:
    found: dict[str, list[Node | str]] = {}
    for each in thing.related:
        value = _described(each)
        name = dcmi_terms.RELATIONS.get(each.relation)
        if name is not None:
            found.setdefault(_VERSIONS.get(each.relation, f"dct:{name}"), []).append(value)
            continue
        found.setdefault("dct:relation", []).append(value)
        if each.relation:
            role = {"@type": "dcat:Role", "rdfs:label": each.relation}
            relationship = {"@type": "dcat:Relationship", "dct:relation": value, "dcat:hadRole": role}
            found.setdefault("dcat:qualifiedRelation", []).append(relationship)
    successor = successor_uri(record)
    if successor:
        found.setdefault("dct:isReplacedBy", []).append(reference(successor))
    return found


def _described(each: Related) -> Node:
    """Return the node of a related thing; Dublin Core has one term for all that locates a part in a publication."""
    parts = {"volume": each.volume, "issue": each.issue, "pages": each.pages("-"), "edition": each.edition}
    parts[each.number_type.lower() or "number"] = each.number
    schema = uri_of(each.scheme_uri)
    return compact(
        {
            "@id": each.uri,
            "@type": "dcat:Resource",
            "dct:type": reference(SCHEMA + type_of(each)) if type_of(each) != ANY else None,
            "dct:title": [worded(title.text, title.lang) for title in each.titles],
            "dct:identifier": each.identifier,
            "dct:creator": [_agent(agent) for agent in each.creators],
            "dct:contributor": [_agent(agent) for agent in each.contributors],
            "dct:publisher": each.publisher and {"@type": "foaf:Organization", "foaf:name": each.publisher},
            "dct:issued": dated(each.year) if each.year else None,
            "dct:bibliographicCitation": ", ".join(f"{name} {text}" for name, text in parts.items() if text),
            "dct:conformsTo": compact({"@id": schema, "@type": "dct:Standard", "dct:title": each.metadata_scheme})
            if schema or each.metadata_scheme
            else None,
        }
    )
