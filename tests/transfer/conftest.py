"""Installations: empty ones, and one with rows of every kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coolid.aws import key_file
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.model.records import Content, Location
from coolid.registry.registration import register_provider_prefix
from tests.support.builders.samples import BASE_URL, provider_prefix
from tests.support.fixtures.installations import DynamoInstallation, Installation, SqliteInstallation


@pytest.fixture(scope="module")
def signing_key(moto_tables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all places sign with."""
    file = tmp_path_factory.mktemp("moving") / "key.pem"
    key_file.ensure(file)
    return file


@pytest.fixture
def installation(signing_key: Path, tmp_path: Path) -> Iterator[Installation]:
    """An empty one."""
    found = SqliteInstallation(signing_key, tmp_path / "installation.db")
    yield found
    found.database.close()


@pytest.fixture(params=["sqlite", "dynamodb"])
def other(request: pytest.FixtureRequest, signing_key: Path, tmp_path: Path) -> Iterator[Installation]:
    """A second one, empty, over each store."""
    if request.param == "dynamodb":
        yield DynamoInstallation(signing_key)
        return
    found = SqliteInstallation(signing_key, tmp_path / "other.db")
    yield found
    found.database.close()


@pytest.fixture
def furnished(model: SqliteInstallation, tmp_path: Path) -> Iterator[Installation]:
    """A copy of the model."""
    model.database.backup(tmp_path / "furnished.db")
    found = SqliteInstallation(model.key, tmp_path / "furnished.db")
    yield found
    found.database.close()


@pytest.fixture
def source(model_tables: DynamoInstallation) -> DynamoInstallation:
    """The same rows in DynamoDB."""
    return model_tables.copy()


@pytest.fixture(scope="module")
def model_tables(model: SqliteInstallation, tmp_path_factory: pytest.TempPathFactory) -> DynamoInstallation:
    """The model's rows in DynamoDB."""
    tables = DynamoInstallation(model.key)
    tables.restore(model.export(), tmp_path_factory.mktemp("tables"))
    return tables


@pytest.fixture(scope="module")
def model(signing_key: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteInstallation]:
    """One with rows of every kind."""
    installation = SqliteInstallation(signing_key, tmp_path_factory.mktemp("model") / "model.db")
    installation.add("2021/06/mp", title="Zoë's “things”")
    installation.register("mp", installation.minter.namespace("2021/06/mp").repository.id, "short")
    installation.add("ark:99999/fk4", NoidRules(template=".reedeedk", naan="99999", shoulder="fk4"))
    installation.add("2024/01/count", PilinRules())
    installation.add("2024/01/none")
    draft = provider_prefix("go", "https://a.example/{$id}", synonyms=("gene-ontology", "go/x"), pattern=r"^\d{7}$")
    register_provider_prefix(draft, installation.store.prefixes, installation.clock)
    register_provider_prefix(provider_prefix("uniprot"), installation.store.prefixes, installation.clock)
    for number in range(5):
        installation.mint(
            "mp", records=(Location(f"https://content.example.org/{number}?a=%2F&b=é".replace("é", "%C3%A9")),)
        )
    for prefix in ("ark:99999/fk4", "2024/01/count"):
        for _ in range(3):
            installation.mint(prefix, metadata={"what": "é𝄞\u0000", "n": [1, 1.5, -0.0, 1e300, None, True, {"": []}]})
    installation.mint("mp", status="reserved", ttl=5)
    record = installation.mint("mp", alternates=({"scheme": "doi", "identifier": "10.1000/182"},))
    for number in range(4):
        record = installation.amender.update(record, Content(metadata={"number": number}), author="another")
    installation.amender.withdraw(record, "it was a mistake", f"{BASE_URL}/mp:x", author="another")
    yield installation
    installation.database.close()


@pytest.fixture(scope="module")
def ledger(signing_key: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One in which the rows of many files are minted."""
    installation = SqliteInstallation(signing_key, tmp_path_factory.mktemp("ledger") / "coolid.db")
    installation.add("mp")
    yield installation
    installation.database.close()
