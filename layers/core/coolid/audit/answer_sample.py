"""The comparison of many PIDs' answers with the log, in parallel: of all PIDs, or of an unpredictable sample."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import islice
from secrets import SystemRandom
from typing import Any, Final

from msgspec.structs import replace

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.entry_statements import NAMESPACE, PREFIX, EntryStatement
from coolid.audit.findings import ANSWERS, MISSING_VERSION, AuditFinding, Observation
from coolid.audit.listed_pids import listed_pids
from coolid.audit.log_source import LogSource
from coolid.audit.service_answers import UNLOGGED, WAIT_SECONDS, WAITING, ServiceAnswers
from coolid.client.errors import ClientError

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
        self._has_answers = False
        self.compared = 0

    def compare(self, issuer: str, published: Mapping[str, Any], now: int) -> None:
        """Compare PIDs, what the service lists, and aliases. With a sample of 0, nothing. Raises `ClientError`.

        Of all PIDs with missing versions, compare whether other services have these.
        """
        database = self._database
        answers = ServiceAnswers(self._source, issuer, _all_keys(database, published), now)
        self._remove_absences(answers)
        if self._sample == 0:
            return
        total = database.count()
        is_whole = self._sample < 0 or self._sample >= total
        self.compared = self._after
        for page in self._all_pages() if is_whole else self._random_pages(total):
            self._run(answers.compare, [(pid, database.versions(pid)) for _, pid in page], now)
            database.set(_POSITION, page[-1][0] if self._sample < 0 else 0)
            self.compared += len(page)
            self._show("Comparing", self.compared, total if is_whole else self._sample)
        listed = (pid for pid in listed_pids(self._source, issuer) if database.pid_state(pid) is None)
        while unknown := list(islice(listed, _PAGE)):
            self._run(answers.unlogged, [(pid,) for pid in unknown], now)
        aliases = [each for each in database.changes(PREFIX) if each.kind == NAMESPACE]
        chosen = aliases if self._sample < 0 else SystemRandom().sample(aliases, min(self._sample, len(aliases)))
        self._run(answers.compare_alias, [(alias,) for alias in chosen], now)
        database.set(_POSITION, 0)

    def _remove_absences(self, answers: ServiceAnswers) -> None:
        """Remove the findings of missing versions that other services have. Without answers, a finding stays."""
        for observation in list(self._database.observations()):
            finding = observation.finding
            if finding.rule != MISSING_VERSION:
                continue
            entries = {each.index: each for each in self._database.versions(finding.subject)}
            earlier, later = (entries[index] for index in finding.indexes)
            with suppress(ClientError):
                if answers.has_absence(earlier, later):
                    self._database.remove_observation(observation)

    def _run(self, compare: Callable[..., list[Observation]], calls: Sequence[tuple[Any, ...]], now: int) -> None:
        """Run comparisons, and add what they return. Raises `ClientError` if the service does not answer at all."""
        tasks = [self._source.submit(compare, *arguments) for arguments in calls]
        errors = [(arguments[0], _error(task)) for arguments, task in zip(calls, tasks, strict=True)]
        failures = [(subject, error) for subject, error in errors if error is not None]
        if failures and len(failures) == len(tasks) and (len(tasks) > 1 or not self._has_answers):
            raise failures[0][1]
        self._has_answers = True
        found = [each for task in tasks if _error(task) is None for each in task.result()]
        for subject, error in failures:
            name = subject.name if isinstance(subject, EntryStatement) else str(subject)
            found.append(Observation(AuditFinding("unanswered", name, str(error))))
        with self._database.transaction():
            for observation in found:
                self._add(observation, now)

    def _add(self, observation: Observation, now: int) -> None:
        """Add an observation. A version that waits is one only if an earlier audit saw it wait, too long ago."""
        finding = observation.finding
        if finding.rule == WAITING:
            version = str(observation.documents[0].get("version"))
            if self._database.waiting_since(finding.subject, version, now) >= now - WAIT_SECONDS:
                return
            observation = replace(observation, finding=replace(finding, rule=UNLOGGED))
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


def _error(task: "Future[list[Observation]]") -> ClientError | None:
    """Return the error of a comparison that had no usable answer, or None. Other errors are raised."""
    error = task.exception()
    if error is not None and not isinstance(error, ClientError):
        raise error
    return error


def _all_keys(database: AuditDatabase, published: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the published keys and those of the log as one set."""
    listed = published.get("keys")
    keys = {str(each.get("kid")): each for each in listed if isinstance(each, dict)} if isinstance(listed, list) else {}
    keys |= {name: {**(statement.jwk or {}), "kid": name} for name, statement in database.public_keys().items()}
    return {"keys": list(keys.values())}
