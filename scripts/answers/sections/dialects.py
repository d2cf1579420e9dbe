"""Dialects: the Handle API, Memento, N2T, identifiers.org, the Bioregistry and lists for converters."""

from base64 import b64encode
from itertools import product
from typing import Any, Final
from urllib.parse import quote

from scripts.answers.sections.foundation import HERE
from scripts.answers.sections.registry import list_examples
from scripts.answers.service import ADMIN_KEY
from scripts.answers.session import Session

HANDLES: Final = "/api/handles"
PREFIX: Final = "10.5072"
URL: Final = {"index": 1, "type": "URL", "data": {"format": "string", "value": HERE}}
EMAIL: Final = {"index": 2, "type": "EMAIL", "data": {"format": "string", "value": "library@example.org"}}
CHECKSUM: Final = {"index": 5, "type": "CHECKSUM", "data": {"format": "hex", "value": "00ff"}, "ttl": 60}
ADMIN: Final = {
    "index": 100,
    "type": "HS_ADMIN",
    "data": {"format": "admin", "value": {"handle": f"0.NA/{PREFIX}", "index": 200, "permissions": "011111110011"}},
}


def _encode_basic(key: str, user: str = f"300:0.NA/{PREFIX}") -> str:
    """Return credentials as clients of the Handle API send them."""
    return "Basic " + b64encode(f"{quote(user)}:{key}".encode()).decode()


AUTHORIZATIONS: Final = (
    "", "Basic", "Basic !", "Basic /w==", "Bearer x", "Handle clientCert=true", _encode_basic(""),
    _encode_basic("nonsense"), _encode_basic(f"cool_aaaaaaaa_{'a' * 43}"), f"Bearer {ADMIN_KEY}",
)  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (
    [URL], [ADMIN, URL, EMAIL], URL, {"values": [URL, CHECKSUM]}, {"handle": f"{PREFIX}/other", "values": [URL]}, [],
    {}, 7, "nonsense", [7], [{**URL, "data": "javascript:alert(1)"}], [{**URL, "index": 0}], [{**URL, "index": "1"}],
    [URL, URL], [{**URL, "data": {"format": "base64", "value": "aHR0cHM6Ly9hLmV4YW1wbGUv"}}],
    [{"index": 3, "type": "HS_SECKEY", "data": "x"}], [{**EMAIL, "permissions": "1100"}],
    [{**EMAIL, "ttl": "2030-01-01T00:00:00Z"}], [{**EMAIL, "index": 3, "type": "EMAIL.work"}],
    [{**EMAIL, "data": "x" * 390_000}], [{**EMAIL, "index": at, "data": str(at)} for at in range(1, 502)],
    [{"index": 1}], [{**URL, "data": "https://id.example.org/10.5072/x"}], [{**EMAIL, "type": ""}],
    [{**URL, "more": 1}], None,
    [{"index": 7, "type": "HS_VLIST", "data": {"format": "vlist", "value": [{"handle": "0.NA/x", "index": 1}, 5]}}],
    [{"index": 7, "type": "HS_VLIST", "data": {"format": "vlist", "value": [{"handle": "0.NA/x", "index": 1}]}}],
    [{"index": 8, "type": "HS_SITE", "data": {"format": "site", "value": {"version": 1}}}],
    [{**EMAIL, "data": {"format": "x", "value": 1}}],
    [{"index": 9, "type": "HS_PUBKEY", "data": {"format": "key", "value": {"kty": "EC", "x": "a"}}}],
    [{**EMAIL, "references": [5]}],
    [{"index": 9, "type": "HS_PUBKEY", "data": {"format": "key", "value": {"kty": "EC", "d": "a"}}}],
    [{**EMAIL, "ttl": -1}],
)  # fmt: skip
WRITES: Final = (
    "", "overwrite=true", "overwrite=false", "index=1", "index=2&overwrite=false", "index=various", "index=x",
    "Index=1", "pretty", "callback=f", "callback=alert(1)", "type=URL", "mintNewSuffix=true", "index=1&index=2",
    "auth=true",
)  # fmt: skip
READS: Final = (
    "", "index=1", "index=1&index=2", "index=x", "type=URL", "type=EMAIL", "type=EMAIL.", "type=url&index=2",
    "type=PHONE", "auth", "auth=true", "publicOnly=true", "pretty", "callback=lib.show", "callback=a;b", "callback=",
    "format=x", "index=",
)  # fmt: skip
DELETIONS: Final = ("index=9", "index=2", "index=5&index=2", "index=1&index=100", "index=1", "values=2", "=1")
HANDLE_PATHS: Final = (
    "10.5072/first.thing", "10.5072/FIRST.THING", "10.5072/bare", "10.5072/gone", "10.5072/nothing", "10.5075/x/y",
    "10.5072", "10.5072/", "0.NA/10.5072", "0.NA/10.9999", "0.na/21.T11148", "10.9999/x", "demo/tw0t-ywdj-94",
    "2021/06/demo/tw0t-ywdj-94", "11.1/x", "%ff", "%zz", "10.5072/%00", "10.5072/a%20b", "10.5072/" + "x" * 2_100,
    "10.1000/182", "21.T11148/bare",
)  # fmt: skip
MOMENTS: Final = (
    "Thu, 10 Jul 2025 14:22:30 GMT", "Thu, 10 Jul 2025 18:00:00 GMT", "Fri, 01 Jan 1999 00:00:00 GMT",
    "Tue, 01 Jan 2030 00:00:00 GMT", "yesterday", "", "2025-07-10T14:22:30Z", "Thu, 10 Jul 2025 20:00:00 +0200",
)  # fmt: skip
SEARCHES: Final = (
    f"URL={HERE}", "URL=*content*", f"URL={HERE}&limit=1&page=0", "URL=x&page=1", "", "limit=1", "URL=x&limit=x",
    "URL=",
)  # fmt: skip


def run(session: Session) -> None:
    """Speak every dialect."""
    with session.group("dialects: Handle reads"):
        for path, query in session.thin(product(HANDLE_PATHS, READS)):
            session.get(f"{HANDLES}/{path}", query)
        session.get(HANDLES)
        session.get(f"{HANDLES}/")
    with session.group("dialects: Handle writes"):
        _write_handles(session)
        _delete_handles(session)
        _authorize_handles(session)
    with session.group("dialects: Handle searches"):
        for query in session.thin(SEARCHES):
            for authorization in (_encode_basic(ADMIN_KEY), _encode_basic("nonsense"), ""):
                session.get("/hrls/handles", query, Authorization=authorization)
        session.get("/hrls")
        session.get("/hrls/other")
    with session.group("dialects: Memento"):
        _memento(session)
    with session.group("dialects: registries"):
        _registries(session)
    with session.group("dialects: converter"):
        for accept, query in session.thin(
            product((None, "application/json", "text/turtle"), ("", "format=yaml", "x=1"))
        ):
            session.get("/api/v1/converter", query, accept)
            session.get("/.info", query, accept)
        session.get("/api/v1/converter/more")
    with session.group("dialects: schemas"):
        _schemas(session)


def _put(session: Session, handle: str, values: Any, query: str = "", authorization: str | None = None) -> None:
    headers: dict[str, str | list[str]] = {
        "Authorization": _encode_basic(ADMIN_KEY) if authorization is None else authorization
    }
    session.send("PUT", f"{HANDLES}/{handle}", values, query=query, headers=headers)


def _write_handles(session: Session) -> None:
    for number, values in enumerate(session.thin(VALUES)):
        _put(session, f"{PREFIX}/values-{number}", values)
        session.get(f"{HANDLES}/{PREFIX}/values-{number}", "auth")
    for query in session.thin(WRITES):
        _put(session, f"{PREFIX}/over", [{**URL, "data": f"{HERE}/{quote(query)}"}, EMAIL], query)
        session.get(f"{HANDLES}/{PREFIX}/over")
        session.get(f"/{PREFIX}/over")
    for path in session.thin(HANDLE_PATHS):
        _put(session, path, [URL])


def _delete_handles(session: Session) -> None:
    headers: dict[str, str | list[str]] = {"Authorization": _encode_basic(ADMIN_KEY)}
    for number, query in enumerate(session.thin((*WRITES, *DELETIONS))):
        handle = f"{PREFIX}/less-{number}"
        _put(session, handle, [URL, EMAIL, CHECKSUM])
        session.send("DELETE", f"{HANDLES}/{handle}", query=query, headers=headers)
        session.get(f"{HANDLES}/{handle}")
    for path in session.thin(("10.5072/less-0", "10.5072/never", "10.9999/x", "10.5072/values-0", "10.5072", "demo/x")):
        session.send("DELETE", f"{HANDLES}/{path}", headers=headers)
        session.get(f"/{path}")
        _put(session, path, [URL], "overwrite=true")


def _authorize_handles(session: Session) -> None:
    for authorization in session.thin(AUTHORIZATIONS):
        _put(session, f"{PREFIX}/unknown", [URL], authorization=authorization)
    minting, updating = session.create_client(f"mint:{PREFIX}"), session.create_client(f"update:{PREFIX}")
    for path, key in session.thin(
        product((f"{PREFIX}/scopes", "10.5073/scopes"), (updating, minting, minting, updating))
    ):
        _put(session, path, [{**URL, "data": "https://example.org/x"}], authorization=_encode_basic(key))
        _put(session, path, [{**URL, "data": "https://elsewhere.example.net/"}], authorization=_encode_basic(key))
    for method in ("POST", "PATCH", "HEAD", "OPTIONS"):
        session.send(method, f"{HANDLES}/{PREFIX}/over", headers={"Authorization": _encode_basic(ADMIN_KEY)})


def _memento(session: Session) -> None:
    names = ("changed", "plain", "withdrawn", "reserved", "handle", "deeper")
    paths = [
        *(session.pids[name] for name in names),
        "/gene:1",
        "/unknown:1",
        "/demo",
        "/demo:tw0t-ywdj-95",
        "/demo:%zz",
        "",
    ]
    for path, moment in session.thin(product(paths, MOMENTS)):
        session.get(path or "/", Accept_Datetime=moment)
        session.get(f"/timegate{path}", Accept_Datetime=moment)
    for path in session.thin(paths):
        for query in (
            "",
            "format=json",
            "format=link",
            "format=application/link-format",
            "version=2",
            "format=nonsense",
        ):
            session.get(f"/timemap{path}", query)
            session.get(f"/timemap/https://id.example.org{path}", query)
        for accept in ("application/json", "application/link-format", "text/html", "image/png"):
            session.get(f"/timemap{path}", accept=accept)
            session.get(f"/timegate/https://id.example.org{path}", accept=accept, Accept_Datetime=MOMENTS[1])
        for query in (
            "memento=1",
            "memento=2&format=linkid",
            "memento=3&info",
            "memento=1&lang=de",
            "memento=0",
            "memento=",
        ):
            session.get(path or "/", query)
            session.get(path or "/", query, "text/html")


def _registries(session: Session) -> None:
    names = ("plain", "rich", "choice", "withdrawn", "reserved", "asleep", "bare", "ark", "handle")
    own = [session.pids[name].lstrip("/") for name in names]
    texts = [
        *own, "gene:0006915", "GENES:0006915", "gene:gene:0006915", "gene:%30006915", "p1/gene:0006915", "gene:7",
        "gene", "mp", "oldgene:1", "oldgene:../x", "nobody:1", "unknown:1", "demo:tw0t-ywdj-95", "demo:zzzz-zzzz-90",
        "2021/06/demo", "", "%zz", "doi:10.1000/182", "ark:/12148/x", "2021/06", "gene:", "GO:0006915", "a" * 2_100,
        "parts:1", "10.5072",
    ]  # fmt: skip
    endpoints = ("/api/reference/", "/api/registry/", "/api/identifiers.org/", "/.info/", "/api/identifiers.org/p1/")
    for endpoint, text in session.thin(product(endpoints, texts)):
        session.get(endpoint + text)
        session.get(endpoint + text, "format=yaml")
        session.get(
            endpoint + text, accept=session.random.choice(["application/yaml", "text/html", "text/turtle", "*/*"])
        )
    for name, example in session.thin(list_examples()):
        session.get(f"/api/reference/{name}:{quote(example, safe='/:')}")
        session.get(f"/api/registry/{name}")
        session.get(f"/api/identifiers.org/{name}:{quote(example, safe='/:')}")
        session.get(f"/.info/{name}:{quote(example, safe='/:')}")
    for path in session.thin(
        ("/api", "/api/", "/api/reference", "/api/nothing", "/api/v1", "/api/v1/", "/api/v1/nothing")
    ):
        session.get(path)
        session.get(path, accept="text/html")


def _schemas(session: Session) -> None:
    prefixes = [
        *session.names,
        "gene",
        "genes",
        "GENE",
        "strict",
        "unknown",
        "2021/06",
        "%zz",
        "",
        "nobody",
        "go",
        "orcid",
    ]
    for prefix, form in session.thin(product(prefixes, ("", "regex", "jsonschema", "schematron", "xsd", "REGEX"))):
        session.get(f"/api/v1/schemas/{quote(prefix, safe='/:%')}", f"format={form}" if form else "")
    for prefix in session.thin(prefixes):
        session.get(f"/{quote(prefix, safe='/:%')}")
        session.get(f"/{quote(prefix, safe='/:%')}", accept="text/html")
        session.get(f"/{quote(prefix, safe='/:%')}", "format=json")
        session.get(f"/api/v1/prefixes/{quote(prefix, safe='/:%')}", key=ADMIN_KEY)
        session.get(f"/api/registry/{quote(prefix, safe='/:%')}")
