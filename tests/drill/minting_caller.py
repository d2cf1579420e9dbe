"""Mints, one by one and in batches, repeated as clients repeat them, with one key for each record."""

from typing import Any, Final

from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from tests.drill.callers import Caller, OwnedPrefixes
from tests.drill.oracle import PUBLIC, RESERVED, Mint
from tests.support.fixtures.system import Answer

RECORDS: Final = "/api/v1/records"
BATCH: Final = "/api/v1/records/batch"
_CHOSEN: Final = 20
"""The initial number of chosen identifiers: so few that callers compete for them."""


class MintingCaller(Caller):
    """A caller that mints."""

    def mint(self, repository: OwnedPrefixes | None = None) -> None:
        """Mint one record, sometimes with two requests at once; under the last prefix of a given repository."""
        wanted, document = self._wanted(repository)
        if wanted.idempotency_key is not None and self.chance(0.15):
            scheduler = self.context.scheduler
            scheduler.join([scheduler.begin(lambda: self._mint(wanted, document)) for _ in range(2)])
        else:
            self._mint(wanted, document)

    def batch(self) -> None:
        """Mint some records; repeat the failed lines unchanged."""
        lines = [self._wanted(keyed=False) for _ in range(self.rng.randrange(2, 7))]
        key = f"batch {self.context.next()}"
        keyed = self.chance(0.8)
        for at, (wanted, _) in enumerate(lines):
            wanted.idempotency_key = f"{self.id}#{at}/{key}" if keyed else None
        unanswered: set[int] = set()
        for _ in range(self.rng.randrange(1, 5) if keyed else 1):
            headers = [("Idempotency-Key", key)] if keyed else []
            answer = self.send("POST", BATCH, [line for _, line in lines], activity="mint", headers=headers)
            if answer is None or answer.status == 503:
                unanswered |= set(range(len(lines)))
            else:
                self.oracle.require(answer.status == 200, f"a batch: {answer.status} {answer.body}")
                results = answer.json()
                self.oracle.require(len(results) == len(lines), "a batch answers other lines than it was sent")
                open_ = [
                    at
                    for at, result in enumerate(results)
                    if not self._record_result(lines[at][0], result["status"], result, again=at in unanswered)
                ]
                unanswered |= set(open_)
                if not open_:
                    return
            self.pause()

    def _wanted(self, last: OwnedPrefixes | None = None, *, keyed: bool = True) -> tuple[Mint, dict[str, Any]]:
        """Return a new mint and its request body."""
        context = self.context
        number = context.next()
        repository = last or self.rng.choice(context.repositories)
        prefix = repository.names[-1] if last or self.chance(0.3) else self.rng.choice(repository.names)
        mint = Mint(
            number,
            prefix,
            f"https://content.example.org/{number}",
            RESERVED if self.chance(0.05) else PUBLIC,
            self.now,
            f"{self.id}/idempotency_key {number}" if keyed and self.chance(0.75) else None,
        )
        document: dict[str, Any] = {
            "prefix": prefix,
            "uri": mint.target,
            "metadata": {"what": f"TrackedRecord {number}"},
        }
        if isinstance(repository.rules, LuiRules) and self.chance(0.25):
            mint.chosen = lui.format(lui.encode(self.rng.randrange(_CHOSEN + number // 10), repository.rules.symbols))
            document["id"] = mint.chosen
        if mint.state == RESERVED:
            document["status"] = RESERVED
        mint.document = document
        self.oracle.mints[mint.target] = mint
        return mint, document

    def _mint(self, wanted: Mint, document: dict[str, Any]) -> None:
        headers = [("Idempotency-Key", f"idempotency_key {wanted.number}")] if wanted.idempotency_key else []
        again = False
        for _ in range(self.rng.randrange(1, 6) if wanted.idempotency_key else 1):
            answer = self.send("POST", RECORDS, document, activity="mint", headers=headers)
            if answer is not None and self._record_result(wanted, answer.status, _result(answer), again=again):
                return
            again = True
            self.pause()

    def _record_result(self, wanted: Mint, status: int, result: Any, *, again: bool) -> bool:
        """Record a result. Return whether the mint is settled. `again`: an earlier request had no response."""
        if status == 201:
            self._record_mint(wanted, result["record"])
            return True
        slug = result["problem"]["type"].rpartition("/")[2]
        if (status, slug) == (409, "identifier-taken") and wanted.chosen is not None:
            if (
                not again and wanted.idempotency_key is None
            ):  # after a single request, its own write is no reason to refuse it
                wanted.refused = True
            return True
        right = status == 503 or (status, slug) == (409, "request-under-way")
        self.oracle.require(right, f"a mint answers {status}: {result}")
        return False

    def _record_mint(self, wanted: Mint, record: dict[str, Any]) -> None:
        (repository,) = [
            repository for repository in self.context.repositories if repository.id == record["repository"]
        ]
        self.oracle.minted(wanted, record, repository.rules.validate(record["id"]), self.now)
        self.context.log.line("minted", wanted.number, record["id"])


def _result(answer: Answer) -> dict[str, Any]:
    """Return a response in the format of a batch."""
    document = answer.json()
    return {"status": answer.status, "record" if answer.status == 201 else "problem": document}
