"""The comparison of many PIDs' answers with the log, in parallel: of all PIDs, or of an unpredictable sample."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from itertools import chain
from secrets import SystemRandom
from typing import Any, Final

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.findings import Observation
from coolid.audit.listed_pids import listed_pids
from coolid.audit.log_source import LogSource
from coolid.audit.service_answers import ServiceAnswers

_PAGE: Final = 500
_AHEAD: Final = 256
"""PIDs whose comparison is under way or waits for its turn."""
Show = Callable[[str, int, int], None]


def compare_answers(
    source: LogSource,
    database: AuditDatabase,
    issuer: str,
    published: Mapping[str, Any],
    sample: int,
    now: int,
    show: Show,
) -> int:
    """Compare a sample, or with a negative number all PIDs, and what the service lists. Return how many were compared.

    With a sample of 0, nothing is requested. Raises `ClientError`.
    """
    if sample == 0:
        return 0
    answers = ServiceAnswers(source, issuer, _all_keys(database, published), now)
    total = database.count()
    numbers = None if sample < 0 or sample >= total else SystemRandom().sample(range(1, total + 1), sample)
    pids = _pids(database, numbers)
    tasks = (source.submit(answers.compare, pid, database.versions(pid)) for pid in pids)
    listed = (pid for pid in listed_pids(source, issuer) if database.pid_state(pid) is None)
    unlogged = (source.submit(answers.unlogged, pid) for pid in listed)
    compared = min(total, total if numbers is None else sample)
    for done, observations in enumerate(_results(chain(tasks, unlogged)), 1):
        for observation in observations:
            database.add(observation, is_of_log=False)
        show("Comparing", min(done, compared), compared)
    return compared


def _pids(database: AuditDatabase, numbers: list[int] | None) -> Iterator[str]:
    if numbers is not None:
        for number in numbers:
            yield from (pid for _, pid in database.pids(number - 1, 1))
        return
    after = 0
    while rows := database.pids(after, _PAGE):
        yield from (pid for _, pid in rows)
        after = rows[-1][0]


def _results(tasks: "Iterator[Future[list[Observation]]]") -> Iterator[list[Observation]]:
    """Yield the results in order, while at most `_AHEAD` tasks wait."""
    waiting: deque[Future[list[Observation]]] = deque()
    for task in tasks:
        waiting.append(task)
        if len(waiting) >= _AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _all_keys(database: AuditDatabase, published: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the published keys and those of the log as one set."""
    listed = published.get("keys")
    keys = {str(each.get("kid")): each for each in listed if isinstance(each, dict)} if isinstance(listed, list) else {}
    keys |= {name: {**(statement.jwk or {}), "kid": name} for name, statement in database.public_keys().items()}
    return {"keys": list(keys.values())}
