"""A CloudFront KeyValueStore in memory with the real one's versions and limits, and a ledger's file; both can fail.

Source of the limits: Amazon CloudFront Developer Guide, "Quotas on key value stores".
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import TypeVar

from msgspec import json

from coolid.edge.redirect_store import Ledger, VersionConflict
from coolid.errors import StoreUnavailable

BEFORE, AFTER = "before", "after"
MAX_KEYS, MAX_KEY, MAX_VALUE, MAX_BYTES = 50, 512, 1024, 5 * 1000 * 1000
PAGE = 50

_tags = count(1)
T = TypeVar("T")


class Crash(BaseException):
    """The function's process ends."""


class Calls:
    """Counts calls. Each may fail `BEFORE` or `AFTER` it has an effect, or be preceded by something else."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.faults: dict[int, tuple[str, BaseException]] = {}
        self.interruptions: dict[int, Callable[[], object]] = {}
        self.number = 0

    def plan(self) -> None:
        """Forget all plans, and count from 0 again."""
        self.faults, self.interruptions, self.number = {}, {}, 0

    def make(self, name: str, call: Callable[[], T]) -> T:
        number, self.number = self.number, self.number + 1
        interruption = self.interruptions.pop(number, None)
        if interruption:
            interruption()
        when, error = self.faults.pop(number, ("", Crash()))
        if when == BEFORE:
            raise error
        self.made[name] += 1
        result = call()
        if when == AFTER:
            raise error
        return result


class FakeKeyValueStore:
    """Implements `RedirectStore`. `history` has all versions, of which an edge location may serve any recent one."""

    def __init__(self, calls: Calls | None = None) -> None:
        self.calls = calls or Calls()
        self.history: deque[tuple[str, Mapping[str, str]]] = deque([(_tag(), {})])

    @property
    def contents(self) -> Mapping[str, str]:
        """All entries of the latest version."""
        return self.history[-1][1]

    def version(self) -> str:
        return self.calls.make("describe", lambda: self.history[-1][0])

    def size(self) -> int:
        return self.calls.make("describe", lambda: len(self.contents))

    def value(self, key: str) -> str | None:
        return self.calls.make("get", lambda: self.contents.get(key))

    def entries(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        keys = sorted(self.contents)
        for start in range(0, max(len(keys), 1), PAGE):
            page = keys[start : start + PAGE]
            found |= self.calls.make("list", lambda page=page: {k: v for k, v in self.contents.items() if k in page})  # type: ignore[misc]
        return found

    def update(self, version: str, puts: Mapping[str, str], deletes: Iterable[str]) -> str:
        return self.calls.make("update", lambda: self._update(version, puts, [*deletes]))

    def _update(self, version: str, puts: Mapping[str, str], deletes: list[str]) -> str:
        if version != self.history[-1][0]:
            raise VersionConflict
        assert 0 < len(puts) + len(deletes) <= MAX_KEYS
        assert all(0 < len(key.encode()) <= MAX_KEY for key in (*puts, *deletes))
        assert all(len(value.encode()) <= MAX_VALUE for value in puts.values())
        assert not puts.keys() & set(deletes)
        entries = {key: value for key, value in {**self.contents, **puts}.items() if key not in deletes}
        if sum(len(key) + len(value) for key, value in entries.items()) > MAX_BYTES:
            raise StoreUnavailable("ServiceQuotaExceededException")
        self.history.append((_tag(), entries))
        return self.history[-1][0]


class MemoryLedgerFile:
    """Implements `LedgerFile`; stores the ledger as its JSON text."""

    def __init__(self, calls: Calls | None = None) -> None:
        self.calls = calls or Calls()
        self.content: bytes | None = None
        self.tag = ""

    def load(self) -> tuple[Ledger, str] | None:
        return self.calls.make("load", self._load)

    def save(self, ledger: Ledger, version: str | None) -> str:
        return self.calls.make("save", lambda: self._save(ledger, version))

    def _load(self) -> tuple[Ledger, str] | None:
        return None if self.content is None else (json.decode(self.content, type=Ledger), self.tag)

    def _save(self, ledger: Ledger, version: str | None) -> str:
        if version != (None if self.content is None else self.tag):
            raise VersionConflict
        self.content, self.tag = json.encode(ledger), _tag()
        return self.tag


def _tag() -> str:
    return f"KV{next(_tags):08}"
