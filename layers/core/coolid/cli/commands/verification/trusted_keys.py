"""The keys that `coolid verify` trusts: key sets by name, those of an issuer, and those that the user knows already."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coolid.cli.record_files import MAX_DOCUMENT_BYTES, json_of, keys_of_export
from coolid.cli.service_connection import read_bounded
from coolid.client.errors import BadAnswer, NotServed
from coolid.errors import UsageError

if TYPE_CHECKING:  # a record in a file is verified without these modules
    from coolid.client.user_state.stored_keys import StoredKeys


def stored_keys(resolvers: Path | None) -> "StoredKeys":
    """Return the keys by a list of trusted resolvers in a file, or by that of the user. Raises `UsageError`."""
    from coolid.client.user_state.stored_keys import StoredKeys
    from coolid.linkid.trusted_resolvers import MAX_BYTES

    return StoredKeys(read_bounded(str(resolvers), MAX_BYTES) if resolvers is not None else None)


def trusted_keys(jwks: Sequence[str], issuer: str | None) -> Any:
    """Return the keys of all key sets to trust. Exits with 2 if none is named, or a file is invalid."""
    from coolid.client.proof_sources import fetch_issuer_keys

    if not jwks and issuer is None:
        raise UsageError("a file does not prove who its issuer is: name the trusted one by --jwks or --issuer")
    try:
        if not jwks:
            return fetch_issuer_keys(str(issuer))
        sets = [_key_set(each) for each in jwks]
    except NotServed as error:
        raise BadAnswer(f"there is no key set: {error}") from error
    if len(sets) == 1:
        return sets[0]
    merged: list[Any] = []
    for key in chain.from_iterable(map(_listed_keys, sets)):
        if key not in merged:  # the same key twice would make a key set invalid
            merged.append(key)
    return {"keys": merged}


def _key_set(jwks: str) -> Any:
    from coolid.client.proof_sources import fetch_keys, is_url

    if is_url(jwks):
        return fetch_keys(jwks)
    return keys_of_export(Path(jwks)) or json_of(jwks, read_bounded(jwks, MAX_DOCUMENT_BYTES))


def _listed_keys(key_set: Any) -> Iterator[Any]:
    """Yield the keys of a key set."""
    listed = key_set.get("keys") if isinstance(key_set, dict) else None
    if not isinstance(listed, list):
        raise UsageError("one of the files of --jwks is no key set")
    yield from listed
