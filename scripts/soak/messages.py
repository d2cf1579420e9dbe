"""What is sent, what comes back, and the line that is kept of it.

>>> ask("GET", "/go:1", accept="text/html").headers
{'Accept': 'text/html'}
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

BROWSER: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
"""The `Accept` of a browser."""


class Ask(Struct, frozen=True):
    """A request; `path` is as it is sent, with its query."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes | None = None


class Reply(Struct, frozen=True):
    """An answer; status 0 if none came. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""

    @property
    def document(self) -> Any:
        """The body as JSON. Raises `msgspec.DecodeError`."""
        return msgspec.json.decode(self.body)


class Row(Struct, frozen=True, array_like=True):
    """What is kept of a request: its kind, when it began (monotonic seconds), how long it took, what came of it.

    `delayed` if it was a read for which the store was too slow, and which was told so.
    """

    kind: str
    begun: float
    took: float
    status: int
    objections: tuple[str, ...] = ()
    delayed: bool = False


Expectation = Callable[[Reply, float, float], list[str]]
"""The objections to a response to a request between these two moments; none if it is right."""

Tell = Callable[[str, Ask, Expectation], Reply]
"""Sends a request of a kind, checks the response, and stores the row."""


def ask(method: str, path: str, *, key: str = "", document: Any = None, **headers: str) -> Ask:
    """Return a request with an API key, a JSON document, and further headers (`_` for `-`, each part capitalised)."""
    sent = {name.replace("_", "-").title(): value for name, value in headers.items()}
    if key:
        sent["Authorization"] = f"Bearer {key}"
    if document is None:
        return Ask(method, path, sent)
    return Ask(method, path, {"Content-Type": "application/json", **sent}, msgspec.json.encode(document))
