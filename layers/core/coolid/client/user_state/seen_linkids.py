"""The newest version of each LinkID that this user has seen, so that an older one is refused later (replay).

The files are in `coolid/linkids` in `$XDG_STATE_HOME`: 256 of at most `MAX_ENTRIES` LinkIDs, by the first two digits of
the UUID. The LinkIDs whose version was stored longest ago are dropped first. A damaged file is reported and never
replaced.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct, ValidationError, convert

from coolid.client.user_state.state_folder import StateFolder
from coolid.errors import UsageError
from coolid.identifiers.schemes import linkid as scheme
from coolid.strict_json import NotJson, dump, load

MAX_ENTRIES: Final = 500
"""The maximum number of LinkIDs in one file, so that all files have at most 128,000."""
_FORMAT: Final = "coolid-seen-linkids/1"


class SeenVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """The `version` with this `digest`; its `issuer`; and the issuer `origin`, at which the transfers began."""

    version: int
    digest: str
    issuer: str
    origin: str


class _SeenFile(Struct, frozen=True, forbid_unknown_fields=True):
    """LinkIDs by their UUIDs of 32 digits, those stored last at the end."""

    linkids: dict[str, SeenVersion]
    format: str = _FORMAT


class SeenLinkIds:
    """Files in a folder, by default the user's. All methods raise `OSError`, and `UsageError` for a damaged file."""

    def __init__(self, folder: Path | None = None) -> None:
        self._files = StateFolder("linkids", folder)

    def path(self, linkid: str) -> Path:
        """Return the path of the file with a LinkID. Raises `OSError` if the user has no home folder."""
        return self._files.path(_name(scheme.compact(linkid)))

    def read(self, linkid: str) -> SeenVersion | None:
        """Return the newest version of a LinkID that this user has seen, or None."""
        key = scheme.compact(linkid)
        return self._linkids(key).get(key)

    def add(self, linkid: str, seen: SeenVersion) -> bool:
        """Write that a version was seen, unless a newer one, or a different one of that number, was seen before.

        Return whether the version is the newest one now.
        """
        key = scheme.compact(linkid)
        with self._files.locked():
            linkids = self._linkids(key)
            before = linkids.pop(key, None)
            if before == seen:
                return True
            if before is not None and before.version >= seen.version:
                return False
            kept = list(linkids.items())[-(MAX_ENTRIES - 1) :]
            self._files.write(_name(key), dump(_SeenFile(dict([*kept, (key, seen)]))).encode())
        return True

    def _linkids(self, key: str) -> dict[str, SeenVersion]:
        content = self._files.read(_name(key))
        if content is None:
            return {}
        try:
            found = convert(load(content), _SeenFile)
        except (NotJson, ValidationError) as error:
            raise UsageError(self._damage(key, str(error))) from None
        if found.format != _FORMAT:
            raise UsageError(self._damage(key, "it is of another release"))
        return found.linkids

    def _damage(self, key: str, problem: str) -> str:
        path = self._files.path(_name(key))
        return f"{path} is damaged ({problem}); remove it to accept any version of its LinkIDs again"


def _name(key: str) -> str:
    return f"{key[:2]}.json"
