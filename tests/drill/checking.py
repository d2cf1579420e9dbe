"""Checking: what is stored, row by row, when all is over, held against what was asked for and acknowledged."""

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
from tests.drill.naming import Told, may_be
from tests.drill.oracle import Oracle, shows
from tests.drill.worlds import Contents
from tests.support.builders.samples import BASE_URL


class Checker:
    """Holds `contents` against what `oracle` and `told` know; `checks` counts, `Violation` objects."""

    def __init__(self, contents: Contents, oracle: Oracle, told: Told) -> None:
        self._contents = contents
        self._oracle = oracle
        self._told = told
        self._versions: dict[tuple[str, str], list[Record]] = {}
        self._documents: dict[str, dict[int, dict[str, Any]]] = {}
        self.checks = 0

    def check(self) -> None:
        """Everything."""
        self.histories()
        self.acknowledged()
        self.asked_for()
        self.receipts()
        self.numbers()
        self.prefixes()
        self.repositories()

    def histories(self) -> None:
        """Every record is whole: versions from 1 without a gap, each with a good proof, and one chain."""
        contents = self._contents
        older: dict[tuple[str, str], dict[int, Record]] = defaultdict(dict)
        for (repository, key, version), record in contents.archive.items():
            older[repository, key][version] = record
        self._demand(older.keys() <= contents.records.keys(), "there are older versions without a record")
        keys = {"keys": contents.keys}
        for place, current in contents.records.items():
            versions = [older[place][number] for number in sorted(older[place])] if place in older else []
            versions.append(current)
            numbers = [record.version for record in versions]
            self._demand(numbers == list(range(1, current.version + 1)), f"{place} has the versions {numbers}")
            *past, newest = [record.to_document() for record in versions]
            verdict = verify(newest, keys, past, pid=current.pid, issuer=BASE_URL)
            self._demand(verdict.ok, f"{place}: {[check for check in verdict.checks if not check.passed]}")
            rules = contents.repositories[place[0]].rules
            self._demand(current.repository == place[0] and rules.validate(current.id) == place[1], f"{place} is lost")
            self._demand(current.pid not in self._documents, f"{current.pid} is there twice")
            self._versions[place] = versions
            self._documents[current.pid] = dict(zip(numbers, [*past, newest], strict=True))

    def acknowledged(self) -> None:
        """Nothing that was acknowledged or seen is missing or different; nothing that was refused is there."""
        for pid, thing in self._oracle.things.items():
            there = self._documents.get(pid, {})
            for write in thing.writes:
                if write.document is not None:
                    said = f"version {write.version} of {pid} was {write.document}, is {there.get(write.version)}"
                    self._demand(there.get(write.version) == write.document, said)
                else:
                    open_ = {(each.version, each.target) for each in thing.writes if not each.refused}
                    is_refused = write.refused and (write.version, write.target) not in open_
                    is_there = write.version in there and shows(there[write.version]) == (write.state, write.target)
                    self._demand(not (is_there and is_refused), f"{pid}: {write} was refused, and is there")
                    self._demand(is_there or not write.seen, f"{pid}: {write} was seen, and is no longer there")

    def asked_for(self) -> None:
        """Each mint made one record at the most, the one that was acknowledged; nobody's wish made any other.

        A mint without an errand is sent once, so that its process alone may have sent its writes again.
        """
        made: dict[str, list[str]] = defaultdict(list)
        for pid, versions in self._documents.items():
            made[shows(versions[1])[1]].append(pid)
        self._demand(made.keys() <= self._oracle.mints.keys(), "there are records that nobody asked for")
        for target, mint in self._oracle.mints.items():
            pids = made.get(target, [])
            self._demand(mint.ids <= set(pids), f"{mint} was acknowledged, there is {pids}")
            self._demand(len(pids) <= 1, f"{mint} made {pids}")
            self._demand(not (mint.refused and pids), f"{mint} was refused, and made {pids}")

    def receipts(self) -> None:
        """There is a receipt for each errand's record, and a record for each receipt."""
        errands = {mint.errand: mint for mint in self._oracle.mints.values() if mint.errand}
        for name, receipt in self._contents.receipts.items():
            repository, _, key = receipt.outcome.partition("/")
            versions = self._versions.get((repository, key))
            target = shows(versions[0].to_document())[1] if versions else None
            self._demand(name in errands and target == errands[name].target, f"the receipt {name} is for {target}")
            right = receipt.digest == digest_of({"body": errands[name].document})
            self._demand(right, f"the receipt {name} is for another request")
        for target, mint in self._oracle.mints.items():
            if mint.errand and mint.ids and not mint.errand.startswith("row "):
                self._demand(mint.errand in self._contents.receipts, f"{target} was minted without a receipt")

    def numbers(self) -> None:
        """What is counted was counted out by the counter, and no millisecond is there twice."""
        contents = self._contents
        taken: Counter[tuple[str, int]] = Counter()
        for repository, key in contents.records:
            if isinstance(contents.repositories[repository].rules, PilinRules):
                taken[repository, pilin.to_milliseconds(key)] += 1
        for (repository, number), times in taken.items():
            runs = self._oracle.reserved.get(repository)
            given = runs is None or any(first <= number < stop for first, stop in runs)
            self._demand(times == 1 and given, f"the millisecond {number} of {repository}: {times} times")
            self._demand(number < contents.counters[repository], f"the counter of {repository} is behind {number}")
        counted = Counter(repository for repository, _ in contents.records)
        for repository, times in counted.items():
            rules = contents.repositories[repository].rules
            if isinstance(rules, SequentialRules) and not isinstance(rules, PilinRules):
                self._demand(times <= contents.counters[repository], f"{repository} has more names than were counted")

    def prefixes(self) -> None:
        """Every name can be walked to, every synonym leads where it should, and all that was registered is there."""
        rows = self._contents.prefixes
        for name, row in rows.items():
            if isinstance(row, Namespace | ProviderPrefix | Synonym):
                for shorter, longer in pairwise((*ancestors(name), name)):
                    self._demand(shorter in rows and longer in rows[shorter].longer, f"{shorter} hides {name}")
            if isinstance(row, ProviderPrefix):
                for synonym in row.synonyms:
                    there = rows.get(synonym)
                    right = isinstance(there, Synonym) and there.target == name
                    self._demand(right, f"{synonym} should lead to {name}, and is {there}")
            if isinstance(row, Synonym):
                self._demand(isinstance(rows.get(row.target), ProviderPrefix), f"{name} leads to {row.target}: nothing")
        for name in self._oracle.names:
            self._demand(isinstance(rows.get(name), Namespace), f"{name} was registered, and is not there")
        for name, tried in self._told.prefixes.items():
            there = rows.get(name)
            self._demand(there is None or isinstance(there, ProviderPrefix | Stem), f"{name} is {there}")
            said = there.title.removeprefix("Number ") if isinstance(there, ProviderPrefix) else None
            self._demand(may_be(tried, said, float("inf")), f"{name} says {said}")

    def repositories(self) -> None:
        """All aliases say of their repository what it says itself, which is what was acknowledged last."""
        repositories = self._contents.repositories
        for name, row in self._contents.prefixes.items():
            if isinstance(row, Namespace):
                owner = repositories[row.repository.id]
                self._demand(row.repository.title == owner.title, f"{name} says of its repository what it was")
                self._demand(row.repository.canonical == owner.canonical, f"{name} has another canonical prefix")
        for name, tried in self._told.titles.items():
            title = repositories[name].title
            known = may_be(tried, title, float("inf")) or may_be(tried, None, float("inf"))
            self._demand(known, f"the repository {name} is called {title}")

    def _demand(self, right: bool, said: str) -> None:
        self.checks += 1
        self._oracle.demand(right, said)
