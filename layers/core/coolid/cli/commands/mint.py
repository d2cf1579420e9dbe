"""`coolid mint`: a new record, created by the service."""

import re
from typing import Annotated, Any, Final

import typer

from coolid.cli.output import out, print_line
from coolid.cli.service_connection import STDIN, Json, KeyFile, Url, array_of, object_of, refuse, report_errors, service
from coolid.cli.terminal_text import safe_json
from coolid.client.errors import ClientError, RequestDeclined
from coolid.client.management import new_idempotency_key

_IDEMPOTENCY_KEY: Final = re.compile("[!-~]{1,255}")


def mint(
    source: Annotated[
        str | None, typer.Argument(metavar="[-]", help="- reads a whole JSON document from standard input.")
    ] = None,
    prefix: Annotated[str | None, typer.Option(help="The prefix to mint under.")] = None,
    uri: Annotated[str | None, typer.Option(help="Where the thing is.")] = None,
    chosen: Annotated[str | None, typer.Option("--id", metavar="LUI", help="A chosen identifier.")] = None,
    what: Annotated[str | None, typer.Option(help="What it is called; into the metadata.")] = None,
    who: Annotated[str | None, typer.Option(help="Who made it; into the metadata.")] = None,
    when: Annotated[str | None, typer.Option(help="When it was made; into the metadata.")] = None,
    metadata: Annotated[str | None, typer.Option(metavar="JSON|@FILE", help="More metadata, an object.")] = None,
    records: Annotated[
        str | None, typer.Option(metavar="JSON|@FILE", help="Several locations, an array, in place of --uri.")
    ] = None,
    reserved: Annotated[
        bool, typer.Option("--reserved", help='Keep it from the public until its status is set to "active".')
    ] = False,
    idempotency_key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Name this request, to send it again: the same name mints once in a day."),
    ] = None,
    url: Url = None,
    key_file: KeyFile = None,
    json: Json = False,
) -> None:
    """Mint a record and print its PID.

    The request has an Idempotency-Key, so that sending it again after a lost answer mints nothing twice.

        $ coolid mint --prefix demo --uri https://example.org/ --what 'A thing'
        $ coolid mint --prefix demo --uri https://example.org/ --metadata @more.json
        $ cat record.json | coolid mint -
    """
    named = {"what": what, "who": who, "when": when}
    if source is None:
        document = _document(prefix, uri, chosen, named, metadata, records, reserved=reserved)
    elif source != STDIN:
        refuse("the only argument is -, for standard input; the rest are options")
    elif reserved or any(each is not None for each in (prefix, uri, chosen, metadata, records, *named.values())):
        refuse("standard input has the whole document; what it says cannot be said by options too")
    else:
        document = object_of(STDIN, "standard input")
    if idempotency_key is not None and not _IDEMPOTENCY_KEY.fullmatch(idempotency_key):
        refuse("--idempotency-key has 1 to 255 visible characters of ASCII")
    management = service(url, key_file)
    name = idempotency_key or new_idempotency_key()
    with report_errors(url, json=json):
        try:
            stored = management.mint(document, name)
        except RequestDeclined:
            raise
        except (ClientError, KeyboardInterrupt):
            print_line(f"coolid: to mint it again, and not twice, give --idempotency-key {name}")
            raise
    if json:
        print(safe_json(stored.record))
    else:
        print_line(stored.pid, to=out)


def _document(
    prefix: str | None,
    uri: str | None,
    chosen: str | None,
    named: dict[str, str | None],
    metadata: str | None,
    records: str | None,
    *,
    reserved: bool,
) -> dict[str, Any]:
    """Return the document that the options describe."""
    if not prefix:
        refuse("under which prefix? Give --prefix, such as --prefix demo")
    if uri is not None and records is not None:
        refuse("give either --uri or --records, not both")
    merged = object_of(metadata, "--metadata") if metadata is not None else {}
    merged |= {member: value for member, value in named.items() if value is not None}
    document: dict[str, Any] = {"prefix": prefix, "uri": uri, "id": chosen}
    if records is not None:
        document["records"] = array_of(records, "--records")
    if merged:
        document["metadata"] = merged
    if reserved:
        document["status"] = "reserved"
    return {member: value for member, value in document.items() if value is not None}
