"""Provenance in the terms of PROV-O (W3C Recommendation, 2013).

The metadata says to whom a thing is attributed, what it was derived from or revises, and when it was made. The history
says when a version of the record was written, by whom it was issued, and which version it revises. Dates without a time
are `dct:date` of the activity, because PROV's own properties take moments.
"""

from typing import Final

from coolid.http.formats.description.model import Description
from coolid.http.formats.linked_data.nodes import Node, compact, dated, moment, reference, references, version_address
from coolid.http.formats.uris import escape
from coolid.model.records import WITHDRAWN, Record, format_time

_RELATIONS: Final = {
    "IsDerivedFrom": "prov:wasDerivedFrom",
    "IsSourceOf": "prov:hadDerivation",
    "IsNewVersionOf": "prov:wasRevisionOf",
    "Obsoletes": "prov:wasRevisionOf",
    "IsOriginalFormOf": "prov:alternateOf",
    "IsVariantFormOf": "prov:alternateOf",
}
_ACTIVITIES: Final = {"Collected": "collection", "Created": "creation"}
"""The types of dates of activities that made the thing."""


def of_thing(thing: Description, record: Record) -> Node:
    """Return the properties of the thing itself."""
    found: dict[str, list[Node]] = {}
    for each in thing.related:
        if each.relation in _RELATIONS and each.uri:
            found.setdefault(_RELATIONS[each.relation], []).append(reference(each.uri))
    activities = [
        {"@type": "prov:Activity", "rdfs:label": _ACTIVITIES[each.type], "dct:date": dated(each.date)}
        | ({"rdfs:comment": each.information} if each.information else {})
        for each in thing.dates
        if each.type in _ACTIVITIES
    ]
    return {
        "prov:wasAttributedTo": references(dict.fromkeys(each.uri for each in thing.creators)),
        "prov:wasGeneratedBy": activities,
        **found,
        "prov:invalidatedAtTime": moment(record.withdrawn.at) if record.withdrawn else None,
    }


def of_record(record: Record) -> Node:
    """Return the node of this version of the record, which is about the thing."""
    issuer = reference(escape(record.issuer))
    label = "registration" if record.version == 1 else "withdrawal" if record.status == WITHDRAWN else "change"
    activity = {
        "@type": "prov:Activity",
        "rdfs:label": label,
        "prov:endedAtTime": moment(record.updated),
        "prov:wasAssociatedWith": issuer,
    }
    return compact(
        {
            "@id": version_address(record, record.version),
            "@type": "DigitalDocument",
            "encodingFormat": "application/linkid+json",
            "version": record.version,
            "dateCreated": format_time(record.created),
            "dateModified": format_time(record.updated),
            "prov:generatedAtTime": moment(record.updated),
            "prov:wasGeneratedBy": activity,
            "prov:wasAttributedTo": issuer,
            "prov:wasRevisionOf": references([version_address(record, record.version - 1)] if record.previous else []),
        }
    )
