"""Fuzzing targets, each with valid examples and the properties that hold for their mutations.

A value is JSON, so that it can be stored (`tests/fuzz/corpus`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from typing import Any

from typer.testing import CliRunner

from coolid.aws.clock import SystemClock
from coolid.cli import app
from coolid.errors import CoolidError, StoreUnavailable
from coolid.http.accept import choose_format, client_preferences, media_type_of, prefers_html
from coolid.http.message import Request
from coolid.http.public.memento import moment_of
from coolid.identifiers import schemes
from coolid.proofs.canonical_json import canonical
from coolid.proofs.verification import verify
from coolid.recognition.explanation import explain
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import parse_reference
from coolid.store.rows import record_body, record_of
from coolid.transfer import export_format
from coolid.transfer.progress import Refusal, TransferProgress
from coolid.transfer.row_reader import InvalidTable
from coolid.wiring import transfer
from tests.fuzz.log_target import EXAMPLE, check_log_files
from tests.fuzz.response_checks import answered, assert_sound
from tests.support.builders.samples import BASE_URL
from tests.support.builders.signed_documents import Key, document, history, key_set
from tests.support.fixtures.events import to_event
from tests.support.fixtures.installations import check_export
from tests.support.fixtures.system import EVENTS, System, environment_for, new_tables, store_over

FUNCTIONS = ("ResolveFunction", "MintFunction", "ManageFunction")
VECTORS = Path(__file__).parent.parent / "vectors"


@dataclass(frozen=True)
class Target:
    """`check` fails for a value that is not dealt with rightly; it may ask a `System`. `weight` is its share."""

    name: str
    examples: Sequence[Any]
    check: Callable[[Any, System], None]
    weight: int = 1


# ---- Events, as Lambda hands them over. ----


def _event(method: str, path: str, query: str = "", body: Any = None, **headers: str) -> dict[str, Any]:
    sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
    returned = b"" if body is None else json.dumps(body).encode()
    return to_event(method, path, query, headers=sent, body=returned, request_id="a-request")


_RECORD = {"prefix": "demo", "uri": "https://example.org/", "metadata": {"what": "A report"}}
_EVENTS = [
    *({"function": "ResolveFunction", "event": json.loads(file.read_text())} for file in sorted(EVENTS.glob("*.json"))),
    *(
        {"function": "ResolveFunction", "event": _event(*request)}
        for request in (
            ("GET", "/demo:tw0t-ywdj-94", "info&format=linkset&lang=en"),
            ("GET", "/2021/06/demo"),
            ("HEAD", "/demo"),
            ("GET", "/", "q=demo"),
            ("GET", "/api/v1/parse", "id=demo:tw0t-ywdj-94"),
            ("GET", "/api/v1/prefixes", "q=d&limit=5"),
            ("POST", "/api/v1/resolve", "", ["demo:tw0t-ywdj-94", "nothing"]),
            ("GET", "/.well-known/linkid-resolver"),
            ("GET", "/api/handles/10.5072/x", "type=URL"),
            ("OPTIONS", "/demo"),
        )
    ),
    {
        "function": "ManageFunction",
        "event": _event("GET", "/api/v1/records", "prefix=demo", authorization="Bearer {key}"),
    },
    {
        "function": "ManageFunction",
        "event": _event("PATCH", "/api/v1/records/demo:tw0t-ywdj-94", "", {"ttl": 5}, authorization="Bearer {key}"),
    },
    {"function": "MintFunction", "event": _event("POST", "/api/v1/records", "", _RECORD, authorization="Bearer {key}")},
    {
        "function": "MintFunction",
        "event": _event(
            "POST", "/api/v1/records/batch", "", [_RECORD, _RECORD], authorization="Bearer {key}", idempotency_key="k"
        ),
    },
]


def check_event(value: Any, system: System) -> None:
    """Any event at all gets a well-formed answer, and none is a failure of ours."""
    value = value if isinstance(value, dict) else {}
    function, event = value.get("function"), value.get("event")
    function = function if isinstance(function, str) and function in FUNCTIONS else FUNCTIONS[0]
    returned = json.loads(json.dumps(event).replace("{key}", system.admin_key).replace("{{API_KEY}}", system.admin_key))
    answered(system, function, returned if isinstance(returned, dict) else {"event": returned})


# ---- Identifiers. ----

_MODULES = [import_module(f"{schemes.__name__}.{each.name}") for each in iter_modules(schemes.__path__)]
_SCHEMES = [each for each in _MODULES if hasattr(each, "is_valid") and not each.__name__.endswith(".crockford")]


def _identifiers() -> list[str]:
    found: list[str] = []

    def gather(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            gather(inner)

    for name in ("identifiers", "schemes"):
        gather(json.loads((VECTORS / f"{name}.json").read_text()))
    ours = [
        "demo:tw0t-ywdj-94",
        "2021/06/demo/tw0t-ywdj-94",
        "https://id.example.org/demo:tw0t-ywdj-94",
        "go:GO:0006915",
    ]
    return sorted({each for each in found if len(each) < 120 and " " not in each}) + ours * 5


def check_identifier(value: Any, system: System) -> None:
    """A text is an identifier, or refused with a reason; nothing else happens."""
    if not isinstance(value, str):
        return
    for scheme in _SCHEMES:
        key = None
        with suppress(CoolidError):
            key = scheme.validate(value)
        if key is not None:
            assert scheme.is_valid(value), scheme
            assert scheme.validate(key) == key, (scheme, key)
            assert scheme.validate(scheme.format(key)) == key, (scheme, key)
        with suppress(CoolidError):
            scheme.compact(value)
    store = system.store()
    with suppress(CoolidError):
        find_prefix(parse_reference(value), store.prefixes)
    parsed = explain(value, system.reader(), BASE_URL, SystemClock().now())
    assert parsed.steps
    requested = system.request("POST", "/api/v1/parse", document={"id": value})
    assert_sound(requested)


# ---- What a client would like to have. ----

_NEGOTIATION: list[dict[str, Any]] = [
    {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "Accept-Language": "de-CH, en;q=0.5, *;q=0"},
    {"Accept": 'application/ld+json;profile="https://example.org/a,b", text/turtle;q=0.123', "query": "lang=en"},
    {"Accept": "application/linkid+json", "If-None-Match": 'W/"a", "b"', "query": "info&version=1"},
    {"Accept-Datetime": "Thu, 10 Jul 2025 14:22:30 GMT", "path": "/timegate/demo:tw0t-ywdj-94"},
    {"Accept-Datetime": "Mon, 31 Dec 2029 23:59:60 GMT", "query": "format=linkset"},
    {
        "If-Modified-Since": "Thu, 10 Jul 2025 14:22:30 GMT",
        "query": "format=text/html; charset=utf-8",
        "Range": "bytes=0-",
    },
    {"Accept": "*/*;q=0.0", "query": "format=pdf&provider=x&strict=1", "path": "/demo"},
]


def check_negotiation(value: Any, system: System) -> None:
    """Whatever headers and parameters say, they are understood, overlooked, or refused with 4xx."""
    if not isinstance(value, dict):
        return
    named = {name: each for name, each in value.items() if isinstance(each, str)}
    path, query = named.pop("path", "/demo:tw0t-ywdj-94"), named.pop("query", "")
    accept = named.get("Accept")
    preferences = client_preferences(
        Request("GET", "/", tuple((each, "") for each in query.split("&")), {"accept": accept or ""})
    )
    assert all(0 <= weight <= 1 for _, weight in (*(preferences.types or ()), *(preferences.languages or ())))
    assert choose_format(accept, ("a/b", "text/html")) in ("a/b", "text/html", None)
    prefers_html(accept)
    media_type_of(accept or "")
    with suppress(CoolidError):
        assert moment_of(named.get("Accept-Datetime", "")).tzinfo is not None
    multi = {name: [each] for name, each in named.items()}
    event = to_event("GET", path, query, headers=[], body=b"", request_id="a-request") | {"multiValueHeaders": multi}
    answered(system, "ResolveFunction", event)


# ---- Records. ----

_DOCUMENTS: list[dict[str, Any]] = [
    {"to": "POST", "document": {**_RECORD, "status": "reserved", "ttl": 60}},
    {
        "to": "POST",
        "document": {"prefix": "demo", "id": "tw0t-ywdj-94", "records": [{"uri": "https://example.org/a.pdf"}]},
    },
    {
        "to": "POST",
        "document": {
            "prefix": "demo",
            "records": [
                {
                    "uri": "https://content.example.org/v3/document.pdf?x=%2F#f",
                    "status": "active",
                    "mediaType": "application/pdf",
                    "language": "en",
                    "quality": 0.95,
                    "validFrom": "2025-07-10T00:00:00Z",
                    "validUntil": None,
                    "version": "3",
                    "checksum": {"algorithm": "sha256", "value": "ab" * 32},
                    "size": 2047583,
                    "lastModified": "2025-07-09T16:45:00Z",
                },
                {"uri": "https://content.example.org/", "language": "de-CH", "quality": 0},
            ],
            "alternates": [{"scheme": "doi", "identifier": "10.1000/182"}],
            "metadata": {
                "who": "Ann",
                "what": ["a", {"b": 1.5}],
                "when": "2025",
                "where": "https://example.org/",
                "é": None,
            },
        },
    },
    {
        "to": "PATCH",
        "document": {"metadata": {"what": None, "how": "x"}, "records": [{"uri": "https://example.org/2"}]},
    },
    {"to": "PUT", "document": {"records": [{"uri": "https://example.org/3"}], "metadata": {}, "status": "active"}},
    {"to": "DELETE", "document": {"reason": "Published by mistake", "successor": "demo:tw0t-ywdj-94"}},
]


def check_record(value: Any, system: System) -> None:
    """A document becomes a record that says what it says, or is refused; what is stored can be read and verified."""
    value = value if isinstance(value, dict) else {}
    method, returned = value.get("to"), value.get("document")
    body = json.dumps(returned).encode()
    if method not in ("PUT", "PATCH", "DELETE"):
        answer = system.request("POST", "/api/v1/records", body=body, key=system.admin_key)
    else:
        minted = system.mint(_RECORD).json()
        path = "/api/v1/records/" + minted["pid"].removeprefix(f"{BASE_URL}/")
        answer = system.request(method, path, headers=[("If-Match", "*")], body=body, key=system.admin_key)
    assert_sound(answer)
    if answer.status >= 300:
        assert answer.is_problem(answer.status), answer.body
        return
    made = answer.json()
    keys = system.get("/.well-known/jwks.json").json()
    assert verify(made, keys).ok, verify(made, keys)
    path = "/" + made["pid"].removeprefix(f"{BASE_URL}/")
    assert system.admin("GET", f"/api/v1/records{path}").json() == made
    for query in ("format=linkid", "format=linkset", "format=jsonld", "format=ttl", "info", "format=html", ""):
        assert_sound(system.get(path, query=query))
    if made["status"] != "reserved":
        assert system.get(path, query="format=linkid").json() == made
    found = system.store().records.record(made["repository"], made["id"].replace("-", ""), consistent=True)
    assert found is not None
    assert record_of(record_body(found)) == found
    if isinstance(returned, dict) and isinstance(returned.get("records"), list) and method != "DELETE":
        given = [place["uri"] for place in returned["records"]]
        assert [place["uri"] for place in made["records"]] == given


# ---- Files that are brought in. ----


def export_of(system: System) -> list[Any]:
    """The documents of what a system holds."""
    return _exported(transfer.settings_of(system.environment, signs=False))[1:-1]


def furnished(system: System) -> System:
    """A copy that may be filled with whatever passes; a record of it has three versions, another is withdrawn."""
    copy = system.copied()
    path = "/api/v1/records/demo:tw0t-ywdj-94"
    for number in (2, 3):
        returned = {"metadata": {"what": f"Version {number}"}}
        changed = copy.request("PATCH", path, headers=[("If-Match", "*")], document=returned, key=copy.admin_key)
        assert changed.status == 200, changed.body
    gone = copy.mint(_RECORD).json()["pid"].removeprefix(f"{BASE_URL}/")
    headers, why = [("If-Match", "*")], {"reason": "By mistake"}
    path = f"/api/v1/records/{gone}"
    assert copy.request("DELETE", path, headers=headers, document=why, key=copy.admin_key).status == 200
    return copy


def check_import(value: Any, system: System) -> None:
    """Of an export whose lines say something else, each is taken whole, or refused by its number; nothing by halves.

    What is taken is there already when the file is brought in again; and it can be exported.
    """
    documents = value if isinstance(value, list) else [value]
    documents = [each if isinstance(each, dict) else {"kind": each} for each in documents]
    order = ("keys", "repository", "prefix", "record", "counter")
    stored = [each for each in documents if isinstance(each.get("kind"), str) and each["kind"] in order]
    stored.sort(key=lambda each: order.index(each["kind"]))
    try:
        sealed = b"".join(export_format.export_lines(stored))
    except (TypeError, ValueError):  # what orjson does not write no file can have
        return
    tables = new_tables()
    settings = transfer.settings_of(environment_for(tables), signs=False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export.jsonl"
        path.write_bytes(sealed)
        check_export(path)
        try:
            first, refusals = _restored(path, settings)
        except StoreUnavailable:  # the store itself does not take it; what it took is whole
            _demand_whole(_exported(settings), store_over(tables))
            return
        assert first.handled <= len(stored), refusals  # of a record that is refused, its first version tells
        assert first.refused or first.handled == len(stored)
        assert all(2 <= each.line <= len(stored) + 1 for each in refusals)
        again, _ = _restored(path, settings)
    assert again.refused <= first.refused  # a line that stands twice is refused once
    _demand_whole(_exported(settings), store_over(tables))


def _exported(settings: Any) -> list[Any]:
    with transfer.open_access(settings) as access:
        return [json.loads(line) for line in b"".join(transfer.export_lines(access)).splitlines()]


def _restored(path: Path, settings: Any) -> tuple[TransferProgress, list[Refusal]]:
    refusals: list[Refusal] = []
    tally = TransferProgress(refusals.append)
    with transfer.open_access(settings) as access:
        transfer.restore(path, access, tally)
    return tally, refusals


def _demand_whole(exported: Sequence[Mapping[str, Any]], store: Any) -> None:
    """Records with all their versions: those from 1 to the present one."""
    versions: dict[tuple[str, str], list[int]] = {}
    for each in exported:
        if each["kind"] == "record":
            record = each["record"] if "record" in each else json.loads(each["body"])
            versions.setdefault((each["repository"], each["key"]), []).append(record["version"])
    for (repository, key), numbers in versions.items():
        assert sorted(numbers) == [*range(1, len(numbers) + 1)], (repository, key, numbers)
        assert store.records.record(repository, key, consistent=True).version == len(numbers)


# ---- Proofs. ----

_KEY = Key(1)
_VERSIONS = history(_KEY, 3)
_SIGNED = _KEY.sign(document(metadata={"who": "É", "how": [1.5, None, {"a": True}]}))
_PROVEN = [
    {"document": _SIGNED, "keys": key_set(Key(2), _KEY), "history": []},
    {"document": _VERSIONS[-1], "keys": key_set(_KEY), "history": _VERSIONS[:-1]},
]


def check_proof(value: Any, _: System) -> None:
    """Whatever is judged, there is a verdict; and only what was signed is found good."""
    value = value if isinstance(value, dict) else {}
    returned, keys, older = (value.get(name) for name in ("document", "keys", "history"))
    older = older if isinstance(older, list) else []
    verdict = verify(returned, keys, older)
    assert verdict.checks
    assert all(check.detail.isprintable() for check in verdict.checks)
    assert verdict.ok or json.dumps(value) not in map(json.dumps, _PROVEN)  # where 1 is not true
    if verdict.ok:
        good = [_bare(each) for each in (_SIGNED, *_VERSIONS)]
        assert isinstance(returned, dict)
        assert isinstance(keys, dict)
        assert _bare(returned) in good
        assert all(_bare(each) in good for each in older)
        assert any(isinstance(each, dict) and each.get("x") == _KEY.jwk["x"] for each in keys["keys"])


def _bare(returned: Mapping[str, Any]) -> bytes:
    """What the signature is over."""
    return canonical({name: each for name, each in returned.items() if name != "proof"})


# ---- Files: of rows to mint, and of records to verify. ----

_ROWS = [
    json.dumps(_RECORD),
    json.dumps({"uri": "https://example.org/2", "metadata": {"what": "É"}, "ttl": 60}),
    json.dumps({"id": "p4sg-2dam-85", "records": [{"uri": "https://example.org/3"}], "status": "reserved"}),
    json.dumps({"uri": "https://example.org/4", "alternates": [{"scheme": "doi", "identifier": "10.1000/182"}]}),
]
_COLUMNS = [
    "uri,metadata.what,id,ttl",
    "https://example.org/5,A report,,60",
    'https://example.org/6,"a, ""b""",,',
    ",,,",
]
_FILES = [{"name": "rows.jsonl", "lines": _ROWS}, {"name": "rows.csv", "lines": _COLUMNS}]


def check_rows(value: Any, system: System) -> None:
    """Each row of a file is minted or refused by its number, and minted once though the file is brought in twice."""
    value = value if isinstance(value, dict) else {}
    returned = value.get("lines")
    text = "\n".join(each for each in (returned if isinstance(returned, list) else []) if isinstance(each, str))
    settings = transfer.settings_of(system.environment, signs=True)
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("rows.csv" if value.get("name") == "rows.csv" else "rows.jsonl")
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            first, refusals = _minted(path, settings)
        except InvalidTable:  # before anything of it was used
            return
        assert all(1 <= each.line <= text.count("\n") + 1 for each in refusals), refusals
        assert len({each.line for each in refusals}) == first.refused
        again, _ = _minted(path, settings)
    assert (again.written, again.present, again.refused) == (0, first.written + first.present, first.refused)
    assert again.stopped == first.stopped


def _minted(path: Path, settings: Any) -> tuple[TransferProgress, list[Refusal]]:
    refusals: list[Refusal] = []
    tally = TransferProgress(refusals.append)
    with transfer.open_access(settings) as access:
        transfer.mint(path, access, "demo", tally)
    return tally, refusals


_SIGNED_FILES = [
    {"records": [json.dumps(each) for each in _VERSIONS], "keys": json.dumps(key_set(_KEY, Key(2)))},
    {"records": [json.dumps(_SIGNED, indent=1)], "keys": json.dumps(key_set(_KEY))},
]


def check_verify(value: Any, _: System) -> None:
    """`coolid verify` says yes or no to whatever is in its files; yes only to what was signed."""
    value = value if isinstance(value, dict) else {}
    returned, keys = value.get("records"), value.get("keys")
    texts = [each for each in (returned if isinstance(returned, list) else [returned]) if isinstance(each, str)]
    with TemporaryDirectory() as folder:
        file, key_file = Path(folder) / "records.jsonl", Path(folder) / "keys.json"
        file.write_bytes("\n".join(texts).encode("utf-8", "surrogatepass"))
        key_file.write_bytes((keys if isinstance(keys, str) else json.dumps(keys)).encode("utf-8", "surrogatepass"))
        result = CliRunner().invoke(app, ["verify", str(file), "--jwks", str(key_file), "--offline", "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 2)
    good = [_bare(each) for each in (_SIGNED, *_VERSIONS)]
    if value in _SIGNED_FILES:
        assert result.exit_code == 0, result.output
    if result.exit_code == 0:
        found = (
            [json.loads("\n".join(texts))] if len(texts) == 1 else [json.loads(each) for each in texts if each.strip()]
        )
        assert all(_bare(each) in good for each in found)


TARGETS = (
    Target("events", _EVENTS, check_event, 3),
    Target("identifiers", _identifiers(), check_identifier, 2),
    Target("negotiation", _NEGOTIATION, check_negotiation, 2),
    Target("records", _DOCUMENTS, check_record, 3),
    Target("imports", [], check_import, 2),
    Target("rows", _FILES, check_rows, 1),
    Target("proofs", _PROVEN, check_proof, 1),
    Target("verify", _SIGNED_FILES, check_verify, 1),
    Target("log files", [EXAMPLE], check_log_files, 1),
)
