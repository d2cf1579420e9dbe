"""Assembly of imports and exports over the tables that the environment or a deployed stack names."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import boto3
from botocore.config import Config
from msgspec.structs import replace

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.bulk_reader import DynamoBulkReader
from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.aws.dynamodb.store import dynamo_store
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.settings import Settings, require_settings
from coolid.records.minter import home_check
from coolid.registry.home_regions import Region
from coolid.transfer import export_format
from coolid.transfer.bulk_minter import BufferingRecords, BulkMinter
from coolid.transfer.exporter import export
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from coolid.transfer.restore import Restorer
from coolid.transfer.row_reader import read, with_prefix
from coolid.wiring.boto_clients import dynamodb
from coolid.wiring.write_access import build_minter, prover

TABLES: Final = {"PREFIX_TABLE": "PrefixTable", "LUI_TABLE": "LuiTable", "COUNTER_TABLE": "CounterTable"}
"""The settings that name the tables, with the tables' logical names in the stack."""

_UNUSED: Final = ("CLIENT_TABLE", "REQUEST_TABLE")

# Without botocore's parameter validation, which would cost a tenth of the time.
_CLIENT_CONFIG: Final = Config(
    connect_timeout=5,
    read_timeout=30,
    retries={"mode": "standard", "total_max_attempts": 8},
    parameter_validation=False,
)


def settings_of_stack(stack: str, *, signs: bool) -> dict[str, str]:
    """Return the settings of a deployed stack, by the names of environment variables."""
    client: Any = boto3.client("cloudformation")

    def name(logical: str) -> str:
        detail = client.describe_stack_resource(StackName=stack, LogicalResourceId=logical)["StackResourceDetail"]
        return str(detail["PhysicalResourceId"])

    found = {setting: name(logical) for setting, logical in TABLES.items()}
    if signs:
        described = client.describe_stacks(StackName=stack)["Stacks"][0].get("Parameters", ())
        parameters = {each["ParameterKey"]: each.get("ParameterValue", "") for each in described}
        found["PUBLIC_BASE_URL"] = parameters.get("PublicBaseUrl", "")
        found["SIGNING_KEY_ID"] = parameters.get("SigningKeyArn") or name("SigningKey")
        found["HOME_REGION"] = parameters.get("HomeRegion", "")
    return found


def settings_of(environment: Mapping[str, str], *, signs: bool) -> Settings:
    """Return the settings without the tables of clients and idempotency records. Raises `InvalidSettings`."""
    if signs:
        return Settings.read({**environment, **dict.fromkeys(_UNUSED, "unused")}, writes=True)
    tables = require_settings(environment, TABLES)
    return Settings(public_base_url="", **{name.lower(): table for name, table in tables.items()})


def export_lines(settings: Settings) -> Iterator[bytes]:
    """Return the lines of an export. Raises `StoreUnavailable`."""
    client = _client()
    store = dynamo_store(BotoTransport(client), bind(settings, client))
    return export(store.public_keys, store.prefixes, DynamoBulkReader(client, settings))


def estimated_rows(settings: Settings) -> int | None:
    """Return the approximate number of lines of an export, or None."""
    return DynamoBulkReader(_client(), settings).estimated_rows()


def restore(path: Path, settings: Settings, progress: TransferProgress) -> None:
    """Restore an export that was checked. Raises `StoreUnavailable`."""
    client = _client()
    store = dynamo_store(BotoTransport(client), bind(settings, client))
    Restorer(store, DynamoBulkWriter(client, settings.lui_table), progress).restore(
        export_format.documents(path, progress.add_read_bytes)
    )


def mint(path: Path, settings: Settings, prefix: str | None, progress: TransferProgress) -> None:
    """Mint the rows of a file. Raises `InvalidTable`, `InvalidJournal`, `StoreUnavailable`, `SignerUnavailable`."""
    client = _client()
    store = dynamo_store(BotoTransport(client), bind(settings, client))
    records = BufferingRecords(store.records)
    region = Region(client.meta.region_name, settings.home_region)
    require_home = home_check(region, store.repositories, SystemClock())
    minter = build_minter(settings, replace(store, records=records), prover(settings, store), require_home)
    with path.open("rb") as file:
        rows = read(file, progress.add_read_bytes)
        with closing(Journal.open(path, settings.lui_table)) as journal:
            bulk = BulkMinter(minter, records, DynamoBulkWriter(client, settings.lui_table), journal, progress)
            bulk.mint((line, with_prefix(document, prefix)) for line, document in rows)


def _client() -> Any:
    return dynamodb(_CLIENT_CONFIG)
