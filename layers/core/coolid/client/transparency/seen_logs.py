"""The logs that this user has seen: for each, the trusted policy and the last checkpoint, in private files.

The files are in `coolid/logs` in `$XDG_STATE_HOME`, or else in `~/.local/state` (XDG Base Directory Specification). A
file replaces its predecessor at once, under a lock. Evidence against a log is in files of its own, which are never
replaced.

>>> file_name("id.example.org/log")
'id.example.org_log-3198d184ff898d8b'
"""

import errno
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from coolid import private_files
from coolid.errors import UsageError
from coolid.log.checkpoints import read_checkpoint
from coolid.log.malformed_data import MalformedData
from coolid.log.policies import Policy
from coolid.log.split_views import SignedTree, evidence_document
from coolid.strict_json import NotJson, dump, load

_FORMAT: Final = "coolid-seen-log/1"
_LOCK_TRIES: Final = 200
_LOCK_SECONDS: Final = 0.05
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.-]+")


class SeenLog(Struct, frozen=True, forbid_unknown_fields=True):
    """The text of the `policy` that this user trusts for the log `origin`, and the last `checkpoint` (a signed note).

    `url` is where the log was served. `is_chosen` is true if the user chose the policy, false if it was that of the
    service at the first use.
    """

    origin: str
    policy: str
    checkpoint: str = ""
    url: str = ""
    is_chosen: bool = False
    format: str = _FORMAT

    def last(self) -> SignedTree | None:
        """Return the last checkpoint, whose signature was verified, or None before the first one."""
        note = self.checkpoint
        return SignedTree(read_checkpoint(note.encode())[0], note) if note else None


class SeenLogs:
    """The files in a folder, by default the user's. All methods raise `OSError`, and `UsageError` for a damaged file.

    The folder is None for a user without a home folder. Such a user has seen nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        state = private_files.user_folder("XDG_STATE_HOME", ".local/state")
        self.folder = folder or (state / "coolid" / "logs" if state else None)

    def path(self, origin: str) -> Path:
        """Return the path of the file of a log. Raises `OSError` without a folder."""
        if self.folder is None:
            raise FileNotFoundError(errno.ENOENT, "there is no home folder: set XDG_STATE_HOME")
        return self.folder / f"{file_name(origin)}.json"

    def read(self, origin: str) -> SeenLog | None:
        """Return what this user saw of a log, or None."""
        try:
            content = private_files.read(self.path(origin)) if self.folder else None
        except (PermissionError, NotADirectoryError):
            return None
        return None if content is None else self._seen(content, origin)

    def replace(self, seen: SeenLog, replaced: SeenLog | None) -> bool:
        """Write what was seen of a log, if the present state is `replaced`. Return whether it was written."""
        path = self.path(seen.origin)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock(path.with_name("lock")):
            if self.read(seen.origin) != replaced:
                return False
            with private_files.replacement(path) as file:
                file.write(dump(seen).encode())
        return True

    def add_evidence(self, origin: str, key: str, finding: Mapping[str, Any]) -> Path:
        """Write a finding against the log with this verifier key to a new file, for `coolid.audit.evidence`.

        Return the path of the file.
        """
        content = dump(evidence_document(key, [finding])).encode()
        path = self.path(origin).parent / "evidence" / f"{file_name(origin)}-{sha256(content).hexdigest()[:16]}.json"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not private_files.exists(path):
            private_files.create(path, content)
        return path

    def _seen(self, content: bytes, origin: str) -> SeenLog:
        try:
            seen = convert(load(content), SeenLog)
            Policy.parse(seen.policy)
            seen.last()
        except (NotJson, ValidationError, MalformedData) as error:
            raise UsageError(self._damage(origin, str(error))) from error
        if (seen.origin, seen.format) != (origin, _FORMAT):
            raise UsageError(self._damage(origin, "it is of another log or release"))
        return seen

    def _damage(self, origin: str, problem: str) -> str:
        return f"{self.path(origin)} is damaged ({problem}); remove it to trust the log anew"

    @contextmanager
    def _lock(self, path: Path) -> Iterator[None]:
        """Exclude other processes, which hold the lock only while they replace a file."""
        for _ in range(_LOCK_TRIES):
            try:
                file = private_files.open_locked(path)
            except BlockingIOError:
                time.sleep(_LOCK_SECONDS)
            else:
                break
        else:
            raise UsageError(f"another program holds {path}")
        with closing(file):
            yield


def file_name(origin: str) -> str:
    """Return the name of the file about an origin or URL, without its extension: readable, and of this one alone."""
    return f"{_UNSAFE.sub('_', origin)[:80]}-{sha256(origin.encode()).hexdigest()[:16]}"
