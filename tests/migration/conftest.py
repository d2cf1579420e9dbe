"""An installation over each store, and imports into it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coolid.aws import key_file
from tests.support.fixtures.installations import DynamoInstallation, Installation, SqliteInstallation


@pytest.fixture(scope="session")
def signing_key(moto_tables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The signing key of all installations."""
    file = tmp_path_factory.mktemp("migration") / "key.pem"
    key_file.ensure(file)
    return file


@pytest.fixture
def installation(signing_key: Path, tmp_path: Path) -> Iterator[SqliteInstallation]:
    """An empty database."""
    found = SqliteInstallation(signing_key, tmp_path / "installation.db")
    yield found
    found.database.close()


@pytest.fixture(params=["sqlite", "dynamodb"])
def either(request: pytest.FixtureRequest, signing_key: Path, tmp_path: Path) -> Iterator[Installation]:
    """An empty one over each store."""
    if request.param == "dynamodb":
        yield DynamoInstallation(signing_key)
        return
    found = SqliteInstallation(signing_key, tmp_path / "either.db")
    yield found
    found.database.close()
