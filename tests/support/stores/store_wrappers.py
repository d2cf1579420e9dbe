"""Stores that pass calls on to another store: one fails, one counts reads, one lets other writers write first."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from coolid.errors import StoreUnavailable
from coolid.store.store import Store
from tests.support.stores.memory_store import UncachedReader


class FailingStore(UncachedReader):
    """Passes calls on to another store, and raises `StoreUnavailable` at the calls named `names`.

    `when` is "before" (the call does not reach the store) or "after" (it does, but its response is lost). After `times`
    failures the store works.
    """

    def __init__(self, store: Any, when: str, *names: str, times: int = 10**9) -> None:
        unknown = [name for name in names if not hasattr(store, name)]
        assert not unknown, f"the store has no calls {unknown}"
        self._store = store
        self._when = when
        self._names = names
        self._times = times

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self._store, name)
        if name not in self._names:
            return passed_on

        def fail(*arguments: Any, **options: Any) -> Any:
            if self._times <= 0:
                return passed_on(*arguments, **options)
            self._times -= 1
            if self._when == "after":
                passed_on(*arguments, **options)
            raise StoreUnavailable("the store did not answer")

        return fail


class CountedReads(UncachedReader):
    """Passes calls on to another store, and calls `count` with the keys of each read; a query counts as one."""

    def __init__(self, store: Any, count: Callable[[int], None]) -> None:
        self._store = store
        self._count = count

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self._store, name)
        if name not in _PUBLIC_READS:
            return passed_on

        def read(*arguments: Any, **options: Any) -> Any:
            self._count(len(arguments[-1]) if name in _BATCHES else 1)
            return passed_on(*arguments, **options)

        return read


_BATCHES = ("prefixes", "records")
_PUBLIC_READS = (*_BATCHES, "record", "superseded", "superseded_between", "all_prefixes", "history", "public_keys")
"""The calls of `coolid.store.reader.Reader`."""


class Interfering:
    """Passes calls on to another store, and performs another action, such as another client's change, before the first
    writes.
    """

    def __init__(self, store: Any, name: str, actions: Iterable[Any]) -> None:
        self._store = store
        self._name = name
        self._actions: Iterator[Any] = iter(actions)

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self._store, name)
        if name != self._name:
            return passed_on

        def call(*arguments: Any, **options: Any) -> Any:
            action = next(self._actions, None)
            if action:
                action()
            return passed_on(*arguments, **options)

        return call


class FlatStore:
    """All ports of a store in one object, like `MemoryStore`."""

    def __init__(self, store: Store) -> None:
        self._ports = [getattr(store, port) for port in store.__struct_fields__]

    def __getattr__(self, name: str) -> Any:
        return next(getattr(port, name) for port in self._ports if hasattr(port, name))
