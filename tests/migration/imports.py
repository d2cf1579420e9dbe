"""Imports of dumps into an installation."""

import json
from pathlib import Path
from typing import Any

from coolid.identifiers.rules.chosen import ChosenRules
from coolid.migration.import_report import ImportFinding, ImportReport
from coolid.wiring import transfer
from coolid.wiring.migration import Migration
from tests.support.fixtures.installations import Installation

PREFIX = "ark:99999/fk4"
RULES = ChosenRules(pattern="[0-9a-z/.]+", ignores_hyphens=True)


def dump(folder: Path, *rows: dict[str, Any], name: str = "dump.jsonl") -> Path:
    path = folder / name
    path.write_text(
        "".join(json.dumps({"identifier": f"ark:/99999/fk4x{at}"} | row) + "\n" for at, row in enumerate(rows))
    )
    return path


def import_dump(
    installation: Installation,
    path: Path,
    source: str = "csv",
    *,
    preview: bool = False,
    prefix: str = "",
    updates: bool = False,
    encodes_targets: bool = False,
) -> tuple[ImportReport, list[ImportFinding]]:
    findings: list[ImportFinding] = []
    report = ImportReport(findings.append)
    with transfer.open_access(installation.settings) as access:
        migration = Migration(access, source, path, prefix, encodes_targets=encodes_targets)
        plans = migration.survey(lambda count: None).missing.plans()
        migration.run(report, lambda count: None, preview=plans if preview else None, updates=updates)
    return report, findings


def counts(report: ImportReport) -> tuple[int, int, int]:
    return report.written, report.present, report.refused
