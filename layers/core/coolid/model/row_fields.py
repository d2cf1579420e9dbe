"""The fields of rows: what a column of a table stands for.

A field is a member of an API document (`prefix`, `id`, `uri` …), an element of the metadata's kernel, or
`metadata.NAME`.

>>> field_of("what"), field_of("metadata.subject"), field_of("colour")
(('metadata', 'what'), ('metadata', 'subject'), None)
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from coolid.model.jobs import Operation

Field = tuple[str, str]
"""A member of a document, and the name within `metadata`, or ""."""

MEMBERS: Final = ("prefix", "id", "uri", "status", "ttl")
KERNEL: Final = ("who", "what", "when", "where", "how", "type", "license")
METADATA: Final = "metadata"

JOB_FIELDS: Final[Mapping[Operation, Sequence[str]]] = MappingProxyType({
    "mint": (*MEMBERS, METADATA),
    "reserve": (*MEMBERS, METADATA),
    "update": ("pid", "uri", "status", "ttl", METADATA),
    "retarget": ("pid", "uri"),
    "withdraw": ("pid", "reason", "successor", "state"),
    "publish": ("pid",),
})  # fmt: skip
"""The fields of the rows of each operation. `metadata` stands for the kernel and all `metadata.NAME`."""
RESULT_COLUMNS: Final = ("pid", "status", "error")
"""The last columns of a job's results, after those of its rows."""


def field_of(name: str, members: Sequence[str] = (*MEMBERS, METADATA)) -> Field | None:
    """Return the field of this name, or None if it is not one of `members`."""
    if name != METADATA and name in members:
        return name, ""
    if METADATA not in members:
        return None
    if name in KERNEL:
        return METADATA, name
    head, _, rest = name.partition(".")
    return (METADATA, rest) if head == METADATA and rest else None


def field_names(members: Sequence[str]) -> str:
    """Return the possible names of columns, for a message.

    >>> field_names(("pid", "uri"))
    'pid, uri'
    """
    names = [name for name in members if name != METADATA]
    if METADATA not in members:
        return ", ".join(names)
    return f"{', '.join((*names, *KERNEL))}, or metadata.NAME"
