"""The places of identifiers and shoulders in request paths: namespaces and keys of records.

An identifier in a path may be percent-encoded, in its classic or its own form. An ARK may belong to its shoulder or, if
it is older than that, to its NAAN.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from coolid.errors import BadReference, InvalidIdentifier, InvalidInput, NotFound, UnregisteredIdentifier
from coolid.http.dialects.ezid.identifiers import own_form
from coolid.http.dialects.ezid.responses import INVALID_IDENTIFIER, NO_SHOULDER
from coolid.http.dialects.record_places import RecordPlace
from coolid.model.prefixes import Namespace, as_path, has_handles
from coolid.model.records import RESERVED, WITHDRAWN, Record
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix
from coolid.registry.references import Reference, parse_reference
from coolid.store.prefixes import PrefixReader
from coolid.store.records import RecordReader

_BATCH_SIZE: Final = 50
"""The number of beginnings of an identifier that one read looks up."""


def identifier_in(path: str) -> str:
    """Return the identifier in a path, in the form of this service's paths. Raises `BadReference`."""
    identifier = own_form(parse_reference(path).text)
    if ":" not in identifier and "/" not in identifier:
        raise BadReference(INVALID_IDENTIFIER)
    return identifier


def places_of(identifier: str, prefixes: PrefixReader) -> tuple[RecordPlace, ...]:
    """Return where an identifier may be: under its longest prefix, and under its NAAN. There is at least one place.

    Raises `InvalidIdentifier` if it breaks the rules of both, and `NotFound` without a namespace of this service.
    """
    match = find_prefix(Reference.of(identifier), prefixes)
    places = []
    refusal: InvalidIdentifier | None = None
    for each in _namespace_matches(match):
        assert isinstance(each.prefix, Namespace)
        try:
            places.append(RecordPlace.of(each.prefix, each.identifier))
        except InvalidIdentifier as error:
            refusal = refusal or error
    if places:
        return tuple(places)
    raise refusal or UnregisteredIdentifier(match.prefix.name, match.identifier)


def find_record(places: tuple[RecordPlace, ...], records: RecordReader) -> tuple[RecordPlace, Record | None]:
    """Return the first place with a record, and the record; else the first place and None."""
    for place in places:
        record = records.record(place.namespace.repository.id, place.key, consistent=True)
        if record is not None:
            return place, record
    return places[0], None


def is_deleted(record: Record, records: RecordReader) -> bool:
    """Return whether a record was withdrawn while it was reserved, so that it was never public."""
    if record.status != WITHDRAWN or record.records or record.metadata:
        return False
    before = records.superseded(record.repository, record.key, record.version - 1)
    return before is not None and before.status == RESERVED


def longest_registered(
    identifier: str, prefixes: PrefixReader, records: RecordReader
) -> Iterator[tuple[RecordPlace, Record]]:
    """Yield the records whose identifiers begin an identifier, the longest first."""
    with suppress(NotFound, InvalidIdentifier):
        for match in _namespace_matches(find_prefix(Reference.of(identifier), prefixes)):
            assert isinstance(match.prefix, Namespace)
            written = _keys_of_beginnings(match.prefix, match.identifier)
            keys = [*written]
            for start in range(0, len(keys), _BATCH_SIZE):
                batch = keys[start : start + _BATCH_SIZE]
                found = records.records(match.prefix.repository.id, batch)
                yield from ((RecordPlace(match.prefix, written[key], key), found[key]) for key in batch if key in found)


def shoulder_in(path: str, prefixes: PrefixReader) -> tuple[Namespace, str]:
    """Return the namespace of a shoulder, and what its names begin with behind the namespace.

    Raises `InvalidInput` if there is none here.
    """
    shoulder = own_form(parse_reference(path).text)
    name = shoulder.rstrip("/")
    with suppress(NotFound, InvalidIdentifier):
        match = find_prefix(Reference.of(name), prefixes)
        if isinstance(match.prefix, Namespace):
            beginning = match.identifier + ("/" if match.identifier and name != shoulder else "")
            is_handle = has_handles(match.prefix.name)  # EZID's are in upper case
            return match.prefix, beginning.lower() if is_handle else beginning
    raise InvalidInput.at("", NO_SHOULDER)


def path_of_place(place: RecordPlace) -> str:
    """Return the percent-encoded path of the identifier at this service."""
    return as_path(place.path)


def _namespace_matches(match: PrefixMatch) -> Iterator[PrefixMatch]:
    return (
        each
        for each in (match, match.naan_match)
        if each is not None and isinstance(each.prefix, Namespace) and each.identifier
    )


def _keys_of_beginnings(namespace: Namespace, identifier: str) -> dict[str, str]:
    """Return the beginnings of an identifier that obey the rules, by their keys, the longest first."""
    keys: dict[str, str] = {}
    for end in range(len(identifier), 0, -1):
        with suppress(InvalidIdentifier):
            place = RecordPlace.of(namespace, identifier[:end])
            keys.setdefault(place.key, place.identifier)
    return keys
