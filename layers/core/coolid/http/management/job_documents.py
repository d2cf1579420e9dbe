"""Documents of bulk jobs: the request that starts one, and its state in responses.

>>> from datetime import datetime
>>> document = job_document(Job("k3x9", "epyx6gxg", JobRequest("mint"), datetime(2026, 1, 2), datetime(2026, 1, 2)))
>>> document["state"], document["counts"]["valid"], document["errors"]
('validating', 0, [])
"""

from typing import Annotated, Any, Final, Self

from msgspec.structs import asdict
from pydantic import Field, StringConstraints, model_validator

from coolid.errors import InvalidInput, Violation
from coolid.http.api_documents import Body, Line, Name, pointer_to
from coolid.identifiers.patterns import is_supported, replacement_objection
from coolid.identifiers.target_policy import objection
from coolid.model.jobs import Job, JobRequest, Operation, RetargetRule
from coolid.model.records import format_time
from coolid.model.row_fields import JOB_FIELDS, field_names, field_of

MAX_UPLOAD_BYTES: Final = 100_000_000
MAX_COLUMNS: Final = 200

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Target = Annotated[str, StringConstraints(min_length=1, max_length=2_048)]


class RuleBody(Body):
    """A member `rule`: one URL prefix to another, or an RE2 pattern to a replacement."""

    from_prefix: Target | None = Field(None, alias="from")
    to_prefix: Target | None = Field(None, alias="to")
    pattern: Pattern | None = None
    replacement: Annotated[str, StringConstraints(max_length=2_048)] | None = None

    @model_validator(mode="after")
    def _check_pair(self) -> Self:
        prefixes, patterns = (self.from_prefix, self.to_prefix), (self.pattern, self.replacement)
        if (None in prefixes) == (None in patterns) or any(prefixes) == any(each is not None for each in patterns):
            raise ValueError("a rule has either from and to, or pattern and replacement")
        return self


class JobBody(Body):
    """The document of `POST /api/v1/jobs`."""

    operation: Operation
    prefix: Name | None = None
    columns: Annotated[dict[str, Line], Field(default_factory=dict, max_length=MAX_COLUMNS)]
    rule: RuleBody | None = None
    dry_run: bool = False
    skip_errors: bool = False
    upload: Name | None = None


class UploadBody(Body):
    """`POST /api/v1/uploads`."""

    size: Annotated[int, Field(ge=1, le=MAX_UPLOAD_BYTES)]


def job_request(body: JobBody) -> JobRequest:
    """Return the request of a job. Raises `InvalidInput` for members that do not fit together."""
    violations = [*_rule_violations(body), *_column_violations(body)]
    if violations:
        raise InvalidInput(violations)
    rule = RetargetRule(**body.rule.model_dump()) if body.rule else None
    return JobRequest(body.operation, body.prefix, body.columns, rule, body.dry_run, body.skip_errors)


def _rule_violations(body: JobBody) -> list[Violation]:
    rule = body.rule
    if rule is None:
        return []
    if body.operation != "retarget":
        return [Violation("/rule", "only a job that retargets has a rule")]
    found = [] if body.prefix else [Violation("/prefix", "a rule applies to the records of a prefix, which is missing")]
    if rule.pattern is not None and rule.replacement is not None:
        if not is_supported(rule.pattern):
            found.append(Violation("/rule/pattern", "RE2 does not accept the pattern"))
        elif reason := replacement_objection(rule.pattern, rule.replacement):
            found.append(Violation("/rule/replacement", reason))
    for member, value in (("from", rule.from_prefix), ("to", rule.to_prefix)):
        reason = objection(value) if value is not None else None
        if reason:
            found.append(Violation(f"/rule/{member}", reason))
    return found


def _column_violations(body: JobBody) -> list[Violation]:
    members = JOB_FIELDS[body.operation]
    found: list[Violation] = []
    columns_by_field: dict[str, str] = {}
    for column, field in body.columns.items():
        pointer = pointer_to(("columns", column))
        if field and field_of(field, members) is None:
            found.append(Violation(pointer, f"there is no field {field!a} here; there are {field_names(members)}"))
        elif field and field in columns_by_field:
            found.append(Violation(pointer, f"the column {columns_by_field[field]!a} has the same field"))
        columns_by_field.setdefault(field, column)
    return found


def job_document(job: Job) -> dict[str, Any]:
    """Return a job as clients see it."""
    request, progress = job.request, job.progress
    return {
        "id": job.id,
        "operation": request.operation,
        "prefix": request.prefix,
        "state": job.state,
        "created": format_time(job.created),
        "updated": format_time(job.updated),
        "expires": format_time(job.expires),
        "rows": job.rows,
        "counts": {
            "valid": progress.valid,
            "invalid": progress.invalid,
            "outside_domains": progress.outside_domains,
            "succeeded": progress.succeeded,
            "refused": progress.refused,
        },
        "errors": [asdict(error) for error in progress.errors],
        "preview": [asdict(change) for change in progress.changes],
        "failure": job.failure,
        "dry_run": request.dry_run,
        "skip_errors": request.skip_errors,
        "columns": dict(request.columns),
        "rule": _rule_document(request.rule) if request.rule else None,
        "client": job.client,
    }


def _rule_document(rule: RetargetRule) -> dict[str, str]:
    """Return the members of a rule as `RuleBody` has them."""
    members = {"from": rule.from_prefix, "to": rule.to_prefix, "pattern": rule.pattern, "replacement": rule.replacement}
    return {name: value for name, value in members.items() if value is not None}
