"""`coolid mint`: a new record, created by the service."""

import re
from typing import Annotated, Any, Final

import typer

from coolid.cli.output import print_line, print_result
from coolid.cli.service_connection import STDIN, Json, KeyFile, Profile, Url, json_of, service
from coolid.client.client import Client
from coolid.client.documents import Record
from coolid.client.errors import ClientError, RequestDeclined
from coolid.client.record_operations import new_idempotency_key
from coolid.errors import UsageError

_KEY: Final = re.compile("[!-~]{1,255}")


_Source = Annotated[
    str | None, typer.Argument(metavar="[-]", help="- reads the whole JSON document from standard input.")
]
_Prefix = Annotated[str | None, typer.Option(help="The prefix to mint under.")]
_Uri = Annotated[str | None, typer.Option(help="The URL that the PID resolves to.")]
_Id = Annotated[str | None, typer.Option("--id", metavar="LUI", help="A chosen identifier.")]
_What = Annotated[str | None, typer.Option(help="Its title, for the metadata.")]
_Who = Annotated[str | None, typer.Option(help="Its creator, for the metadata.")]
_When = Annotated[str | None, typer.Option(help="Its date, for the metadata.")]
_Metadata = Annotated[str | None, typer.Option(metavar="JSON|@FILE", help="More metadata, an object.")]
_Records = Annotated[
    str | None, typer.Option(metavar="JSON|@FILE", help="Several locations, an array, in place of --uri.")
]
_Reserved = Annotated[bool, typer.Option("--reserved", help='Do not publish it until its status is "active".')]
_IdempotencyKey = Annotated[
    str | None, typer.Option(metavar="KEY", help="Name of the request; the same name mints only once a day.")
]


def mint(
    source: _Source = None,
    prefix: _Prefix = None,
    uri: _Uri = None,
    chosen: _Id = None,
    what: _What = None,
    who: _Who = None,
    when: _When = None,
    metadata: _Metadata = None,
    records: _Records = None,
    reserved: _Reserved = False,
    idempotency_key: _IdempotencyKey = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Mint a record and print its PID.

    The request has an Idempotency-Key, so that sending it again after a lost answer mints nothing twice.

        $ coolid mint --prefix demo --uri https://example.org/ --what 'A thing'
        $ coolid mint --prefix demo --uri https://example.org/ --metadata @more.json
        $ cat record.json | coolid mint -
    """
    members = {"prefix": prefix, "uri": uri, "id": chosen, "status": "reserved" if reserved else None}
    named = {"what": what, "who": who, "when": when}
    if source is None:
        document = _document(members, named, metadata, records)
    elif source != STDIN:
        raise UsageError("the only argument is -, for standard input; the rest are options")
    elif any(each is not None for each in (metadata, records, *members.values(), *named.values())):
        raise UsageError("standard input contains the whole document, so it excludes options that describe it")
    else:
        document = json_of(STDIN, "standard input", dict)
    if idempotency_key is not None and not _KEY.fullmatch(idempotency_key):
        raise UsageError("--idempotency-key must have 1 to 255 visible characters of ASCII")
    record = _mint(service(url, key_file, profile), document, idempotency_key or new_idempotency_key())
    print_result(record.document, record.pid, as_json=json)


def _mint(client: Client, document: dict[str, Any], key: str) -> Record:
    """Mint a record. If the outcome is unknown, print how to repeat the request safely."""
    try:
        return client.mint(document, idempotency_key=key)
    except RequestDeclined:
        raise
    except (ClientError, KeyboardInterrupt):
        print_line(f"coolid: to repeat the request without minting twice, use --idempotency-key {key}")
        raise


def _document(
    members: dict[str, Any], named: dict[str, str | None], metadata: str | None, records: str | None
) -> dict[str, Any]:
    """Return the document that the options describe."""
    if not members["prefix"]:
        raise UsageError("which prefix? Use --prefix, such as --prefix demo")
    if members["uri"] is not None and records is not None:
        raise UsageError("use either --uri or --records, not both")
    merged = json_of(metadata, "--metadata", dict) if metadata is not None else {}
    merged |= {member: value for member, value in named.items() if value is not None}
    locations = json_of(records, "--records", list) if records is not None else None
    document = members | {"records": locations, "metadata": merged or None}
    return {member: value for member, value in document.items() if value is not None}
