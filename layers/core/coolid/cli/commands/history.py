"""`coolid history`: all versions of a record with date, author and changes."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from coolid.cli.output import for_people, out, print_json, print_line, print_table, printable
from coolid.cli.service_connection import Json, KeyFile, Pid, Profile, Url, service

_HEADINGS: Final = ("version", "updated", "author", "status", "changed")
_NOT_COMPARED: Final = frozenset({"version", "updated", "status", "previous", "proof"})
"""Members that differ in every version or have their own columns."""


def history(pid: Pid, url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False) -> None:
    """List the versions of a record. The newest comes first; each has its date, author and changes.

    $ coolid history 2021/06/demo/tw0t-ywdj-94
    $ coolid history demo:tw0t-ywdj-94 --json
    """
    versions = [version.document for version in service(url, key_file, profile).history(pid)]
    if json:
        print_json({"versions": versions})
    elif for_people():
        print_table(_HEADINGS, _rows(versions))
    else:
        rows = [_HEADINGS, *_rows(versions)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            print_line("  ".join(cells).rstrip(), to=out)


def changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """Return JSON pointers to the members that differ between two versions, including those of nested objects.

    >>> changes({"metadata": {"what": "a", "who": "b"}, "ttl": 1}, {"metadata": {"what": "c", "who": "b"}})
    ('/metadata/what', '/ttl')
    """
    names = sorted((before.keys() | after.keys()) - _NOT_COMPARED)
    return tuple(pointer for name in names for pointer in _different(before, after, name))


def _different(before: dict[str, Any], after: dict[str, Any], name: str) -> Iterator[str]:
    pointer = "/" + name.replace("~", "~0").replace("/", "~1")
    old, new = before.get(name), after.get(name)
    if old == new and (name in before) == (name in after):
        return
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        for inner in sorted(old.keys() | new.keys()):
            yield from (pointer + rest for rest in _different(old, new, inner))
    else:
        yield pointer


def _rows(versions: Sequence[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for version, before in zip_longest(versions, versions[1:]):
        record = version["record"]
        values = (version.get("version"), record.get("updated"), version.get("author"), record.get("status"))
        cells = (printable(str(value)) if value is not None else "-" for value in values)
        yield (*cells, printable(_describe_change(record, before and before["record"])))


def _describe_change(record: dict[str, Any], before: dict[str, Any] | None) -> str:
    if before is None:
        return "minted" if record.get("version") == 1 else ""
    withdrawn = record.get("withdrawn")
    if isinstance(withdrawn, dict) and not before.get("withdrawn"):
        return f"withdrawn: {withdrawn.get('reason')}"
    return ", ".join(changes(before, record)) or "nothing"
