"""Conversion of handle values, in the JSON of the REST API, to a version of a record.

Specification: RFC 3651, section 3; Handle.Net Technical Manual, section 14; DOI Handbook, "10320/LOC". A value of type
URL becomes a location, and so does each location in the XML of a value `10320/loc`. Other public values are stored for
the Handle API, as `coolid.http.dialects.handle.record_mapping` stores them. Secrets never leave this module.

>>> url = {"index": 1, "type": "URL", "data": {"format": "string", "value": "https://a.example/"}}
>>> version, losses = version_of([url, {"index": 100, "type": "HS_ADMIN"}])
>>> version.locations[0].uri, [loss.name for loss in losses]
('https://a.example/', ['HS_ADMIN'])
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.record_mapping import (
    MEMBER,
    HandleValue,
    free_indexes,
    record_parts,
    value_to_store,
)
from coolid.http.dialects.handle.value_parser import MAX_VALUES, SECRET, read_value
from coolid.http.dialects.handle.values import ADMIN, LOCATIONS, is_type, url_value
from coolid.http.formats.xml_parser import InvalidXml, local_name, parse_xml
from coolid.migration.dumps.dump_rows import moment_of
from coolid.migration.source_identifiers import Loss, SourceVersion
from coolid.model.records import ACTIVE, EMPTY_METADATA, Location

DEFAULT_TTL: Final = 86_400
"""The time to live that the tools of Handle.Net set."""
DEFAULT_PERMISSIONS: Final = "1110"

_ALIAS: Final = "HS_ALIAS"
_LOSSES: Final = (
    (f"{SECRET}.", "it is a secret; clients get keys of coolid"),
    (f"{ADMIN}.", "the scopes of keys decide who may change a record"),
)
_HIDDEN: Final = "only administrators may read it, but records are public"
_CHOICES: Final = ("locatt,country,weighted", "locatt,weighted", "weighted", "country,weighted", "")
"""The orders of selection that coolid follows, as far as locations have the attributes."""
_ATTRIBUTES: Final = frozenset({"id", "href", "weight", "lang", "country"})


def version_of(documents: Iterable[Mapping[str, Any]], status: str = ACTIVE) -> tuple[SourceVersion, list[Loss]]:
    """Return the version that has these values, and what it does not keep of them."""
    ordered = sorted(documents, key=_index_of)
    losses = [Loss("values", f"a record has at most {MAX_VALUES} values")] if len(ordered) > MAX_VALUES else []
    values: list[HandleValue] = []
    listed: list[Location] = []
    for document in ordered[:MAX_VALUES]:
        loss = _loss_of(document)
        if loss is not None:
            losses.append(loss)
        elif is_type(_type_of(document), LOCATIONS):
            found, lost = _listed_locations(document)
            listed += found
            losses += lost
        else:
            try:
                values.append(_stored_value(document))
            except InvalidInput as error:
                losses.append(Loss(_type_of(document) or "value", error.violations[0].reason))
    version = _version(_with_locations(values, listed), status)
    times = filter(None, (moment_of(document.get("timestamp")) for document in ordered))
    return replace(version, since=max(times, default=None)), losses


def _version(values: Sequence[HandleValue], status: str) -> SourceVersion:
    locations, metadata = record_parts(values, EMPTY_METADATA)
    is_plain = all(
        each.value.is_url and each.value.index == position and (each.value.ttl, each.value.permissions) == (None, None)
        for position, each in enumerate(values, 1)
    )
    return SourceVersion(locations=locations, metadata={} if is_plain else {MEMBER: metadata[MEMBER]}, status=status)


def _loss_of(document: Mapping[str, Any]) -> Loss | None:
    """Return why a value is not kept at all, without its data; None if it may be kept."""
    kind = _type_of(document)
    for name, reason in _LOSSES:
        if is_type(kind.strip(), name):
            return Loss(kind, reason)
    if "problem" in document:
        return Loss(kind, str(document["problem"]))
    permissions = document.get("permissions")
    if isinstance(permissions, str) and len(permissions) == 4 and permissions[2] == "0":
        return Loss(kind, _HIDDEN)
    if is_type(kind, _ALIAS):
        return Loss(kind, "an alias is not followed; register its name as an alternate of the other handle")
    return None


def _stored_value(document: Mapping[str, Any]) -> HandleValue:
    """Return a value without the time to live and the permissions that tools set by default."""
    members = dict(document)
    for name, default in (("ttl", DEFAULT_TTL), ("permissions", DEFAULT_PERMISSIONS)):
        if members.get(name) == default:
            del members[name]
    return value_to_store(read_value(members, ""))


def _listed_locations(document: Mapping[str, Any]) -> tuple[list[Location], list[Loss]]:
    """Return the locations of a value `10320/loc`, the heaviest with quality 1, and what they do not keep."""
    data = document.get("data")
    text = data.get("value") if isinstance(data, Mapping) else data
    try:
        root = parse_xml(text if isinstance(text, str) else "")
    except InvalidXml as error:
        return [], [Loss(LOCATIONS, str(error))]
    losses = []
    if root.get("chooseby", "").replace(" ", "") not in _CHOICES:
        losses.append(Loss(f"{LOCATIONS} chooseby", "coolid chooses by language and weight", root.get("chooseby", "")))
    elements = [each for each in root if local_name(each) == "location"]
    weights = {id(each): weight for each in elements if (weight := _weight(each)) is not None}
    heaviest = max(weights.values(), default=0.0)
    locations = []
    for each in elements:
        if not each.get("href"):
            losses.append(Loss(f"{LOCATIONS} location", "it has no href"))
            continue
        weight = weights.get(id(each))
        quality = weight if weight is None or heaviest <= 1 else round(weight / heaviest, 3)
        locations.append(Location(each.get("href", ""), quality=quality, language=_language(each)))
        losses += _lost_attributes(each)
    return locations, losses


def _with_locations(values: Sequence[HandleValue], listed: Sequence[Location]) -> list[HandleValue]:
    """Return the values, with listed locations at the values of their URLs, or at free indexes."""
    remaining = list(listed)
    result = []
    for each in values:
        found = next((place for place in remaining if each.location and place.uri == each.location.uri), None)
        if found is not None:
            remaining.remove(found)
            result.append(HandleValue(each.value, found))
        else:
            result.append(each)
    free = free_indexes({each.value.index for each in values})
    result += [HandleValue(url_value(next(free), place.uri), place) for place in dict.fromkeys(remaining)]
    return sorted(result, key=lambda each: each.value.index)


def _lost_attributes(element: Element) -> Iterator[Loss]:
    for name, value in element.attrib.items():
        if name not in _ATTRIBUTES:
            yield Loss(f"{LOCATIONS} {name}", "locations have no such member", value[:200])
    if element.get("country") and not element.get("lang"):
        yield Loss(f"{LOCATIONS} country", "coolid chooses by language, not by country", element.get("country", ""))


def _language(element: Element) -> str | None:
    language, country = element.get("lang"), element.get("country")
    return f"{language}-{country.upper()}" if language and country and "-" not in language else language


def _weight(element: Element) -> float | None:
    try:
        weight = float(element.get("weight", ""))
    except ValueError:
        return None
    return weight if 0 <= weight < 1e9 else None


def _type_of(document: Mapping[str, Any]) -> str:
    kind = document.get("type")
    return kind if isinstance(kind, str) else ""


def _index_of(document: Mapping[str, Any]) -> int:
    index = document.get("index")
    return int(index) if isinstance(index, int | str) and str(index).isdecimal() and len(str(index)) < 12 else 0
