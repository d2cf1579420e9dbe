"""Making: mints, one by one and in batches, sent again as clients do, with one key for one thing."""

from typing import Any, Final

from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from tests.drill.callers import Caller, Home
from tests.drill.oracle import PUBLIC, RESERVED, Mint
from tests.support.fixtures.system import Answer

RECORDS: Final = "/api/v1/records"
BATCH: Final = "/api/v1/records/batch"
_CHOSEN: Final = 20
"""So few, at first, identifiers are chosen from that many want the same."""


class Maker(Caller):
    """Mints."""

    def mint(self, home: Home | None = None) -> None:
        """One record, perhaps asked for twice at once; under the last name of a repository, if one is given."""
        wanted, document = self._wanted(home)
        if wanted.errand is not None and self.chance(0.15):
            baton = self.scene.baton
            baton.join([baton.begin(lambda: self._mint(wanted, document)) for _ in range(2)])
        else:
            self._mint(wanted, document)

    def batch(self) -> None:
        """Some records; what failed of it is sent again as it was."""
        lines = [self._wanted(keyed=False) for _ in range(self.dice.randrange(2, 7))]
        key = f"batch {self.scene.next()}"
        keyed = self.chance(0.8)
        for at, (wanted, _) in enumerate(lines):
            wanted.errand = f"{self.id}#{at}/{key}" if keyed else None
        unheard: set[int] = set()
        for _ in range(self.dice.randrange(1, 5) if keyed else 1):
            headers = [("Idempotency-Key", key)] if keyed else []
            answer = self.send("POST", BATCH, [line for _, line in lines], doing="mint", headers=headers)
            if answer is None or answer.status == 503:
                unheard |= set(range(len(lines)))
            else:
                self.oracle.demand(answer.status == 200, f"a batch: {answer.status} {answer.body}")
                results = answer.json()
                self.oracle.demand(len(results) == len(lines), "a batch answers other lines than it was sent")
                open_ = [
                    at
                    for at, result in enumerate(results)
                    if not self._hear(lines[at][0], result["status"], result, again=at in unheard)
                ]
                unheard |= set(open_)
                if not open_:
                    return
            self.pause()

    def _wanted(self, last: Home | None = None, *, keyed: bool = True) -> tuple[Mint, dict[str, Any]]:
        """What is to be minted, and how it is said."""
        scene = self.scene
        number = scene.next()
        home = last or self.dice.choice(scene.homes)
        prefix = home.names[-1] if last or self.chance(0.3) else self.dice.choice(home.names)
        mint = Mint(
            number,
            prefix,
            f"https://content.example.org/{number}",
            RESERVED if self.chance(0.05) else PUBLIC,
            self.now,
            f"{self.id}/errand {number}" if keyed and self.chance(0.75) else None,
        )
        document: dict[str, Any] = {"prefix": prefix, "uri": mint.target, "metadata": {"what": f"Thing {number}"}}
        if isinstance(home.rules, LuiRules) and self.chance(0.25):
            mint.chosen = lui.format(lui.encode(self.dice.randrange(_CHOSEN + number // 10), home.rules.symbols))
            document["id"] = mint.chosen
        if mint.state == RESERVED:
            document["status"] = RESERVED
        mint.document = document
        self.oracle.mints[mint.target] = mint
        return mint, document

    def _mint(self, wanted: Mint, document: dict[str, Any]) -> None:
        headers = [("Idempotency-Key", f"errand {wanted.number}")] if wanted.errand else []
        again = False
        for _ in range(self.dice.randrange(1, 6) if wanted.errand else 1):
            answer = self.send("POST", RECORDS, document, doing="mint", headers=headers)
            if answer is not None and self._hear(wanted, answer.status, _result(answer), again=again):
                return
            again = True
            self.pause()

    def _hear(self, wanted: Mint, status: int, result: Any, *, again: bool) -> bool:
        """Take in an answer; whether there is nothing left to ask. `again` if it was asked for before, unheard."""
        if status == 201:
            self._made(wanted, result["record"])
            return True
        slug = result["problem"]["type"].rpartition("/")[2]
        if (status, slug) == (409, "identifier-taken") and wanted.chosen is not None:
            if not again and wanted.errand is None:  # it was sent once: what it wrote itself is no reason to refuse it
                wanted.refused = True
            return True
        right = status == 503 or (status, slug) == (409, "request-under-way")
        self.oracle.demand(right, f"a mint answers {status}: {result}")
        return False

    def _made(self, wanted: Mint, record: dict[str, Any]) -> None:
        (home,) = [home for home in self.scene.homes if home.id == record["repository"]]
        self.oracle.minted(wanted, record, home.rules.validate(record["id"]), self.now)
        self.scene.log.line("minted", wanted.number, record["id"])


def _result(answer: Answer) -> dict[str, Any]:
    """An answer as a batch would tell it."""
    told = answer.json()
    return {"status": answer.status, "record" if answer.status == 201 else "problem": told}
