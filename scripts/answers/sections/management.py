"""Management: repositories, prefixes, clients, webhooks, reports of links and the state of providers."""

import json
from base64 import urlsafe_b64encode
from hashlib import sha256
from itertools import product
from typing import Any, Final

from scripts.answers.sections.foundation import HERE, LOCATIONS, METADATA, SUPPORT
from scripts.answers.service import ADMIN_KEY
from scripts.answers.session import Session

REPOSITORIES: Final[tuple[Any, ...]] = (
    {}, [], {"title": ""}, {"title": "x", "color": 1}, {"title": "x", "scheme": "nonsense"}, {"title": "two\nlines"},
    {"title": "x", "rules": {"symbols": 0}}, {"title": "x", "rules": {"symbols": 13}}, {"title": "x", "rules": []},
    {"title": "x", "rules": {"symbols": "8"}}, {"title": "x", "rules": {"color": 1}}, {"title": "x", "rules": {}},
    {"title": "x", "rules": {"a/b~c": 1}}, {"title": "x", "ttl": -1}, {"title": "x", "ttl": 31_536_001},
    {"title": "x", "ttl": True}, {"title": "x", "redirect": 305}, {"title": "x", "redirect": "302"},
    {"title": "x", "domains": ["Example.ORG"]}, {"title": "x", "target": "https://a.example/"},
    {"title": "x", "target": "https://{$id}.example/"}, {"title": "é", "ttl": 0},
    {"title": "x", "target": "https://b.example/{$id}", "domains": ["a.example"]},
    {"title": "x", "support": {"who": "a"}}, {"title": "x", "archive": "http://a.example/web/"},
    {"title": "x", "home": "nowhere"}, {"title": "x", "home": "eu-west-1"},
)  # fmt: skip
RULES: Final[tuple[tuple[str, Any], ...]] = (
    ("noid", {"template": "nonsense"}), ("noid", {"template": ".rk"}), ("noid", {"order": "00" * 16}),
    ("uuid", {"version": 5}), ("noid", {"template": ".zeek", "naan": "x y"}), ("chosen", {"pattern": "("}),
    ("chosen", {"pattern": "a{2000}"}), ("chosen", {"pattern": "[a-z]+", "example": "1"}), ("sha256", {}),
    ("contextual", {"prefix": "a b"}), ("contextual", {"object_types": []}), ("chosen", {"pattern": "a" * 5_000}),
    ("pilin", {}), ("cooldoi", {"symbols": 8}), ("noid", {}),
)  # fmt: skip
PATCHES: Final[tuple[Any, ...]] = (
    {}, {"title": "Changed"}, {"ttl": 7}, {"ttl": None}, {"redirect": 308}, {"redirect": None},
    {"domains": ["a.example"]}, {"domains": None}, {"passthrough": True}, {"choices": True},
    {"target": "https://a.example/{$id}"}, {"target": None}, {"support": SUPPORT}, {"support": {"when": "2021"}},
    {"support": None}, {"archive": "https://a.example/web/"}, {"scheme": "cooldoi"}, {"rules": {"symbols": 5}},
    {"id": "zzzz-zzzz-90", "canonical": "x"}, {"title": None}, {"color": "red"}, [], 5, {"home": "eu-west-1"},
    {"home": None}, {"ttl": "7"}, {"redirect": 302.5}, {"choices": "yes"},
)  # fmt: skip
PROVIDER: Final = {"code": "one", "url": "https://one.example.org/{$id}"}
PREFIXES: Final[tuple[Any, ...]] = (
    {}, [], {"kind": "other"}, {"kind": "provider", "repository": "x"}, {"kind": "namespace"},
    {"kind": "namespace", "repository": "x"}, {"kind": "provider", "providers": [PROVIDER]},
    {"kind": "provider", "providers": [PROVIDER, PROVIDER]}, {"kind": "provider", "x": 1},
    {"kind": "provider", "providers": [{"code": "a b", "url": "https://a.example/{$id}"}]},
    {"kind": "provider", "pattern": "("},
    {"kind": "provider", "providers": [{"code": "a", "url": "https://a.example/"}]},
    {"kind": "provider", "pattern": "(?=a)"},
    {"kind": "provider", "providers": [{"code": "a", "url": "javascript:{$id}"}]},
    {"kind": "provider", "synonyms": ["gene"]}, {"kind": "provider", "synonyms": ["one", "two"], "example": "x"},
    {"kind": "provider", "pattern": "^\\d+$", "example": "x"}, {"kind": "provider", "homepage": "nonsense"},
    {"kind": "provider", "ttl": -1}, {"kind": "provider", "encoding": "other"},
    {"kind": "provider", "description": "\x00"}, {"kind": "provider", "synonyms": ["a b"]},
    {"kind": "provider", "deprecated": True},
    {"kind": "provider", "providers": [{**PROVIDER, "health": {"state": "down"}}], "title": "x" * 501},
)  # fmt: skip
NAMES: Final = (
    "new", "NEW", "gene", "genes", "2021/06", "2021", "api", "resolve", "pages", "static", "health", "a b", "%00",
    "%zz", "a%2Fb", "a:b", "10.1", "ark:12345", "ark:12345/x5", "doi:10.5", "x" * 250, "1999/13/x", "2021/06/demo",
    "demo", ".well-known", "id", "new/",
)  # fmt: skip
CLIENTS: Final[tuple[Any, ...]] = (
    {}, [], {"scopes": []}, {"scopes": ["nonsense"]}, {"scopes": ["mint:"]},
    {"scopes": ["mint:2021/06/demo", "update:demo"]}, {"scopes": ["admin"], "note": "x\ny"},
    {"scopes": ["admin"], "note": "Somebody"}, {"scopes": ["mint:demo"], "quota": {"minute": 0}},
    {"scopes": ["mint:demo"], "quota": {"minute": 10, "day": 100}}, {"scopes": "admin"},
    {"scopes": ["watch:demo"], "more": 1}, {"scopes": ["admin"] * 101}, {"scopes": ["delete:demo"]},
    {"scopes": ["mint:unknown/prefix"]}, {"scopes": [5]},
)  # fmt: skip
WEBHOOKS: Final[tuple[Any, ...]] = (
    {"url": "https://hook.example/links"}, {"url": "https://hook.example/new"}, {"url": "http://hook.example/"},
    {"url": 5}, {}, [], {"url": "https://127.0.0.1/"}, {"url": "https://user@hook.example/"},
    {"url": "https://hook.example/", "more": 1}, {"url": "https://hook.example:8443/x?y=1"}, {"url": "nonsense"},
    {"url": "https://hook.example/#x"},
)  # fmt: skip
SINCE: Final = "2025-07-10T08:00:00Z"
CONDITIONS: Final[dict[str, dict[str, str]]] = {
    "p0": {"state": "down", "since": SINCE, "reason": "it answered 500", "good": "2025-07-09T08:00:00Z"},
    "p1": {"state": "degraded", "since": SINCE, "reason": "it took too long"},
    "p2": {"state": "up", "since": SINCE},
}


def run(session: Session) -> None:
    """Manage."""
    with session.group("management: repositories"):
        _repositories(session)
    with session.group("management: prefixes"):
        _prefixes(session)
    with session.group("management: clients"):
        _clients(session)
    with session.group("management: webhooks"):
        _webhooks(session)
    with session.group("management: health of links"):
        _links(session)
    with session.group("management: health of providers"):
        _providers(session)
    with session.group("management: health"):
        for client, accept in product((ADMIN_KEY, None, session.create_client("mint:demo")), (None, "text/html")):
            session.get("/api/v1/health", accept=accept, key=client)
            session.get("/health", accept=accept, key=client)


def _repositories(session: Session) -> None:
    base = "/api/v1/repositories"
    ruled = [{"title": "x", "scheme": scheme, "rules": rules} for scheme, rules in RULES]
    for document in session.thin([*REPOSITORIES, *ruled]):
        made = session.admin("POST", base, document)
        if made.status == 201:
            session.admin("GET", f"{base}/{made.member('id')}")
    identifier = session.create_repository("changing", "2023/01/changing")
    pid = session.mint("changing", "changing", uri=HERE, metadata=METADATA)
    for patch in session.thin(PATCHES):
        tag = session.admin("GET", f"{base}/{identifier}").header("etag")
        session.admin("PATCH", f"{base}/{identifier}", patch)
        for condition in ('"other"', f"W/{tag}", tag, tag):
            session.admin("PATCH", f"{base}/{identifier}", patch, If_Match=condition)
        session.get(pid)
        session.get("/changing", "format=json")
    for path in session.thin(
        ("zzzz-zzzz-90", "nonsense", "", "%00", f"{identifier}/", "x" * 2_100, identifier.upper())
    ):
        session.admin("GET", f"{base}/{path}")
        session.admin("PATCH", f"{base}/{path}", {"ttl": 1}, If_Match="*")
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD"):
        session.admin(method, base, {"title": "x"})
        session.admin(method, f"{base}/{identifier}", {"title": "x"})
    key = session.create_client("update:changing")
    session.send("POST", base, {"title": "x"}, key=key)
    session.send("PATCH", f"{base}/{identifier}", {"ttl": 1}, key=key, headers={"If-Match": "*"})
    session.get(f"{base}/{identifier}", key=key)
    session.get(f"{base}/{identifier}")


def _prefixes(session: Session) -> None:
    base = "/api/v1/prefixes"
    for document in session.thin(PREFIXES):
        session.admin("PUT", f"{base}/new", document)
        session.admin("GET", f"{base}/new")
        session.get("/new:1")
    owner = {"kind": "namespace", "repository": session.names["2021/06/mp"]}
    for name in session.thin(NAMES):
        session.admin("PUT", f"{base}/{name}", {"kind": "provider", "providers": [PROVIDER]})
        session.admin("PUT", f"{base}/{name}", owner)
        session.admin("GET", f"{base}/{name}")
        session.get(f"/{name}")
        session.get(f"/{name}:1")
    for method in ("POST", "PATCH", "DELETE", "OPTIONS", "HEAD"):
        session.admin(method, base, {})
        session.admin(method, f"{base}/gene", {})
    key = session.create_client("mint:demo", "update:demo")
    for name in ("demo", "2021/06/demo/new", "gene", "new"):
        session.send("PUT", f"{base}/{name}", {"kind": "provider"}, key=key)
        session.get(f"{base}/{name}", key=key)
        session.get(f"{base}/{name}")


def _clients(session: Session) -> None:
    base = "/api/v1/clients"
    made = [session.admin("POST", base, document) for document in session.thin(CLIENTS)]
    for answer in made:
        if answer.status != 201:
            continue
        path, key = f"{base}/{answer.member('id')}", answer.member("key")
        session.admin("GET", path)
        for other in (path, f"{base}/recorder", "/api/v1/records"):
            session.get(other, key=key)
        session.admin("DELETE", path)
        session.admin("DELETE", path)
        session.admin("GET", path)
        session.send("POST", "/api/v1/records", {"prefix": "demo", "uri": HERE}, key=key)
    for name in session.thin(("aaaaaaaa", "nonsense", "", "%00", "x" * 2_100)):
        session.admin("GET", f"{base}/{name}")
        session.admin("DELETE", f"{base}/{name}")
    for method in ("GET", "PUT", "OPTIONS", "HEAD"):
        session.admin(method, base, {})


def _webhooks(session: Session) -> None:
    base = "/api/v1/webhooks"
    path = f"{base}/{session.names['2021/06/demo']}"
    session.admin("GET", path)
    for document in session.thin(WEBHOOKS):
        session.admin("PUT", path, document)
        session.admin("GET", path)
    session.get(path)
    session.get(path, key=session.create_client("update:demo"))
    for name in ("zzzz-zzzz-90", "nonsense", "", "demo"):
        for method in ("GET", "PUT", "DELETE", "POST"):
            session.admin(method, f"{base}/{name}", WEBHOOKS[0])
    session.admin("DELETE", path)
    session.admin("DELETE", path)
    session.admin("GET", path)


def _links(session: Session) -> None:
    owner = session.names["2021/06/mp"]
    uris = [each["uri"] for each in LOCATIONS]
    for number, state in enumerate(("down", "degraded", "up")):
        _store_check(session, owner, session.pids["rich"], uris[number], state)
    _store_check(session, owner, session.pids["cited"], uris[0], "down")
    conditions = {
        uris[0]: CONDITIONS["p0"],
        uris[1]: CONDITIONS["p1"],
        uris[2]: {"state": "up", "since": SINCE, "moved": f"{HERE}/moved"},
    }
    row = {"pid": {"S": _row(owner, session.pids["rich"])}, "version": {"N": "0"}}
    _set_health(session, "LUI_TABLE", row, conditions)
    session.clock.advance(61)
    keys = (
        ADMIN_KEY,
        None,
        session.create_client("watch:mp"),
        session.create_client("mint:mp"),
        session.create_client("update:demo"),
    )
    queries = (
        "", "format=json", "format=csv", "format=atom", "format=xml", "state=down", "state=down,moved",
        "state=degraded", "state=x", "limit=1", "limit=0", "state=moved&format=atom", "limit=1&format=csv",
        "cursor=x", "limit=1&state=down,degraded&format=atom",
    )  # fmt: skip
    prefixes = ("mp", "2021/06/MP", "demo", "gene", "unknown", "")
    for prefix, query, key in session.thin(product(prefixes, queries, keys[:3])):
        session.get(f"/api/v1/links/{prefix}", query, key=key)
    accepts = ("text/csv", "application/atom+xml", "text/html", "application/json")
    for key, accept in session.thin(product(keys, accepts)):
        session.get("/api/v1/links/mp", accept=accept, key=key)
    following = session.get("/api/v1/links/mp", "limit=1", key=ADMIN_KEY).member("next")
    session.get("/api/v1/links/mp", f"limit=1&cursor={following}", key=ADMIN_KEY)
    forms = ("", "format=linkid", "format=html", "info", "lang=de", "format=pdf", "format=jsonld", "json")
    for query in session.thin(forms):
        for wanted in (None, "text/html", "application/json", "application/pdf"):
            session.get(session.pids["rich"], query, wanted)
            session.get(session.pids["cited"], query, wanted)


def _providers(session: Session) -> None:
    for states in session.thin((("p0",), ("p0", "p1"), ("p0", "p1", "p2"), ("p1",), ())):
        conditions = {name: CONDITIONS[name] for name in states}
        _set_health(session, "PREFIX_TABLE", {"name": {"S": "parts"}}, conditions)
        session.clock.advance(61)
        for path in ("/parts:12", "/parts", "/p0/parts:12", "/api/reference/parts:12", "/api/v1/prefixes/parts"):
            for accept in (None, "text/html", "application/json"):
                session.get(path, accept=accept, key=ADMIN_KEY if "prefixes" in path else None)
                session.get(path, "info", accept)
        session.get("/parts:12", "provider=p0")
        session.get("/api/v1/parse", "id=parts:12")
        session.get("/api/identifiers.org/parts:12")
        session.get("/health")
    every = {f"p{at}": {**CONDITIONS["p0"], "since": SINCE} for at in range(4)}
    _set_health(session, "PREFIX_TABLE", {"name": {"S": "parts"}}, every)
    session.clock.advance(61)
    session.get("/parts:12")
    session.get("/parts", accept="text/html")


def _row(owner: str, path: str) -> str:
    """Return the stored key of a record with a LUI."""
    return f"{owner}/{path.rpartition('/')[2].rpartition(':')[2].replace('-', '')}"


def _store_check(session: Session, owner: str, path: str, uri: str, state: str) -> None:
    """Store a result of the link checker for an address."""
    key = _row(owner, path).partition("/")[2]
    digest = urlsafe_b64encode(sha256(uri.encode()).digest()[:16]).rstrip(b"=").decode()
    body: dict[str, Any] = {"url": uri, "state": state, "since": SINCE, "checked": "2025-07-10T14:00:00Z", "streak": -3}
    body |= {"moved": f"{HERE}/moved", "status": 200} if state == "up" else {"reason": "it answered 404", "status": 404}
    subject = f"repository:{owner}"
    item = {"owner": subject, "name": f"{key}#{digest}", "ailing": subject, "body": json.dumps(body)}
    table = session.service.stack.variables["PULSE_TABLE"]
    stored: dict[str, Any] = {name: {"S": value} for name, value in item.items()} | {"expires": {"N": "1800000000"}}
    session.service.store.client().put_item(TableName=table, Item=stored)


def _set_health(session: Session, variable: str, key: dict[str, Any], conditions: dict[str, dict[str, str]]) -> None:
    """Store the conditions of addresses beside a row, or remove them."""
    table = session.service.stack.variables[variable]
    change: dict[str, Any] = {"UpdateExpression": "REMOVE health"}
    if conditions:
        values = {":health": {"S": json.dumps(conditions, separators=(",", ":"))}}
        change = {"UpdateExpression": "SET health = :health", "ExpressionAttributeValues": values}
    session.service.store.client().update_item(TableName=table, Key=key, **change)
