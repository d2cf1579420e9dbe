"""What is kept under a PID, for those who keep it: reserved, withdrawn and superseded records, too."""

import re
from collections.abc import Sequence

from msgspec import Struct

from coolid.errors import InvalidIdentifier, Outdated, UnknownVersion, UnregisteredIdentifier
from coolid.http.errors import PreconditionRequired
from coolid.http.message import Request, Response
from coolid.http.request_body import stored
from coolid.http.target_warnings import HEADER, target_warning
from coolid.http.tokens import NUMBER
from coolid.model.clients import VERBS, Client
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, Record
from coolid.recognition.unwrap import reference_of
from coolid.registry.prefix_lookup import PrefixMatch, find
from coolid.resolution.resolver import key_under
from coolid.store.store import Store

RECORDS = "/api/v1/records"


class StoredRecord(Struct, frozen=True):
    """A record where it is kept: the namespace that it was asked for under, and its key."""

    namespace: Namespace
    key: str
    record: Record


def stored_record(path: str, store: Store, base_url: str, client: Client, *verbs: str) -> StoredRecord:
    """The record of a PID in any spelling that resolves, percent-encoded, as it is now.

    `verbs` are what the client wants to do: `Forbidden` if it may do none of them under the prefix, which is checked
    before the record is read. Without verbs any client may see the record, but a reserved one only if it may mint or
    update under the prefix. To all others it is unregistered, so that a reserved identifier looks exactly like an
    absent one. Raises `UnregisteredIdentifier`, and what `find` and the rules raise.
    """
    match = find(reference_of(path, base_url), store)
    try:
        return _kept(match, store, client, verbs)
    except (InvalidIdentifier, UnregisteredIdentifier):
        if match.another is None:
            raise
        return _kept(match.another, store, client, verbs)


def _kept(match: PrefixMatch, store: Store, client: Client, verbs: Sequence[str]) -> StoredRecord:
    if not isinstance(match.prefix, Namespace) or not match.identifier:
        raise UnregisteredIdentifier(match.prefix.name, match.identifier)
    if verbs:
        client.demand(match.prefix.name, *verbs)
    repository = match.prefix.repository
    key = key_under(match.prefix, match.identifier)
    record = store.record(repository.id, key, consistent=True)
    if record is None or (record.status == RESERVED and not client.may(match.prefix.name, *VERBS)):
        raise UnregisteredIdentifier(match.prefix.name, repository.rules.display(key))
    return StoredRecord(match.prefix, key, record)


def version_of(place: StoredRecord, number: str | None, store: Store, client: Client) -> Record:
    """The version that `?version=` names, the current one if it names none.

    `UnknownVersion` for none, and for a reserved one unless the client may mint or update under the prefix.
    """
    record = place.record
    if number is None or number == str(record.version):
        return record
    is_number = re.fullmatch(NUMBER, number)
    found = store.superseded(record.repository, place.key, int(number)) if is_number else None
    if found is None or (found.status == RESERVED and not client.may(place.namespace.name, *VERBS)):
        raise UnknownVersion(record.pid, number)
    return found


def record_response(record: Record, status: int) -> Response:
    """A record as the management API gives it, with what is suspicious about its targets."""
    response = stored(status, record.to_document())
    told = target_warning(record)
    return response.with_headers(**{HEADER: told}) if told else response


def require_unchanged(request: Request, name: str, version: int, present: Response) -> None:
    """Do nothing if the request was made knowing what is there now: its `If-PrefixMatch` names the tag of `present`.

    Tags are compared strongly (RFC 9110, section 13.1.1). Raises `PreconditionRequired`, `Outdated`.
    """
    condition = request.header("if-match")
    if condition is None:
        raise PreconditionRequired("a change names the version that it is made from: If-Match with its ETag")
    if present.headers["ETag"] not in (tag.strip() for tag in condition.split(",")) and condition.strip() != "*":
        raise Outdated(name, version)
