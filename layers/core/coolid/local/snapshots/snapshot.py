"""The snapshot file, in which releases up to 0.5 stored the rows of `coolid serve --data`.

It is one JSON document with the format's name, a digest and the rows. An incomplete file is refused.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson

from coolid import private_files
from coolid.errors import UsageError

FORMAT: Final = "coolid-snapshot/1"
_BEGINNING: Final = f'{{"format":"{FORMAT}"'.encode()

Rows = dict[str, list[dict[str, Any]]]
"""Items in DynamoDB's JSON by the table's logical name."""


class BadSnapshot(UsageError):
    """The file is not a complete snapshot."""


class UnconvertedSnapshot(UsageError):
    """The file is a snapshot, not a database."""


def load(path: Path) -> Rows:
    """Return the rows of a snapshot. Raises `BadSnapshot`."""
    try:
        content = private_files.read(path)
    except OSError as error:
        raise BadSnapshot(f"{path} cannot be read: {error.strerror}") from error
    if content is None:
        raise BadSnapshot(f"there is no file {path}")
    try:
        document = orjson.loads(content)
    except ValueError as error:
        raise BadSnapshot(f"{path} is not a snapshot of coolid, or only part of one") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadSnapshot(f"{path} is not a snapshot of coolid ({FORMAT})")
    rows: Rows = document.get("rows", {})
    if document.get("sha256") != _digest(rows):
        raise BadSnapshot(f"{path} was damaged or changed by hand: its digest does not fit")
    return rows


def refuse_snapshot(path: Path) -> None:
    """Raise `UnconvertedSnapshot` if the file of a database is a snapshot."""
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(_BEGINNING)) == _BEGINNING:
            raise UnconvertedSnapshot(
                f"{path} is a snapshot of an earlier release. "
                f"Convert it: coolid import-snapshot {path} {path.with_suffix('.db')}"
            )


def _digest(rows: Rows) -> str:
    return sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
