"""Conversions between the rows of API clients and of counters and the values of the domain."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from msgspec import MsgspecError, json

from coolid.errors import StoreUnavailable
from coolid.model.clients import Client, Quota
from coolid.model.quota_usage import Usage, WindowUsage
from coolid.model.records import format_time, parse_time

_WINDOWS: Final = json.Decoder(dict[str, WindowUsage])


def client_row(client: Client) -> dict[str, Any]:
    """Return the row of a client."""
    return {
        "id": client.id,
        "digest": client.digest,
        "scopes": set(client.scopes) or None,
        "created": format_time(client.created),
        "note": client.note or None,
        "minute": client.quota.minute if client.quota else None,
        "day": client.quota.day if client.quota else None,
        "revoked": format_time(client.revoked) if client.revoked else None,
        "last_used": client.last_used.isoformat() if client.last_used else None,
    }


def client_of(row: Mapping[str, Any]) -> Client:
    """Return the client of a row in plain Python types, without members that are None."""
    limits = row.get("minute"), row.get("day")
    return Client(
        row["id"],
        row["digest"],
        tuple(sorted(row.get("scopes", ()))),
        parse_time(row["created"]),
        row.get("note", ""),
        Quota(*limits) if limits != (None, None) else None,
        parse_time(row["revoked"]) if "revoked" in row else None,
        date.fromisoformat(row["last_used"]) if "last_used" in row else None,
    )


def day_of(seconds: float) -> date:
    """Return the day in UTC of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def windows_text(usage: Usage) -> str:
    """Return the attribute `windows` of a usage."""
    return json.encode(usage.windows).decode()


def usage_of(row: Mapping[str, Any]) -> Usage:
    """Return the usage of a counter's row. Raises `StoreUnavailable` for a malformed one."""
    try:
        return Usage(row["revision"], row["spent"], row["latest"], _WINDOWS.decode(row["windows"]))
    except (KeyError, MsgspecError) as error:
        raise StoreUnavailable("the store returned a usage that cannot be read") from error
