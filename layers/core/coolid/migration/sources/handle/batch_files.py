"""Batch files of the Handle.Net tools, whose operations make the history of each handle.

Source: Handle.Net Technical Manual (version 9), section 4 ("Handle Server Batch Operations"), and the grammar in the
tool `GenericBatch`: an operation is a line, its values are the following lines up to a blank one. There are no escapes.

    CREATE 20.500.12345/1
    1 URL 86400 1110 UTF8 https://archive.example.org/1

>>> parse_value("1 URL 3600 1110 UTF8 https://a.example/")["data"]
{'format': 'string', 'value': 'https://a.example/'}
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from coolid.http.dialects.handle.value_parser import SECRET
from coolid.http.dialects.handle.values import ADMIN, is_type
from coolid.migration.dumps.row_groups import grouped
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.migration.sources.handle.values import version_of
from coolid.model.records import WITHDRAWN
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, TOO_LONG, read_lines

_CREATE, _ADD, _MODIFY, _REMOVE, _DELETE = "CREATE", "ADD", "MODIFY", "REMOVE", "DELETE"
_WITH_VALUES: Final = (_CREATE, _ADD, _MODIFY)
_AUTHENTICATE: Final = "AUTHENTICATE"
_SKIPPED: Final = ("HOME", "UNHOME", "SESSIONSETUP", _AUTHENTICATE)
"""Operations that concern no handle, or contain keys."""
_OPERATION: Final = re.compile(
    rf"({'|'.join((*_WITH_VALUES, _REMOVE, _DELETE, *_SKIPPED))})(?:\s+(.*))?", re.IGNORECASE
)
_VALUE: Final = re.compile(r"(-?\d{1,12}) +(\S+) +(-?\d{1,12}) +(\S+) +(\S+)(?: +(.*))?")
_ADMIN_DATA: Final = re.compile(r"(\d{1,10})\s*:\s*([01]{12})\s*:\s*(\S.*)")
_NO_FILE: Final = "its data are in a file beside the batch file"
_GONE: Final = "deleted from the Handle server"

_Operation = list[Any]
"""The number of its line, its name, its handle, and its values, indexes or a reason as text."""


def is_batch_file(beginning: bytes) -> bool:
    """Return whether a file that begins so is a batch file."""
    return _OPERATION.fullmatch(beginning.partition(b"\n")[0].decode(errors="replace").strip()) is not None


def read_entries(file: BinaryIO) -> Iterator[Entry]:
    """Yield the handles of a batch file, each with a version for each of its operations."""
    operations = (each for each in _operations(_lines(file)) if each[1] not in _SKIPPED)
    for _, history in grouped((_key(each), each) for each in operations):
        yield _entry(history)


def parse_value(line: str) -> Mapping[str, Any]:
    """Return the value of a line. Raises `ValueError` with the reason."""
    found = _VALUE.fullmatch(line.strip())
    if found is None or len(found[4]) < 4:
        raise ValueError("a line is not composed of an index, a type, a time to live, permissions and data")
    index, kind, ttl, permissions, form, data = found.groups(default="")
    value: dict[str, Any] = {"index": int(index), "type": kind, "ttl": int(ttl), "permissions": permissions[:4]}
    if is_type(kind, f"{SECRET}.") or is_type(kind, f"{ADMIN}."):
        return value  # without the secret
    match form.upper():
        case "UTF8":
            return value | {"data": {"format": "string", "value": data}}
        case "LIST":
            return value | {
                "data": {"format": "vlist", "value": [_reference(each) for each in data.split(";") if each]}
            }
        case "ADMIN" if admin := _ADMIN_DATA.fullmatch(data):
            named = {"index": int(admin[1]), "permissions": admin[2], "handle": admin[3]}
            return value | {"data": {"format": "admin", "value": named}}
        case "FILE":
            return value | {"problem": _NO_FILE}
    raise ValueError(f"the data are not of the form UTF8, ADMIN, LIST or FILE, but {form[:20]!a}")


def _reference(text: str) -> dict[str, Any]:
    index, _, handle = text.partition(":")
    return {"index": int(index) if index.strip().isdecimal() else -1, "handle": handle.strip()}


def _lines(file: BinaryIO) -> Iterator[tuple[int, str | None]]:
    """Yield the lines with their numbers, None for one that cannot be read."""
    for line in read_lines(file):
        try:
            text = line.content.removeprefix(BYTE_ORDER_MARK if line.number == 1 else b"").decode()
        except UnicodeDecodeError:
            yield line.number, None
        else:
            yield line.number, None if line.is_too_long else text.strip()


def _operations(lines: Iterator[tuple[int, str | None]]) -> Iterator[_Operation]:
    """Yield the operations on handles. An operation ends at a blank line, or where another one begins."""
    current: _Operation | None = None
    is_secret = False
    for number, text in lines:
        found = _OPERATION.fullmatch(text) if text is not None else None
        if is_secret:  # a password, or the path of a private key
            is_secret = False
        elif found is not None:
            if current is not None:
                yield current
            current = _begun(number, found[1].upper(), found[2] or "")
            is_secret = found[1].upper() == _AUTHENTICATE
        elif text == "":
            if current is not None:
                yield current
            current = None
        elif current is None:
            yield [number, "", "", f"it is no operation of a batch file, or its line {TOO_LONG} or is not UTF-8"]
        else:
            _add_line(current, number, text)
    if current is not None:
        yield current


def _begun(number: int, name: str, rest: str) -> _Operation | None:
    if name in _SKIPPED:
        return [number, name, "", []]
    if name == _REMOVE:
        indexes, _, rest = rest.partition(":")
        if not re.fullmatch(r"\s*\d{1,12}\s*(?:,\s*\d{1,12}\s*)*", indexes):
            return [number, name, rest.strip(), "the indexes of REMOVE are missing"]
        return [number, name, rest.strip(), [int(each) for each in indexes.split(",")]]
    return [number, name, rest, [] if rest else f"{name} without a handle"]


def _add_line(operation: _Operation, number: int, text: str | None) -> None:
    """Add a line of values to an operation, or the reason why it cannot be read."""
    if operation[1] not in _WITH_VALUES or isinstance(operation[3], str):
        return
    try:
        operation[3].append(parse_value("" if text is None else text))
    except ValueError as error:
        operation[3] = f"line {number}: {error}"


def _key(operation: _Operation) -> str:
    """Return what operations of one handle have in common; its name without regard to case."""
    number, name, handle, _ = operation
    return handle.upper() if handle else f" {name} {number}"


def _entry(operations: list[_Operation]) -> Entry:
    position, name, handle, _ = operations[0]
    problem = next((each[3] for each in operations if isinstance(each[3], str)), None)
    if problem is not None:
        return UnreadableEntry(position, problem, handle)
    versions, losses = _history(operations)
    if not versions:
        return UnreadableEntry(position, f"{name} changes a handle that the file does not create", handle)
    return SourceIdentifier(position, handle, tuple(versions), tuple(losses))


def _history(operations: Iterable[_Operation]) -> tuple[list[SourceVersion], list[Loss]]:
    """Return the versions that operations make, the oldest first, and what the newest one does not keep."""
    versions: list[SourceVersion] = []
    values: dict[int, Mapping[str, Any]] = {}
    losses: list[Loss] = []
    for _, name, _, content in operations:
        if name == _DELETE:
            last = versions[-1] if versions else SourceVersion()
            deleted = SourceVersion(locations=last.locations, metadata=last.metadata, status=WITHDRAWN, reason=_GONE)
            versions.append(deleted)
            continue
        if name == _CREATE:
            versions = [each for each in versions if each.status != WITHDRAWN]  # it exists again
            values = {}
        elif not versions or versions[-1].status == WITHDRAWN:
            continue
        if name == _REMOVE:
            values = {index: value for index, value in values.items() if index not in content}
        else:
            values |= {value["index"]: value for value in content}
        version, losses = version_of(values.values())
        versions.append(version)
    return versions, losses
