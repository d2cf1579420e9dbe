"""The choice of the rows and the operation of a job, by its request and its state."""

from msgspec import Struct

from coolid.http.management.mint import MintEndpoint
from coolid.http.management.record_access import namespace_named
from coolid.jobs.operations import Changes, Mints, RecordPorts
from coolid.jobs.retarget_rule import changed_target
from coolid.jobs.rows import FileRows
from coolid.jobs.rule_rows import MatchedRows, RuleRows
from coolid.jobs.task import JobParts
from coolid.model.jobs import RUNNING, Job
from coolid.store.jobs import FileStore


class JobPartsBuilder(Struct, frozen=True):
    """Mints are carried out by `endpoint`, changes through `ports`; `files` has the rows."""

    endpoint: MintEndpoint
    ports: RecordPorts
    files: FileStore

    def parts_of(self, job: Job) -> JobParts:
        """Return the rows and the operation of a job. Raises `InvalidTable`, `StoreUnavailable`, `UnknownPrefix`."""
        request = job.request
        if request.operation in ("mint", "reserve"):
            return JobParts(FileRows(job, self.files), Mints(self.endpoint, request))
        changes = Changes(self.ports, request)
        rule = request.rule
        if rule is None:
            return JobParts(FileRows(job, self.files), changes)
        if job.state == RUNNING:
            return JobParts(MatchedRows(job, self.files), changes)
        repository_id = namespace_named(request.prefix or "", self.ports.prefixes).repository.id
        rows = RuleRows(repository_id, self.ports.records, lambda record: changed_target(rule, record))
        return JobParts(rows, changes)
