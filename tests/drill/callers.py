"""Callers: clients of the service with an API key. They send requests, and handle any response, or none.

The actions of a caller are operations. The log contains its requests and the statuses of the responses. Equal digests
of the log mean equal runs.
"""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from random import Random
from typing import Any, Final

from msgspec import Struct, field

from coolid.identifiers.rules.base import Rules
from tests.drill.faults import Faults
from tests.drill.oracle import Oracle, Violation
from tests.drill.processes import Fleet
from tests.drill.scheduler import Scheduler
from tests.support.fixtures.system import Answer

UNEXPECTED: Final = 500
MAX_KEYS: Final = 500
"""The maximal number of keys that one anonymous request reads."""


class Log:
    """A log whose `digest` covers its lines. Every line depends on the seed only."""

    def __init__(self, path: str | None = None) -> None:
        self._hash = sha256()
        self._file = open(path, "w", encoding="utf-8") if path else None  # noqa: SIM115, PTH123 - open as long as the run
        self.lines = 0

    def line(self, *parts: Any) -> None:
        text = " ".join(map(str, parts)) + "\n"
        self._hash.update(text.encode())
        self.lines += 1
        if self._file:
            self._file.write(text)
            self._file.flush()

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


class OwnedPrefixes(Struct):
    """A repository with its prefixes; the first one is its canonical prefix."""

    id: str
    rules: Rules
    names: list[str]


class DrillContext(Struct):
    """The state that all callers share. `statuses` counts responses by status, `done` operations by name."""

    scheduler: Scheduler
    faults: Faults
    rng: Random
    fleet: Fleet
    oracle: Oracle
    log: Log
    repositories: list[OwnedPrefixes]
    is_exact: bool
    """Whether a refused write was certainly not stored. Not so over DynamoDB, whose clients retry."""
    statuses: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    number: int = 0
    idle_period: float = 0.0
    """No caller sends a request before this time."""

    def next(self) -> int:
        """Return a unique number."""
        self.number += 1
        return self.number


class Caller:
    """A client with the API key `key`."""

    def __init__(self, context: DrillContext, key: str) -> None:
        self.context = context
        self.rng = context.rng
        self.oracle = context.oracle
        self.key = key
        self.id = key.split("_")[1]

    @property
    def now(self) -> float:
        """Return the current time."""
        return self.context.scheduler.now

    def send(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        activity: str = "read",
        query: str = "",
        headers: Iterable[tuple[str, str]] = (),
        known: bool = True,
    ) -> Answer | None:
        """Send a request to any process, with the API key if `known`. Return None if there is no response."""
        context = self.context
        task = context.scheduler.task
        assert task is not None
        task.activity = activity
        process = context.fleet.any()
        answer = process.request(method, path, document, query=query, headers=headers, key=self.key if known else None)
        status = answer.status if answer else 0
        context.statuses[str(status) if status else "no response"] += 1
        context.log.line(f"{context.scheduler.now:.6f}", method, path, query, status)
        if status == UNEXPECTED:
            raise Violation(f"{method} {path} caused an unexpected error: {process.reported!r}")
        if not known:
            self.oracle.require(task.read_keys <= MAX_KEYS, f"{method} {path} read {task.read_keys} keys")
        return answer

    def pause(self, most: float = 2.0) -> None:
        """Wait for a random time."""
        self.context.scheduler.sleep(self.rng.uniform(0.05, most))

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.rng.random() < probability
