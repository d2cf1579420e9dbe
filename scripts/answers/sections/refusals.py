"""Refusals: malformed addresses, bodies and events, and requests altered at random."""

import json
from base64 import b64encode
from itertools import product
from typing import Any, Final

from scripts.answers.event import Request, build_event
from scripts.answers.sections.preferences import ACCEPTS, BROWSER
from scripts.answers.service import ADMIN_KEY
from scripts.answers.session import Session

PATHS: Final = (
    "/%", "/%z", "/%zz", "/%0", "/%00", "/%0a", "/%7f", "/%ff", "/%c3%28", "/%ed%a0%80", "/%c0%af", "/demo:%e2%82",
    "/demo:\u00e9", "/demo:%09", "/demo:%C2%A0", "/demo:%E2%80%AE", "/demo:%EF%BB%BF", "/demo:a b", "/demo:a\x00b",
    "/demo%2Ftw0t-ywdj-94", "/demo%3A1", "/2021%2F06%2Fdemo/tw0t-ywdj-94", "/demo/%2e%2e/x", "/../demo", "/./demo",
    "/demo/..", "/a/../../b", "//demo:1", "///", "/:", "/:1", "/demo::1", "/demo:/1", "/-:1", "/*:1",
    "/" + "a" * 2_000, "/" + "a" * 2_048, "/" + "a" * 2_049, "/demo:" + "0" * 3_000, "/" + "a/" * 400,
    "/demo:" + "%41" * 700, "/" + "%C3%A9" * 300, "/gene:" + "1" * 1_900, "/\ud800", "", "demo:1", "/demo;x=1:2",
    "/demo:tw0t-ywdj-94;x=1", "/demo:tw0t-ywdj-94%3Fx", "/demo:tw0t-ywdj-94%23x", "/demo:tw0t-ywdj-94#x",
    "/demo:tw0t-ywdj-94?x",
)  # fmt: skip
CALLS: Final = (
    ("POST", "/api/v1/resolve"), ("POST", "/api/v1/parse"), ("POST", "/api/v1/records"),
    ("POST", "/api/v1/records/batch"), ("POST", "/api/v1/repositories"), ("POST", "/api/v1/clients"),
    ("PUT", "/api/v1/prefixes/refused"), ("PUT", "/api/handles/10.5072/x"),
    ("PATCH", "/api/v1/records/demo:tw0t-ywdj-94"), ("DELETE", "/api/v1/records/demo:tw0t-ywdj-94"),
)  # fmt: skip
BODIES: Final = (
    b"", b"{}", b"[]", b"null", b"5", b'"x"', b"{", b"nonsense", b'{"ids": 5}', b'{"ids": [5]}',
    b'{"id": "x", "ids": []}', b'{"id": 5}', b'{"ids": []}',
    b'{"ids": ["gene:1", "demo:tw0t-ywdj-94", "", "\\u0000"]}', b'{"ids": "gene:1"}', b"\xff", b"x" * 1_100_000,
    b'{"ids": [' + b",".join([b'"x"'] * 1_001) + b"]}", b"[" * 600 + b"]" * 600, b'{"a": 1, "a": 2}',
    b'{"ids": ["' + b"a" * 3_000 + b'"]}',
)  # fmt: skip
SOURCES: Final = (
    "/demo:tw0t-ywdj-94", "/2021/06/demo/tw0t-ywdj-94", "/gene:0006915", "/10.5072/first.thing", "/ark:/99999/fk4x",
    "/offers:tea", "/resolve/demo:tw0t-ywdj-94", "/api/v1/parse", "/api/handles/10.5072/bare",
    "/timemap/demo:tw0t-ywdj-94", "/pages/prefixes", "/doi:10.1000/182", "/uniprot:P12345",
    "/lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", "/deep:shelf/book/x", "/api/reference/gene:1",
)  # fmt: skip
SYMBOLS: Final = (
    *"/:.-_~%?#&=+;,@!$'()*[]<>\"\\^`{|} 0aZé", "%2F", "%3A", "%25", "%00", "%20", "%E2%80%93", "..", "//", "%zz",
    "demo",
)  # fmt: skip


def run(session: Session) -> None:
    """Send what is refused, or nearly."""
    with session.group("refusals: paths"):
        for path, accept in session.thin(product(PATHS, (None, BROWSER, "application/json"))):
            session.get(path, accept=accept)
        for path in session.thin(PATHS):
            session.send("POST", path)
            session.get("/api/v1/records" + path, key=ADMIN_KEY)
            session.get("/resolve" + path)
    with session.group("refusals: bodies"):
        for (method, path), body in session.thin(product(CALLS, BODIES)):
            session.send(method, path, body=body, key=ADMIN_KEY, headers={"If-Match": "*"} if method != "POST" else {})
    with session.group("refusals: languages of problems"):
        refused = ("/unknown:1", "/demo:tw0t-ywdj-95", "/pages/nothing", "/api/v1/records")
        for accept, path in session.thin(product(ACCEPTS, refused)):
            session.get(path, accept=accept, Accept_Language="de, en;q=0.5")
    with session.group("refusals: events"):
        _events(session)
    with session.group("refusals: altered at random"):
        for source in session.thin([path for path in SOURCES for _ in range(55)]):
            path = source
            for _ in range(session.random.choice((1, 1, 2, 4))):
                position = session.random.randrange(len(path) + 1)
                cut = session.random.choice((0, 1, 1, 3))
                path = path[:position] + session.random.choice(SYMBOLS) + path[position + cut :]
            accept = session.random.choice((None, None, BROWSER, "application/json"))
            session.get(path if path.startswith("/") else "/" + path, accept=accept)


def _events(session: Session) -> None:
    plain = build_event(Request("GET", "/demo:tw0t-ywdj-94", headers={"Accept": "*/*"}), "an-event")
    altered: tuple[dict[str, Any], ...] = (
        {}, {"path": None}, {"path": 5}, {"path": ""}, {"headers": None, "multiValueHeaders": None},
        {"multiValueHeaders": {"A": [5]}}, {"multiValueHeaders": {"accept": ["text/html"], "Accept": ["*/*;q=0.1"]}},
        {"body": "é", "isBase64Encoded": True}, {"body": "e30=", "isBase64Encoded": True}, {"requestContext": None},
        {"multiValueQueryStringParameters": {"a": None}},
        {"multiValueQueryStringParameters": None, "queryStringParameters": {"format": "linkid"}},
        {"multiValueHeaders": {"Accept": "x"}},
        {"multiValueHeaders": {"Host": ["evil.example"], "X-Forwarded-Host": ["evil.example"]}},
        {"multiValueHeaders": {"X-Forwarded-Proto": ["http"], "X-Forwarded-Prefix": ["/evil"]}},
        {"multiValueQueryStringParameters": {"\ud800": ["x"]}}, {"multiValueHeaders": {"Accept": ["\ud800"]}},
        {"httpMethod": "ge\ud800t"},
    )  # fmt: skip
    for change, function in session.thin(product(altered, ("resolve", "mint", "manage"))):
        session.send_event({**plain, **change}, function)
    incomplete: tuple[dict[str, Any], ...] = (
        {}, {"version": "2.0"}, {"Records": []}, {"httpMethod": "GET"}, {"version": "2.0", "rawPath": "/x"},
    )  # fmt: skip
    for broken, function in session.thin(product(incomplete, ("resolve", "mint", "manage"))):
        session.send_event(broken, function)
    paths = ("/demo:tw0t-ywdj-94", "/gene:0006915", "/", "/v1/gene:1", "/%zz")
    for path, stage in session.thin(product(paths, ("$default", "v1", ""))):
        context = {"http": {"method": "GET", "path": path}, "requestId": "an-event", "stage": stage}
        second = {"version": "2.0", "rawPath": path, "requestContext": context, "headers": {"accept": "*/*"}}
        session.send_event({**second, "rawQueryString": "format=json&a=%C3%A9"}, "resolve")
        session.send_event(second, "resolve")
    document = b64encode(json.dumps({"ids": ["gene:1"]}).encode()).decode()
    for body, encoded in (("nonsense!", True), (document, True), (document, False), (None, True), ("", False)):
        sent = build_event(Request("POST", "/api/v1/resolve"), "an-event")
        session.send_event({**sent, "body": body, "isBase64Encoded": encoded})
