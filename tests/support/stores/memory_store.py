"""A complete store in memory. `tests/contract` tests it like the other stores."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import islice, pairwise
from threading import RLock
from time import time
from typing import Any, Self, cast

from msgspec.structs import replace

from coolid.errors import (
    Contended,
    IdempotencyRecordTaken,
    IdentifierTaken,
    Outdated,
    PrefixTaken,
)
from coolid.model.check_state import AilingScan, CheckCursor, CheckState, CheckSubject
from coolid.model.clients import Client
from coolid.model.conditions import UNKNOWN, Health, truncated
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem, Synonym, ancestors
from coolid.model.quota_usage import Usage
from coolid.model.records import Record, format_time
from coolid.model.repositories import Repository
from coolid.model.sessions import Session
from coolid.model.webhooks import Webhook
from coolid.resolution.caching_reader import CachingReader
from coolid.store.change_positions import change_range, record_position, version_position, version_range
from coolid.store.client_rows import day_of
from coolid.store.limits import require_record_size
from coolid.store.prefixes import position_of
from coolid.store.record_search import RecordQuery
from coolid.store.rows import record_body
from coolid.store.search_terms import record_terms
from coolid.store.store import Store


class UncachedReader:
    """Acts as a caching reader (`coolid.resolution.caching_reader`) without a cache, so that nothing is stale."""

    staleness: float | None = None

    @property
    def uncached(self) -> CachingReader:
        """Return this store as a caching reader."""
        return cast(CachingReader, self)

    def for_request(self, **_: Any) -> Self:
        return self

    def validity(self) -> None:
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class MemoryStore(UncachedReader):
    """Implements every port of `coolid.store`; `calls` counts calls by name."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.calls: Counter[str] = Counter()
        self.rows: dict[str, Prefix] = {}
        self.records_by_key: dict[tuple[str, str], Record] = {}
        self.archive: dict[tuple[str, str, int], Record] = {}
        self.keys: list[Mapping[str, Any]] = []
        self.idempotency_records: dict[str, IdempotencyRecord] = {}
        self.repositories: dict[str, Repository] = {}
        self.clients: dict[str, Client] = {}
        self.uses: dict[str, date] = {}
        self.counters: Counter[str] = Counter()
        self.usages: dict[str, Usage] = {}
        self.webhooks: dict[str, Webhook] = {}
        self.sessions: dict[str, Session] = {}
        self.check_states_by_subject: dict[CheckSubject, CheckState] = {}
        self.check_requests: dict[str, str] = {}
        self.cursors: dict[str, CheckCursor] = {}
        self.scan: AilingScan | None = None

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        _require_sendable(names, limit=2048)
        with self._call("prefixes"):
            return {name: self.rows[name] for name in names if name in self.rows}

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        _require_sendable([key], limit=2000)
        with self._call("record"):
            return self.records_by_key.get((repository, key))

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        _require_sendable(keys, limit=2000)
        with self._call("records"):
            return {
                key: self.records_by_key[repository, key] for key in keys if (repository, key) in self.records_by_key
            }

    def create_record(self, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
        require_record_size(record, record_body(record))
        with self._call("create_record"):
            self._require_new(idempotency_record, record.created)
            if (record.repository, record.key) in self.records_by_key:
                raise IdentifierTaken(record.id)
            self.records_by_key[record.repository, record.key] = record
            self._put_idempotency_record(idempotency_record)

    def idempotency_record(self, record_id: str) -> IdempotencyRecord | None:
        with self._call("idempotency_record"):
            return self.idempotency_records.get(record_id)

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        with self._call("history"):
            current = self.records_by_key.get((repository, key))
            if current is None:
                return []
            older = (self.archive.get((repository, key, number)) for number in range(current.version - 1, 0, -1))
            return [current, *filter(None, older)][:newest]

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        with self._call("list_records"):
            keys = sorted(key for owner, key in self.records_by_key if owner == repository and key > (after or ""))
            listed = [self.records_by_key[repository, key] for key in keys[:limit]]
            return listed, keys[limit - 1] if len(keys) > limit else None

    def search(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        with self._call("search"):
            is_descending = query.order == "-updated"
            first, _ = change_range(
                query.updated_after and query.updated_after + timedelta(microseconds=999_999), None, None
            )
            found = {
                record_position(each): each
                for each in self.records_by_key.values()
                if each.repository in query.repositories and record_terms(each) >= {*query.terms}
            }
            ordered = sorted(
                (
                    position
                    for position in found
                    if position > first and (not after or (position < after) == is_descending)
                ),
                reverse=is_descending,
            )
            page = [position for position in ordered if position != after][: limit + 1]
            return [found[position] for position in page[:limit]], page[limit - 1] if len(page) > limit else None

    def list_changed(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, after: str | None
    ) -> tuple[Sequence[Record], str | None]:
        first, last = change_range(since, until, after)
        with self._call("list_changed"):
            found = {
                record_position(each): each for (owner, _), each in self.records_by_key.items() if owner == repository
            }
            positions = sorted(position for position in found if first < position < last)
            return [found[each] for each in positions[:limit]], positions[limit - 1] if len(positions) > limit else None

    def change_times(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[str], str | None]:
        page, after = self.list_changed(repository, None, None, limit, after)
        return [format_time(each.updated) for each in page], after

    def list_versions(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, before: str | None
    ) -> tuple[Sequence[Record], str | None]:
        first, last = version_range(since, until, before)
        with self._call("list_versions"):
            versions = [*self.records_by_key.items(), *self.archive.items()]
            found = {version_position(each): each for (owner, *_), each in versions if owner == repository}
            positions = sorted((each for each in found if first < each < last), reverse=True)
            return [found[each] for each in positions[:limit]], positions[limit - 1] if len(positions) > limit else None

    def complete(self, repository: str, limit: int) -> int:
        return 0

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Sequence[Namespace | ProviderPrefix], str | None]:
        with self._call("list_prefixes"):
            found = {position_of(row): row for row in self.rows.values() if isinstance(row, Namespace | ProviderPrefix)}
            if after and after.partition(" ")[0] not in ("namespace", "provider"):
                return [], None
            names = [name for name in sorted(found) if name > (after or "")]
            return [found[name] for name in names[:limit]], names[limit - 1] if len(names) > limit else None

    def aliases(self, repository_id: str) -> Sequence[str]:
        with self._call("aliases"):
            rows = (row for row in self.rows.values() if isinstance(row, Namespace))
            return sorted(row.name for row in rows if row.repository.id == repository_id)

    def all_prefixes(self) -> Sequence[Namespace | ProviderPrefix]:
        with self._call("all_prefixes"):
            rows = (row for row in self.rows.values() if isinstance(row, Namespace | ProviderPrefix))
            return tuple(sorted(rows, key=position_of))

    def replace_record(
        self,
        record: Record,
        replaced: Record,
        idempotency_record: IdempotencyRecord | None = None,
        between: Sequence[Record] = (),
    ) -> None:
        require_record_size(record, record_body(record))
        with self._call("replace_record"):
            self._require_new(idempotency_record, record.updated)
            current = self.records_by_key.get((record.repository, record.key))
            if current is None or current.version != replaced.version:
                raise Outdated(record.id)
            for each in (replaced, *between):
                self.archive[record.repository, record.key, each.version] = replace(each, health=UNKNOWN)
            self.records_by_key[record.repository, record.key] = replace(record, health=UNKNOWN)
            self._put_idempotency_record(idempotency_record)

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        with self._call("superseded"):
            return self.archive.get((repository, key, version))

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        with self._call("superseded_between"):
            numbers = range(max(1, first), last + 1)
            found = (self.archive.get((repository, key, number)) for number in numbers[:: -1 if descending else 1])
            return [*islice(filter(None, found), limit)]

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        with self._call("public_keys"):
            return tuple(self.keys)

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        with self._call("add_public_key"):
            if key["kid"] not in [each["kid"] for each in self.keys]:
                self.keys.append(key)

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        with self._call("reserve"):
            first = max(floor, self.counters[counter_id])
            self.counters[counter_id] = first + count
            return first

    def usage(self, counter_id: str) -> Usage:
        with self._call("usage"):
            return self.usages.get(counter_id, Usage())

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        with self._call("spend"):
            usage = self.usages.get(counter_id, Usage())
            if usage.revision != before.revision or (before.revision and usage.spent > ceiling):
                return None
            spent = usage.spent + after.spent - before.spent
            self.usages[counter_id] = replace(after, spent=spent, latest=max(usage.latest, after.latest))
            return spent

    def repository(self, repository_id: str) -> Repository | None:
        _require_sendable([repository_id], limit=2000)
        with self._call("repository"):
            return self.repositories.get(repository_id)

    def list_repositories(self, limit: int, after: str | None) -> tuple[Sequence[Repository], str | None]:
        with self._call("list_repositories"):
            ids = sorted(each for each in self.repositories if each > (after or ""))
            return [self.repositories[each] for each in ids[:limit]], ids[limit - 1] if len(ids) > limit else None

    def create_repository(self, repository: Repository, idempotency_record: IdempotencyRecord | None = None) -> None:
        with self._call("create_repository"):
            self._require_new(idempotency_record, repository.created)
            if repository.id in self.repositories:
                raise IdentifierTaken(repository.id)
            self.repositories[repository.id] = repository
            self._put_idempotency_record(idempotency_record)

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        with self._call("change_repository"):
            known = self.repositories.get(repository.id)
            if known is None or known.revision != replaced.revision:
                raise Contended("it was changed")
            repository = replace(repository, canonical=known.canonical)
            self.repositories[repository.id] = repository
            for name, row in self.rows.items():
                if isinstance(row, Namespace) and row.repository.id == repository.id:
                    self.rows[name] = replace(
                        row, repository=repository, updated=repository.updated, revision=row.revision + 1
                    )

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        assert isinstance(prefix, Namespace | ProviderPrefix)
        with self._call("put_prefix"):
            claimed = prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()
            dropped = set(replaced.synonyms) - set(claimed) if isinstance(replaced, ProviderPrefix) else set()
            for name in (*claimed, prefix.name):
                self._mark_stems(name)
            for synonym in claimed:
                present = self.rows.get(synonym)
                if not (present is None or isinstance(present, Stem) or _is_synonym_of(present, prefix.name)):
                    raise PrefixTaken(synonym, "is registered")
            self._require_unchanged(prefix.name, replaced)
            if isinstance(prefix, Namespace):
                self._settle_canonical(prefix)
            for synonym in dropped:
                if _is_synonym_of(self.rows.get(synonym), prefix.name):
                    self.rows[synonym] = Stem(name=synonym, longer=self.rows[synonym].longer)
            for synonym in claimed:
                self.rows[synonym] = Synonym(name=synonym, longer=self._longer(synonym), target=prefix.name)
            known: dict[str, Any] = {"longer": self._longer(prefix.name)}
            if isinstance(prefix, ProviderPrefix):
                stay = isinstance(replaced, ProviderPrefix) and replaced.providers == prefix.providers
                present = self.rows.get(prefix.name)
                known["health"] = present.health if stay and isinstance(present, ProviderPrefix) else {}
            self.rows[prefix.name] = replace(prefix, **known)

    def client(self, client_id: str) -> Client | None:
        with self._call("client"):
            return self._used(self.clients[client_id]) if client_id in self.clients else None

    def list_clients(self, limit: int, after: str | None) -> tuple[Sequence[Client], str | None]:
        with self._call("list_clients"):
            ids = sorted(each for each in self.clients if each > (after or ""))
            return [self._used(self.clients[each]) for each in ids[:limit]], ids[limit - 1] if len(
                ids
            ) > limit else None

    def record_use(self, client: Client) -> None:
        day = day_of(time())
        if client.last_used != day:
            with self._call("record_use"):
                self.uses[client.id] = max(day, self.uses.get(client.id, day))

    def _used(self, client: Client) -> Client:
        return replace(client, last_used=self.uses.get(client.id))

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        with self._call("put_client"):
            self._require_new(idempotency_record, client.created)
            self.clients[client.id] = client
            if client.last_used:
                self.uses[client.id] = client.last_used
            self._put_idempotency_record(idempotency_record)

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        assert len(set(subjects)) <= 100, "a batch has at most 100 keys"
        with self._call("check_states"):
            return {
                subject: self.check_states_by_subject[subject]
                for subject in subjects
                if subject in self.check_states_by_subject
            }

    def put_check_state(self, subject: CheckSubject, check_state: CheckState) -> None:
        _require_sendable([subject.name], limit=1024)
        with self._call("put_check_state"):
            self.check_states_by_subject[subject] = check_state

    def delete_check_state(self, subject: CheckSubject) -> None:
        with self._call("delete_check_state"):
            self.check_states_by_subject.pop(subject, None)

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        with self._call("ailing"):
            found = [
                (subject, self.check_states_by_subject[subject])
                for subject in sorted(self.check_states_by_subject)
                if subject.owner == owner
                and subject.name > (after or "")
                and self.check_states_by_subject[subject].is_ailing()
            ]
            return found[:limit], found[limit - 1][0].name if len(found) > limit else None

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        with self._call("set_prefix_condition"):
            present = self.rows.get(name)
            if not isinstance(present, ProviderPrefix) or present.revision != revision:
                return False
            self.rows[name] = replace(present, health=dict(truncated(health)))
            return True

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        with self._call("set_record_condition"):
            present = self.records_by_key.get((repository, key))
            if present is None or present.version != version:
                return False
            self.records_by_key[repository, key] = replace(present, health=dict(truncated(health)))
            return True

    def cursor(self, repository_id: str) -> CheckCursor | None:
        with self._call("cursor"):
            return self.cursors.get(repository_id)

    def put_cursor(self, repository_id: str, cursor: CheckCursor) -> None:
        with self._call("put_cursor"):
            self.cursors[repository_id] = cursor

    def ailing_scan(self) -> AilingScan | None:
        with self._call("ailing_scan"):
            return self.scan

    def put_ailing_scan(self, scan: AilingScan) -> None:
        with self._call("put_ailing_scan"):
            self.scan = scan

    def put_check_request(self, name: str, message: str, expires: int) -> None:
        with self._call("put_check_request"):
            self.check_requests[name] = message

    def take_check_requests(self, limit: int) -> Sequence[str]:
        with self._call("take_check_requests"):
            return [self.check_requests.pop(name) for name in sorted(self.check_requests)[:limit]]

    def webhook(self, repository_id: str) -> Webhook | None:
        with self._call("webhook"):
            return self.webhooks.get(repository_id)

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        with self._call("put_webhook"):
            self.webhooks[repository_id] = webhook

    def delete_webhook(self, repository_id: str) -> None:
        with self._call("delete_webhook"):
            self.webhooks.pop(repository_id, None)

    def session(self, digest: str) -> Session | None:
        with self._call("session"):
            return self.sessions.get(digest)

    def create_session(self, session: Session) -> None:
        with self._call("create_session"):
            self.sessions[session.digest] = session

    def delete_session(self, digest: str) -> None:
        with self._call("delete_session"):
            self.sessions.pop(digest, None)

    def _call(self, name: str) -> RLock:
        with self.lock:
            self.calls[name] += 1
        return self.lock

    def _require_new(self, new: IdempotencyRecord | None, now: datetime) -> None:
        existing = self.idempotency_records.get(new.id) if new else None
        if existing and existing.expires > now:
            raise IdempotencyRecordTaken

    def _put_idempotency_record(self, new: IdempotencyRecord | None) -> None:
        if new:
            self.idempotency_records[new.id] = new

    def _longer(self, name: str) -> frozenset[str]:
        return self.rows[name].longer if name in self.rows else frozenset()

    def _mark_stems(self, name: str) -> None:
        path = (*ancestors(name), name)
        for shorter, longer in pairwise(path):
            row = self.rows.get(shorter, Stem(name=shorter))
            self.rows[shorter] = replace(row, longer=row.with_longer(longer))

    def _require_unchanged(self, name: str, replaced: Prefix | None) -> None:
        present = self.rows.get(name)
        if isinstance(replaced, Namespace | ProviderPrefix):
            same = type(present) is type(replaced) and present.revision == replaced.revision
        else:
            same = present is None or isinstance(present, Stem)
        if not same:
            raise Contended(name)

    def _settle_canonical(self, prefix: Namespace) -> None:
        present = self.repositories.get(prefix.repository.id)
        if (
            present is None
            or present.revision != prefix.repository.revision
            or present.canonical not in (None, prefix.repository.canonical)
        ):
            raise Contended(prefix.name)
        self.repositories[present.id] = replace(present, canonical=prefix.repository.canonical)


def _require_sendable(keys: Sequence[str], limit: int) -> None:
    """Refuse requests that DynamoDB would refuse as invalid."""
    assert len(set(keys)) <= 100, "a batch has at most 100 keys"
    for key in keys:
        assert 0 < len(key.encode()) <= limit, "a key has 1 to 2,048 bytes"


def _is_synonym_of(row: Prefix | None, target: str) -> bool:
    return isinstance(row, Synonym) and row.target == target


def whole(store: Any) -> Store:
    """Return a store whose ports are all one object: a `MemoryStore`, or a wrapper of one."""
    return Store(*[store] * len(Store.__struct_fields__))
