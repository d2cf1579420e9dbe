"""Systems: the whole of coolid in this process, the functions' own handlers over embedded tables, and its answers."""

import json
import os
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.store import DynamoStore
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.transport import Transport
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import PULSE_TABLE, SIGNING_KEYS, Settings
from coolid.aws.wiring.boto_clients import WRITES, dynamodb
from coolid.aws.wiring.write_access import signer
from coolid.aws.wiring.write_access import store as wired_store
from coolid.local.embedded import REGION, Embedded, create_tables
from coolid.local.events import to_event
from coolid.local.functions import Functions
from coolid.local.stack import Stack, find_template, load
from coolid.local.system import TABLES, LocalSettings, running
from coolid.model.clients import issue_client
from coolid.ports import Clock
from coolid.proofs.prover import Prover
from tests.samples import BASE_URL

EVENTS = Path(__file__).parent / "functions" / "events"

_numbers = count()


@dataclass(frozen=True)
class Answer:
    """What a function answered; `headers` by lower-case names. What is no text came in base64, and `body` is empty."""

    status: int
    headers: Mapping[str, str]
    body: str
    content: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def canonical(self) -> str:
        """The canonical link."""
        return canonical_of(self.headers["link"])

    def is_problem(self, status: int, slug: str | None = None) -> bool:
        """Whether it is a problem document (RFC 9457) of this status, and of this kind if one is given."""
        if self.status != status or self.headers.get("content-type") != "application/problem+json":
            return False
        problem = self.json()
        complete = {"type", "title", "status", "detail"} <= problem.keys() and problem["status"] == status
        return complete and (slug is None or problem["type"] == f"{BASE_URL}/problems/{slug}")


@dataclass(frozen=True)
class System:
    """A running system with tables of its own; `tables` are their names by logical name, `environment` is what its
    functions were told, and `surroundings` what stood in the environment besides."""

    invoke: Any
    admin_key: str
    tables: Mapping[str, str]
    environment: Mapping[str, str]
    prefixes: int
    surroundings: Mapping[str, str] = field(repr=False)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        document: Any = None,
        key: str | None = None,
    ) -> Answer:
        """Send a request as API Gateway would: `document` is a JSON body, `key` an API key."""
        sent = [*headers]
        if document is not None:
            body = json.dumps(document).encode()
            sent.append(("Content-Type", "application/json"))
        if key is not None:
            sent.append(("Authorization", f"Bearer {key}"))
        return self.event(to_event(method, path, query, headers=sent, body=body, request_id="a-request"))

    def event(self, event: dict[str, Any]) -> Answer:
        """Give an event to the function that it is for."""
        return answer_of(self.invoke(event))

    def get(self, path: str, *, query: str = "", accept: str | None = None, **headers: str) -> Answer:
        """GET; `headers` with `_` for `-`."""
        sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if accept is not None:
            sent.append(("Accept", accept))
        return self.request("GET", path, query=query, headers=sent)

    def admin(self, method: str, path: str, document: Any = None) -> Answer:
        """A request of the administrator's."""
        return self.request(method, path, document=document, key=self.admin_key)

    def mint(self, document: Any, key: str | None = None) -> Answer:
        """POST to the records, as the administrator unless a key is given."""
        return self.request("POST", "/api/v1/records", document=document, key=key or self.admin_key)

    def key_with(self, *scopes: str) -> str:
        """The API key of a new client with these scopes."""
        client, key = issue_client(scopes, SystemClock(), SystemEntropy(), "a test")
        self.store().put_client(client)
        return key

    def store(self) -> DynamoStore:
        """A store over the same tables."""
        return store_over(self.tables)

    def prover(self, clock: Clock | None = None) -> Prover:
        """What signs with the system's own key."""
        return Prover(signer(Settings.read(self.environment, writes=True)), self.store(), clock or SystemClock())

    def copied(self) -> "System":
        """Another system, which begins with what this one has; its functions have not been asked anything yet."""
        names = copy_of(self.tables)
        environment = {**self.environment, **named(names)}
        with patch.dict(os.environ, {**self.surroundings, **environment}, clear=True):
            functions = Functions(stack_of(find_template()), find_template().parent / "functions")
        return replace(self, invoke=functions.invoke, tables=names, environment=environment)

    def contents(self) -> dict[str, list[str]]:
        """Everything that is stored, to see whether a request changed anything."""
        return {logical: sorted(_items(name)) for logical, name in self.tables.items()}


def canonical_of(link: str) -> str:
    """The target of the one link with the relation `canonical` in a `Link` header (RFC 8288)."""
    (target,) = re.findall(r'<([^<>" ]*)>; rel="canonical"', link)
    return target


def answer_of(answer: Mapping[str, Any]) -> Answer:
    """The answer of a function in either payload format."""
    headers = {name.lower(): ", ".join(values) for name, values in answer.get("multiValueHeaders", {}).items()}
    headers |= {name.lower(): value for name, value in answer.get("headers", {}).items()}
    assert isinstance(answer["isBase64Encoded"], bool)
    if answer["isBase64Encoded"]:
        return Answer(answer["statusCode"], headers, "", b64decode(answer["body"], validate=True))
    return Answer(answer["statusCode"], headers, answer["body"])


def load_event(name: str, system: System | None = None) -> dict[str, Any]:
    """A recorded event; the administrator of `system` sends it, if one is given."""
    text = (EVENTS / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text.replace("{{API_KEY}}", system.admin_key if system else "cool_none"))


def table_names() -> dict[str, str]:
    """Names that no other tables of this process have, by logical name."""
    number = next(_numbers)
    return {logical: f"{name}-{number}" for logical, (_, name) in TABLES.items()}


@cache
def stack_of(template: Path) -> Stack:
    """The stack of a template that stays as it is, read once."""
    return load(template)


def new_tables() -> dict[str, str]:
    """Empty tables, in the embedded backend that runs; their names by logical name."""
    names = table_names()
    create_tables(stack_of(find_template()), names)
    return names


def empty(tables: Mapping[str, str]) -> None:
    """Take everything out of these tables of the embedded backend."""
    for name in tables.values():
        dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[name].items.clear()


def copy_of(tables: Mapping[str, str]) -> dict[str, str]:
    """New tables that hold what these hold; their names by logical name."""
    names = new_tables()
    known = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
    for logical, name in tables.items():
        known[names[logical]].items = deepcopy(known[name].items)
    return names


def named(tables: Mapping[str, str]) -> dict[str, str]:
    """How a function is told the names of these tables."""
    return {variable: tables[logical] for logical, (variable, _) in TABLES.items()}


def environment_for(tables: Mapping[str, str]) -> dict[str, str]:
    """What a function over these tables is told."""
    return named(tables) | {"PUBLIC_BASE_URL": BASE_URL, "SIGNING_KEY_ID": "a-key"}


def store_over(tables: Mapping[str, str], asker: Transport | None = None) -> DynamoStore:
    """The real store over these tables, which reads by `asker`, if one is given, instead of boto3."""
    settings = Settings.read(environment_for(tables), writes=True, also=[PULSE_TABLE])
    return DynamoStore(asker, bind(settings, dynamodb(WRITES))) if asker else wired_store(settings)


@contextmanager
def system(folder: Path, *, with_registry: bool = False, data: Path | None = None) -> Iterator[System]:
    """Run a system; several may run at once, for each has its own tables and reads its settings when it begins.

    `lid` is free in it.
    """
    names = table_names()
    with ExitStack() as ends:
        with patch.dict(os.environ, environment_for(names)):
            local = ends.enter_context(
                running(LocalSettings(BASE_URL, folder, data, with_registry, with_linkids=False), lambda _: None)
            )
            configured = (*environment_for(names), *SIGNING_KEYS)
            environment = {name: os.environ[name] for name in configured if name in os.environ}
            surroundings = dict(os.environ)
        yield System(local.invoke, local.admin_key, names, environment, local.prefixes, surroundings)


def _items(table: str) -> Iterator[str]:
    for item in Embedded().items(table):
        yield orjson.dumps(
            {name: _ordered(value) for name, value in item.items()}, option=orjson.OPT_SORT_KEYS
        ).decode()


def _ordered(value: dict[str, Any]) -> dict[str, Any]:
    return {kind: sorted(content) if kind == "SS" else content for kind, content in value.items()}
