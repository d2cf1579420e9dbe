"""What a change of a record makes of it: merge patches and withdrawals, one by one or in bulk jobs."""

from typing import Any

from coolid.errors import InvalidInput
from coolid.http.api_documents import ContentBody, WithdrawalBody, parse
from coolid.http.json_bodies import merged
from coolid.model.records import Record
from coolid.records.successors import successor_objection
from coolid.store.prefixes import PrefixReader


def content_document(record: Record) -> dict[str, Any]:
    """Return the document that a merge patch changes."""
    document = record.to_document()
    return {member: document[member] for member in ContentBody.model_fields if member in document}


def patched_body(record: Record, patch: dict[str, Any]) -> ContentBody:
    """Return the content of a record changed by a merge patch. A patch with `uri` replaces all locations by one.

    Raises `InvalidInput`.
    """
    content = content_document(record)
    if patch.get("uri") is not None:
        del content["records"]
    return parse(ContentBody, merged(content, patch))


def withdrawal_of(record: Record, document: Any, prefixes: PrefixReader, base_url: str) -> WithdrawalBody:
    """Return the document of a record's withdrawal. Raises `InvalidInput`, also for a successor that cannot be one."""
    body = parse(WithdrawalBody, document)
    if body.successor is not None:
        reason = successor_objection(body.successor, record, prefixes, base_url)
        if reason:
            raise InvalidInput.at("/successor", reason)
    return body
