"""What a record is to say once values of its handle were put or taken away: judged as the API of records judges it.

A client cannot write by this API what it could not by the other: the same numbers of locations and of members, the same
targets. What somebody else put in the place of the values is refused to be overwritten.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from msgspec.structs import replace

from coolid.http.api_documents import ContentBody, judged, parse
from coolid.http.dialects.handle import response_codes
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import MEMBER, HandleValue, holding, is_foreign, written
from coolid.http.dialects.handle.value_changes import unmade, without
from coolid.http.dialects.handle.values import Value
from coolid.identifiers.target_policy import objection
from coolid.model.locations import locations_of
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, NOTHING_SAID, Content, Record
from coolid.model.repositories import Repository

Change = Callable[[Sequence[Value], Sequence[HandleValue], datetime], tuple[HandleValue, ...]]
"""`coolid.http.dialects.handle.value_changes.replaced` or `mixed`."""


def content_with(
    values: Sequence[Value], record: Record | None, namespace: Namespace, change: Change, now: datetime
) -> Content:
    """The content of a record, or of one that is not yet, when values are put; `InvalidInput`, `HandleError`."""
    repository = namespace.repository
    for each in values:
        reason = objection(each.text, repository.domains) if each.is_url and each.text is not None else None
        if reason:
            raise response_codes.HandleError(
                response_codes.INVALID_VALUE, 400, f"the URL of the value {each.index}: {reason}"
            )
    present = present_in(record, repository) if record else ()
    ttl = repository.ttl_of(record) if record else repository.ttl
    put = [replace(each, ttl=None) if each.ttl == ttl else each for each in values]
    held = change(put, present, now)
    held = unmade(held, {each.index for each in put}, present, prefix_under(namespace), now)
    return _content(held, present, record, repository)


def content_without(indexes: Collection[int], record: Record, owner: Repository, now: datetime) -> Content:
    """The content of a record when values are taken away; `InvalidInput`, `HandleError`."""
    present = present_in(record, owner)
    default = () if record.records else _located(present)  # what a record does not have cannot be taken from it
    left = without({*indexes} - {each.value.index for each in default}, present, now)
    if len(left) == len(present):
        raise response_codes.HandleError(
            response_codes.VALUES_NOT_FOUND, 400, "the handle holds no values with these indexes"
        )
    return _content(left, present, record, owner)


def present_in(record: Record, repository: Repository) -> tuple[HandleValue, ...]:
    """The values that there are, that of the repository's default target among them."""
    return holding(locations_of(record, repository), record.metadata)


def _content(
    held: Sequence[HandleValue], present: Sequence[HandleValue], record: Record | None, repository: Repository
) -> Content:
    metadata = record.metadata if record else NOTHING_SAID
    if is_foreign(metadata):
        message = (
            f"the record's metadata has a member {MEMBER} that says something else, and would be lost; "
            "take it away through the API of records"
        )
        raise response_codes.HandleError(response_codes.ERROR, 409, message)
    goes_on = record is not None and not record.records and _located(held) == _located(present)  # the default target
    locations, metadata = written(_needed(held) if goes_on else held, metadata)
    content = Content(
        () if goes_on else locations,
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
    judged(parse(ContentBody, document), repository)
    return content


def _needed(held: Sequence[HandleValue]) -> Sequence[HandleValue]:
    """What is to be kept beside a default target: not it as well, where it would have its index without that."""
    default = _located(held)
    others = [each for each in held if each.location is None]
    found = holding([each.location for each in default if each.location is not None], written(others, {})[1])
    return others if _located(found) == default else held


def _located(held: Sequence[HandleValue]) -> list[HandleValue]:
    return [each for each in held if each.location is not None]
