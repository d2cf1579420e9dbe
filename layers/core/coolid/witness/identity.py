"""The name and key of a witness, which are those of its first start for as long as its state exists.

The key is in a file beside the state. Without it the state is useless: a new key is another witness to its logs.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from coolid import private_files
from coolid.aws.key_file import KeyFileNoteSigner, ensure_note_key
from coolid.errors import UsageError
from coolid.log.malformed_data import MalformedData
from coolid.log.signed_notes import COSIGNATURE, VerifierKey, require_key_name
from coolid.witness.state import WitnessState

_SUFFIX: Final = "key.pem"


class WitnessIdentity(Struct, frozen=True):
    """The verifier key of a witness, and the signer with the private key."""

    key: VerifierKey
    signer: KeyFileNoteSigner


def key_file(state: Path) -> Path:
    """Return the file beside a state that contains the private key.

    >>> key_file(Path("witness.db")).name
    'witness.db.key.pem'
    """
    return state.with_name(f"{state.name}.{_SUFFIX}")


def load_identity(state: WitnessState, name: str | None) -> WitnessIdentity:
    """Return the identity of a state. A new one needs a `name` and gets a new key, unless there is a key file.

    Raises `UsageError` if the name or the key is missing or another one, and `OSError` for an unsuitable key file.
    """
    path = key_file(state.path)
    stored = state.read(lambda rows: rows.identity())
    if stored is None:
        stored = _create(state, path, name)
    key = VerifierKey.parse(stored)
    if name not in (None, key.name):
        raise UsageError(f"this witness has the name {key.name}; another one needs another --data")
    if not private_files.exists(path):
        raise UsageError(f"{path}: the key of this witness is missing. Restore it, or begin another witness (--data)")
    signer = KeyFileNoteSigner(path)
    if signer.public_key() != key.public_key:
        raise UsageError(f"{path}: it is not the key of this witness, which is {key}")
    return WitnessIdentity(key, signer)


def _create(state: WitnessState, path: Path, name: str | None) -> str:
    if name is None:
        raise UsageError("the first start needs a name for the witness: --name witness.example.org/w1")
    try:
        require_key_name(name)
    except MalformedData as error:
        raise UsageError(f"{name}: {error}") from error
    ensure_note_key(path)
    key = str(VerifierKey(name, COSIGNATURE, KeyFileNoteSigner(path).public_key()))
    return state.change(lambda rows: rows.identity() or rows.set_identity(key))
