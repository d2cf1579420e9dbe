"""Access for managers to prefixes, repositories and records, including reserved, withdrawn and superseded records."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from coolid import errors
from coolid.http.errors import PreconditionRequired
from coolid.http.message import NUMBER, Request, Response
from coolid.identifiers.schemes import lui
from coolid.model.clients import VERBS, Client
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, Record
from coolid.model.repositories import Repository
from coolid.recognition.unwrap import reference_of_parameter
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix, prefix_named
from coolid.registry.references import Reference, decode
from coolid.registry.visible_repositories import is_allowed, require_allowed
from coolid.resolution.identifier_spellings import display_under, first_record, keys_under
from coolid.store.prefixes import PrefixReader, PrefixStore, RepositoryStore
from coolid.store.records import RecordReader

RECORDS: Final = "/api/v1/records"
MAX_ATTEMPTS: Final = 32
"""The most attempts of a change that any current version may precede. Each failure is a success of another client."""


def namespace_named(name: str, prefixes: PrefixReader) -> Namespace:
    """Return the current namespace of this name. Raises `UnknownPrefix`, and `InvalidInput` for a provider prefix."""
    prefix = prefix_named(name, prefixes, consistent=True)
    if not isinstance(prefix, Namespace):
        raise errors.InvalidInput.at("", f"{name!a} is a prefix of identifiers of others, not a namespace")
    return prefix


def stored_repository(path: str, repositories: RepositoryStore) -> Repository:
    """Return the current repository of a percent-encoded id. Raises `UnknownRepository`."""
    repository_id = decode(path)
    repository = repositories.repository(repository_id) if lui.is_valid(repository_id) else None
    if repository is None:
        raise errors.UnknownRepository(repository_id)
    return repository


def stored_record(
    path: str, prefixes: PrefixStore, records: RecordReader, base_url: str, client: Client, *verbs: str
) -> tuple[Namespace, Record]:
    """Return the namespace and the current record of a PID in any spelling that resolves.

    `path` has it percent-encoded, with slashes as they are or encoded as a whole.

    The client must be allowed one of the `verbs` under any name of the repository, else `Forbidden` is raised before
    the record is read. Without verbs any client may see the record, but a reserved one only if it may mint or update in
    the repository. For others a reserved identifier looks exactly like an absent one. Raises `UnregisteredIdentifier`,
    and the errors of `find` and the rules.
    """
    return referenced_record(reference_of_parameter(path, base_url), prefixes, records, client, *verbs)


def referenced_record(
    reference: Reference, prefixes: PrefixStore, records: RecordReader, client: Client, *verbs: str
) -> tuple[Namespace, Record]:
    """Return the namespace and the current record of a reference, as `stored_record` does."""
    match = find_prefix(reference, prefixes)
    try:
        return _stored_record(match, prefixes, records, client, verbs)
    except (errors.InvalidIdentifier, errors.UnregisteredIdentifier):
        if match.naan_match is None:
            raise
        return _stored_record(match.naan_match, prefixes, records, client, verbs)


def _stored_record(
    match: PrefixMatch, prefixes: PrefixStore, records: RecordReader, client: Client, verbs: Sequence[str]
) -> tuple[Namespace, Record]:
    if not isinstance(match.prefix, Namespace) or not match.identifier:
        raise errors.UnregisteredIdentifier(match.prefix.name, match.identifier)
    if verbs:
        require_allowed(client, match.prefix, prefixes, *verbs)
    repository = match.prefix.repository
    keys = keys_under(match.prefix, match.identifier)
    record = first_record(keys, lambda key: records.record(repository.id, key, consistent=True))
    if record is None or (record.status == RESERVED and not is_allowed(client, match.prefix, prefixes, *VERBS)):
        raise errors.UnregisteredIdentifier(match.prefix.name, display_under(match.prefix, keys[0]))
    return match.prefix, record


def version_of(
    namespace: Namespace,
    record: Record,
    number: str | None,
    prefixes: PrefixStore,
    records: RecordReader,
    client: Client,
) -> Record:
    """Return a version, by default the current one. Raises `UnknownVersion`, also if it is reserved for managers."""
    if number is None or number == str(record.version):
        return record
    is_number = re.fullmatch(NUMBER, number)
    found = records.superseded(record.repository, record.key, int(number)) if is_number else None
    if found is None or (found.status == RESERVED and not is_allowed(client, namespace, prefixes, *VERBS)):
        raise errors.UnknownVersion(record.pid, number)
    return found


def require_unchanged(request: Request, name: str, version: int, current: Response) -> None:
    """Raise `PreconditionRequired` or `Outdated` unless `If-Match` has the tag of `current` (RFC 9110, 13.1.1)."""
    condition = request.headers.get("if-match")
    if condition is None:
        raise PreconditionRequired("a change names the version that it is made from: If-Match with its ETag")
    if current.headers["ETag"] not in (tag.strip() for tag in condition.split(",")) and not accepts_any_version(
        request
    ):
        raise errors.Outdated(name, version)


def accepts_any_version(request: Request) -> bool:
    """Return whether the condition of a change is `If-Match: *`, which every current version meets."""
    return request.headers.get("if-match", "").strip() == "*"


def carry_out_change(request: Request, change: Callable[[], Response]) -> Response:
    """Return the response of `change`. Call it again if another client wrote a version meanwhile and any will do.

    `change` reads the current version each time. Raises its errors, and `Contended` after `MAX_ATTEMPTS`.
    """
    if not accepts_any_version(request):
        return change()
    for _ in range(MAX_ATTEMPTS):
        with suppress(errors.Contended, errors.Outdated):
            return change()
    raise errors.Contended(f"others have changed it {MAX_ATTEMPTS} times meanwhile")
