"""The function that makes the shared description from a record, whatever the vocabulary of its metadata.

The metadata is arbitrary JSON. It may contain the kernel's elements (who, what, when, where, how, type, license), and
the members of DataCite, schema.org, Dublin Core, CSL and InvenioRDM under their own names. Members with the same
meaning are joined, so that a structured one completes a plain one. Each module of this package reads one kind.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, tzinfo=UTC)
>>> metadata = {"who": "Lee, Ann", "what": "Tea", "creators": [{"name": "Lee, Ann", "affiliation": "CERN"}]}
>>> record = Record("x5", "https://id.example/mp:x5", "r4k2", 1, when, when, "https://id.example", "active",
...     metadata=metadata)
>>> found = describe(record)
>>> found.title, found.creators[0].name, found.creators[0].affiliations[0].name
('Tea', 'Lee, Ann', 'CERN')
"""

from collections.abc import Iterator, Mapping
from typing import Final

from coolid.http.formats.description import (
    agent_lists,
    alternate_identifiers,
    dates,
    files,
    funders,
    places,
    relations,
    rights,
    subjects,
    titles,
)
from coolid.http.formats.description.agents import agents
from coolid.http.formats.description.datacite_terms import DESCRIPTION_TYPES, canonical
from coolid.http.formats.description.json_values import (
    Members,
    each_of,
    in_members,
    member,
    merged,
    plain_names,
    term,
    text_of,
    texts_of,
)
from coolid.http.formats.description.model import ABSTRACT, DATASET_MEMBERS, METHODS, Description, TypedDate, TypedText
from coolid.http.formats.description.work_types import is_type, work_type_of
from coolid.http.formats.metadata_terms import CREATORS, NAMES, TYPES, schema_type, successor_uri, texts
from coolid.http.formats.metadata_text import iso_date, line
from coolid.http.formats.uris import escape, uri_of
from coolid.identifiers.typography import is_visible
from coolid.model.records import WITHDRAWN, Record, format_time

_DESCRIPTIONS: Final = ("description", "descriptions", "additional_descriptions")
_OTHER_DESCRIPTIONS: Final = {
    "abstract": ABSTRACT,
    "how": METHODS,
    "measurementTechnique": METHODS,
    "tableOfContents": "TableOfContents",
}
_VERSIONS: Final = ("version", "softwareVersion")
_LANGUAGES: Final = ("language", "languages", "inLanguage")
_TYPES: Final = ("type", "types", "resourceType", "resource_type", "additionalType", "genre")

_READERS: Final = (
    agent_lists, alternate_identifiers, dates, files, funders, places, relations, rights, subjects, titles,
)  # fmt: skip
"""The modules that read members of their own."""

MEMBERS: Final = frozenset(
    {*_DESCRIPTIONS, *_OTHER_DESCRIPTIONS, *_VERSIONS, *_LANGUAGES, *_TYPES}
    | {*DATASET_MEMBERS, "publicationYear", "resourceTypeGeneral", "@type", "@context", "schemaVersion"}
).union(*(each.MEMBERS for each in _READERS))
"""The members of metadata that belong to a vocabulary; a description names the others."""


def describe(record: Record) -> Description:
    """Return the description of a record, which contains all that its metadata says in members of a vocabulary."""
    metadata = plain_names(record.metadata)
    typed = list(dict.fromkeys(dates.dates(metadata)))
    year = next(filter(None, (text_of(item) for item in in_members(metadata, ("publicationYear",)))), "")
    when = dates.publication_date(typed, year)
    date, found_files = iso_date(when), files.files_of(record)
    access = rights.access_of(metadata, next((each.date for each in typed if each.type == dates.AVAILABLE), ""))
    ends = [TypedDate(each, dates.AVAILABLE) for each in [access.embargo_end] if each]
    kind, own_doi = work_type_of(record), alternate_identifiers.doi_of(record)
    return Description(
        pid=escape(record.pid),
        doi=own_doi,
        kind=kind,
        schema_type=schema_type(record) or TYPES.get(kind.general.lower(), ""),
        resource_type=_resource_type(metadata),
        titles=titles.titles(metadata),
        creators=agent_lists.creators(metadata),
        publishers=agent_lists.publishers(metadata),
        contributors=agent_lists.contributors(metadata),
        when=when,
        issued=tuple(map(int, date.partition("T")[0].split("-"))) if date else (),
        dates=tuple(each for each in dict.fromkeys((*typed, *ends)) if each.type or each.date != when),
        languages=tuple(dict.fromkeys(filter(None, map(_language, in_members(metadata, _LANGUAGES))))),
        version=next(filter(None, (text_of(item) for item in in_members(metadata, _VERSIONS))), ""),
        subjects=merged(subjects.subjects(metadata), lambda each: [each.text]),
        descriptions=merged(_descriptions(metadata), lambda each: [each.text]),
        rights=merged(rights.licences(metadata), rights.keys_of),
        access=access,
        related=relations.related(metadata),
        funding=funders.funding(metadata),
        alternates=tuple(alternate_identifiers.alternate_identifiers(record, own_doi, found_files)),
        geo_locations=tuple(dict.fromkeys(places.geo_locations(metadata))),
        sizes=files.sizes_of(metadata, found_files),
        formats=files.formats_of(metadata, found_files),
        files=found_files,
        others=tuple(name for name in metadata if name not in MEMBERS),
        withdrawal=withdrawal_of(record),
    )


def heading(record: Record) -> str:
    """Return its title for people: the first visible one, else the identifier."""
    return next(filter(is_visible, (each.text for each in titles.titles(plain_names(record.metadata)))), record.id)


def is_citable(record: Record) -> bool:
    """Return whether the record can be cited: it has bibliographic metadata or is withdrawn."""
    metadata = plain_names(record.metadata)
    return bool(
        record.status == WITHDRAWN
        or next(titles.titles_in(metadata, titles.MAIN), None)
        or next(agents([metadata.get(name) for name in CREATORS]), None)
        or any(map(text_of, in_members(metadata, ("publisher", "publishers"))))
        or next(dates.dates(metadata), None)
        or text_of(metadata.get("publicationYear"))
        or next(_descriptions(metadata), None)
    )


def withdrawal_of(record: Record) -> str:
    """Return a sentence on the withdrawal of a record, or an empty text."""
    if record.status != WITHDRAWN:
        return ""
    gone = record.withdrawn
    if gone is None:
        return "Withdrawn."
    reason = line(gone.reason)
    sentence = f"Withdrawn on {format_time(gone.at)[:10]}" + (f": {reason}" if reason else "")
    if not sentence.endswith((".", "!", "?", "…")):
        sentence += "."
    successor = successor_uri(record)
    return f"{sentence} Replaced by {successor}" if successor else sentence


def _descriptions(metadata: Members) -> Iterator[TypedText]:
    """Yield the descriptions with their types; they keep their lines."""
    for name in (*_DESCRIPTIONS, *_OTHER_DESCRIPTIONS):
        for item in each_of(metadata.get(name)):
            written = term(item, "descriptionType", "type") if isinstance(item, Mapping) else ""
            written = canonical(written, DESCRIPTION_TYPES) or written
            for text, lang in texts_of(item, "description", *NAMES, read=_paragraphs):
                yield TypedText(text, written or _OTHER_DESCRIPTIONS.get(name, ""), lang)


def _paragraphs(value: object, *members: str) -> str:
    """Return the first text of a value with its lines, without codes for missing values."""
    return next((text for text in texts(value, *members) if line(text)), "")


def _language(value: object) -> str:
    """Return a language tag, or the name of a language without one."""
    if isinstance(value, Mapping):
        return member(value, "alternateName", "id", "@id", *NAMES)
    return text_of(value)


def _resource_type(metadata: Members) -> str:
    """Return the type in the client's words: DataCite's free text, or a type that no vocabulary here has."""
    free = (text_of(each.get("resourceType")) for each in in_members(metadata, ("types",)) if isinstance(each, Mapping))
    written = (
        text
        for item in in_members(metadata, _TYPES)
        for text in [text_of(item, "resourceType", "name", "value", "title", "id")]
        if text and not is_type(text) and not uri_of(text)
    )
    return next(filter(None, free), "") or next(written, "")
