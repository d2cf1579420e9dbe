"""Conditional updates (`If-Match`) and the explanation of a conflict."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from coolid.cli.next_steps import AFTER_CONFLICT, with_pid
from coolid.cli.output import print_line
from coolid.client.errors import BadAnswer, ClientError, RequestDeclined
from coolid.client.management import Management, Stored
from coolid.errors import UsageError

_STALE: Final = 412
_ETAG: Final = re.compile(r'(W/)?"[!#-~]*"|\*')

IfMatch = Annotated[
    str | None,
    typer.Option(metavar="ETAG", help="Change only this version, by its etag from `coolid show`."),
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
        raise UsageError("--if-match is not an etag from `coolid show`")
    return tag


def required_etag(stored: Stored) -> str:
    """Return the entity tag of a record. Raises `BadAnswer` if the response had none."""
    if not stored.etag or not _ETAG.fullmatch(stored.etag):
        raise BadAnswer("the response has no ETag, without which no change is safe")
    return stored.etag


@contextmanager
def explained_conflict(management: Management, pid: str) -> Iterator[None]:
    """Print why a change conflicts, and what to do next. The error itself is raised again."""
    try:
        yield
    except RequestDeclined as declined:
        if declined.status == _STALE:
            now = _present_version(management, pid)
            retried = "perhaps this very change was made, and its first answer was lost"
            cause = retried if declined.tries > 1 else "somebody else changed the record"
            print_line(f"coolid: {cause}: {now}")
            print_line(f"  {with_pid(AFTER_CONFLICT, pid)}")
        raise


def _present_version(management: Management, pid: str) -> str:
    try:
        record = management.record(pid).record
    except ClientError:
        return "it is another version now"
    return f"it is version {record['version']} now, of {record.get('updated')}"
