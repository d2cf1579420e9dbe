"""The file of an offer: what an operator gives to the operator who is to accept the records.

It has JSON Lines. The first names both services by their public base URLs, each further one a LinkID:

    {"custody": "offer", "from": "https://a.example.org", "to": "https://b.example.org"}
    {"linkid": "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"}

Nothing in the file is secret, and nothing is trusted: the recipient's service verifies the offer of each record.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson
from msgspec import Struct

from coolid.cli.record_files import load_line
from coolid.client.custody.custody_operations import canonical_linkid
from coolid.errors import BadReference, UsageError
from coolid.strict_json import NotJson
from coolid.transfer.bounded_lines import Line, read_lines

KIND: Final = "custody"
_OFFER: Final = "offer"
_LINKID: Final = "linkid"


class OfferParties(Struct, frozen=True, rename={"sender": "from", "recipient": "to"}):
    """The public base URLs of the service that offers records, and of the one that they are offered to."""

    sender: str
    recipient: str


def read_offers(path: Path) -> tuple[OfferParties, tuple[str, ...]]:
    """Return both services and the LinkIDs in a file, each once. Exits with 2 if a line is malformed, and names it."""
    with path.open("rb") as file:
        return _parsed(path, read_lines(file))


class OfferWriter:
    """Appends LinkIDs to a file, and creates it with the first one. LinkIDs that it has are not written again.

    A last line without its end, which an interrupted command left, is replaced. Exits with 2 if the file is another one
    than that of offers to the `recipient`; such a file is not changed.
    """

    def __init__(self, path: Path, recipient: str) -> None:
        self.path = path
        self.recipient = recipient
        self._file: BinaryIO | None = None
        self._written: set[str] = set()
        self._sender = ""
        self._end = 0
        if path.exists() and path.stat().st_size:
            self._read()

    def add(self, linkid: str, sender: str) -> None:
        """Add a LinkID that the service `sender` offers."""
        if linkid in self._written:
            return
        if self._sender and sender != self._sender:
            raise UsageError(f"{self.path} has the offers of {self._sender}; name another file for those of {sender}")
        if self._file is None:
            self._file = self.path.open("rb+" if self._end else "wb")
            self._file.seek(self._end)
            self._file.truncate()
        if not self._sender:
            self._sender = sender
            self._write({KIND: _OFFER, "from": sender, "to": self.recipient})
        self._written.add(linkid)
        self._write({_LINKID: linkid})

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _read(self) -> None:
        with self.path.open("rb") as file:
            lines = [line for line in read_lines(file) if line.is_terminated]
        parties, linkids = _parsed(self.path, lines)
        if parties.recipient != self.recipient:
            raise UsageError(f"{self.path} has the offers to {parties.recipient}; name another file")
        self._sender, self._written, self._end = parties.sender, {*linkids}, lines[-1].end

    def _write(self, document: dict[str, str]) -> None:
        assert self._file is not None
        self._file.write(orjson.dumps(document) + b"\n")
        self._file.flush()


def _parsed(path: Path, lines: Iterable[Line]) -> tuple[OfferParties, tuple[str, ...]]:
    present = (line for line in lines if line.is_too_long or line.content.strip())
    try:
        parties = _parties(_object(next(present, Line(1, b""))))
        return parties, tuple(dict.fromkeys(map(_linkid, present)))
    except NotJson as error:
        raise UsageError(f"{path} is no file of offers: {error}") from None


def _object(line: Line) -> dict[str, Any]:
    document = load_line(line)
    if not isinstance(document, dict):
        raise NotJson(f"line {line.number} is no object")
    return document


def _parties(header: dict[str, Any]) -> OfferParties:
    sender, recipient = header.get("from"), header.get("to")
    if header.get(KIND) != _OFFER or not isinstance(sender, str) or not isinstance(recipient, str):
        raise NotJson('its first line has not the members "custody": "offer", "from" and "to"')
    return OfferParties(sender, recipient)


def _linkid(line: Line) -> str:
    try:
        return canonical_linkid(str(_object(line).get(_LINKID)))
    except BadReference as error:
        raise NotJson(f"line {line.number}: {error}") from None
