"""Changing: new versions and withdrawals, on condition of the version that was seen."""

from typing import Any, Final

from tests.drill.making import RECORDS, Maker
from tests.drill.oracle import GONE, PUBLIC, Thing, Write, shows

_JUST_NOW: Final = 4
_LATELY: Final = 60


class Changer(Maker):
    """Mints, and changes what was minted."""

    def update(self) -> None:
        """A new version, by PUT or PATCH."""
        target = f"https://content.example.org/{self.scene.next()}"
        if self.chance(0.5):
            document = {"uri": target, "metadata": {"what": "It changed"}}
            self._change(("PUT", "update", document), PUBLIC, target)
        else:
            self._change(("PATCH", "update", {"uri": target, "status": PUBLIC}), PUBLIC, target)

    def withdraw(self) -> None:
        """A tombstone."""
        reason = f"reason {self.scene.next()}"
        self._change(("DELETE", "withdrawal", {"reason": reason}), GONE, reason)

    def thing(self) -> Thing | None:
        """One that was minted, often one of the last."""
        things = self.oracle.in_order
        if not things:
            return None
        most = self.dice.choice((_JUST_NOW, _LATELY, len(things)))
        return self.dice.choice(things[-most:])

    def kept(self, thing: Thing) -> tuple[dict[str, Any], str] | None:
        """The record as it is, and its tag; None if it cannot be told."""
        begun = self.now
        answer = self.send("GET", f"{RECORDS}/{thing.name}")
        if answer is None:
            return None
        if answer.status == 503:
            self.oracle.demand_honest(answer)
            return None
        self.oracle.demand(answer.status == 200, f"{thing.name}, kept: {answer.status} {answer.body}")
        document = answer.json()
        self.oracle.read_kept(thing, document, begun, self.now)
        return document, answer.headers["etag"]

    def _change(self, change: tuple[str, str, dict[str, Any]], state: str, target: str) -> None:
        """Read, change on condition; again from the start where nothing was heard, or others were quicker."""
        thing = self.thing()
        for _ in range(self.dice.randrange(1, 5)):
            if thing is None:
                return
            seen = self.kept(thing)
            if seen is not None:
                found, tag = seen
                if shows(found)[0] == GONE or shows(found) == (state, target):
                    return
                write = Write(found["version"] + 1, state, target, self.now)
                if self._wrote(thing, write, tag, change):
                    return
            self.pause()

    def _wrote(self, thing: Thing, write: Write, tag: str, change: tuple[str, str, dict[str, Any]]) -> bool:
        """Send a change (its method, what it is, its document) once; whether it was acknowledged."""
        method, doing, document = change
        open_ = [each for each in thing.writes if not each.refused]
        before = [each for each in open_ if each.version == write.version and each.target == write.target]
        if before:  # it was sent already, and nothing was heard of it
            write = before[0]
        else:
            thing.writes.append(write)
        headers = [("If-Match", tag)]
        if method == "PATCH":
            headers.append(("Content-Type", "application/merge-patch+json"))
        path = f"{RECORDS}/{thing.name}"
        answer = self.send(method, path, document, doing=doing, headers=headers)
        if write.document is None:
            write.ended = self.now
        if answer is None or answer.status == 503:
            return False
        if answer.status == 200:
            self.oracle.saw(thing, answer.json(), self.now)
            self.oracle.demand(thing.known(write.version) is write, f"{thing.name}: another wrote {write.version}")
            self.scene.log.line(doing, thing.name, write.version)
            return True
        slug = answer.json()["type"].rpartition("/")[2]
        right = (answer.status, slug) in ((412, "outdated"), (409, "already-withdrawn"))
        self.oracle.demand(right, f"{doing} of {thing.name}: {answer.status} {answer.body}")
        if not before:
            self.oracle.demand(write.document is None, f"{doing} of {thing.name} was refused and is there")
            write.refused = True
        return False
