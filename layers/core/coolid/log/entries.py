"""The entries of the log: their names, and the statements about names and keys.

The entry of a version is the record's proof (`coolid.proofs.statements`). Entries about repositories, prefixes and keys
are statements signed in the same way. All have digests, and never metadata: what is erased elsewhere leaves no trace.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from coolid.model.records import Record
from coolid.proofs.statements import digest_of
from coolid.store.rows import pid_of

LOG_PATH: Final = "/log"
VERSION: Final = "version"
"""The subject in the names of the entries of versions."""
_SCHEME: Final = re.compile("https?://")


def origin_of(base_url: str) -> str:
    """Return the origin of the log of the service with this public base URL.

    >>> origin_of("https://id.example.org")
    'id.example.org/log'
    """
    return _SCHEME.sub("", base_url, count=1) + LOG_PATH


def version_name(repository: str, key: str, version: int) -> str:
    """Return the name of the entry of a version of a record.

    >>> version_name("r4k2-9m3x-62", "tw0t-ywdj-94", 2)
    'version/r4k2-9m3x-62/tw0t-ywdj-94#2'
    """
    return f"{VERSION}/{pid_of(repository, key)}#{version}"


def name_of_version(record: Record) -> str:
    """Return the name of the entry of this version."""
    return version_name(record.repository, record.key, record.version)


def change_name(subject: str, name: str, revision: int) -> str:
    """Return the name of the entry of a revision of a `repository`, a `prefix`, a `public_key` or a `key`.

    >>> change_name("prefix", "2021/06/mp", 3)
    'prefix/2021/06/mp#3'
    """
    return f"{subject}/{name}#{revision}"


def change_statement(subject: str, name: str, document: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    """Return the statement about a state of a subject, without `iss` and `iat`, which the sequencer adds.

    `document` has all members of the state; only its digest becomes public. `others` are public members.
    """
    return {subject: name, "digest": digest_of(document), **others}
