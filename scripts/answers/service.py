"""The service: the handlers of the functions in this process, over the store, and the administrator's key."""

import hashlib
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from scripts.answers import store
from scripts.answers.determinism import PACKAGE
from scripts.answers.stack import Stack, read_stack

BASE_URL: Final = "https://id.example.org"
ADMIN_ID: Final = "recorder"
ADMIN_KEY: Final = f"cool_{ADMIN_ID}_{'r' * 43}"
_FUNCTIONS: Final = ("resolve", "mint", "manage")
_PRIVATE_NUMBER: Final = int.from_bytes(hashlib.sha256(b"scripts.answers").digest()) >> 1
_OTHERS: Final = ("HOME_REGION", "SIGNING_KEY_ID", "STORE_CLIENT")
_SETTINGS: Final = {
    "PUBLIC_BASE_URL": BASE_URL,
    "LOG_REQUESTS": "off",
    "POWERTOOLS_METRICS_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}


class Context:
    """An invocation of a function with so many milliseconds left, however long it takes."""

    aws_request_id = "an-invocation"
    function_name = "a-function"

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds left."""
        return self._milliseconds


class Service:
    """The handlers, by the folders of their functions."""

    def __init__(self, stack: Stack, running: store.Store) -> None:
        self.stack = stack
        self.store = running
        self._handlers = {name: importlib.import_module(f"functions.{name}.handler").handler for name in _FUNCTIONS}
        loaded = sys.modules[PACKAGE].__file__
        if loaded is None or not Path(loaded).is_relative_to(stack.root):
            raise RuntimeError(f"{PACKAGE} was loaded from {loaded}, not from {stack.root}")

    def invoke(self, event: Mapping[str, Any], function: str | None = None) -> dict[str, Any]:
        """Return what a function returns: the one that API Gateway would invoke, unless another is named."""
        name = function or self.stack.function_for(event["httpMethod"], event["path"])
        returned: dict[str, Any] = self._handlers[name](event, Context(self.stack.seconds[name] * 1_000))
        return returned

    @contextmanager
    def reload(self, **environment: str) -> Iterator[None]:
        """While this lasts, the handlers are others, which started in another environment."""
        handlers, before = self._handlers, dict(os.environ)
        os.environ.update(environment)
        try:
            self._handlers = {
                name: importlib.reload(sys.modules[f"functions.{name}.handler"]).handler for name in _FUNCTIONS
            }
            yield
        finally:
            self._handlers = handlers
            os.environ.clear()
            os.environ.update(before)


@contextmanager
def run_service(root: Path, folder: Path) -> Iterator[Service]:
    """Start the service of a checkout over an empty store; its signing key is written to the folder."""
    stack = read_stack(root)
    with store.run_store() as running:
        _set_environment(stack, running, folder)
        running.create_tables(stack)
        running.client().put_item(TableName=stack.variables["CLIENT_TABLE"], Item=_build_administrator())
        sys.path[:0] = [str(root / "layers" / "core"), str(root)]
        yield Service(stack, running)


def _set_environment(stack: Stack, running: store.Store, folder: Path) -> None:
    for name in [name for name in os.environ if name in _OTHERS or name.startswith(("AWS_", "POWERTOOLS_"))]:
        del os.environ[name]
    key = folder / "signing-key.pem"
    private = derive_private_key(_PRIVATE_NUMBER, SECP256R1())
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    os.environ |= stack.variables | store.ENVIRONMENT | _SETTINGS
    os.environ |= {"AWS_ENDPOINT_URL": running.endpoint, "SIGNING_KEY_FILE": str(key)}


def _build_administrator() -> dict[str, Any]:
    digest = hashlib.sha256(ADMIN_KEY.rpartition("_")[2].encode()).hexdigest()
    return {
        "id": {"S": ADMIN_ID},
        "digest": {"S": digest},
        "scopes": {"SS": ["admin"]},
        "created": {"S": "2025-07-10T00:00:00Z"},
    }
