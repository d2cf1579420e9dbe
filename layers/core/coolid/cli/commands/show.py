"""`coolid show`: a record as stored, or its public representation."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from coolid.cli.output import print_json, print_pairs, safe_json
from coolid.cli.service_connection import Json, KeyFile, Pid, Profile, Url, service
from coolid.client.documents import Record


def show(
    pid: Pid,
    version: Annotated[int | None, typer.Option(min=1, help="An older version.")] = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Show a record. With an API key it is shown as stored, otherwise as published.

    $ coolid show demo:tw0t-ywdj-94
    $ coolid show https://id.example.org/mp/tw0t-ywdj-94 --version 1 --json
    """
    record = service(url, key_file, profile, needs_key=False).get(pid, version)
    if json:
        print_json(record.document)
    else:
        print_pairs(record_lines(record))


def record_lines(shown: Record) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a record."""
    record = shown.document
    yield "pid", shown.pid
    for member in ("version", "status", "created", "updated", "ttl"):
        if record.get(member) is not None:
            yield member, str(record[member])
    withdrawn = record.get("withdrawn")
    if isinstance(withdrawn, dict):
        yield "withdrawn", f"{withdrawn.get('at')}: {withdrawn.get('reason')}"
        if withdrawn.get("successor"):
            yield "successor", str(withdrawn["successor"])
    for location in _list(record.get("records")):
        yield "location", _location(location) if isinstance(location, dict) else str(location)
    for alternate in _list(record.get("alternates")):
        yield "alternate", safe_json(alternate)
    metadata = record.get("metadata")
    for name, value in metadata.items() if isinstance(metadata, dict) else ():
        yield name, value if isinstance(value, str) else safe_json(value)
    if shown.etag:
        yield "etag", shown.etag


def _location(location: dict[str, Any]) -> str:
    more = [f"{name} {value}" for name, value in location.items() if name != "uri" and isinstance(value, str | int)]
    return "  ".join([str(location.get("uri")), *more])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
