"""Looking: reads of all kinds, by the public and by keepers, each judged as it comes."""

import json
from typing import Final

from tests.drill.changing import Changer
from tests.drill.making import RECORDS
from tests.drill.oracle import Thing
from tests.support.fixtures.system import Answer

HISTORY: Final = "/api/v1/history/"
_PAGE: Final = 50


class Looker(Changer):
    """Reads, too."""

    def read(self) -> None:
        """Where it leads, or what it is."""
        thing = self.thing()
        if thing is None:
            return
        query = "format=linkid" if self.chance(0.25) else ""
        begun = self.now
        answer = self.send("GET", f"/{self._spelled(thing)}", query=query, known=False)
        if answer is not None:
            self.oracle.read(thing, answer, begun, self.now)

    def read_kept(self) -> None:
        """As its keeper has it."""
        thing = self.thing()
        if thing is not None:
            self.kept(thing)

    def read_version(self) -> None:
        """A version of it."""
        thing = self.thing()
        if thing is None:
            return
        version = self.dice.randrange(thing.newest.version) + 1
        if thing.known(version) is None or thing.floor(self.now - 12) < version or self.now - 62 < thing.since:
            return
        answer = self.send("GET", f"/{thing.name}", query=f"format=linkid&version={version}", known=False)
        if answer is not None:
            self.oracle.read_version(thing, version, answer, self.now)

    def read_history(self) -> None:
        """All versions, the newest first, without a gap."""
        thing = self.thing()
        if thing is None:
            return
        begun = self.now
        answer = self.send("GET", HISTORY + thing.name)
        if answer is None or self._cannot_be_told(answer):
            return
        records = [each["record"] for each in answer.json()["versions"]]
        newest = records[0]["version"]
        numbers = [record["version"] for record in records]
        self.oracle.demand(numbers == list(range(newest, 0, -1)), f"the history of {thing.name} has {numbers}")
        for record in records:
            self.oracle.saw(thing, record, self.now)
        self.oracle.demand(newest >= thing.floor(begun), f"the history of {thing.name} lacks what was written")

    def read_many(self) -> None:
        """Many at once."""
        things = [thing for _ in range(self.dice.randrange(2, 9)) if (thing := self.thing()) is not None]
        begun = self.now
        document = {"ids": [thing.name for thing in things]}
        answer = self.send("POST", "/api/v1/resolve", document, known=False)
        if answer is None or self._cannot_be_told(answer):
            return
        for thing, result in zip(things, answer.json()["results"], strict=True):
            if result["status"] != 503:  # each is told as it would be alone, but for its headers
                headers = {"location": result.get("location", "")}
                alone = Answer(result["status"], headers, json.dumps(result.get("document")))
                self.oracle.read(thing, alone, begun, self.now)

    def read_list(self) -> None:
        """The first page of a repository's records."""
        home = self.dice.choice(self.scene.homes)
        begun = self.now
        answer = self.send("GET", RECORDS, query=f"prefix={home.names[0]}&limit={_PAGE}")
        if answer is None or self._cannot_be_told(answer):
            return
        told = answer.json()
        for document in told["records"]:
            thing = self.oracle.things.get(document["pid"])
            if thing is not None:
                self.oracle.saw(thing, document, self.now)
        last = home.rules.validate(told["records"][-1]["id"]) if told["next"] else None
        self.oracle.listed(home.id, {document["pid"] for document in told["records"]}, last, begun)

    def read_keys(self) -> None:
        """The keys that everybody verifies by."""
        answer = self.send("GET", "/.well-known/jwks.json", known=False)
        if answer is not None:
            self._cannot_be_told(answer)

    def _spelled(self, thing: Thing) -> str:
        """One of the ways in which a name is written."""
        name, _, identifier = thing.name.rpartition(":")
        (home,) = [home for home in self.scene.homes if home.id == thing.repository]
        return f"{name}:{identifier.upper()}" if self.chance(0.1) and home.rules.describe().folds_case else thing.name

    def _cannot_be_told(self, answer: Answer) -> bool:
        if answer.status == 503:
            self.oracle.demand_honest(answer)
            return True
        self.oracle.demand(answer.status == 200, f"{answer.status} {answer.body}")
        return False
