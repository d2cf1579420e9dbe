"""Callers: clients of the service, who hold a key, send requests, and bear with what comes back, or with nothing.

Whatever a caller does is an operation; what it sends and hears goes into the log, whose digest tells whether two runs
were the same.
"""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from random import Random
from typing import Any, Final

from msgspec import Struct

from coolid.identifiers.rules.base import Rules
from tests.drill.baton import Baton
from tests.drill.faults import Faults
from tests.drill.oracle import Oracle, Violation
from tests.drill.processes import Fleet
from tests.support.fixtures.system import Answer

UNFORESEEN: Final = 500
MOST_KEYS: Final = 500
"""Keys that one anonymous request reads, at most."""


class Log:
    """Takes lines; `digest` is theirs. Nothing goes in that the seed does not decide."""

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


class Home(Struct):
    """A repository, with the names that it has, the first of which was its first."""

    id: str
    rules: Rules
    names: list[str]


class Scene(Struct):
    """What all callers share. `heard` counts answers by status, `done` operations by kind."""

    baton: Baton
    faults: Faults
    dice: Random
    fleet: Fleet
    oracle: Oracle
    log: Log
    homes: list[Home]
    is_exact: bool
    """Whether a refusal means that nothing was written: DynamoDB's clients try again by themselves."""
    heard: Counter[str]
    done: Counter[str]
    number: int = 0
    lull: float = 0.0
    """Nobody asks for anything before that moment."""

    def next(self) -> int:
        """A number that nobody else gets."""
        self.number += 1
        return self.number


class Caller:
    """Sends with the API key `key`."""

    def __init__(self, scene: Scene, key: str) -> None:
        self.scene = scene
        self.dice = scene.dice
        self.oracle = scene.oracle
        self.key = key
        self.id = key.split("_")[1]

    @property
    def now(self) -> float:
        """The time."""
        return self.scene.baton.now

    def send(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        doing: str = "read",
        query: str = "",
        headers: Iterable[tuple[str, str]] = (),
        known: bool = True,
    ) -> Answer | None:
        """Send a request to any process, with the key if this one is to be `known`; None if nothing came back."""
        scene = self.scene
        task = scene.baton.task
        assert task is not None
        task.doing = doing
        process = scene.fleet.any()
        answer = process.request(method, path, document, query=query, headers=headers, key=self.key if known else None)
        status = answer.status if answer else 0
        scene.heard[str(status) if status else "no answer"] += 1
        scene.log.line(f"{scene.baton.now:.6f}", method, path, query, status)
        if status == UNFORESEEN:
            raise Violation(f"{method} {path} was not foreseen: {process.reported!r}")
        if not known:
            self.oracle.demand(task.read_keys <= MOST_KEYS, f"{method} {path} read {task.read_keys} keys")
        return answer

    def pause(self, most: float = 2.0) -> None:
        """Let some time go by."""
        self.scene.baton.sleep(self.dice.uniform(0.05, most))

    def chance(self, probability: float) -> bool:
        """Whether the dice say so."""
        return self.dice.random() < probability
