"""The verdict on a mirror: what is wrong with it, and what could not be checked."""

from typing import Any, Final

MAX_PROBLEMS: Final = 1_000


class MirrorVerdict:
    """The first `problems` as sentences, their whole `count`, and `notes`.

    `records` and `proofs` count what was checked, `compared` the answers of a service, and `received` the records of
    other services, which offer them to this one. `checkpoint` is its size.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.count = self.records = self.proofs = self.compared = self.received = 0
        self.checkpoint: int | None = None

    def add(self, problem: str) -> None:
        """Count a problem."""
        self.count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def summary(self) -> str:
        """Return what was checked, as a sentence."""
        log = f", and the log of {self.checkpoint:,} entries" if self.checkpoint is not None else ""
        compared = f"; {self.compared:,} answers were compared" if self.compared else ""
        return f"{self.records:,} identifiers and {self.proofs:,} proofs were verified{log}{compared}"

    def document(self) -> dict[str, Any]:
        """Return the verdict as JSON."""
        return {
            "ok": self.count == 0,
            "records": self.records,
            "proofs": self.proofs,
            "compared": self.compared,
            "checkpoint": self.checkpoint,
            "problem_count": self.count,
            "problems": self.problems,
            "notes": self.notes,
        }
