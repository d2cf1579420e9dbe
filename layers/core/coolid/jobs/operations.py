"""The operations of jobs: what each row checks, and what it does, by the rules of single requests."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import (
    AlreadyWithdrawn,
    Contended,
    IdempotencyRecordTaken,
    InvalidInput,
    Outdated,
    UnregisteredIdentifier,
)
from coolid.http.api_documents import require_targets, validated_content
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.record_access import MAX_ATTEMPTS, namespace_named, referenced_record
from coolid.http.management.record_changes import patched_body, withdrawal_of
from coolid.jobs.retarget_rule import new_target
from coolid.model.clients import UPDATE, Client
from coolid.model.jobs import JobRequest, TargetChange
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Content, Location, Record
from coolid.ports import Clock
from coolid.recognition.unwrap import unwrap
from coolid.records.amendment import RecordAmender
from coolid.records.idempotency import IdempotentRequest, earlier_outcome
from coolid.registry.references import Reference, require_valid_text
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordStore
from coolid.transfer.row_reader import with_prefix

Document = dict[str, Any]


class CheckedRow(Struct, frozen=True):
    """A row that can be carried out: the `name` of the record it names (`REPOSITORY/KEY`), and changes of targets."""

    name: str | None = None
    changes: tuple[TargetChange, ...] = ()


class RowOperation(Protocol):
    """What a job does with a row's document. All methods raise the errors of the single request."""

    def check(self, client: Client, document: Any) -> CheckedRow:
        """Make the judgement of `carry_out`, and write nothing."""

    def carry_out(self, client: Client, document: Any, idempotent: IdempotentRequest) -> Record:
        """Carry out the row at most once, and return the record."""


class Mints(Struct, frozen=True):
    """Mints a record for each row, by `endpoint`."""

    endpoint: MintEndpoint
    request: JobRequest

    def check(self, client: Client, document: Any) -> CheckedRow:
        """See `RowOperation`."""
        return CheckedRow(self.endpoint.check(client, self._completed(document)))

    def carry_out(self, client: Client, document: Any, idempotent: IdempotentRequest) -> Record:
        """See `RowOperation`."""
        record, _ = self.endpoint.mint(client, self._completed(document), idempotent)
        return record

    def _completed(self, document: Any) -> Any:
        """Return the document of a mint, with the job's prefix and the status that its operation gives."""
        document = with_prefix(document, self.request.prefix)
        if self.request.operation != "reserve" or not isinstance(document, dict):
            return document
        if document.get("status", RESERVED) != RESERVED:
            raise InvalidInput.at("/status", "this job reserves identifiers; leave the status out")
        return {**document, "status": RESERVED}


class RecordPorts(Struct, frozen=True):
    """What changes of records need. `on_change` is called with the repository and key of each changed record."""

    prefixes: PrefixStore
    records: RecordStore
    amender: RecordAmender
    clock: Clock
    base_url: str
    on_change: Callable[[str, str], None]


class Changes(Struct, frozen=True):
    """Changes the record that each row names."""

    ports: RecordPorts
    request: JobRequest

    def check(self, client: Client, document: Any) -> CheckedRow:
        """See `RowOperation`."""
        namespace, record = self._found(client, document)
        version = self._next(client, namespace, record, document)
        if version is not record:
            self.ports.amender.check(version)
        return CheckedRow(f"{record.repository}/{record.key}", _target_changes(record, version))

    def carry_out(self, client: Client, document: Any, idempotent: IdempotentRequest) -> Record:
        """See `RowOperation`. A version that another client writes meanwhile is changed again."""
        ports = self.ports
        for _ in range(MAX_ATTEMPTS):
            outcome = earlier_outcome(idempotent, ports.records, ports.clock.now())
            if outcome is not None:
                repository_id, _, key = outcome.partition("/")
                record = ports.records.record(repository_id, key, consistent=True)
                assert record is not None  # no record is ever deleted
                return record
            namespace, current = self._found(client, document)
            version = self._next(client, namespace, current, document)
            try:
                written = ports.amender.write(version, current, idempotent)
            except (Outdated, Contended, IdempotencyRecordTaken):
                continue
            ports.on_change(written.repository, written.key)
            return written
        raise Contended(f"others have changed it {MAX_ATTEMPTS} times meanwhile")

    def _found(self, client: Client, document: Any) -> tuple[Namespace, Record]:
        """Return the namespace and the current record that a document names, if the client may change it."""
        if not isinstance(document, dict):
            raise InvalidInput.at("", "it must be a JSON object")
        ports, key = self.ports, document.get("key")
        if self.request.rule is not None:
            namespace, record = self._record_of_prefix(client, str(key))
        else:
            text = document.get("pid")
            if not isinstance(text, str) or not text.strip():
                raise InvalidInput.at("/pid", "it is missing")
            reference = Reference.of(require_valid_text(unwrap(text, ports.base_url).text))
            namespace, record = referenced_record(reference, ports.prefixes, ports.records, client, UPDATE)
            self._require_prefix(record)
        ports.amender.require_home(record.repository)
        if record.status == WITHDRAWN:
            raise AlreadyWithdrawn(record.id)
        return namespace, record

    def _record_of_prefix(self, client: Client, key: str) -> tuple[Namespace, Record]:
        namespace = namespace_named(self.request.prefix or "", self.ports.prefixes)
        client.require(namespace.name, UPDATE)
        record = self.ports.records.record(namespace.repository.id, key, consistent=True)
        if record is None:
            raise UnregisteredIdentifier(namespace.name, key)
        return namespace, record

    def _require_prefix(self, record: Record) -> None:
        """Raise `InvalidInput` for a record that does not belong to the job's prefix, if it has one."""
        if self.request.prefix is None:
            return
        if namespace_named(self.request.prefix, self.ports.prefixes).repository.id != record.repository:
            raise InvalidInput.at("/pid", f"it is not an identifier of the prefix {self.request.prefix}")

    def _next(self, client: Client, namespace: Namespace, record: Record, document: Document) -> Record:
        """Return the unsigned next version of a record, or the record itself if nothing would change."""
        subject = "pid" if self.request.rule is None else "key"
        members = {name: value for name, value in document.items() if name != subject}
        if self.request.operation == "withdraw":
            body = withdrawal_of(record, members, self.ports.prefixes, self.ports.base_url)
            return self.ports.amender.tombstone(record, body.reason, body.successor, client.id, state=body.state)
        content = _CONTENTS[self.request.operation](self.request, namespace, record, members)
        return self.ports.amender.next_version(record, content, client.id)


def _updated(_request: JobRequest, namespace: Namespace, record: Record, members: Document) -> Content:
    return validated_content(patched_body(record, members), namespace.repository)


def _retargeted(request: JobRequest, namespace: Namespace, record: Record, members: Document) -> Content:
    """Return the content with other targets, which keep their media types and languages."""
    if request.rule is not None:
        rule = request.rule
        locations = tuple(replace(each, uri=new_target(rule, each.uri) or each.uri) for each in record.records)
    else:
        locations = (_retargeted_location(record, members),)
    content = _content(record, records=locations)
    require_targets(content, namespace.repository, lambda position: f"/records/{position}/uri")
    return content


def _retargeted_location(record: Record, members: Document) -> Location:
    """Return the only location of a record with the target that a row names."""
    uri = members.get("uri")
    unknown = sorted(set(members) - {"uri"})
    if unknown:
        raise InvalidInput.at(f"/{unknown[0]}", "a row of this job has the members pid and uri")
    if not isinstance(uri, str) or not uri:
        raise InvalidInput.at("/uri", "it is missing")
    if len(record.records) > 1:
        number = len(record.records)
        raise InvalidInput.at("/uri", f"the record has {number} targets; change them by a rule or one by one")
    return replace(record.records[0], uri=uri) if record.records else Location(uri)


def _published(_request: JobRequest, _namespace: Namespace, record: Record, members: Document) -> Content:
    if members:
        raise InvalidInput.at(f"/{min(members)}", "a row of this job has the member pid only")
    return _content(record, status=ACTIVE)


def _content(record: Record, **members: Any) -> Content:
    content = Content(record.records, record.metadata, record.alternates, record.status, record.ttl)
    return replace(content, **members)


def _target_changes(before: Record, after: Record) -> tuple[TargetChange, ...]:
    """Return the first change of a target, if there is one and the record is not withdrawn."""
    if after.status == WITHDRAWN:
        return ()
    old, new = ([each.uri for each in record.records] for record in (before, after))
    for at in range(max(len(old), len(new))):
        one, other = (uris[at] if at < len(uris) else "" for uris in (old, new))
        if one != other:
            return (TargetChange(before.pid, one, other),)
    return ()


_CONTENTS: Final = {"update": _updated, "retarget": _retargeted, "publish": _published}
