"""Postings: the rows of the index of records by their terms (`coolid.store.search_terms`).

A current record has a posting for each of its terms. Its key is the repository with the term, and the record's position
by time of change. So one Query returns the newest records with a term. It contains all terms of the record, so that the
same Query leaves out records that lack others.

The table also has one row for each repository, its `CompletionState`.

>>> partition("r4k2-9m3x-62", "status:active")
'r4k2-9m3x-62#status:active'
"""

from typing import Any, Final

from msgspec import MsgspecError, Struct, json

from coolid.aws.dynamodb.table_reader import Key, TableReader
from coolid.model.records import Record
from coolid.store.change_positions import record_position
from coolid.store.check_rows import json_text
from coolid.store.search_terms import record_terms

FORM: Final = 1
"""The form of the postings. If it changes, the postings of all records are written again."""
_STATE: Final = "/state"

Item = dict[str, Any]
"""A row in DynamoDB's JSON."""
PostingKey = tuple[str, str]
"""The partition and the position of a posting."""


class CompletionState(Struct, frozen=True):
    """The records whose postings are written: those up to the key `after`, or all if the index `is_complete`."""

    form: int = FORM
    after: str = ""
    is_complete: bool = False


_STATES: Final = json.Decoder(CompletionState)


def partition(repository: str, term: str) -> str:
    """Return the partition key of the postings of a term."""
    return f"{repository}#{term}"


def postings_of(record: Record) -> dict[PostingKey, Item]:
    """Return the postings of a current record by their keys."""
    terms, position = record_terms(record), {"S": record_position(record)}
    payload = {"SS": sorted(terms)}
    keys = {partition(record.repository, term) for term in terms}
    return {(key, position["S"]): {"term": {"S": key}, "changed": position, "terms": payload} for key in keys}


def state_key(repository: str) -> Key:
    """Return the primary key of the state of a repository's index."""
    return {"term": {"S": _STATE}, "changed": {"S": repository}}


def state_item(repository: str, state: CompletionState) -> Item:
    """Return the row of the state of a repository's index."""
    return {**state_key(repository), "body": {"S": json_text(state)}}


def read_state(reader: TableReader, table: str, repository: str) -> CompletionState:
    """Return the state of a repository's index; that of another form counts as none. Takes one GetItem."""
    row = reader.row(table, state_key(repository))
    try:
        state = CompletionState() if row is None else _STATES.decode(row["body"])
    except MsgspecError:  # of another release
        return CompletionState()
    return state if state.form == FORM else CompletionState()
