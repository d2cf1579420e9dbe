"""The values of a handle after a write, and the content of its record, validated like that of the records API.

A Handle record is a set of values, so the order of a client's JSON means nothing. URLs with new indexes become
locations in the order of their indexes, those with present indexes keep their places.

The Handle API shows only locations that are valid now. So hidden locations survive every change, even a whole `PUT`,
unless a client sends their URL. A hidden location gets another index if a client uses its own. A value that is equal to
its generated default is not stored, so that it continues to follow the record. The limits and the target policy of the
records API apply. Foreign content of the metadata member `handle` is not overwritten.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.api_documents import require_valid_content
from coolid.http.caching import ttl_of
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import (
    MEMBER,
    HandleValue,
    default_values,
    free_indexes,
    handle_values,
    is_foreign,
    record_parts,
    value_to_store,
)
from coolid.http.dialects.handle.response_codes import ERROR, INVALID_VALUE, VALUES_NOT_FOUND, HandleError
from coolid.http.dialects.handle.value_parser import MAX_VALUES
from coolid.http.dialects.handle.values import ADMIN, LOCATIONS, Value, is_type
from coolid.identifiers.target_policy import objection
from coolid.model.locations import locations_of
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, EMPTY_METADATA, Content, Location, Record
from coolid.model.repositories import Repository

_BY_URL: Final = ((False, True, True), (False, True, False), (True, True, True), (True, True, False))
_BY_INDEX: Final = (*_BY_URL, (False, False, True))
"""Whether to search the hidden values, and whether URL and index must be equal, in the order of preference."""


def replace_values(values: Sequence[Value], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return these values and the hidden ones; raise `InvalidInput` if there are too many, or one is invalid."""
    sources = _sources(values, present, now, _BY_URL)
    result = [value_to_store(value, _location(sources, value), now) for value in _in_order(values, present, now)]
    named = {each.value.index for each in sources.values()}
    located = [each for each in present if each.location is not None]
    for position, each in enumerate(located):  # keeps its position among the locations
        if each.is_hidden(now) and each.value.index not in named:
            slots = [at for at, other in enumerate(result) if other.location is not None]
            result.insert(slots[position] if position < len(slots) else len(result), each)
    return _renumber(result, present, now)


def merge_values(values: Sequence[Value], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return the present values with these added or replaced by index; raises the errors of `replace_values`."""
    put = {value.index for value in values}
    located = [(each, each.location.uri) for each in present if each.location is not None]
    stay = {uri for each, uri in located if not each.is_hidden(now) and each.value.index not in put}
    targets = [each for each, uri in located if (uri not in stay if each.is_hidden(now) else each.value.index in put)]
    sources = _sources(values, targets, now, _BY_INDEX)
    new = {value.index: value_to_store(value, _location(sources, value), now) for value in values}
    revived = {each.value.index: index for index, each in sources.items() if each.is_hidden(now)}
    result = []
    for each in present:
        index = each.value.index
        if each.is_hidden(now):
            found = new.pop(revived[index], None) if index in revived else each
        else:
            found = new.pop(index, None) if index in put else each
        if found is not None:
            result.append(found)
    return _renumber([*result, *(new[index] for index in sorted(new))], present, now)


def remove_values(indexes: Collection[int], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Return the present values without the visible ones of these indexes."""
    return tuple(each for each in present if each.value.index not in indexes or each.is_hidden(now))


def without_defaults(
    values: Sequence[HandleValue], put: Collection[int], present: Sequence[HandleValue], prefix: str, now: datetime
) -> tuple[HandleValue, ...]:
    """Return the values to store: without those at the indexes `put` that equal a generated default, new or old."""
    single = [
        each
        for kind in (ADMIN, LOCATIONS)
        if len(found := [each for each in values if is_type(each.value.type, kind)]) == 1
        for each in found
        if each.value.index in put
    ]
    bare = [each for each in values if each not in single]
    defaults = (*default_values(bare, prefix, now), *default_values(present, prefix, now))
    return tuple(each for each in values if each not in single or each not in defaults)


def _in_order(values: Iterable[Value], present: Iterable[HandleValue], now: datetime) -> list[Value]:
    """Return the values with the visible present indexes in their order; a new index precedes greater ones of its kind.

    So a record that is read and written again stays the same, although values are read in the order of their indexes.
    """
    sent = {each.index: each for each in values}
    result = [sent.pop(each.value.index) for each in present if each.value.index in sent and not each.is_hidden(now)]
    for index, value in sorted(sent.items()):
        following = (at for at, each in enumerate(result) if each.index > index and each.is_url == value.is_url)
        result.insert(next(following, len(result)), value)
    return result


def _sources(
    values: Iterable[Value], present: Iterable[HandleValue], now: datetime, rules: Iterable[tuple[bool, bool, bool]]
) -> dict[int, HandleValue]:
    """Return by index the present value that each sent URL continues, found by the first matching rule."""
    remaining: dict[bool, list[HandleValue]] = {False: [], True: []}  # visible and hidden ones
    for each in present:
        if each.location is not None:
            remaining[each.is_hidden(now)].append(each)
    sources: dict[int, HandleValue] = {}
    for hidden, by_url, by_index in rules:
        for value in values:
            if not value.is_url or value.index in sources:
                continue
            for each in remaining[hidden]:
                has_url = each.location is not None and each.location.uri == value.text
                if (has_url or not by_url) and (each.value.index == value.index or not by_index):
                    remaining[hidden].remove(each)
                    sources[value.index] = each
                    break
    return sources


def _location(sources: dict[int, HandleValue], value: Value) -> Location | None:
    return sources[value.index].location if value.index in sources else None


def _renumber(values: Sequence[HandleValue], present: Sequence[HandleValue], now: datetime) -> tuple[HandleValue, ...]:
    """Give hidden values free indexes if visible ones use theirs; raise `InvalidInput` beyond the maximum."""
    if len(values) > max(MAX_VALUES, len(present)):
        raise InvalidInput.at("", f"the handle would have {len(values)} values, more than {MAX_VALUES}")
    visible = {each.value.index for each in values if not each.is_hidden(now)}
    taken = {each.value.index for each in values}
    numbered = []
    for each in values:
        if each.is_hidden(now) and each.value.index in visible:
            index = next(free_indexes(taken))
            taken.add(index)
            each = HandleValue(replace(each.value, index=index), each.location)  # noqa: PLW2901
        numbered.append(each)
    return tuple(numbered)


Change = Callable[[Sequence[Value], Sequence[HandleValue], datetime], tuple[HandleValue, ...]]
"""`coolid.http.dialects.handle.value_changes.replace_values` or `merge_values`."""


def _target_objection(value: Value, repository: Repository) -> str | None:
    """Return why a value of type URL cannot be a location in the repository, or None."""
    if not value.is_url or value.text is None:
        return None
    return objection(value.text, repository.domains, repository.denied_domains)


def content_with(
    values: Sequence[Value], record: Record | None, namespace: Namespace, change: Change, now: datetime
) -> Content:
    """Return the content of a record, new if None, with the sent values; raise `InvalidInput` or `HandleError`."""
    repository = namespace.repository
    for each in values:
        reason = _target_objection(each, repository)
        if reason:
            raise HandleError(INVALID_VALUE, f"the URL of the value {each.index}: {reason}")
    present = current_values(record, repository) if record else ()
    ttl = ttl_of(record, repository) if record else repository.ttl
    put = [replace(each, ttl=None) if each.ttl == ttl else each for each in values]
    changed = change(put, present, now)
    changed = without_defaults(changed, {each.index for each in put}, present, prefix_under(namespace), now)
    return _content(changed, present, record, repository)


def content_without(indexes: Collection[int], record: Record, repository: Repository, now: datetime) -> Content:
    """Return the content of a record without some values; raise `InvalidInput` or `HandleError`."""
    present = current_values(record, repository)
    default = () if record.records else _located(present)  # a default target cannot be removed
    remaining = remove_values({*indexes} - {each.value.index for each in default}, present, now)
    if len(remaining) == len(present):
        raise HandleError(VALUES_NOT_FOUND, "the handle has no values with these indexes")
    return _content(remaining, present, record, repository)


def current_values(record: Record, repository: Repository) -> tuple[HandleValue, ...]:
    """Return the present values, including that of the repository's default target."""
    return handle_values(locations_of(record, repository), record.metadata)


def _content(
    values: Sequence[HandleValue], present: Sequence[HandleValue], record: Record | None, repository: Repository
) -> Content:
    metadata = record.metadata if record else EMPTY_METADATA
    if is_foreign(metadata):
        raise HandleError(
            ERROR,
            f"the record's metadata member {MEMBER} has other content, which would be lost; "
            "remove it through the records API",
            status=409,
        )
    keeps_default = record is not None and not record.records and _located(values) == _located(present)
    locations, metadata = record_parts(_values_to_store(values) if keeps_default else values, metadata)
    content = Content(
        () if keeps_default else locations,
        metadata,
        record.alternates if record else (),
        record.status if record else ACTIVE,
        record.ttl if record else None,
    )
    require_valid_content(content, repository)
    return content


def _values_to_store(values: Sequence[HandleValue]) -> Sequence[HandleValue]:
    """Return the values to store beside a default target, without it if it gets the same index anyway."""
    default = _located(values)
    others = [each for each in values if each.location is None]
    locations = [each.location for each in default if each.location is not None]
    recomputed = handle_values(locations, record_parts(others, {})[1])
    return others if _located(recomputed) == default else values


def _located(values: Sequence[HandleValue]) -> list[HandleValue]:
    return [each for each in values if each.location is not None]
