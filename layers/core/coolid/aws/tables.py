"""The tables as pynamodb models, for the writing half of the store. Their definitions live in `template.yaml`."""

from typing import Any, Final

from msgspec import Struct
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.connection import Connection
from pynamodb.models import Model

from coolid.aws.settings import Settings

PATIENCE: Final[dict[str, Any]] = {"connect_timeout_seconds": 2.0, "read_timeout_seconds": 5.0, "max_retry_attempts": 3}


class PrefixRow(Model):
    """A prefix, synonym, stem or repository; what the attributes mean is said in `coolid.aws.items`."""

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


class CounterRow(Model):
    """What a repository's identifiers are counted by: the next number that nobody has reserved.

    Or what a client has spent of its quota (`coolid.domain.usage`): then `next_number` is missing.
    """

    id = UnicodeAttribute(hash_key=True)
    next_number = NumberAttribute(null=True)
    revision = NumberAttribute(null=True)
    spent = NumberAttribute(null=True)
    latest = NumberAttribute(null=True)
    windows = UnicodeAttribute(null=True)
    write_token = UnicodeAttribute(null=True)


class RequestRow(Model):
    """A receipt; DynamoDB removes it some time after `expires` (seconds since 1970)."""

    id = UnicodeAttribute(hash_key=True)
    digest = UnicodeAttribute()
    outcome = UnicodeAttribute()
    expires = NumberAttribute()


class PulseRow(Model):
    """A pulse (`coolid.domain.pulses`) under its owner and name; `ailing` repeats the owner of one that is.

    DynamoDB removes it some time after `expires` (seconds since 1970), if it has that.
    """

    owner = UnicodeAttribute(hash_key=True)
    name = UnicodeAttribute(range_key=True)
    ailing = UnicodeAttribute(null=True)
    expires = NumberAttribute(null=True)
    body = UnicodeAttribute()


class Tables(Struct, frozen=True):
    """The models bound to tables of a region; the classes above are only their shapes."""

    prefix: type[PrefixRow]
    lui: type[LuiRow]
    client: type[ClientRow]
    counter: type[CounterRow]
    request: type[RequestRow]
    pulse: type[PulseRow]
    connection: Connection
    """For transactions, which span tables."""


def bind(settings: Settings, region: str) -> Tables:
    """Models for the tables that the settings name."""

    def meta(table: str) -> type[Any]:
        return type("Meta", (), {"table_name": table, "region": region, **PATIENCE})

    return Tables(
        prefix=type("BoundPrefixRow", (PrefixRow,), {"Meta": meta(settings.prefix_table)}),
        lui=type("BoundLuiRow", (LuiRow,), {"Meta": meta(settings.lui_table)}),
        client=type("BoundClientRow", (ClientRow,), {"Meta": meta(settings.client_table)}),
        counter=type("BoundCounterRow", (CounterRow,), {"Meta": meta(settings.counter_table)}),
        request=type("BoundRequestRow", (RequestRow,), {"Meta": meta(settings.request_table)}),
        pulse=type("BoundPulseRow", (PulseRow,), {"Meta": meta(settings.pulse_table)}),
        connection=Connection(region, **PATIENCE),
    )
