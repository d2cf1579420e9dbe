"""The comparison of the new service's answers with the dump, or with the old service's answers.

An active identifier leads to its target, or without one to its page. A withdrawn one leads to a tombstone (410), and a
reserved one is not found (404). Several requests are under way at once, and differences come in the order of the dump.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

import can_ada
from msgspec import Struct

from coolid.client.async_connections import ParallelFlows
from coolid.client.flows import Flow
from coolid.identifiers.target_policy import objection
from coolid.migration.comparison.service_answers import ServiceAnswer, answer_at, answer_within
from coolid.migration.source_identifiers import Entry, SourceIdentifier
from coolid.model.prefixes import PLACEHOLDER, as_path
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN

_BLOCK: Final = 512
_STATUSES: Final = {RESERVED: 404, WITHDRAWN: 410, ACTIVE: 200}
"""The status of the answer for an identifier without a target."""


class AnswerDifference(Struct, frozen=True):
    """An identifier with the expected and the actual answer, each a target or a status; `reason` explains it if known.

    `position` is that of the entry in the dump.
    """

    position: int
    identifier: str
    expected: str
    found: str
    reason: str = ""


class Comparison:
    """Compares entries with the answers of the service at `new`, a URL without a final slash.

    `old` is the URL of the old service, or a URL with `{$id}`; without it, the dump decides. `full` returns an
    identifier with its prefix. `compared` and `unreadable` count entries. At most `parallel` requests are under way.
    """

    def __init__(self, new: str, old: str | None, full: Callable[[str], str], parallel: int) -> None:
        self._new = new
        self._old = old
        self._full = full
        self._parallel = parallel
        self.compared = self.unreadable = 0

    def differences(self, entries: Iterable[Entry]) -> Iterator[AnswerDifference]:
        """Yield the differences. Raises client errors if a service cannot be reached after some tries."""
        remaining = iter(entries)
        with ParallelFlows(self._parallel) as flows:
            while block := list(islice(remaining, _BLOCK)):
                identifiers = [each for each in block if isinstance(each, SourceIdentifier)]
                self.unreadable += len(block) - len(identifiers)
                found = flows.run(map(self._compare, identifiers))
                self.compared += len(identifiers)
                yield from (each for each in found if each is not None)

    def _compare(self, entry: SourceIdentifier) -> Flow[AnswerDifference | None]:
        """Return the difference of an identifier, or None."""
        targets = _targets(entry)
        expected = ServiceAnswer(302, targets[0]) if targets else ServiceAnswer(_STATUSES[entry.current.status])
        if self._old is not None and entry.current.status == ACTIVE:
            expected = yield from answer_within(_address(self._old, entry.identifier))
            targets = [expected.target] if expected.target is not None else []
        url = _address(self._new, self._full(entry.identifier))
        found = yield from answer_at(url)
        if targets and found.target is None and found.status == _STATUSES[ACTIVE]:  # PIDs may lead to pages
            behind = yield from answer_at(f"{url}?format=target")
            found = found if behind.target is None else behind
        if _is_same(expected, found, targets):
            return None
        refused = next((reason for target in targets if (reason := objection(target))), None)
        reason = f"the target policy refuses the target: {refused}" if refused and found.target is None else ""
        return AnswerDifference(entry.position, entry.identifier, str(expected), str(found), reason)


def _address(service: str, identifier: str) -> str:
    path = as_path(identifier)
    return service.replace(PLACEHOLDER, path) if PLACEHOLDER in service else f"{service.rstrip('/')}/{path}"


def _targets(entry: SourceIdentifier) -> list[str]:
    """Return the targets that an identifier may lead to."""
    if entry.current.status != ACTIVE:
        return []
    return [location.uri for location in entry.current.locations if location.status == ACTIVE]


def _is_same(expected: ServiceAnswer, found: ServiceAnswer, targets: Iterable[str]) -> bool:
    if expected.target is None or found.target is None:
        return expected == found
    normalised = _normalised(found.target)
    return any(found.target == target or normalised == _normalised(target) for target in targets)


def _normalised(url: str) -> str:
    """Return a URL as browsers write it, or as it is if they would not accept it."""
    try:
        href: str = can_ada.parse(url).href
    except ValueError:
        return url
    return href
