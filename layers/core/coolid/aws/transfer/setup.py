"""Moving, assembled: an operator's tables, as settings or a deployed stack name them, and the runs over them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.store import DynamoStore
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import SIGNING_KEYS, Settings
from coolid.aws.transfer import export_format
from coolid.aws.transfer.bulk_minter import BufferingStore, BulkMinter
from coolid.aws.transfer.bulk_writer import BulkWriter
from coolid.aws.transfer.exporter import Exporter
from coolid.aws.transfer.journal import Journal
from coolid.aws.transfer.progress import TransferProgress
from coolid.aws.transfer.restore import Restorer
from coolid.aws.transfer.row_reader import read, with_prefix
from coolid.aws.wiring.boto_clients import dynamodb
from coolid.aws.wiring.write_access import prover
from coolid.records.minter import Minter
from coolid.registry.home_regions import HomeRegions, Region

TABLES: Final = {"PREFIX_TABLE": "PrefixTable", "LUI_TABLE": "LuiTable", "COUNTER_TABLE": "CounterTable"}
"""What moving reads and writes, by the names of settings; and the logical names in the stack."""

_UNUSED: Final = ("CLIENT_TABLE", "REQUEST_TABLE")

# Requests are large and well formed: to have botocore check each row again would cost a tenth of the time. An operator
# is patient.
_PATIENT: Final = Config(
    connect_timeout=5,
    read_timeout=30,
    retries={"mode": "standard", "total_max_attempts": 8},
    parameter_validation=False,
)


def settings_of_stack(stack: str, *, signs: bool) -> dict[str, str]:
    """The settings of a deployed stack, by the names that functions know them by."""
    client: Any = boto3.client("cloudformation")

    def name(logical: str) -> str:
        detail = client.describe_stack_resource(StackName=stack, LogicalResourceId=logical)["StackResourceDetail"]
        return str(detail["PhysicalResourceId"])

    found = {setting: name(logical) for setting, logical in TABLES.items()}
    if signs:
        given = client.describe_stacks(StackName=stack)["Stacks"][0].get("Parameters", ())
        parameters = {each["ParameterKey"]: each.get("ParameterValue", "") for each in given}
        found["PUBLIC_BASE_URL"] = parameters.get("PublicBaseUrl", "")
        found["SIGNING_KEY_ID"] = parameters.get("SigningKeyArn") or name("SigningKey")
        found["HOME_REGION"] = parameters.get("HomeRegion", "")
    return found


def missing_settings(environment: Mapping[str, str], *, signs: bool) -> list[str]:
    """The settings that are needed and not there."""
    absent = [name for name in (*TABLES, *(("PUBLIC_BASE_URL",) if signs else ())) if not environment.get(name)]
    if signs and not any(environment.get(name) for name in SIGNING_KEYS):
        absent.append(" or ".join(SIGNING_KEYS))
    return absent


def settings_of(environment: Mapping[str, str], *, signs: bool) -> Settings:
    """The settings that moving needs: tables of keys and receipts are none of its business. Raises `InvalidSettings`."""
    told = {name: environment.get(name, "") for name in (*TABLES, "PUBLIC_BASE_URL", *SIGNING_KEYS)}
    if signs:
        told["HOME_REGION"] = environment.get("HOME_REGION", "")
        return Settings.read(told | dict.fromkeys(_UNUSED, "unused"), writes=True)
    return Settings(**{name.lower(): value for name, value in told.items()})


def exporter(settings: Settings) -> Exporter:
    """What reads out the tables."""
    return Exporter(BotoTransport(_client()), settings)


def estimated_rows(settings: Settings) -> int | None:
    """About how many lines an export has: DynamoDB counts rows every six hours; None where it does not tell."""
    client = _client()
    try:
        found = [client.describe_table(TableName=name) for name in (settings.prefix_table, settings.lui_table)]
    except (BotoCoreError, ClientError):  # it only serves to tell how long it takes, and needs a permission of its own
        return None
    return sum(each["Table"].get("ItemCount", 0) for each in found) or None


def restore(path: Path, settings: Settings, tally: TransferProgress) -> None:
    """Bring in an export that was checked. Raises `StoreUnavailable`."""
    client = _client()
    store = DynamoStore(BotoTransport(client), bind(settings, client))
    Restorer(store, BulkWriter(client, settings.lui_table), tally).restore(export_format.documents(path, tally.hear))


def mint(path: Path, settings: Settings, prefix: str | None, tally: TransferProgress) -> None:
    """Bring in rows of new records. Raises `InvalidTable`, `InvalidJournal`, `StoreUnavailable`, `SignerUnavailable`."""
    client, clock = _client(), SystemClock()
    store = BufferingStore(BotoTransport(client), bind(settings, client))
    homes = HomeRegions(Region(client.meta.region_name, settings.home_region), store, clock)
    signing, base_url = prover(settings, store), settings.public_base_url
    minter = Minter(store, clock, SystemEntropy(), signing, base_url, demand_home=homes.demand)
    rows = read(path, tally.hear)
    journal = Journal.open(path, settings.lui_table)
    try:
        bulk = BulkMinter(minter, store, BulkWriter(client, settings.lui_table), journal, tally)
        bulk.mint((line, with_prefix(document, prefix)) for line, document in rows)
    finally:
        journal.close()


def _client() -> Any:
    return dynamodb(_PATIENT)
