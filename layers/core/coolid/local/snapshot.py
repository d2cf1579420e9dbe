"""The snapshot file, which keeps the rows of the embedded tables across restarts.

It is one JSON document with the format's name, a digest and the rows. Saving renames a temporary file, so that the
snapshot is always complete. A file that is not a complete snapshot is refused and not changed.
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
    """The file is not a complete snapshot, or another server uses it. It was not changed."""


def load(path: Path) -> Rows | None:
    """Return the rows of a snapshot, or None if there is no file. Raises `BadSnapshot`."""
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
def exclusive(path: Path) -> Iterator[None]:
    """Lock the file against other servers, with a lock file beside it. Raises `BadSnapshot` if another has the lock."""
    lock = path.with_name(path.name + ".lock")
    with ExitStack() as ends:
        try:
            ends.enter_context(private_files.open_locked(lock))
        except BlockingIOError as error:
            raise BadSnapshot(f"{path} is in use by another server") from error
        except OSError as error:
            raise BadSnapshot(f"{lock} cannot be used as a lock: {error.strerror}") from error
        yield


def save(path: Path, rows: Rows) -> None:
    """Replace the file atomically by a snapshot of these rows, readable by its owner only.

    The caller has the lock (`exclusive`), because this removes the temporary file of an earlier save. Raises `OSError`.
    """
    document = {"format": FORMAT, "sha256": _digest(rows), "rows": rows}
    with private_files.replacement(path, path.with_name(path.name + ".new")) as file:
        file.write(orjson.dumps(document))


def _digest(rows: Rows) -> str:
    return hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
