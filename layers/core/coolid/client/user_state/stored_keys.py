"""The keys of issuers that a user trusts already, without any request: by a list of resolvers, or since an earlier use.

The user's list is `coolid/resolvers.json` in `$XDG_CONFIG_HOME`, or else in `~/.config`.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from coolid import private_files
from coolid.client.user_state.seen_keys import SeenKeyFiles
from coolid.linkid.trusted_resolvers import TrustedResolvers, parse_resolvers

_LIST: Final = "coolid/resolvers.json"


class StoredKeys:
    """The keys by a list of `resolvers`, None for that of the user, and by the folder `state`, None for the user's.

    The list is a value or JSON text. It is read when it is needed. All methods raise `UsageError` for an invalid list
    or a damaged file, and `OSError`.
    """

    def __init__(self, resolvers: TrustedResolvers | str | bytes | None = None, state: Path | None = None) -> None:
        self._resolvers = resolvers
        self._files = SeenKeyFiles(state and state / "issuers")

    def of(self, issuers: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """Return the stored key sets of these issuers: pinned by the list, or trusted since an earlier use."""
        found: dict[str, Mapping[str, Any]] = {}
        for issuer in dict.fromkeys(issuers):
            resolver = self._trusted.of(issuer)
            if resolver is not None and resolver.key_set is not None:
                found[issuer] = resolver.key_set
            elif (seen := self._files.read(issuer)) is not None:
                found[issuer] = seen.key_set
        return found

    @cached_property
    def _trusted(self) -> TrustedResolvers:
        if isinstance(self._resolvers, TrustedResolvers):
            return self._resolvers
        text = user_list() if self._resolvers is None else self._resolvers
        return TrustedResolvers() if text is None else parse_resolvers(text)


def user_list() -> bytes | None:
    """Return the list of trusted resolvers in the user's configuration, or None if there is none."""
    folder = private_files.user_folder("XDG_CONFIG_HOME", ".config")
    try:
        return private_files.read(folder / _LIST) if folder else None
    except (PermissionError, NotADirectoryError):
        return None
