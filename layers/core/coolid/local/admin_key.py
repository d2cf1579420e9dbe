"""The administrator's API key, which the first start creates in a file of mode 600."""

from pathlib import Path

from msgspec.structs import replace

from coolid import private_files
from coolid.errors import Unauthenticated, UsageError
from coolid.model.clients import ADMIN, Client, digest_of, issue_client, split_key
from coolid.ports import Clock, Entropy
from coolid.store.clients import ClientStore


class BadKeyFile(UsageError):
    """The key file does not contain an API key."""


def ensure(file: Path, clients: ClientStore, clock: Clock, entropy: Entropy) -> str:
    """Return the key in the file, or write a new key. Store its client if it is missing.

    Raises `BadKeyFile`, and `OSError` if the file cannot be read or is not a regular file.
    """
    content = private_files.read(file)
    if content is not None:
        try:
            key = content.decode().strip()
            client_id, secret = split_key(key)
        except (Unauthenticated, UnicodeDecodeError) as error:
            raise BadKeyFile(f"{file} contains no API key; remove it to get a new one") from error
        client = Client(client_id, digest_of(secret), (ADMIN,), clock.now(), "development server")
    else:
        client, key = issue_client((ADMIN,), clock, entropy, "development server")
        private_files.create(file, f"{key}\n".encode())
    stored = clients.client(client.id)
    if stored is None or replace(stored, created=client.created) != client:
        clients.put_client(client)
    return key
