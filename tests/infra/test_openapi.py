"""The OpenAPI document: every operation is in it, its examples are true, and all responses conform to it."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlencode

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemathesis import checks
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as conformance

from coolid.aws.settings import Settings
from coolid.http import api_documents
from coolid.http.management import job_documents
from coolid.http.management.job_results import ResultRow, slice_text
from coolid.http.problem_types import PROBLEM_TYPES, UNKNOWN
from coolid.http.routes import DeferredRoutes, Route
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.local.stack import SafeLoader
from coolid.model.check_state import CheckState, CheckSubject, repository_owner, target_name
from coolid.model.clients import Client
from coolid.model.conditions import DOWN
from coolid.model.jobs import DONE, PREVIEWED, Job, JobProgress, JobRequest, RowError, TargetChange
from coolid.model.repositories import Repository
from coolid.model.webhooks import Webhook
from coolid.store.jobs import slice_name, upload_name
from coolid.store.store import Store
from coolid.wiring import manage, mint, resolve
from coolid.wiring.job_access import open_job_access
from coolid.wiring.write_handler import open_components
from tests.infra.cloudformation import TEMPLATE
from tests.support.effort import size
from tests.support.fixtures.system import Answer, System, system

FILE = TEMPLATE.parent / "infra" / "openapi.yaml"
DOCUMENT: dict[str, Any] = yaml.load(FILE.read_text(encoding="utf-8"), SafeLoader)  # noqa: S506 - it is one
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data"
METHODS = ("get", "put", "post", "patch", "delete")

# Of a body, what no two runs have in common.
PASSING = {"id", "pid", "key", "author", "created", "updated", "at", "revoked", "proof", "previous", "next"}
PASSING |= {"x", "y", "kid"}  # of a public key
PASSING |= {"release", "time", "milliseconds"}  # of an examination
PASSING |= {"datetime"}  # of a version
PASSING |= {"timestamp"}  # of a value of a handle
PASSING |= {"since", "secret"}  # of a webhook
PASSING |= {"requested"}  # of a check
PASSING |= {"upload", "url", "expires", "client"}  # of a job and its upload
PASSING |= {"last_used"}  # of a client
PASSING |= {"verifier_key", "policy"}  # of a transparency log, whose key is random


def resolved(value: Any) -> Any:
    """An object of the document, or what it refers to."""
    while "$ref" in value:
        target: Any = DOCUMENT
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        value = target
    return value


def validator(schema: Any) -> Draft202012Validator:
    """What judges by a schema of the document."""
    checker = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]}, format_checker=checker)


Case = schemathesis.Case[Any]


@dataclass(frozen=True)
class Operation:
    """A call of the API."""

    path: str
    method: str

    @property
    def item(self) -> dict[str, Any]:
        item: dict[str, Any] = DOCUMENT["paths"][self.path]
        return item

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = self.item[self.method]
        return document

    @property
    def parameters(self) -> list[dict[str, Any]]:
        return [resolved(each) for each in (*self.item.get("parameters", ()), *self.document.get("parameters", ()))]

    @property
    def bodies(self) -> dict[str, Any]:
        """What may be sent, by media type."""
        content: dict[str, Any] = self.document.get("requestBody", {}).get("content", {})
        return content

    @property
    def responses(self) -> dict[int, dict[str, Any]]:
        return {int(status): resolved(response) for status, response in self.document["responses"].items()}

    @property
    def is_safe(self) -> bool:
        """Whether it leaves everything as it is."""
        return self.method == "get" or self.document.get("security") == []

    def __str__(self) -> str:
        return str(self.document["operationId"])


OPERATIONS = [
    Operation(path, method) for path, item in DOCUMENT["paths"].items() for method in METHODS if method in item
]


@dataclass(frozen=True)
class Example:
    """One of an operation's examples: request and answer go by one name."""

    operation: Operation
    name: str

    def parameters(self, place: str) -> dict[str, Any]:
        """The example's values of the parameters in the path, the query or the header: texts, or lists of texts."""
        given = {}
        for parameter in self.operation.parameters:
            examples = parameter.get("examples", {})
            if parameter["in"] == place and self.name in examples:
                value = examples[self.name]["value"]
                given[parameter["name"]] = value if isinstance(value, list) else str(value)
            elif parameter["in"] == place and "example" in parameter and parameter.get("required"):
                given[parameter["name"]] = parameter["example"]
        return given

    def body(self) -> tuple[str, Any] | None:
        """The media type and the value of what is sent."""
        return self._in(self.operation.bodies)

    def answer(self) -> tuple[int, str, Any] | None:
        """The status, the media type and the value of what is answered."""
        for status, response in self.operation.responses.items():
            found = self._in(response.get("content", {}))
            if found:
                return status, *found
        return None

    def is_whole(self) -> bool:
        """Whether there is all that a request needs."""
        given = {*self.parameters("path"), *self.parameters("query"), *self.parameters("header")}
        needed = {each["name"] for each in self.operation.parameters if each.get("required")}
        return needed <= given and (self.body() is not None or not self.operation.bodies)

    def _in(self, contents: Mapping[str, Any]) -> tuple[str, Any] | None:
        for media_type, content in contents.items():
            if self.name in content.get("examples", {}):
                return media_type, content["examples"][self.name]["value"]
        return None

    def __str__(self) -> str:
        return f"{self.operation}-{self.name}"


def _examples(operation: Operation) -> Iterator[Example]:
    """An operation's examples; those of a shared answer only where the operation has the request to it."""
    contents = [response.get("content", {}) for response in operation.responses.values()]
    named = (content.get("examples", {}) for each in contents for content in each.values())
    yield from (Example(operation, name) for name in dict.fromkeys(name for names in named for name in names))


EXAMPLES = [example for operation in OPERATIONS for example in _examples(operation) if example.is_whole()]


PLACES = [{"uri": f"https://content.example.org/{name}"} for name in ("here.pdf", "there.pdf")]


def furnish(running: System) -> None:
    """Put in what the examples speak of."""
    _add_repositories(running)
    _add_records(running)
    _add_checks(running.store())
    _add_jobs(running)
    withdrawal = json.dumps({"reason": "Published by mistake"}).encode()
    headers = [("If-Match", "*")]
    pid = "/api/v1/records/mp/j3wv-ntkf-77"
    assert running.request("DELETE", pid, headers=headers, body=withdrawal, key=running.admin_key).status == 200


def _add_repositories(running: System) -> None:
    """Add repositories, their prefixes, a provider prefix and a client."""
    now = datetime.now(UTC)
    store = running.store()
    store.repositories.create_repository(
        Repository("r4k2-9m3x-62", "Example publications", now, now, LuiRules(), choices=True)
    )
    store.repositories.create_repository(Repository("tw0t-ywdj-94", "One without a webhook", now, now, LuiRules()))
    handles = Repository("h4nd-1e5x-00", "Handles", now, now, ChosenRules(folds_case=True))
    store.repositories.create_repository(handles)
    store.clients.put_client(Client("epyx6gxg", "0" * 64, ("mint:2021/06/mp",), now, "The deposit form"))
    alias = {"kind": "namespace", "repository": "r4k2-9m3x-62", "title": "Example publications"}
    ontology = {
        "kind": "provider",
        "title": "Gene Ontology",
        "pattern": "^\\d{7}$",
        "example": "0006915",
        "providers": [{"code": "ols", "url": "https://www.ebi.ac.uk/ols4/ontologies/go/terms?obo_id=GO:{$id}"}],
    }
    for prefix, meaning in (("2021/06/mp", alias), ("mp", alias), ("go", ontology)):
        assert running.admin("PUT", f"/api/v1/prefixes/{prefix}", meaning).status == 201
    assert running.admin("PUT", "/api/v1/prefixes/10.5072", alias | {"repository": handles.id}).status == 201


def _add_records(running: System) -> None:
    for document in (
        {"id": "tw0t-ywdj-94", "records": PLACES[:1], "metadata": {"what": "A report", "when": "2025"}},
        {"id": "p4sg-2dam-85", "records": PLACES},
        {"id": "j3wv-ntkf-77", "records": PLACES[:1]},
    ):
        assert running.mint({"prefix": "mp", **document}).status == 201
    assert running.mint({"prefix": "10.5072", "id": "here", "records": PLACES[:1]}).status == 201


def _add_checks(store: Store) -> None:
    """Add the check state of a dead location, and a webhook."""
    uri, key = PLACES[1]["uri"], "p4sg2dam85"
    since, seen = datetime(2026, 11, 19, 8, tzinfo=UTC), datetime(2026, 11, 21, 8, tzinfo=UTC)
    dead = CheckState(
        url=uri,
        state=DOWN,
        since=since,
        checked=seen,
        good=since - timedelta(hours=12),
        reason="it answered 404",
        status=404,
    )
    store.check_states.put_check_state(CheckSubject(repository_owner("r4k2-9m3x-62"), target_name(key, uri)), dead)
    store.webhooks.put_webhook(
        "r4k2-9m3x-62", Webhook("https://hooks.example.org/links", "whsec_" + "A" * 43 + "=", seen)
    )


def _add_jobs(running: System) -> None:
    """Add a job that is done, one that is previewed, and an upload. They are the administrator's."""
    client_id = running.admin_key.split("_")[1]
    access = open_job_access(Settings.read(running.environment, writes=True))
    assert access is not None
    now = datetime.now(UTC).replace(microsecond=0)
    request = JobRequest("mint", "mp", {"Link": "uri"})
    done = Job("a2b3c4d5e6f7g2h3", client_id, request, now, now, DONE, progress=JobProgress(slices=1))
    access.jobs.create_job(done)
    rows = [
        ResultRow(1, ["https://content.example.org/1"], "https://id.example.org/2021/06/mp/p4sg-2dam-85"),
        ResultRow(2, ["x"], "", "Link: it does not begin with http:// or https://"),
    ]
    access.files.write(slice_name(done.id, 1), [slice_text(["Link"], rows)])
    error = RowError(2, "Link", "it contains a backslash")
    targets = [f"https://{host}.example.org/here.pdf" for host in ("content", "new")]
    change = TargetChange("https://id.example.org/2021/06/mp/tw0t-ywdj-94", *targets)
    progress = JobProgress(row=2, valid=1, invalid=1, errors=(error,), changes=(change,))
    request = JobRequest("retarget", "mp", {"Link": "uri"}, dry_run=True)
    later = now + timedelta(seconds=1)
    access.jobs.create_job(
        Job("b2c3d4e5f6g7h2i3", client_id, request, later, later, PREVIEWED, rows=2, progress=progress)
    )
    access.files.write(upload_name(client_id, "f6g7h2i3j4k5l6m7"), ())


def _add_linkids(running: System) -> None:
    """Add a repository of LinkIDs with one record. Other examples list all prefixes, without this one."""
    now = datetime.now(UTC)
    linkids = Repository("1x1d-5hq6-00", "LinkIDs", now, now, UuidRules(version=4))
    running.store().repositories.create_repository(linkids)
    alias = {"kind": "namespace", "repository": linkids.id}
    assert running.admin("PUT", "/api/v1/prefixes/linkid", alias).status == 201
    chosen = "919108f7-52d1-4320-9bac-f847db4148a8"
    assert running.mint({"prefix": "linkid", "id": chosen, "records": PLACES[:1]}).status == 201


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with what the examples speak of, for operations that leave it as it is."""
    with system(tmp_path_factory.mktemp("read")) as running:
        furnish(running)
        yield running


@pytest.fixture
def changing(read: System) -> System:
    """One that only this test knows."""
    return read.copied()


def one_for(operation: Operation, request: pytest.FixtureRequest) -> System:
    """A system to send requests of an operation to. The health of one over DynamoDB is described."""
    if operation.path.startswith(("/api/v1/custody", "/api/public/resolve")):
        running = request.getfixturevalue("changing")
        assert isinstance(running, System)
        _add_linkids(running)
        return running
    shared = "light_tables" if operation.path == "/health" else "read"
    running = request.getfixturevalue(shared if operation.is_safe else "changing")
    assert isinstance(running, System)
    return running


def send(example: Example, running: System) -> Answer:
    """The answer to an example, sent by the administrator; an entity tag is the one that the system gives."""
    path = example.operation.path
    for name, value in example.parameters("path").items():
        path = path.replace(f"{{{name}}}", quote(value, safe="/:"))
    headers = example.parameters("header")
    if "If-Match" in headers:
        record = path.replace("/custody/", "/records/")  # an offer is made from a version of the record
        headers["If-Match"] = running.admin("GET", record).headers["etag"]
    sent = [*headers.items(), ("Authorization", f"Bearer {running.admin_key}")]
    body = b""
    if found := example.body():
        media_type, value = found
        text = urlencode(value, doseq=True) if media_type == FORM else json.dumps(value)
        if media_type == PARTS:
            media_type, text = f"{PARTS}; boundary=x", form_of(value)
        body = (value if isinstance(value, str) else text).encode()
        sent.append(("Content-Type", media_type))
    query = urlencode(example.parameters("query"), doseq=True)
    return running.request(example.operation.method.upper(), path, query=query, headers=sent, body=body)


def form_of(value: Mapping[str, Any]) -> str:
    """The parts of a form between boundaries."""
    texts = {name: each if isinstance(each, str) else json.dumps(each) for name, each in value.items()}
    parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in texts.items()]
    return "".join((*parts, "--x--\r\n"))


def content_of(answer: Answer) -> tuple[str, Any]:
    """The media type and the body of an answer, JSON as what it says."""
    media_type = answer.headers["content-type"].partition(";")[0]
    text = answer.content.decode() if media_type in ("text/csv", "application/x-ndjson") else ""
    is_json = media_type.endswith("json") and media_type[-6:] != "ndjson"
    return media_type, answer.json() if is_json else answer.body or text


def lasting(value: Any) -> Any:
    """A body without what differs from run to run."""
    match value:
        case dict():
            return {name: "…" if name in PASSING else lasting(inner) for name, inner in value.items()}
        case list():
            return [lasting(inner) for inner in value]
        case str() if value.startswith("{"):
            return [lasting(json.loads(line)) for line in value.splitlines()]
        case str() if value.startswith("success: "):  # of EZID's API
            return re.sub(r"(?m)(^_(?:owner|created|updated): |FK2|download_request/)\S+", r"\1…", value)
        case str() if value.startswith("<?xml"):
            return re.sub("<responseDate>[^<]*", "<responseDate>…", value)
        case _:
            return value


def test_the_document_is_one_of_openapi() -> None:
    schema = schemathesis.openapi.from_dict(DOCUMENT)
    schema.validate()
    assert schema.specification.version.startswith("3.1")


def test_the_copy_that_is_served_is_made_of_the_document_as_it_is() -> None:
    copy = FILE.parent.parent / "layers" / "core" / "coolid" / "http" / "pages" / "openapi.json"
    made = json.dumps(DOCUMENT, ensure_ascii=False, separators=(",", ":")) + "\n"
    # Not compared by assert, which would tell of every difference.
    if copy.read_text(encoding="utf-8") != made:
        pytest.fail("infra/openapi.yaml has changed since its copy was made: run .venv/bin/python scripts/openapi")


def test_every_operation_has_a_success_but_one_that_only_redirects() -> None:
    """`infra/redocly.yaml` switches off the linter's own rule."""
    assert [str(each) for each in OPERATIONS if not any(200 <= status < 300 for status in each.responses)] == [
        "timegate"
    ]


def contents(operation: Operation) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The status, media type and description of each response of an operation."""
    for status, response in operation.responses.items():
        for media_type, content in response.get("content", {}).items():
            yield status, media_type, content


def test_parameters_and_responses_for_programs_have_examples_that_keep_their_schemas() -> None:
    for operation in OPERATIONS:
        for parameter in operation.parameters:
            assert "examples" in parameter or "example" in parameter
            if "example" in parameter:
                validator(parameter["schema"]).validate(parameter["example"])
        for status, media_type, content in contents(operation):
            if media_type.endswith("json"):
                assert "examples" in content or "example" in content
            if not media_type.endswith("json") or "example" not in content:
                continue
            example = content["example"]
            validator(content["schema"]).validate(example)
            if "problem+" in media_type and example["type"] != "about:blank":
                (kind,) = [each for each in PROBLEM_TYPES.values() if example["type"].endswith(f"/{each.slug}")]
                assert (kind.status, kind.status, kind.title) == (status, example["status"], example["title"])


def test_every_schema_is_one_of_json_schema_and_is_used() -> None:
    text = json.dumps(DOCUMENT)
    for name, schema in DOCUMENT["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert f'"#/components/schemas/{name}"' in text


def routes() -> Iterator[Route]:
    """What the functions answer, but for addresses that only say that there is nothing."""
    managing = manage.build_application(open_components("manage")[0])
    for application in (resolve.handler().application, mint.handler().application, managing):
        served = application.routes
        for route in (
            route for each in served for route in (each.make() if isinstance(each, DeferredRoutes) else [each])
        ):
            if not {each.__name__ for each in route.endpoints.values()} <= {"_not_found", "_no_identifier"}:
                yield route


def test_the_document_has_every_route_of_the_functions_and_no_other(light: System) -> None:
    with patch.dict(os.environ, light.environment):
        served = {(route.path, route.below, method) for route in routes() for method in route.endpoints}
    returned = {(each.path.partition("{")[0], "{" in each.path, each.method.upper()) for each in OPERATIONS}
    assert returned == served


def test_the_document_says_what_every_call_needs() -> None:
    assert DOCUMENT["security"] == [{"key": []}]
    names = [str(operation) for operation in OPERATIONS]
    assert len(names) == len(set(names))
    for operation in OPERATIONS:
        in_path = {each["name"] for each in operation.parameters if each["in"] == "path"}
        assert in_path == set(re.findall(r"\{(\w+)\}", operation.path))
        is_public = operation.document.get("security") == []
        assert is_public == (401 not in operation.responses)
        changes_what_is_there = "If-Match" in {each["name"] for each in operation.parameters}
        assert changes_what_is_there == (428 in operation.responses) == (412 in operation.responses)


def test_the_document_knows_every_kind_of_problem_with_its_status() -> None:
    described = DOCUMENT["components"]["schemas"]["Problem"]["properties"]["type"]["description"]
    returned = {(int(line[:3]), slug) for line in described.split("- ")[1:] for slug in re.findall("`([a-z-]+)`", line)}
    assert returned == {(kind.status, kind.slug) for kind in (*PROBLEM_TYPES.values(), UNKNOWN)}


MODELS: dict[str, type[api_documents.Body]] = {
    "NewJob": job_documents.JobBody,
    "NewUpload": job_documents.UploadBody,
    "Mint": api_documents.MintBody,
    "Content": api_documents.ContentBody,
    "Withdrawal": api_documents.WithdrawalBody,
    "NewRepository": api_documents.RepositoryBody,
    "Namespace": api_documents.NamespaceBody,
    "ProviderPrefix": api_documents.ProviderPrefixBody,
    "NewClient": api_documents.ClientBody,
    "NewWebhook": api_documents.WebhookBody,
}
# What the document may say beyond a model: for people, and what the models judge by functions.
MORE = {"description", "example", "format", "pattern", "propertyNames", "enum"}


def disagreements(model: Any, returned: Any, definitions: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Where a model's schema and the document's differ."""
    if not isinstance(model, dict) or not isinstance(returned, dict):
        if model != returned:
            yield f"{place}: {model} is told as {returned}"
        return
    if "$ref" in model:
        model = {**definitions[model["$ref"].removeprefix("#/$defs/")], **model}
    returned = {**resolved(returned), **{name: value for name, value in returned.items() if name != "$ref"}}
    is_schema = not place.endswith("/properties")
    skipped = {"$ref", "$defs", "title", "description"} if is_schema else set()
    for name in sorted((model.keys() | returned.keys()) - skipped):
        if name not in returned or (name not in model and not (is_schema and name in MORE)):
            yield f"{place}/{name}: only one of the two has it"
        elif name == "anyOf":
            for at, (one, other) in enumerate(zip(model[name], returned[name], strict=True)):
                yield from disagreements(one, other, definitions, f"{place}/anyOf/{at}")
        elif name in model:
            yield from disagreements(model[name], returned[name], definitions, f"{place}/{name}")


@pytest.mark.parametrize("name", MODELS)
def test_the_document_requires_what_the_models_accept(name: str) -> None:
    model = MODELS[name].model_json_schema()
    assert not [*disagreements(model, DOCUMENT["components"]["schemas"][name], model.get("$defs", {}))]


def test_the_terms_of_a_repository_are_those_of_a_new_one_that_can_be_changed() -> None:
    model = api_documents.TermsBody.model_json_schema()
    whole = DOCUMENT["components"]["schemas"]["NewRepository"]
    members = {name: each for name, each in whole["properties"].items() if name not in ("scheme", "rules")}
    assert not [*disagreements(model, {**whole, "properties": members}, model.get("$defs", {}))]


def test_a_merge_patch_has_the_members_of_what_it_changes() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["ContentPatch"]["properties"].keys() == schemas["Content"]["properties"].keys()
    members = {*api_documents.TermsBody.model_fields, "rules"}
    assert schemas["TermsPatch"]["properties"].keys() == members


def test_every_example_of_a_request_has_a_response() -> None:
    for operation in OPERATIONS:
        for content in operation.bodies.values():
            assert content["examples"].keys() <= {each.name for each in EXAMPLES if each.operation == operation}
    shown = {each for each in OPERATIONS if str(each) != "home" and each.document["tags"] != ["pages"]}
    assert {each.operation for each in EXAMPLES} == shown


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_keeps_its_schema_and_comes_true(example: Example, request: pytest.FixtureRequest) -> None:
    if found := example.body():
        media_type, value = found
        validator(example.operation.bodies[media_type]["schema"]).validate(value)
    expected = example.answer()
    assert expected is not None
    status, media_type, value = expected
    response = example.operation.responses[status]
    schema = response["content"][media_type]["schema"]
    validator(schema).validate(value)

    answer = send(example, one_for(example.operation, request))
    assert (answer.status, content_of(answer)[0]) == (status, media_type), answer.body
    validator(schema).validate(content_of(answer)[1])
    assert lasting(content_of(answer)[1]) == lasting(value)
    for name, header in response.get("headers", {}).items():
        if resolved(header).get("required"):
            validator(resolved(header)["schema"]).validate(answer.headers[name.lower()])


# ---- Requests that nobody thought of. ----

CHECKS: list[Any] = [
    checks.not_a_server_error,
    conformance.status_code_conformance,
    conformance.content_type_conformance,
    conformance.response_headers_conformance,
    conformance.response_schema_conformance,
]
# What is generated leads nowhere; half of the requests are about what is there, in spellings without slashes.
THERE = {
    "pid": "mp:tw0t-ywdj-94",
    "prefix": "go",
    "slug": "unknown-prefix",
    "page": "records",
    "asset": "0123456789abcdef/style.css",
    "curie": "go:0006915",
    "compact": "ols/go:0006915",
    "handle": "10.5072/here",
    "identifier": "doi:10.5072/HERE",
    "shoulder": "doi:10.5072/FK2",
    "file": "a2b3c4d5e6f7g2h3i4j5k6l7m2n3p4.txt.gz",
    "repository": "r4k2-9m3x-62",
    "list": "r4k2-9m3x-62.xml",
    "/log/{path}": "checkpoint",
    "/resolve/{id}": "mp:tw0t-ywdj-94",
    "/api/v1/repositories/{id}": "r4k2-9m3x-62",
    "/api/v1/clients/{id}": "epyx6gxg",
    "/api/v1/links/{prefix}": "mp",
    "/api/v1/webhooks/{id}": "r4k2-9m3x-62",
    "/api/v1/jobs/{id}": "b2c3d4e5f6g7h2i3",
    "/api/v1/jobs/{id}/run": "b2c3d4e5f6g7h2i3",
    "/api/v1/jobs/{id}/results": "a2b3c4d5e6f7g2h3",
    "/api/v1/uploads/{id}": "f6g7h2i3j4k5l6m7",
}
NAMED = {"prefix": "mp", "repository": "r4k2-9m3x-62"}
# `make fuzz` asks for more, and for other ones each time.
_SECONDS = int(os.environ.get("COOLID_FUZZ") or 0)
FEW = settings(
    max_examples=max(size(drill=5, test=2), _SECONDS // 30),
    derandomize=not _SECONDS,
    database=None,
    deadline=None,
    suppress_health_check=[*HealthCheck],
)
WITHIN, BEYOND = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
BYTES = "application/octet-stream"
# Only a body or a query can break a schema: whatever is in a path or a header is some text, and BYTES may be any.
BREAKABLE = [
    each for each in OPERATIONS if {*each.bodies} - {BYTES} or any(one["in"] == "query" for one in each.parameters)
]


class Wsgi:
    """A WSGI application (PEP 3333) that sends requests to `system`, as its administrator's."""

    system: System

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        path = environ["REQUEST_URI"].partition("?")[0]
        headers = [(name[5:].replace("_", "-"), value) for name, value in environ.items() if name.startswith("HTTP_")]
        if environ.get("CONTENT_TYPE"):
            headers.append(("Content-Type", environ["CONTENT_TYPE"]))
        answer = self.system.request(
            environ["REQUEST_METHOD"],
            path,
            query=environ["QUERY_STRING"],
            headers=headers,
            body=environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)),
            key=self.system.admin_key,
        )
        start_response(f"{answer.status} -", [*answer.headers.items()])
        return [answer.content or answer.body.encode()]


GATEWAY = Wsgi()
# The administrator asks whatever is asked: no request is made without a key, or with a wrong one.
SCHEMA = schemathesis.openapi.from_dict({**DOCUMENT, "security": []})
SCHEMA.app = GATEWAY
# Whether a change is one of what is there now is asked before the content is read (RFC 9110, section 13.2.1).
SCHEMA.config.checks.negative_data_rejection.expected_statuses += ["412"]


def about_what_is_there(operation: Operation, mode: GenerationMode) -> st.SearchStrategy[Case]:
    """Requests of an operation that name what exists."""
    call = SCHEMA[operation.path][operation.method]
    needed = [each for each in operation.parameters if each.get("required")]
    path = {each["name"]: THERE.get(operation.path) or THERE[each["name"]] for each in needed if each["in"] == "path"}
    query = {each["name"]: NAMED[each["name"]] for each in needed if each["in"] == "query" and each["name"] in NAMED}
    headers = {each["name"]: "*" for each in needed if each["in"] == "header"}
    strategy = call.as_strategy(generation_mode=mode, path_parameters=path, query=query, headers=headers)
    return strategy.map(named) if mode == WITHIN else strategy


def named(case: Case) -> Case:
    """The request with names of what exists in its body."""
    for document in case.body if isinstance(case.body, list) else [case.body]:
        if isinstance(document, dict):
            document.update({name: value for name, value in NAMED.items() if isinstance(document.get(name), str)})
    return case


@pytest.mark.parametrize(
    ("operation", "mode"),
    [*((each, WITHIN) for each in OPERATIONS), *((each, BEYOND) for each in BREAKABLE)],
    ids=str,
)
def test_no_request_makes_the_document_a_lie(
    operation: Operation, mode: GenerationMode, request: pytest.FixtureRequest
) -> None:
    GATEWAY.system = one_for(operation, request)
    anywhere = SCHEMA[operation.path][operation.method].as_strategy(generation_mode=mode)

    # Lines of a batch are refused one by one, OAI-PMH refuses with 200, and a query may have more than is looked at.
    refuses = operation.bodies and str(operation) != "mintMany" and FORM not in operation.bodies
    more = [conformance.negative_data_rejection] if refuses else []

    @FEW
    @given(case=anywhere | about_what_is_there(operation, mode))
    def every(case: Case) -> None:
        case.call_and_validate(checks=[*CHECKS, *more])

    every()
