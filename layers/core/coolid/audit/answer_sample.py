"""The comparison of many PIDs' answers with the log, in parallel: of all PIDs, or of an unpredictable sample."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from secrets import SystemRandom
from typing import Any, Final

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.findings import ANSWERS, Observation
from coolid.audit.listed_pids import listed_pids
from coolid.audit.log_source import LogSource
from coolid.audit.service_answers import ServiceAnswers

_PAGE: Final = 256
"""PIDs that are compared together. Their findings are one transaction."""
_POSITION: Final = "compared"
Show = Callable[[str, int, int], None]


class AnswerSample:
    """Compares a sample, or with a negative number all PIDs. `compared` counts them.

    An interrupted comparison of all PIDs continues behind the last page that it finished.
    """

    def __init__(self, source: LogSource, database: AuditDatabase, sample: int, show: Show) -> None:
        self._source = source
        self._database = database
        self._sample = sample
        self._show = show
        self._after = (database.setting(_POSITION, int) or 0) if sample < 0 else 0
        if not self._after:
            database.remove(ANSWERS)
        self.compared = 0

    def compare(self, issuer: str, published: Mapping[str, Any], now: int) -> None:
        """Compare the PIDs, and then what the service lists. With a sample of 0, nothing. Raises `ClientError`."""
        if self._sample == 0:
            return
        database = self._database
        answers = ServiceAnswers(self._source, issuer, _all_keys(database, published), now)
        total = database.count()
        is_whole = self._sample < 0 or self._sample >= total
        self.compared = self._after
        for page in self._all_pages() if is_whole else self._random_pages(total):
            self._run([(pid, database.versions(pid)) for _, pid in page], answers.compare)
            database.set(_POSITION, page[-1][0] if self._sample < 0 else 0)
            self.compared += len(page)
            self._show("Comparing", self.compared, total if is_whole else self._sample)
        listed = (pid for pid in listed_pids(self._source, issuer) if database.pid_state(pid) is None)
        while unknown := list(islice(listed, _PAGE)):
            self._run([(pid,) for pid in unknown], answers.unlogged)
        database.set(_POSITION, 0)

    def _run(self, calls: Sequence[tuple[Any, ...]], compare: Callable[..., list[Observation]]) -> None:
        tasks = [self._source.submit(compare, *arguments) for arguments in calls]
        found = [observation for task in tasks for observation in task.result()]
        with self._database.transaction():
            for observation in found:
                self._database.add(observation, ANSWERS)

    def _all_pages(self) -> Iterator[list[tuple[int, str]]]:
        after = self._after
        while page := self._database.pids(after, _PAGE):
            yield page
            after = page[-1][0]

    def _random_pages(self, total: int) -> Iterator[list[tuple[int, str]]]:
        numbers = iter(SystemRandom().sample(range(1, total + 1), self._sample))
        while chosen := list(islice(numbers, _PAGE)):
            yield [row for number in chosen for row in self._database.pids(number - 1, 1)]


def _all_keys(database: AuditDatabase, published: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the published keys and those of the log as one set."""
    listed = published.get("keys")
    keys = {str(each.get("kid")): each for each in listed if isinstance(each, dict)} if isinstance(listed, list) else {}
    keys |= {name: {**(statement.jwk or {}), "kid": name} for name, statement in database.public_keys().items()}
    return {"keys": list(keys.values())}
