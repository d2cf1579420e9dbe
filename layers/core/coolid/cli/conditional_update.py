"""Conditional updates (`If-Match`) and the explanation of a conflict."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from coolid.cli.next_steps import after_conflict
from coolid.cli.output import print_line
from coolid.cli.service_connection import refuse
from coolid.client.errors import BadAnswer, ClientError, RequestDeclined
from coolid.client.management import Management, Stored

_STALE: Final = 412
_ETAG: Final = re.compile(r'(W/)?"[!#-~]*"|\*')

IfMatch = Annotated[
    str | None,
    typer.Option(metavar="ETAG", help="The version to change, as `coolid show` tells it, in place of the present one."),
]


def etag_of(text: str | None) -> str | None:
    """Return the entity tag in HTTP's form; a shell may have removed its quotation marks. Exits with 2 if invalid.

    >>> etag_of("abc"), etag_of('"abc"')
    ('"abc"', '"abc"')
    """
    if text is None or _ETAG.fullmatch(text):
        return text
    tag = f'"{text}"'
    if not _ETAG.fullmatch(tag):
        refuse("--if-match is not a tag as `coolid show` tells it")
    return tag


def required_etag(stored: Stored) -> str:
    """Return the entity tag of a record. Raises `BadAnswer` if the response had none."""
    if not stored.etag or not _ETAG.fullmatch(stored.etag):
        raise BadAnswer("it told no ETag, without which nothing can be changed safely")
    return stored.etag


@contextmanager
def explained_conflict(management: Management, pid: str) -> Iterator[None]:
    """Print why a change conflicts, and what to do next. The error itself is raised again."""
    try:
        yield
    except RequestDeclined as declined:
        if declined.status == _STALE:
            for line in _conflict_lines(declined, management, pid):
                print_line(line)
        raise


def _conflict_lines(declined: RequestDeclined, management: Management, pid: str) -> Iterator[str]:
    try:
        record = management.record(pid).record
        now = f"it is version {record['version']} now, of {record.get('updated')}"
    except ClientError:
        now = "it is another version now"
    if declined.tries > 1:
        yield f"coolid: {now}; perhaps by this very change, whose first answer was lost"
    else:
        yield f"coolid: somebody changed it in between: {now}"
    yield f"  {after_conflict(pid)}"
