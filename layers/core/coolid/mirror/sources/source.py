"""The interface of sources, and the statements in the entries of a log.

>>> statement_of(b"no JWS") is None
True
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct

from coolid.identifiers.rules.base import Rules
from coolid.mirror.inventory import Inventory
from coolid.proofs.jws import json_object, read_proof
from coolid.proofs.verdicts import FailedCheck

HEAD: Final = "HEAD"
GET: Final = "GET"


class Answer(Struct, frozen=True):
    """The answer to a request: the status, the `Location` of a redirect, and the body of `GET`."""

    status: int
    location: str = ""
    body: bytes = b""


class NamedRepository(Struct, frozen=True):
    """A prefix by its folded `name`, with the id and rules of its repository."""

    name: str
    repository: str
    rules: Rules


class RecordSource(Protocol):
    """Answers as a service does. `base_url` is that of the service, without a final slash.

    `lists_all` is true if `paths` are always all paths, not only those that the new entries of a log name.
    """

    base_url: str
    lists_all: bool

    def newest(self) -> str:
        """Return the time of the newest change of a record, in the form of records; empty if it is unknown."""

    def paths(self, inventory: Inventory) -> Iterator[str]:
        """Yield the paths of all public identifiers, percent-encoded, with a first slash."""

    def namespaces(self, names: Iterable[str]) -> Sequence[NamedRepository]:
        """Return the prefixes of repositories. `names` are those that the log has."""

    def answers(self, requests: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """Return the answers to requests, each a method and a path with its query, in their order."""


def statement_of(entry: bytes) -> Mapping[str, Any] | None:
    """Return the statement in an entry of a log, whose signature is not checked, or None if it has none."""
    try:
        return json_object(read_proof(entry.decode("ascii")).payload, "statement", "payload")
    except (FailedCheck, UnicodeDecodeError):
        return None
