"""Reads of all kinds, by the public and by managers, each checked at once."""

import json
from typing import Final

from tests.drill.minting_caller import RECORDS
from tests.drill.oracle import TrackedRecord
from tests.drill.updating_caller import UpdatingCaller
from tests.support.fixtures.system import Answer

HISTORY: Final = "/api/v1/history/"
_PAGE: Final = 50


class ReadingCaller(UpdatingCaller):
    """A caller that also reads."""

    def read(self) -> None:
        """Resolve an identifier, or read its record."""
        tracked = self.tracked()
        if tracked is None:
            return
        query = "format=linkid" if self.chance(0.25) else ""
        begun = self.now
        answer = self.send("GET", f"/{self._spelled(tracked)}", query=query, known=False)
        if answer is not None:
            self.oracle.read(tracked, answer, begun, self.now)

    def read_managed(self) -> None:
        """Read a record as its manager."""
        tracked = self.tracked()
        if tracked is not None:
            self.managed_record(tracked)

    def read_version(self) -> None:
        """Read a version of a record."""
        tracked = self.tracked()
        if tracked is None:
            return
        version = self.rng.randrange(tracked.newest.version) + 1
        if tracked.known(version) is None or tracked.floor(self.now - 12) < version or self.now - 62 < tracked.since:
            return
        answer = self.send("GET", f"/{tracked.name}", query=f"format=linkid&version={version}", known=False)
        if answer is not None:
            self.oracle.read_version(tracked, version, answer, self.now)

    def read_history(self) -> None:
        """Read all versions, newest first, without a gap."""
        tracked = self.tracked()
        if tracked is None:
            return
        begun = self.now
        answer = self.send("GET", HISTORY + tracked.name)
        if answer is None or self._is_unavailable(answer):
            return
        records = [each["record"] for each in answer.json()["versions"]]
        newest = records[0]["version"]
        numbers = [record["version"] for record in records]
        self.oracle.require(numbers == list(range(newest, 0, -1)), f"the history of {tracked.name} has {numbers}")
        for record in records:
            self.oracle.observe_version(tracked, record, self.now)
        self.oracle.require(
            newest >= tracked.floor(begun), f"the history of {tracked.name} lacks acknowledged versions"
        )

    def read_many(self) -> None:
        """Resolve several identifiers in one request."""
        tracked_records = [tracked for _ in range(self.rng.randrange(2, 9)) if (tracked := self.tracked()) is not None]
        begun = self.now
        document = {"ids": [tracked.name for tracked in tracked_records]}
        answer = self.send("POST", "/api/v1/resolve", document, known=False)
        if answer is None or self._is_unavailable(answer):
            return
        for tracked, result in zip(tracked_records, answer.json()["results"], strict=True):
            if result["status"] != 503:  # each result equals that of a single request, except its headers
                headers = {"location": result.get("location", "")}
                alone = Answer(result["status"], headers, json.dumps(result.get("document")))
                self.oracle.read(tracked, alone, begun, self.now)

    def read_list(self) -> None:
        """Read the first page of a repository's records."""
        repository = self.rng.choice(self.context.repositories)
        begun = self.now
        answer = self.send("GET", RECORDS, query=f"prefix={repository.names[0]}&limit={_PAGE}")
        if answer is None or self._is_unavailable(answer):
            return
        registrations = answer.json()
        for document in registrations["records"]:
            tracked = self.oracle.tracked_records.get(document["pid"])
            if tracked is not None:
                self.oracle.observe_version(tracked, document, self.now)
        last = repository.rules.validate(registrations["records"][-1]["id"]) if registrations["next"] else None
        self.oracle.listed(repository.id, {document["pid"] for document in registrations["records"]}, last, begun)

    def read_keys(self) -> None:
        """Read the published keys."""
        answer = self.send("GET", "/.well-known/jwks.json", known=False)
        if answer is not None:
            self._is_unavailable(answer)

    def _spelled(self, tracked: TrackedRecord) -> str:
        """Return a spelling of an identifier."""
        name, _, identifier = tracked.name.rpartition(":")
        (repository,) = [repository for repository in self.context.repositories if repository.id == tracked.repository]
        return (
            f"{name}:{identifier.upper()}"
            if self.chance(0.1) and repository.rules.describe().folds_case
            else tracked.name
        )

    def _is_unavailable(self, answer: Answer) -> bool:
        if answer.status == 503:
            self.oracle.require_complete_503(answer)
            return True
        self.oracle.require(answer.status == 200, f"{answer.status} {answer.body}")
        return False
