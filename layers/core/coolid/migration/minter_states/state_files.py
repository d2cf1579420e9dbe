"""Reads the states of minters from files of Noid, Nog, EZID and arklet.

The file is a Berkeley DB file of Noid (`noid.bdb`), Nog or EZID (`nog.bdb`), or the text that `db_dump` writes of one.
Or it has many minters: the JSON that EZID's `migrate-minters-to-mysql --output-file` writes, its table
`ezidapp_minter` (an SQL dump, Django's `dumpdata`, or CSV), or arklet's table `ark_shoulder`.

arklet mints at random and checks for duplicates, so its shoulders have no state: names of eight symbols and a check
character.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from coolid.errors import UsageError
from coolid.identifiers.rules.noid import NoidRules
from coolid.migration.dumps import berkeley_db, db_dump, dump_rows
from coolid.migration.dumps.berkeley_db import Entry
from coolid.migration.minter_states.minter_state import MinterState, State, UnreadableState, shoulder_of
from coolid.migration.minter_states.noid_members import state_of
from coolid.strict_json import NotJson, load

MAX_RESERVED: Final = 10_000
_HEAD_BYTES: Final = 512
_ADMINISTRATION: Final = b":/"
_QUEUE: Final = b":/q/"
_NOTES: Final = (b":/:/", b":/idmap/")
_HOLD: Final = b"\t:/h"
_CIRCULATION: Final = b"\t:/c"
_TABLES: Final = ("ezidapp_minter", "ark_shoulder")
_ARKLET_TEMPLATE: Final = ".reeeeeeeek"


def read_states(path: Path) -> Iterator[State]:
    """Yield the minters of a file. Raises `UsageError` if it has none that can be recognised, or is damaged."""
    if _is_database(path):
        yield _database_state(path)
        return
    found = (state for row in dump_rows.read_rows(path, _TABLES.__contains__) for state in _row_states(row))
    first = next(found, None)
    if first is None:
        raise UsageError(f"{path} has no minters: neither those of Noid or EZID nor arklet's table ark_shoulder")
    yield from chain((first,), found)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            beginning = file.read(_HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    return db_dump.is_dump(beginning) or berkeley_db.is_berkeley_db(beginning)


def _database_state(path: Path) -> State:
    """Return the minter of a database. Raises `UsageError` if it has none."""
    members, reserved = _administration(berkeley_db.entries(path))
    if not members:
        raise UsageError(f"{path} has no minter: no keys that begin with :/")
    return _state(path.name, members, reserved)


def _administration(entries: Iterator[Entry]) -> tuple[dict[str, str], list[str]]:
    """Return the members of a minter, and the identifiers that are held back or queued and not issued since.

    The circulation status of an identifier begins with `i` (issued), `q` (queued) or `u` (taken from the queue), and
    its key precedes that of the hold. A minter for the long term also holds all that it has issued.
    """
    members: dict[str, str] = {}
    reserved: dict[str, None] = {}
    issued = b""
    for key, value in entries:
        name = None
        if key.startswith(_QUEUE):
            name = value
        elif key.startswith(_ADMINISTRATION) and not key.startswith(_NOTES):
            members[_text(key.removeprefix(_ADMINISTRATION))] = _text(value)
        elif key.endswith(_CIRCULATION) and value.startswith(b"i"):
            issued = key.removesuffix(_CIRCULATION)
        elif key.endswith(_HOLD) and key.removesuffix(_HOLD) != issued:
            name = key.removesuffix(_HOLD)
        if name is not None:
            reserved[_text(name)] = None
        if len(reserved) > MAX_RESERVED:
            raise UsageError(
                f"the minter holds back or has queued more than {MAX_RESERVED} names; release some of them"
            )
    return members, list(reserved)


def _row_states(row: dump_rows.DumpRow) -> Iterator[State]:
    """Yield the minter of a row or JSON object, if it is one."""
    name = f"entry {row.number}"
    if row.values is None:
        yield UnreadableState(name, row.reason)
        return
    values: Mapping[str, Any] = row.values
    if isinstance(fields := values.get("fields"), dict):  # of Django's dumpdata
        values = {member.lower(): value for member, value in fields.items()}
    if "minterstate" in values:
        yield _table_state(str(values.get("prefix") or name), values["minterstate"])
    elif ":/template" in values or "template" in values:
        members = _members(values)
        yield _state(members.get("shoulder") or name, members, [])
    elif values.get("shoulder") is not None and (naan := values.get("naan_id") or values.get("naan")):
        yield _arklet_state(str(naan), str(values["shoulder"]))


def _table_state(name: str, document: Any) -> State:
    """Return the minter of a row of EZID's table, whose state is an object or its JSON."""
    try:
        members = load(document.encode()) if isinstance(document, str) else document
    except NotJson as error:
        return UnreadableState(name, f"its state is no JSON: {error}")
    if not isinstance(members, dict):
        return UnreadableState(name, "its state is no object")
    return _state(name, _members(members), [])


def _members(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the members of a JSON object as text, without the label that their keys have in a database."""
    return {name.removeprefix(":/"): str(value) for name, value in document.items() if value is not None}


def _arklet_state(naan: str, shoulder: str) -> State:
    head = shoulder.strip("/")
    found = shoulder_of(head, naan)
    try:
        rules = NoidRules(_ARKLET_TEMPLATE if found else f"{head}{_ARKLET_TEMPLATE}", naan, shoulder=found)
    except ValueError as error:
        return UnreadableState(f"{naan}/{head}", str(error))
    return MinterState(program="arklet", rules=rules, minted=None)


def _state(name: str, members: Mapping[str, str], reserved: list[str]) -> State:
    try:
        return state_of(members, reserved)
    except ValueError as error:
        return UnreadableState(name, str(error))


def _text(content: bytes) -> str:
    return content.decode(errors="backslashreplace")
