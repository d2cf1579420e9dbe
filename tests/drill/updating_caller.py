"""New versions and withdrawals, on condition of the version that was read."""

from typing import Any, Final

from tests.drill.minting_caller import RECORDS, MintingCaller
from tests.drill.oracle import GONE, PUBLIC, TrackedRecord, Write, state_and_target

_JUST_NOW: Final = 4
_LATELY: Final = 60


class UpdatingCaller(MintingCaller):
    """A caller that also changes records."""

    def update(self) -> None:
        """Write a new version, by PUT or PATCH."""
        target = f"https://content.example.org/{self.context.next()}"
        if self.chance(0.5):
            document = {"uri": target, "metadata": {"what": "It changed"}}
            self._change(("PUT", "update", document), PUBLIC, target)
        else:
            self._change(("PATCH", "update", {"uri": target, "status": PUBLIC}), PUBLIC, target)

    def withdraw(self) -> None:
        """Withdraw a record."""
        reason = f"reason {self.context.next()}"
        self._change(("DELETE", "withdrawal", {"reason": reason}), GONE, reason)

    def tracked(self) -> TrackedRecord | None:
        """Return a minted record, often one of the last."""
        tracked_records = self.oracle.in_order
        if not tracked_records:
            return None
        most = self.rng.choice((_JUST_NOW, _LATELY, len(tracked_records)))
        return self.rng.choice(tracked_records[-most:])

    def managed_record(self, tracked: TrackedRecord) -> tuple[dict[str, Any], str] | None:
        """Return the record and its entity tag; None if it is unavailable."""
        begun = self.now
        answer = self.send("GET", f"{RECORDS}/{tracked.name}")
        if answer is None:
            return None
        if answer.status == 503:
            self.oracle.require_complete_503(answer)
            return None
        self.oracle.require(answer.status == 200, f"{tracked.name}, managed_record: {answer.status} {answer.body}")
        document = answer.json()
        self.oracle.read_managed(tracked, document, begun, self.now)
        return document, answer.headers["etag"]

    def _change(self, change: tuple[str, str, dict[str, Any]], state: str, target: str) -> None:
        """Read a record and change it conditionally; retry after a lost response or a conflict."""
        tracked = self.tracked()
        for _ in range(self.rng.randrange(1, 5)):
            if tracked is None:
                return
            seen = self.managed_record(tracked)
            if seen is not None:
                found, tag = seen
                if state_and_target(found)[0] == GONE or state_and_target(found) == (state, target):
                    return
                write = Write(found["version"] + 1, state, target, self.now)
                if self._wrote(tracked, write, tag, change):
                    return
            self.pause()

    def _wrote(self, tracked: TrackedRecord, write: Write, tag: str, change: tuple[str, str, dict[str, Any]]) -> bool:
        """Send a change (its method, activity and document) once. Return whether it was acknowledged."""
        method, activity, document = change
        open_ = [each for each in tracked.writes if not each.refused]
        before = [each for each in open_ if each.version == write.version and each.target == write.target]
        if before:  # it was sent already, without a response
            write = before[0]
        else:
            tracked.writes.append(write)
        headers = [("If-Match", tag)]
        if method == "PATCH":
            headers.append(("Content-Type", "application/merge-patch+json"))
        path = f"{RECORDS}/{tracked.name}"
        answer = self.send(method, path, document, activity=activity, headers=headers)
        if write.document is None:
            write.ended = self.now
        if answer is None or answer.status == 503:
            return False
        if answer.status == 200:
            self.oracle.observe_version(tracked, answer.json(), self.now)
            self.oracle.require(tracked.known(write.version) is write, f"{tracked.name}: another wrote {write.version}")
            self.context.log.line(activity, tracked.name, write.version)
            return True
        slug = answer.json()["type"].rpartition("/")[2]
        right = (answer.status, slug) in ((412, "outdated"), (409, "already-withdrawn"))
        self.oracle.require(right, f"{activity} of {tracked.name}: {answer.status} {answer.body}")
        if not before:
            self.oracle.require(write.document is None, f"{activity} of {tracked.name} was refused and is there")
            write.refused = True
        return False
