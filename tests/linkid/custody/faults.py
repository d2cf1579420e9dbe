"""Events in the services of operators: writes, signatures and messages, each of which can fail or be overtaken."""

from collections.abc import Callable
from typing import Any

from coolid.errors import CoolidError, OtherServiceUnavailable, SignerUnavailable, StoreUnavailable
from coolid.model.custody import is_authority
from coolid.proofs.statements import digest_of
from coolid.proofs.verification import verify
from tests.support.builders.histories import stored_versions
from tests.support.fixtures.operators import Operator, Operators

_ERRORS: dict[str, type[CoolidError]] = {
    "create_record": StoreUnavailable,
    "replace_record": StoreUnavailable,
    "put": StoreUnavailable,
    "sign": SignerUnavailable,
    "request": OtherServiceUnavailable,
}


class Events:
    """Counts events. At the event `number`, `action` is called `when` ("before" or "after"); None is a failure.

    `watch` is called before and after every event.
    """

    def __init__(self) -> None:
        self.count = 0
        self.number = 0
        self.when = "before"
        self.action: Callable[[], None] | None = None
        self.watch: Callable[[], None] = lambda: None
        self._is_nested = False

    def expect(self, number: int, when: str, action: Callable[[], None] | None = None) -> None:
        """Choose the event, counted from now."""
        self.count, self.number, self.when, self.action = 0, number, when, action

    def wrap(self, port: Any) -> Any:
        """Return a port whose writes and signatures are events."""
        return _Port(port, self)

    def call(self, name: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call a method as an event."""
        if self._is_nested:  # actions and observers cause no events
            return call(*arguments, **options)
        self.count += 1
        number = self.count
        self._reach(number, "before", name)
        result = call(*arguments, **options)
        self._reach(number, "after", name)
        return result

    def _reach(self, number: int, when: str, name: str) -> None:
        self._is_nested = True
        try:
            self.watch()
            if (number, when) == (self.number, self.when):
                if self.action is None:
                    raise _ERRORS[name](f"event {number}, {when} {name}")
                self.action()
                self.watch()
        finally:
            self._is_nested = False


class _Port:
    def __init__(self, port: Any, events: Events) -> None:
        self._port = port
        self._events = events

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self._port, name)
        if name not in _ERRORS:
            return passed_on
        return lambda *arguments, **options: self._events.call(name, passed_on, *arguments, **options)


class EventfulOperators(Operators):
    """Operators whose messages are events. All but the innermost messages are counted."""

    events: Events

    def request(self, method: str, url: str, body: bytes | None, max_bytes: int) -> tuple[int, bytes]:
        """See `Operators.request`."""
        answer: tuple[int, bytes] = self.events.call("request", super().request, method, url, body, max_bytes)
        return answer

    def operator(self, name: str) -> Operator:
        """Add an operator all of whose writes and signatures are events."""
        return self.add(name, records=self.events.wrap, writer=self.events.wrap, signer=self.events.wrap)


def followed(operators: Operators, start: Operator, name: str) -> str | None:
    """Return the target outside of all services to which a LinkID leads from one of them; None if it has none there."""
    url = f"{start.base_url}/{name}"
    for _ in range(2 * len(operators.by_url)):
        operator = operators.by_url.get(url.removesuffix(f"/{name}"))
        if operator is None:
            return url
        status, target = operator.target(name)
        if status == 404 and operator is start:
            return None
        assert status == 302, (status, url)
        assert target is not None
        url = target
    raise AssertionError(f"{name} leads in circles from {start.base_url}")


def require_one_chain(operators: Operators, name: str) -> int:
    """Require that no version exists twice, and at most one service is the authority. Return their number."""
    digests: dict[int, str] = {}
    authorities = 0
    for operator in operators.by_url.values():
        current = operator.current(name)
        if current is None:
            continue
        authorities += is_authority(current)
        for version in stored_versions(operator.store.records, current.repository, current.key):
            digest = digest_of(version.to_document())
            assert digests.setdefault(version.version, digest) == digest, f"two versions {version.version}"
    assert authorities <= 1
    return authorities


def require_verified(operators: Operators, name: str) -> Operator:
    """Require exactly one authority, whose history verifies back to the first version. Return it."""
    assert require_one_chain(operators, name) == 1
    keys = {each.base_url: {"keys": [*each.store.public_keys.public_keys()]} for each in operators.by_url.values()}
    for operator in operators.by_url.values():
        current = operator.current(name)
        if current is not None and is_authority(current):
            history = stored_versions(operator.store.records, current.repository, current.key)
            newest, *older = [each.to_document() for each in history]
            verdict = verify(newest, keys[operator.base_url], older, issuer_keys=keys)
            assert verdict.complete, verdict
            return operator
    raise AssertionError("there is no authority")
