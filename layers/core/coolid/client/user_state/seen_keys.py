"""The keys of issuers that this user trusts since the first use, a private file for each issuer.

The files are in `coolid/issuers` in `$XDG_STATE_HOME`. A damaged file is reported and never replaced: removing it is a
decision of the user, because it begins the trust anew.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from coolid.client.user_state.state_folder import StateFolder, file_name
from coolid.errors import UsageError
from coolid.linkid.pinned_keys import parse_pinned_key
from coolid.strict_json import NotJson, dump, load

_FORMAT: Final = "coolid-issuer-keys/1"
_MAX_KEYS: Final = 100


class SeenKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """The public `keys` (JWKs) that are trusted for the `issuer`."""

    issuer: str
    keys: tuple[Mapping[str, str], ...]
    format: str = _FORMAT

    @property
    def key_set(self) -> dict[str, Any]:
        """The keys as a JWK Set."""
        return {"keys": [dict(key) for key in self.keys]}


class SeenKeyFiles:
    """Files in a folder, by default the user's. All methods raise `OSError`, and `UsageError` for a damaged file."""

    def __init__(self, folder: Path | None = None) -> None:
        self._files = StateFolder("issuers", folder)

    def path(self, issuer: str) -> Path:
        """Return the path of the file of an issuer. Raises `OSError` if the user has no home folder."""
        return self._files.path(_name(issuer))

    def read(self, issuer: str) -> SeenKeys | None:
        """Return the keys that are trusted for an issuer, or None before the first use."""
        content = self._files.read(_name(issuer))
        if content is None:
            return None
        try:
            seen = convert(load(content), SeenKeys)
            keys = tuple(parse_pinned_key(dict(key)) for key in seen.keys)
        except (NotJson, ValidationError, UsageError) as error:
            raise UsageError(self._damage(issuer, str(error))) from None
        if (seen.issuer, seen.format) != (issuer, _FORMAT) or not 0 < len(keys) <= _MAX_KEYS:
            raise UsageError(self._damage(issuer, "it is of another issuer or release"))
        return seen

    def replace(self, seen: SeenKeys, replaced: SeenKeys | None) -> bool:
        """Write the keys of an issuer, if the present ones are `replaced`. Return whether they were written."""
        with self._files.locked():
            if self.read(seen.issuer) != replaced:
                return False
            self._files.write(_name(seen.issuer), dump(seen).encode())
        return True

    def _damage(self, issuer: str, problem: str) -> str:
        return f"{self.path(issuer)} is damaged ({problem}); remove it to trust the keys of {issuer} anew"


def _name(issuer: str) -> str:
    return f"{file_name(issuer)}.json"
