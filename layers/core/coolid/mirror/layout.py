"""The paths of the files in a mirror, below its folder.

Files about identifiers have names of hexadecimal digits, so that no identifier can lead out of the folder. They are in
4,096 folders, so that a million identifiers are at most a few thousand files in each.

>>> name_of("mp:tw0t-ywdj-94")
'8836c3c6eb313725cd2c80012fecdfb3'
>>> record_file("0a1b", ".json")
'_mirror/records/0a1/0a1b.json'
"""

from hashlib import sha256
from typing import Final

HOME: Final = "_mirror"
"""The folder of all that no identifier has as its path: no prefix begins with an underscore."""
RECORDS: Final = f"{HOME}/records"
DESCRIPTION: Final = f"{HOME}/mirror.json"
MANIFEST: Final = f"{HOME}/manifest"
INCOMPLETE: Final = f"{HOME}/incomplete"
"""A file that exists while the mirror is written."""
EVIDENCE: Final = f"{HOME}/evidence"
SUMS: Final = "SHA256SUMS"
INDEX: Final = "index.jsonl"
KEYS: Final = ".well-known/jwks.json"
LOG: Final = "log"

DOCUMENT: Final = ".json"
PAGE: Final = ".html"
SIGNATURE: Final = ".jws"
PROOF: Final = ".tlog-proof"

_NAME_DIGITS: Final = 32
_SHARD_DIGITS: Final = 3


def name_of(path: str) -> str:
    """Return the name of the files about the identifier with this canonical path, decoded and without a first slash."""
    return sha256(path.encode()).hexdigest()[:_NAME_DIGITS]


def shard_of(name: str) -> str:
    """Return the folder, below `RECORDS`, of the files with this name."""
    return name[:_SHARD_DIGITS]


def record_file(name: str, suffix: str) -> str:
    """Return the path of a file about an identifier."""
    return f"{RECORDS}/{shard_of(name)}/{name}{suffix}"


def version_suffix(version: int) -> str:
    """Return the suffix of an earlier version of a record."""
    return f".v{version}{DOCUMENT}"


def shard_index(shard: str) -> str:
    """Return the path of the index of a folder of records."""
    return f"{RECORDS}/{shard}/{INDEX}"


def sums_file(shard: str) -> str:
    """Return the path of the digests of a folder of records, or of all other files if `shard` is empty."""
    return f"{RECORDS}/{shard}/{SUMS}" if shard else f"{HOME}/{SUMS}"
