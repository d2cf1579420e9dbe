"""Assembly of imports and exports over the store that the environment or a deployed stack names."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.aws.clock import SystemClock
from coolid.aws.settings import LOG_BUCKET, LOG_TABLE, Settings, database_path, require_settings
from coolid.records.minter import home_check
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.store.bulk import BulkReader, BulkWriter
from coolid.store.log import LogFiles, LogRows
from coolid.store.store import Store
from coolid.transfer import export_format
from coolid.transfer.bulk_minter import BufferingRecords, BulkMinter
from coolid.transfer.exporter import export
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from coolid.transfer.restore import Restorer
from coolid.transfer.row_reader import read, with_prefix
from coolid.transfer.version_proofs import VersionProofs
from coolid.wiring.deployed_stack import DeployedStack
from coolid.wiring.write_access import build_minter, prover

if TYPE_CHECKING:
    from coolid.sqlite.database import Database

TABLES: Final = {"PREFIX_TABLE": "PrefixTable", "LUI_TABLE": "LuiTable", "COUNTER_TABLE": "CounterTable"}
"""The settings that name the tables, with the tables' logical names in the stack."""

_LOG: Final = {LOG_TABLE: "LogTable", LOG_BUCKET: "LogBucket"}
"""The settings that name the transparency log, likewise. The stacks of earlier releases have none."""

_UNUSED: Final = ("CLIENT_TABLE", "REQUEST_TABLE")


class BulkAccess(Struct, frozen=True):
    """A store and its bulk ports. `name` is the name of its table or file; `region` is where records are written.

    `log` has the rows and files of its transparency log, if there is one.
    """

    settings: Settings
    store: Store
    reader: BulkReader
    writer: BulkWriter
    name: str
    region: Region = SINGLE_REGION
    log: tuple[LogRows, LogFiles] | None = None


def settings_of_stack(stack: str, *, signs: bool) -> dict[str, str]:
    """Return the settings of a deployed stack, by the names of environment variables."""
    deployed = DeployedStack(stack)
    found = {setting: deployed.resource(logical) for setting, logical in TABLES.items()}
    if not signs:
        logs = {setting: deployed.optional_resource(logical) for setting, logical in _LOG.items()}
        found |= {setting: name for setting, name in logs.items() if name}
    else:
        parameters = deployed.parameters()
        found["PUBLIC_BASE_URL"] = parameters.get("PublicBaseUrl", "")
        found["SIGNING_KEY_ID"] = parameters.get("SigningKeyArn") or deployed.resource("SigningKey")
        found["HOME_REGION"] = parameters.get("HomeRegion", "")
    return found


def settings_of(environment: Mapping[str, str], *, signs: bool) -> Settings:
    """Return the settings without the tables of clients and idempotency records. Raises `InvalidSettings`."""
    if signs:
        return Settings.read({**environment, **dict.fromkeys(_UNUSED, "unused")}, writes=True)
    if database := database_path(environment):
        return Settings(prefix_table="", lui_table="", public_base_url="", database=database)
    tables = require_settings(environment, TABLES)
    return Settings(
        tables["PREFIX_TABLE"],
        tables["LUI_TABLE"],
        "",
        counter_table=tables["COUNTER_TABLE"],
        log_table=environment.get(LOG_TABLE, ""),
        log_bucket=environment.get(LOG_BUCKET, ""),
    )


@contextmanager
def open_access(settings: Settings, *, may_create: bool = False) -> Iterator[BulkAccess]:
    """Open the store that the settings name. Raises `UsageError` for a database that cannot be used.

    Without `may_create`, a missing database is an error.
    """
    if not settings.database:
        yield _dynamodb_access(settings)
        return
    from coolid.sqlite.bulk import SqliteBulkReader, SqliteBulkWriter
    from coolid.sqlite.database import Database
    from coolid.sqlite.store import sqlite_store

    with Database.open(Path(settings.database), may_create=may_create) as database:
        reader, writer = SqliteBulkReader(database), SqliteBulkWriter(database)
        yield BulkAccess(
            settings, sqlite_store(database), reader, writer, str(database.path), log=_database_log(database)
        )


def version_proofs(access: BulkAccess) -> VersionProofs | None:
    """Return the proofs of versions in the published log, or None if there is none.

    Raises `StoreUnavailable` and `MalformedData` for a log that cannot be read.
    """
    proofs = VersionProofs(*access.log) if access.log else None
    return proofs if proofs and proofs.is_published else None


def export_lines(access: BulkAccess, proofs: VersionProofs | None = None) -> Iterator[bytes]:
    """Return the lines of an export, with proofs if there are any. Raises `StoreUnavailable`."""
    return export(access.store.public_keys, access.store.prefixes, access.reader, proofs)


def restore(path: Path, access: BulkAccess, progress: TransferProgress) -> None:
    """Restore an export that was checked. Raises `StoreUnavailable`."""
    with path.open("rb") as file:
        documents = progress.watch(file, export_format.documents(file))
        Restorer(access.store, access.writer, progress).restore(documents)


def mint(path: Path, access: BulkAccess, prefix: str | None, progress: TransferProgress) -> None:
    """Mint the rows of a file. Raises `InvalidTable`, `InvalidJournal`, `StoreUnavailable`, `SignerUnavailable`."""
    store, settings = access.store, access.settings
    records = BufferingRecords(store.records)
    require_home = home_check(access.region, store.repositories, SystemClock())
    minter = build_minter(settings, replace(store, records=records), prover(settings, store), require_home)
    with path.open("rb") as file:
        rows = progress.watch(file, read(file))
        with closing(Journal.open(path, access.name)) as journal:
            bulk = BulkMinter(minter, records, access.writer, journal, progress)
            bulk.mint((line, with_prefix(document, prefix)) for line, document in rows)


def _dynamodb_access(settings: Settings) -> BulkAccess:
    from coolid.aws.dynamodb.bulk_reader import DynamoBulkReader
    from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
    from coolid.wiring.dynamodb_access import table_store

    client = _client()
    return BulkAccess(
        settings,
        table_store(settings, client),
        DynamoBulkReader(client, settings),
        DynamoBulkWriter(client, settings.lui_table),
        settings.lui_table,
        Region(client.meta.region_name, settings.home_region),
        _deployed_log(client, settings),
    )


def _deployed_log(client: Any, settings: Settings) -> tuple[LogRows, LogFiles] | None:
    if not (settings.log_table and settings.log_bucket):
        return None
    from coolid.aws.dynamodb.log_rows import DynamoLogRows
    from coolid.aws.entropy import SystemEntropy
    from coolid.aws.s3_log_files import S3LogFiles
    from coolid.wiring.boto_clients import LOG_FILES
    from coolid.wiring.boto_clients import client as boto_client

    files = S3LogFiles(boto_client("s3", LOG_FILES), settings.log_bucket)
    return DynamoLogRows(client, settings.log_table, SystemEntropy()), files


def _database_log(database: "Database") -> tuple[LogRows, LogFiles]:
    from coolid.sqlite.log.folder import LogFolder
    from coolid.sqlite.log.rows import SqliteLogRows

    return SqliteLogRows(database, SystemClock()), LogFolder.beside(database.path)


def _client() -> Any:
    """Return a low-level client for DynamoDB."""
    from botocore.config import Config

    from coolid.wiring.boto_clients import dynamodb

    # botocore's parameter validation would take a tenth of the time.
    config = Config(
        connect_timeout=5,
        read_timeout=30,
        retries={"mode": "standard", "total_max_attempts": 8},
        parameter_validation=False,
    )
    return dynamodb(config)
