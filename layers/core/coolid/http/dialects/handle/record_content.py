"""The content of a record after a change of its handle's values, validated like that of the records API.

The limits and the target policy of that API apply. Foreign content of the metadata member `handle` is not overwritten.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from msgspec.structs import replace

from coolid.http.api_documents import ContentBody, parse, validated_content
from coolid.http.caching import ttl_of
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import MEMBER, HandleValue, handle_values, is_foreign, record_parts
from coolid.http.dialects.handle.response_codes import ERROR, INVALID_VALUE, VALUES_NOT_FOUND, HandleError
from coolid.http.dialects.handle.value_changes import remove_values, without_defaults
from coolid.http.dialects.handle.values import Value
from coolid.identifiers.target_policy import objection
from coolid.model.locations import locations_of
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, EMPTY_METADATA, Content, Record
from coolid.model.repositories import Repository

Change = Callable[[Sequence[Value], Sequence[HandleValue], datetime], tuple[HandleValue, ...]]
"""`coolid.http.dialects.handle.value_changes.replace_values` or `merge_values`."""


def content_with(
    values: Sequence[Value], record: Record | None, namespace: Namespace, change: Change, now: datetime
) -> Content:
    """Return the content of a record, new if None, with the sent values; raise `InvalidInput` or `HandleError`."""
    repository = namespace.repository
    for each in values:
        reason = objection(each.text, repository.domains) if each.is_url and each.text is not None else None
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
    document = {
        "records": [each.to_document() for each in content.records],
        "metadata": dict(content.metadata),
        "alternates": [dict(each) for each in content.alternates],
        "status": content.status,
        "ttl": content.ttl,
    }
    validated_content(parse(ContentBody, document), repository)
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
