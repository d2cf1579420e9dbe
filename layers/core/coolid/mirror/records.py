"""The records of a mirror: what its hosts answer for each identifier, as lines of the indexes of its folders."""

from collections import Counter
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from coolid.mirror.layout import name_of

REDIRECTS: Final = (301, 302, 303, 307, 308)
GONE: Final = 410
NO_TARGET: Final = 404

LossListener = Callable[[str, str], None]
"""Receives the path of each identifier that a host cannot answer, and the reason."""


class MirroredSite(Struct, frozen=True):
    """The `service` of a mirror, by its base URL without a final slash."""

    service: str

    @property
    def base_path(self) -> str:
        """The path of the base URL, without a final slash."""
        return urlsplit(self.service).path.rstrip("/")


class MirroredRecord(Struct, frozen=True, omit_defaults=True):
    """An identifier, and the answer of its service for clients without preferences.

    - `path`: its canonical path, decoded and without a first slash; `pid`: its canonical URL.
    - `spellings`: the usual spellings of its path, each with the length of its prefix, the canonical one first. The
      longest prefix wins if two identifiers share a spelling.
    - `status`, and for redirects the `target`, byte for byte.
    - `version`: that of its record; `entry`: the index of that version in the log, or None if it is not in it yet.
    - `is_timed`: whether the answer changes with the time, because a location has a period.
    """

    path: str
    pid: str
    spellings: tuple[tuple[str, int], ...]
    status: int
    target: str = ""
    version: int = 0
    folds_case: bool = False
    entry: int | None = None
    is_timed: bool = False

    @property
    def name(self) -> str:
        """The name of its files."""
        return name_of(self.path)

    @property
    def is_redirect(self) -> bool:
        """Whether it leads to a target."""
        return self.status in REDIRECTS


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(MirroredRecord)


def line_of(record: MirroredRecord) -> bytes:
    """Return the line of an index."""
    return _ENCODER.encode(record) + b"\n"


def record_of_line(line: bytes) -> MirroredRecord:
    """Return the record of a line. Raises `msgspec.MsgspecError`."""
    return _DECODER.decode(line)


class Losses:
    """What a mirror lacks: the number of identifiers for each reason, and an example of each."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.examples: dict[str, str] = {}

    def add(self, path: str, reason: str) -> None:
        """Count an identifier; see `LossListener`."""
        self.counts[reason] += 1
        self.examples.setdefault(reason, path)
