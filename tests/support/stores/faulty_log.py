"""Ports of the transparency log whose calls fail, before or after they take effect."""

from collections.abc import Callable
from typing import Any

from coolid.errors import StoreUnavailable


class Outage:
    """Decides which calls fail. `calls` counts them; call number `at` fails, `after` it took effect or before."""

    def __init__(self) -> None:
        self.calls = 0
        self.at: int | None = None
        self.after = False

    def plan(self, at: int, *, after: bool) -> None:
        """Let the call with this number fail, from 0 on, counted from now."""
        self.calls, self.at, self.after = 0, at, after

    def end(self) -> None:
        """Let no call fail."""
        self.calls, self.at = 0, None

    def carry_out(self, call: Callable[[], Any]) -> Any:
        fails = self.calls == self.at
        self.calls += 1
        if fails and not self.after:
            raise StoreUnavailable("the call did not arrive")
        result = call()
        if fails:
            raise StoreUnavailable("the answer was lost")
        return result


class FaultyPort:
    """Acts as `target`, with the failures of an outage."""

    def __init__(self, target: Any, outage: Outage) -> None:
        self._target = target
        self._outage = outage

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._target, name)
        return lambda *arguments, **named: self._outage.carry_out(lambda: method(*arguments, **named))
