"""The tables as pynamodb models, for writes. `template.yaml` defines the tables."""

from typing import Any

from msgspec import Struct
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.connection import Connection
from pynamodb.connection.base import MetaTable
from pynamodb.models import Model

from coolid.aws.settings import Settings


class PrefixRow(Model):
    """A prefix, synonym, stem or repository; `coolid.store.rows` describes the attributes."""

    name = UnicodeAttribute(hash_key=True)
    kind = UnicodeAttribute(null=True)
    target = UnicodeAttribute(null=True)
    longer = UnicodeSetAttribute(null=True)
    revision = NumberAttribute(null=True)
    canonical = UnicodeAttribute(null=True)
    aliases = UnicodeSetAttribute(null=True)
    home = UnicodeAttribute(null=True)
    terms = UnicodeAttribute(null=True)
    health = UnicodeAttribute(null=True)
    write_token = UnicodeAttribute(null=True)
    body = UnicodeAttribute(null=True)


class LuiRow(Model):
    """A version of a record; version 0 is the current one."""

    pid = UnicodeAttribute(hash_key=True)
    version = NumberAttribute(range_key=True)
    status = UnicodeAttribute()
    revision = NumberAttribute()
    repository = UnicodeAttribute(null=True)
    changed = UnicodeAttribute(null=True)
    author = UnicodeAttribute(null=True)
    health = UnicodeAttribute(null=True)
    write_token = UnicodeAttribute(null=True)
    body = UnicodeAttribute()


class ClientRow(Model):
    """An API client."""

    id = UnicodeAttribute(hash_key=True)
    digest = UnicodeAttribute()
    scopes = UnicodeSetAttribute(null=True)
    created = UnicodeAttribute()
    note = UnicodeAttribute(null=True)
    minute = NumberAttribute(null=True)
    day = NumberAttribute(null=True)
    revoked = UnicodeAttribute(null=True)
    last_used = UnicodeAttribute(null=True)


class CounterRow(Model):
    """A repository's counter for identifiers, or a client's usage of its quota (`coolid.model.quota_usage`).

    `next_number` is the next unreserved number of a repository.
    """

    id = UnicodeAttribute(hash_key=True)
    next_number = NumberAttribute(null=True)
    revision = NumberAttribute(null=True)
    spent = NumberAttribute(null=True)
    latest = NumberAttribute(null=True)
    windows = UnicodeAttribute(null=True)
    write_token = UnicodeAttribute(null=True)


class RequestRow(Model):
    """An idempotency record or a session. DynamoDB removes it some time after `expires` (seconds since 1970).

    The `outcome` of a session is the id of its client.
    """

    id = UnicodeAttribute(hash_key=True)
    digest = UnicodeAttribute()
    outcome = UnicodeAttribute()
    expires = NumberAttribute()


class CheckStateRow(Model):
    """A check state (`coolid.model.check_state`), a check cursor or a webhook.

    `ailing` repeats the owner of a failing check state. DynamoDB removes a row some time after `expires` (seconds since
    1970), if it is set.
    """

    owner = UnicodeAttribute(hash_key=True)
    name = UnicodeAttribute(range_key=True)
    ailing = UnicodeAttribute(null=True)
    expires = NumberAttribute(null=True)
    body = UnicodeAttribute()


class JobRow(Model):
    """A bulk job. `waits` has a value only if the job has work to do.

    DynamoDB removes it some time after `expires` (seconds since 1970).
    """

    id = UnicodeAttribute(hash_key=True)
    client = UnicodeAttribute()
    kind = UnicodeAttribute()
    waits = UnicodeAttribute(null=True)
    position = UnicodeAttribute()
    revision = NumberAttribute()
    expires = NumberAttribute()
    write_token = UnicodeAttribute(null=True)
    body = UnicodeAttribute()


class Tables(Struct, frozen=True):
    """The models above, each bound to a table of a region."""

    prefix: type[PrefixRow]
    lui: type[LuiRow]
    client: type[ClientRow]
    counter: type[CounterRow]
    request: type[RequestRow]
    pulse: type[CheckStateRow]
    index_table: str
    """The name of the table of postings, "" if there is none."""
    job: type[JobRow]
    connection: Connection
    """The connection for transactions across tables."""


class ClientConnection(Connection):
    """A pynamodb connection that uses an existing low-level boto3 client."""

    def __init__(self, client: Any, table: MetaTable | None = None) -> None:
        super().__init__(client.meta.region_name)
        self._shared_client = client
        if table is not None:
            self.add_meta_table(table)

    @property
    def client(self) -> Any:
        """The shared client."""
        return self._shared_client


def bind(settings: Settings, client: Any) -> Tables:
    """Return models for the tables that the settings name, which use a low-level boto3 client."""

    def bound(row: type[Any], table: str) -> type[Any]:
        meta = type("Meta", (), {"table_name": table, "region": client.meta.region_name})
        model: type[Any] = type(f"Bound{row.__name__}", (row,), {"Meta": meta})
        access = model._get_connection()  # the model caches it for later calls
        access.connection = ClientConnection(client, access.get_meta_table())
        return model

    return Tables(
        prefix=bound(PrefixRow, settings.prefix_table),
        lui=bound(LuiRow, settings.lui_table),
        client=bound(ClientRow, settings.client_table),
        counter=bound(CounterRow, settings.counter_table),
        request=bound(RequestRow, settings.request_table),
        pulse=bound(CheckStateRow, settings.pulse_table),
        index_table=settings.index_table,
        job=bound(JobRow, settings.job_table),
        connection=ClientConnection(client),
    )
