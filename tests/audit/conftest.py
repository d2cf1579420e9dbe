"""An auditor of a service in memory, with its state in a file of the test."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.log_audit import AuditOptions, AuditReport, LogAudit
from coolid.audit.log_source import LogSource
from coolid.audit.rules import TimeLimits
from tests.support.builders.lying_service import LyingService

RunAudit = Callable[..., AuditReport]


@pytest.fixture
def run_audit(tmp_path: Path) -> RunAudit:
    """Return a function that audits a service, as often as needed with one state."""

    def run(service: LyingService, **options: Any) -> AuditReport:
        source = LogSource(service.base_url, service.send, 4, lambda _: None)
        database = AuditDatabase(tmp_path / "state.sqlite")
        limits = options.pop("limits", TimeLimits(service.time + 3600))
        try:
            return LogAudit(source, database, AuditOptions(limits, **options), lambda *_: None).run()
        finally:
            source.close()
            database.close()

    return run
