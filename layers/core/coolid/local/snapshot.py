"""Snapshots: a file that keeps the rows of the embedded tables across restarts.

One JSON document: the format's name, a digest, and the rows. It is written beside its place and then moved there, so
that the file is always a whole one; what is not a whole snapshot of ours is refused and left as it is.
"""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import orjson

from coolid.aws import private_files

FORMAT: Final = "coolid-snapshot/1"

Rows = dict[str, list[dict[str, Any]]]
"""Items in DynamoDB's JSON by the table's logical name."""


class BadSnapshot(Exception):
    """The file is not a whole snapshot; it was not touched."""


def load(path: Path) -> Rows | None:
    """The rows of a snapshot; None if there is no file yet; `BadSnapshot` for anything else."""
    try:
        content = private_files.read(path)
    except OSError as error:
        raise BadSnapshot(f"{path} cannot be read: {error.strerror}") from error
    if content is None:
        return None
    if not content:
        raise BadSnapshot(f"{path} is empty, not a snapshot; remove it to begin a new one")
    try:
        document = orjson.loads(content)
    except ValueError as error:
        raise BadSnapshot(f"{path} is not a snapshot of coolid, or only part of one; it was left as it is") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadSnapshot(f"{path} is not a snapshot of coolid ({FORMAT}); it was left as it is")
    rows: Rows = document.get("rows", {})
    if document.get("sha256") != _digest(rows):
        raise BadSnapshot(f"{path} was damaged or changed by hand: its digest does not fit; it was left as it is")
    return rows


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the file against other servers, by a lock on a file beside it; `BadSnapshot` if another holds it."""
    lock = path.with_name(path.name + ".lock")
    with ExitStack() as ends:
        try:
            ends.enter_context(private_files.locked(lock))
        except BlockingIOError as error:
            raise BadSnapshot(f"{path} is in use by another server") from error
        except OSError as error:
            raise BadSnapshot(f"{lock} cannot be used as a lock: {error.strerror}") from error
        yield


def save(path: Path, rows: Rows) -> None:
    """Replace the file by a snapshot of these rows, readable by its owner only, all at once or not at all.

    The caller holds the file (`held`), because what is left of an earlier attempt is removed. Raises `OSError`.
    """
    document = {"format": FORMAT, "sha256": _digest(rows), "rows": rows}
    with private_files.replacement(path, path.with_name(path.name + ".new")) as file:
        file.write(orjson.dumps(document))


def _digest(rows: Rows) -> str:
    return hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
