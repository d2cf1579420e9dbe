"""The administrator's API key, which the first start creates in a file of mode 600."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from coolid import private_files
from coolid.errors import Unauthenticated, UsageError
from coolid.model.clients import ADMIN, Client, digest_of, issue_client, split_key
from coolid.ports import Clock, Entropy
from coolid.store.clients import ClientStore

_NOTE: Final = "administrator, created at the first start"


class BadKeyFile(UsageError):
    """The key file does not contain an API key."""


def ensure(file: Path, clients: ClientStore, clock: Clock, entropy: Entropy) -> str:
    """Return the key in the file, or write a new key. Store its client if it is missing or has another secret.

    A key that was revoked stays revoked. Raises `BadKeyFile`, and `OSError` if the file cannot be read or is not a
    regular file.
    """
    content = private_files.read(file)
    if content is None:
        with suppress(FileExistsError):  # another start has just created it
            private_files.create(file, f"{issue_client((ADMIN,), clock, entropy)[1]}\n".encode())
        content = private_files.read(file) or b""
    try:
        key = content.decode().strip()
        client_id, secret = split_key(key)
    except (Unauthenticated, UnicodeDecodeError) as error:
        raise BadKeyFile(f"{file} contains no API key; remove it to get a new one") from error
    client = Client(client_id, digest_of(secret), (ADMIN,), clock.now(), _NOTE)
    stored = clients.client(client.id)
    if stored is None or stored.digest != client.digest:
        clients.put_client(client)
    return key
