"""The logs that this user has seen: for each, the trusted policy and the last checkpoint, in private files.

The files are in `coolid/logs` in `$XDG_STATE_HOME`, or else in `~/.local/state` (XDG Base Directory Specification). A
file replaces its predecessor at once, under a lock. Evidence against a log is in files of its own, which are never
replaced.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from coolid import private_files
from coolid.client.user_state.state_folder import StateFolder, file_name
from coolid.errors import UsageError
from coolid.log.checkpoints import read_checkpoint
from coolid.log.malformed_data import MalformedData
from coolid.log.policies import Policy
from coolid.log.split_views import SignedTree, evidence_document
from coolid.strict_json import NotJson, dump, load

_FORMAT: Final = "coolid-seen-log/1"


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
        self._files = StateFolder("logs", folder)

    def path(self, origin: str) -> Path:
        """Return the path of the file of a log. Raises `OSError` without a folder."""
        return self._files.path(f"{file_name(origin)}.json")

    def read(self, origin: str) -> SeenLog | None:
        """Return what this user saw of a log, or None."""
        content = self._files.read(f"{file_name(origin)}.json")
        return None if content is None else self._seen(content, origin)

    def replace(self, seen: SeenLog, replaced: SeenLog | None) -> bool:
        """Write what was seen of a log, if the present state is `replaced`. Return whether it was written."""
        with self._files.locked():
            if self.read(seen.origin) != replaced:
                return False
            self._files.write(f"{file_name(seen.origin)}.json", dump(seen).encode())
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
