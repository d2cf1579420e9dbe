"""The final checks: all stored rows, compared with the requests and the acknowledged results."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

from coolid.identifiers.rules.base import SequentialRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.identifiers.schemes import pilin
from coolid.model.prefixes import Namespace, ProviderPrefix, Stem, Synonym, ancestors
from coolid.model.records import Record
from coolid.proofs.statements import digest_of
from coolid.proofs.verification import verify
from tests.drill.backends import Contents
from tests.drill.oracle import Oracle, state_and_target
from tests.drill.registering_caller import RegistrationLog, may_show
from tests.support.builders.samples import BASE_URL


class Checker:
    """Compares `contents` with `oracle` and `registrations`; counts `checks` and raises `Violation`."""

    def __init__(self, contents: Contents, oracle: Oracle, registrations: RegistrationLog) -> None:
        self._contents = contents
        self._oracle = oracle
        self._registrations = registrations
        self._versions: dict[tuple[str, str], list[Record]] = {}
        self._documents: dict[str, dict[int, dict[str, Any]]] = {}
        self.checks = 0

    def check(self) -> None:
        """Run all checks."""
        self.histories()
        self.acknowledged()
        self.requested()
        self.idempotency_records()
        self.numbers()
        self.prefixes()
        self.repositories()

    def histories(self) -> None:
        """Check that each record has all versions from 1, valid proofs and one chain."""
        contents = self._contents
        older: dict[tuple[str, str], dict[int, Record]] = defaultdict(dict)
        for (repository, key, version), record in contents.archive.items():
            older[repository, key][version] = record
        self._require(older.keys() <= contents.records.keys(), "there are older versions without a record")
        keys = {"keys": contents.keys}
        for place, current in contents.records.items():
            versions = [older[place][number] for number in sorted(older[place])] if place in older else []
            versions.append(current)
            numbers = [record.version for record in versions]
            self._require(numbers == list(range(1, current.version + 1)), f"{place} has the versions {numbers}")
            *past, newest = [record.to_document() for record in versions]
            verdict = verify(newest, keys, past, pid=current.pid, issuer=BASE_URL)
            self._require(verdict.ok, f"{place}: {[check for check in verdict.checks if not check.passed]}")
            rules = contents.repositories[place[0]].rules
            self._require(current.repository == place[0] and rules.validate(current.id) == place[1], f"{place} is lost")
            self._require(current.pid not in self._documents, f"{current.pid} is there twice")
            self._versions[place] = versions
            self._documents[current.pid] = dict(zip(numbers, [*past, newest], strict=True))

    def acknowledged(self) -> None:
        """Check that all acknowledged or observed versions are stored unchanged, and that no refused one is."""
        for pid, tracked in self._oracle.tracked_records.items():
            there = self._documents.get(pid, {})
            for write in tracked.writes:
                if write.document is not None:
                    message = f"version {write.version} of {pid} was {write.document}, is {there.get(write.version)}"
                    self._require(there.get(write.version) == write.document, message)
                else:
                    open_ = {(each.version, each.target) for each in tracked.writes if not each.refused}
                    is_refused = write.refused and (write.version, write.target) not in open_
                    is_there = write.version in there and state_and_target(there[write.version]) == (
                        write.state,
                        write.target,
                    )
                    self._require(not (is_there and is_refused), f"{pid}: {write} was refused, and is there")
                    self._require(is_there or not write.seen, f"{pid}: {write} was seen, and is no longer there")

    def requested(self) -> None:
        """Check that each mint created at most one record, the acknowledged one, and that there are no other records.

        A mint without an idempotency key is sent once, so only its own process may have repeated its writes.
        """
        made: dict[str, list[str]] = defaultdict(list)
        for pid, versions in self._documents.items():
            made[state_and_target(versions[1])[1]].append(pid)
        self._require(made.keys() <= self._oracle.mints.keys(), "there are records without a request")
        for target, mint in self._oracle.mints.items():
            pids = made.get(target, [])
            self._require(mint.ids <= set(pids), f"{mint} was acknowledged, there is {pids}")
            self._require(len(pids) <= 1, f"{mint} created {pids}")
            self._require(not (mint.refused and pids), f"{mint} was refused, and created {pids}")

    def idempotency_records(self) -> None:
        """Check that each idempotent mint has an idempotency record, and each idempotency record its record."""
        mints_by_key = {mint.idempotency_key: mint for mint in self._oracle.mints.values() if mint.idempotency_key}
        for name, idempotency_record in self._contents.idempotency_records.items():
            repository, _, key = idempotency_record.outcome.partition("/")
            versions = self._versions.get((repository, key))
            target = state_and_target(versions[0].to_document())[1] if versions else None
            self._require(
                name in mints_by_key and target == mints_by_key[name].target,
                f"the idempotency record {name} is for {target}",
            )
            right = idempotency_record.digest == digest_of({"body": mints_by_key[name].document})
            self._require(right, f"the idempotency record {name} is for another request")
        for target, mint in self._oracle.mints.items():
            if mint.idempotency_key and mint.ids and not mint.idempotency_key.startswith("row "):
                self._require(
                    mint.idempotency_key in self._contents.idempotency_records,
                    f"{target} was minted without an idempotency record",
                )

    def numbers(self) -> None:
        """Check that all sequential identifiers were reserved, and that no millisecond occurs twice."""
        contents = self._contents
        taken: Counter[tuple[str, int]] = Counter()
        for repository, key in contents.records:
            if isinstance(contents.repositories[repository].rules, PilinRules):
                taken[repository, pilin.to_milliseconds(key)] += 1
        for (repository, number), times in taken.items():
            runs = self._oracle.reserved.get(repository)
            given = runs is None or any(first <= number < stop for first, stop in runs)
            self._require(times == 1 and given, f"the millisecond {number} of {repository}: {times} times")
            self._require(number < contents.counters[repository], f"the counter of {repository} is behind {number}")
        counted = Counter(repository for repository, _ in contents.records)
        for repository, times in counted.items():
            rules = contents.repositories[repository].rules
            if isinstance(rules, SequentialRules) and not isinstance(rules, PilinRules):
                self._require(times <= contents.counters[repository], f"{repository} has more names than were counted")

    def prefixes(self) -> None:
        """Check that stems lead to each name, synonyms to their prefixes, and that all registered names exist."""
        rows = self._contents.prefixes
        for name, row in rows.items():
            if isinstance(row, Namespace | ProviderPrefix | Synonym):
                for shorter, longer in pairwise((*ancestors(name), name)):
                    self._require(shorter in rows and rows[shorter].may_begin(longer), f"{shorter} hides {name}")
            if isinstance(row, ProviderPrefix):
                for synonym in row.synonyms:
                    there = rows.get(synonym)
                    right = isinstance(there, Synonym) and there.target == name
                    self._require(right, f"{synonym} should lead to {name}, and is {there}")
            if isinstance(row, Synonym):
                self._require(
                    isinstance(rows.get(row.target), ProviderPrefix), f"{name} leads to {row.target}: nothing"
                )
        for name in self._oracle.names:
            self._require(isinstance(rows.get(name), Namespace), f"{name} was registered, and is not there")
        for name, tried in self._registrations.prefixes.items():
            there = rows.get(name)
            self._require(there is None or isinstance(there, ProviderPrefix | Stem), f"{name} is {there}")
            message = there.title.removeprefix("Number ") if isinstance(there, ProviderPrefix) else None
            self._require(may_show(tried, message, float("inf")), f"{name} says {message}")

    def repositories(self) -> None:
        """Check that aliases agree with their repository, and that it has its last acknowledged state."""
        repositories = self._contents.repositories
        for name, row in self._contents.prefixes.items():
            if isinstance(row, Namespace):
                owner = repositories[row.repository.id]
                self._require(row.repository.title == owner.title, f"{name} has an outdated copy of its repository")
                self._require(row.repository.canonical == owner.canonical, f"{name} has another canonical prefix")
        for name, tried in self._registrations.titles.items():
            title = repositories[name].title
            known = may_show(tried, title, float("inf")) or may_show(tried, None, float("inf"))
            self._require(known, f"the repository {name} is called {title}")

    def _require(self, right: bool, message: str) -> None:
        self.checks += 1
        self._oracle.require(right, message)
