"""The wiring of custody: older versions are written into the configured store, unless it is read-only."""

from pathlib import Path

import pytest

from coolid.aws.settings import Settings
from coolid.errors import ReadOnly
from coolid.store.bulk import RecordRow, WriteGroup
from coolid.store.rows import record_body
from coolid.wiring.custody import DeferredBulkWriter
from coolid.wiring.database_access import open_database_access
from tests.support.builders.samples import BASE_URL, record


@pytest.mark.parametrize("read_only", [False, True])
def test_versions_are_written_into_the_configured_database(tmp_path: Path, *, read_only: bool) -> None:
    path = tmp_path / "coolid.db"
    written = record()
    row = RecordRow(written.repository, written.key, 1, written.status, record_body(written))
    settings = Settings("", "", BASE_URL, database=str(path), read_only=read_only)
    with open_database_access(path, is_durable=False) as access:
        writer = DeferredBulkWriter(settings)
        if read_only:
            with pytest.raises(ReadOnly):
                writer.put([WriteGroup(row)])
        else:
            writer.put([WriteGroup(row)])
        found = access.store.records.record(written.repository, written.key)
        assert found == (None if read_only else written)
