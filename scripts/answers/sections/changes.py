"""Changes: mints, updates and withdrawals in sequence, what refuses them, and the lists of what there is."""

from itertools import product
from typing import Any, Final

from scripts.answers.sections.foundation import HERE, LOCATIONS, METADATA
from scripts.answers.service import ADMIN_KEY, BASE_URL
from scripts.answers.session import CREATED, RECORDS, Session

TARGETS: Final = (
    "https://content.example.org/", "http://content.example.org", "HTTPS://CONTENT.example.org/Ä",
    "ftp://example.org/", "javascript:alert(1)", "https://user:pw@example.org/", "https://example.org/a b",
    "https://example.org/a\tb", "", "https://example.org\\@evil.example/", "https://2130706433/", "https://0x7f.1/",
    "https://[::1]/", "https://127.0.0.1/", "https://xn--pple-43d.com/", "https://\u0430pple.com/",
    "https://exa\u00admple.org/", "https://example.org:443/", "https://example.org:99999/", "https://exam%70le.org/",
    "//example.org/", "example.org", "https://", "https:///x", "https://example.org/%zz",
    "https://example.org/" + "a" * 2_100, "https://id.example.org/demo:tw0t-ywdj-94", "https://localhost/",
    "https://example.org./", "https://a..b/", "https://example.org/?q=\u202e", "data:text/html,x",
)  # fmt: skip


def _nested(levels: int) -> list[Any]:
    """Return lists in each other."""
    return [_nested(levels - 1)] if levels > 1 else []


INVALID: Final[tuple[Any, ...]] = (
    {}, [], 5, None, "text", {"prefix": 5}, {"prefix": ""}, {"prefix": "unknown"}, {"prefix": "gene"},
    {"prefix": "demo:x"}, {"prefix": "demo", "color": "red"}, {"prefix": "demo", "uri": 5},
    {"prefix": "demo", "uri": HERE, "records": []}, {"prefix": "demo", "records": [{}]},
    {"prefix": "demo", "records": [{"uri": HERE, "x": 1}]},
    {"prefix": "demo", "records": [{"uri": HERE, "quality": 2}]}, {"prefix": "demo", "records": {"uri": HERE}},
    {"prefix": "demo", "records": [{"uri": HERE, "quality": "1"}]},
    {"prefix": "demo", "records": [{"uri": HERE}] * 101},
    {"prefix": "demo", "records": [{"uri": HERE, "mediaType": "pdf"}]}, {"prefix": "demo", "status": "withdrawn"},
    {"prefix": "demo", "records": [{"uri": HERE, "language": "not a language"}]}, {"prefix": "demo", "ttl": -1},
    {"prefix": "demo", "records": [{"uri": HERE, "validFrom": "yesterday"}]}, {"prefix": "demo", "ttl": "300"},
    {"prefix": "demo", "records": [{"uri": HERE, "validFrom": "2025-13-01T00:00:00Z"}]}, {"prefix": "demo", "id": ""},
    {"prefix": "demo", "records": [{"uri": HERE, "size": -1, "checksum": {"algorithm": "md5"}}]},
    {"prefix": "demo", "id": "tw0t-ywdj-95"}, {"prefix": "demo", "id": "tw0t-ywdj-94"},
    {"prefix": "demo", "id": "u" * 600}, {"prefix": "demo", "parts": {"x": 1}}, {"prefix": "demo", "parts": 5},
    {"prefix": "demo", "metadata": []}, {"prefix": "demo", "metadata": {"": 1}},
    {"prefix": "demo", "metadata": {"x" * 201: 1}}, {"prefix": "fabio", "parts": {}},
    {"prefix": "demo", "metadata": {str(at): at for at in range(101)}},
    {"prefix": "demo", "alternates": [{"scheme": "doi"}]}, {"prefix": "offers"}, {"prefix": "offers", "id": "TEA"},
    {"prefix": "offers", "id": "tea"}, {"prefix": "2021/06"},
    {"prefix": "domains", "uri": "https://elsewhere.example.net/"},
    {"prefix": "digest", "parts": {"sha256": "0" * 63}}, {"prefix": "demo", "metadata": {"what": "x" * 400_000}},
    {"prefix": "lid", "id": "short"}, {"prefix": "DEMO", "uri": HERE},
    {"prefix": "demo", "metadata": {"deep": _nested(60)}}, {"prefix": "demo", "metadata": {"who": "\ud800"}},
    {"prefix": "demo", "metadata": {"n": 1e400}}, {"prefix": "10.5072"},
)  # fmt: skip
BODIES: Final = (
    b"", b"{", b"nonsense", b'{"prefix": "demo",}', b'{"prefix": "demo", "prefix": "mp"}', b"\xff\xfe", b"[" * 2_000,
    b'{"prefix": "demo", "metadata": {"n": NaN}}', b"null", b'"x"', b"[]", b'\xef\xbb\xbf{"prefix": "demo"}',
    b'{"prefix": "demo", "metadata": {"n": 12345678901234567890123}}', b'{"prefix": "demo", "metadata": {"n": 1.50}}',
    b'{"prefix": "demo", "uri": "https://content.example.org/\\u00e9"}', b" " * 1_100_000, b"prefix=demo&uri=x",
)  # fmt: skip


def run(session: Session) -> None:
    """Mint, change, withdraw and list."""
    with session.group("changes: mints"):
        _mint(session)
    with session.group("changes: idempotency"):
        _repeat(session)
    with session.group("changes: batches"):
        _batches(session)
    with session.group("changes: scopes and quotas"):
        _scopes(session)
    with session.group("changes: updates"):
        _update(session)
    with session.group("changes: withdrawals"):
        _withdraw(session)
    with session.group("changes: records and histories"):
        _read(session)
    with session.group("changes: lists"):
        _list(session)


def _mint(session: Session) -> None:
    for target in session.thin(TARGETS):
        session.admin("POST", RECORDS, {"prefix": "demo", "uri": target})
        session.admin("POST", RECORDS, {"prefix": "domains", "records": [{"uri": target, "language": "en"}]})
    for document in session.thin(INVALID):
        session.admin("POST", RECORDS, document)
    for body in session.thin(BODIES):
        session.send("POST", RECORDS, body=body, key=ADMIN_KEY)
    for media_type in session.thin(("text/plain", "application/x-www-form-urlencoded", "", "application/json; x=y")):
        headers = {"Content-Type": media_type}
        session.send("POST", RECORDS, {"prefix": "demo", "uri": HERE}, headers=headers, key=ADMIN_KEY)
    for key in (None, "", "nonsense", f"cool_aaaaaaaa_{'a' * 43}", ADMIN_KEY[:-1] + "x", ADMIN_KEY.upper()):
        session.send("POST", RECORDS, {"prefix": "demo", "uri": HERE}, key=key)
    for prefix, number in session.thin(
        product(("demo", "mp", "pilin", "noidf5", "uuid7", "cool", "ark:98989"), range(8))
    ):
        path = session.mint(prefix, uri=f"{HERE}/{number}", metadata={"what": f"Number {number}", "n": number * 1.5})
        session.get(path)


def _repeat(session: Session) -> None:
    document = {"prefix": "demo", "uri": HERE}
    for key in session.thin(("first", '"quoted"', "a" * 255, "a" * 256, "", "é", "sp ace")):
        for body in (document, document, {"uri": HERE, "prefix": "demo"}, {**document, "uri": f"{HERE}/other"}):
            session.admin("POST", RECORDS, body, Idempotency_Key=key)
    other = session.create_client("mint:demo")
    session.send("POST", RECORDS, document, key=other, headers={"Idempotency-Key": "first"})
    for seconds in (3_600, 82_900, 600):
        session.clock.advance(seconds)
        session.admin("POST", RECORDS, document, Idempotency_Key="first")


def _batches(session: Session) -> None:
    batch = f"{RECORDS}/batch"
    good = [{"prefix": "demo", "uri": f"{HERE}/{at}"} for at in range(5)]
    mixed = [*good[:2], {"prefix": "unknown"}, {"prefix": "offers", "id": "tea"}, 7, {"prefix": "pilin"}, *good[2:]]
    lines = b"\n".join([b'{"prefix": "demo", "uri": "https://content.example.org/1"}', b"{", b"", b'{"prefix": "mp"}'])
    many = [{"prefix": "unknown"}] * 1_001
    for document in session.thin((good, mixed, [], many, {}, 5, many[:50])):
        session.admin("POST", batch, document)
    for media_type in session.thin(("application/x-ndjson", "application/jsonl", "text/plain", "application/json")):
        session.send("POST", batch, body=lines, key=ADMIN_KEY, headers={"Content-Type": media_type})
    for key, document in session.thin((("b1", mixed), ("b1", mixed), ("b1", mixed[1:]), ("b2", good), ("b2", good))):
        session.admin("POST", batch, document, Idempotency_Key=key)
    session.send("POST", batch, good)
    for method in ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"):
        session.send(method, batch, key=ADMIN_KEY)


def _scopes(session: Session) -> None:
    keys = {
        scope: session.create_client(scope, note=f"for {scope}")
        for scope in ("mint:2021/06/demo", "update:demo", "mint:2021/06/mp", "watch:demo", "mint:2021/06/m", "admin")
    }
    for prefix in session.thin(("demo", "2021/06/demo", "mp", "2021/06/mp/calculations")):
        for key in keys.values():
            made = session.send("POST", RECORDS, {"prefix": prefix, "uri": HERE}, key=key)
            path = made.member("pid").removeprefix(BASE_URL)
            path = path if made.status == CREATED else "/demo:tw0t-ywdj-94"
            for method, document in (("GET", None), ("PATCH", {"ttl": 5}), ("DELETE", {"reason": "A test"})):
                session.send(method, RECORDS + path, document, key=key, headers={"If-Match": '"none"'})
            session.get("/api/v1/history" + path, key=key)
            session.get(RECORDS, f"prefix={prefix}", key=key)
    limited = session.create_client("mint:demo", quota={"minute": 3, "day": 5})
    for seconds in (0, 0, 0, 0, 61, 0, 0, 86_400, 0):
        session.clock.advance(seconds)
        session.send("POST", RECORDS, {"prefix": "demo", "uri": HERE}, key=limited)
    session.send("POST", f"{RECORDS}/batch", [{"prefix": "demo", "uri": HERE}] * 4, key=limited)


def _update(session: Session) -> None:
    path = session.mint("mp", "updated", uri=HERE, metadata=METADATA)
    documents: tuple[tuple[str, Any], ...] = (
        ("PATCH", {"metadata": {"what": "Another", "titel": None}}),
        ("PATCH", {"records": LOCATIONS[:2]}),
        ("PATCH", {"uri": f"{HERE}/patched"}),
        ("PATCH", {"uri": "javascript:x"}),
        ("PATCH", {"status": "reserved"}),
        ("PATCH", {"status": "active"}),
        ("PATCH", {}),
        ("PATCH", []),
        ("PATCH", {"unknown": 1}),
        ("PATCH", {"pid": "x", "version": 9}),
        ("PATCH", {"ttl": None, "alternates": None}),
        ("PATCH", {"metadata": None}),
        ("PUT", {"uri": f"{HERE}/put", "metadata": {"what": "Put"}, "ttl": 30}),
        ("PUT", {"records": LOCATIONS, "alternates": [{"scheme": "doi", "identifier": "10.1/2"}]}),
        ("PUT", {"prefix": "demo", "uri": HERE}),
        ("PUT", {}),
        ("PUT", {"uri": "https://elsewhere.example.org/xn--"}),
    )
    for method, document in session.thin(documents):
        tag = session.admin("GET", RECORDS + path).header("etag") or "*"
        for condition in ("", '"other"', f"W/{tag}", f'"other", {tag}', tag):
            session.change(method, path, document, condition)
        session.admin(method, RECORDS + path, document)
        session.get(path)
        session.get(path, "format=linkid")
    for media_type in session.thin(("application/merge-patch+json", "application/json-patch+json", "text/plain")):
        session.change("PATCH", path, {"ttl": 7}, "*", Content_Type=media_type)
    for name in session.thin(("withdrawn", "reserved", "handle", "ark", "linkid", "choice")):
        session.change("PATCH", session.pids[name], {"metadata": {"what": "Changed"}})
    for other in session.thin(("/demo:zzzz-zzzz-90", "/gene:1", "/unknown:1", "/demo", "/demo:%00", "/", "")):
        for method in ("GET", "PUT", "PATCH", "DELETE"):
            session.change(method, other, {"reason": "x"} if method == "DELETE" else {"uri": HERE})


def _withdraw(session: Session) -> None:
    path = session.mint("mp", "doomed", uri=HERE, metadata={"what": "Doomed"})
    documents: tuple[Any, ...] = (
        None, {}, {"reason": ""}, {"reason": "\u200b"}, {"reason": 5}, {"reason": "a\nb"}, {"reason": "x" * 501}, [],
        {"reason": "x", "successor": ""}, {"reason": "x", "successor": "javascript:alert(1)"},
        {"reason": "x", "more": 1}, {"reason": "x", "successor": "demo:tw0t-ywdj-94"}, {"reason": "Again"},
    )  # fmt: skip
    for document in session.thin(documents):
        session.change("DELETE", path, document)
        session.get(path)
    for query in (
        "",
        "format=linkid",
        "format=html",
        "version=1",
        "format=linkid&version=1",
        "memento=1",
        "format=jws",
    ):
        session.get(path, query)
    for successor in session.thin(("https://example.org/", "10.1000/182", "gene:0006915", "nonsense", "/demo")):
        other = session.mint("demo", uri=HERE)
        session.change("DELETE", other, {"reason": "Replaced", "successor": successor})
        session.get(other)
        session.get(other, accept="text/html")


def _read(session: Session) -> None:
    names = session.thin([*session.pids][::2])
    for name in names:
        path = session.pids[name]
        first = session.admin("GET", RECORDS + path)
        session.admin("GET", RECORDS + path, If_None_Match=first.header("etag"))
        session.admin("GET", "/api/v1/history" + path)
    for query in session.thin(("version=1", "version=2", "version=99", "version=x", "version=0", "version=", "x=1")):
        for name in ("changed", "withdrawn", "reserved"):
            session.get(RECORDS + session.pids[name], query, key=ADMIN_KEY)
            session.get("/api/v1/history" + session.pids[name], query, key=ADMIN_KEY)


def _list(session: Session) -> None:
    queries = (
        "prefix=demo", "prefix=DEMO&limit=2", "prefix=2021/06/demo&limit=1000", "prefix=demo&limit=0",
        "prefix=demo&limit=x", "prefix=demo&limit=1001", "prefix=unknown", "prefix=gene", "", "prefix=",
        "prefix=offers", "prefix=demo&cursor=x", "prefix=ark:99999/fk4", "prefix=10.5072&limit=1",
        "prefix=demo&status=active", "prefix=demo&q=x", "limit=5",
    )  # fmt: skip
    for query in session.thin(queries):
        session.get(RECORDS, query, key=ADMIN_KEY)
        session.get(RECORDS, query)
    for prefix in session.thin(("demo", "mp")):
        cursor = ""
        for _ in range(12):
            page = session.get(RECORDS, f"prefix={prefix}&limit=7{cursor}", key=ADMIN_KEY)
            cursor = f"&cursor={page.member('next')}"
        session.get(RECORDS, f"prefix=lid{cursor}", key=ADMIN_KEY)
    for query in session.thin(("", "limit=3", "limit=1000", "q=gene", "q=ENG", "q=%3Cnone%3E", "limit=-1", "cursor=x")):
        session.get("/api/v1/prefixes", query, key=ADMIN_KEY)
        session.get("/api/v1/prefixes", query)
    cursor = ""
    for _ in range(6):
        page = session.get("/api/v1/prefixes", f"limit=50{cursor}", key=ADMIN_KEY)
        cursor = f"&cursor={page.member('next')}"
