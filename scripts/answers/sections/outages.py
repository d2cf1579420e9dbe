"""Outages and regions: answers while the store fails, and in a region where no names are written."""

from itertools import product

from scripts.answers.sections.foundation import HERE
from scripts.answers.sections.preferences import BROWSER
from scripts.answers.service import ADMIN_KEY
from scripts.answers.session import RECORDS, Session


def run(session: Session) -> None:
    """Write in another region, then let the store fail."""
    with session.group("outages: another region"):
        _elsewhere(session)
    names = ("plain", "rich", "withdrawn", "handle", "changed", "reserved", "choice", "linkid", "short")
    own = [session.pids[name] for name in names]
    paths = [*own, "/gene:0006915", "/gene", "/mp", "/unknown:1", "/demo:zzzz-zzzz-90"]
    never = ["/by303:tw0t-ywdj-94", "/never:1", "/noidz:00", "/ark:/12148/x", "/lid:" + "0" * 32, "/p1/parts:1"]
    others = ["/.well-known/jwks.json", "/.info", "/api/v1/converter", "/health", "/", "/pages/prefixes", "/robots.txt"]
    with session.group("outages: before"):
        for path in session.thin([*paths, *others]):
            session.get(path)
            session.get(path, accept=BROWSER)
    session.service.store.fails = True
    for seconds in (0, 4, 61, 301, 7_200, 90_000):
        session.clock.advance(seconds)
        with session.group(f"outages: reads {seconds} s later", continues=True):
            for path, accept in session.thin(product([*paths, *never, *others], (None, BROWSER))):
                session.get(path, accept=accept)
            for path in session.thin(paths):
                session.get(f"/timemap{path}")
                session.get(path, "format=linkid")
                session.get("/api/v1/parse", f"id={path[1:]}")
            session.send("POST", "/api/v1/resolve", {"ids": [path.lstrip("/") for path in [*paths, *never]]})
    with session.group("outages: writes", continues=True):
        _write(session)
    session.service.store.fails = False
    session.clock.advance(61)
    with session.group("outages: afterwards", continues=True):
        for path in session.thin([*paths, *never, *others]):
            session.get(path)


def _write(session: Session) -> None:
    document = {"prefix": "demo", "uri": HERE}
    session.admin("POST", RECORDS, document)
    session.admin("POST", RECORDS, document, Idempotency_Key="in an outage")
    session.admin("POST", f"{RECORDS}/batch", [document, document])
    session.admin("POST", "/api/v1/repositories", {"title": "x"})
    session.admin("PUT", "/api/v1/prefixes/outage", {"kind": "provider"})
    session.change("PATCH", session.pids["plain"], {"ttl": 1})
    session.change("DELETE", session.pids["plain"], {"reason": "x"})
    for path in ("records", "prefixes", "prefixes/gene", "health", "links/demo"):
        session.get(f"/api/v1/{path}", "prefix=demo", key=ADMIN_KEY)
    for method in ("GET", "PUT", "DELETE"):
        session.admin(method, "/api/handles/10.5072/bare", {"values": []})


def _elsewhere(session: Session) -> None:
    with session.service.reload(AWS_REGION="us-east-1", HOME_REGION="eu-west-1"):
        session.admin("POST", RECORDS, {"prefix": "demo", "uri": HERE})
        session.admin("POST", f"{RECORDS}/batch", [{"prefix": "demo", "uri": HERE}])
        session.change("PATCH", session.pids["plain"], {"ttl": 1})
        session.change("DELETE", session.pids["plain"], {"reason": "x"})
        session.admin("POST", "/api/v1/repositories", {"title": "x", "home": "us-east-1"})
        session.admin("PUT", "/api/v1/prefixes/elsewhere", {"kind": "provider"})
        session.admin("POST", "/api/v1/clients", {"scopes": ["admin"]})
        session.admin("PATCH", f"/api/v1/repositories/{session.names['2021/06/demo']}", {"ttl": 1}, If_Match="*")
        session.admin("PUT", "/api/handles/10.5072/elsewhere", {"values": []})
        session.get(session.pids["plain"])
        session.get("/api/v1/health", key=ADMIN_KEY)
    with session.service.reload(AWS_REGION="us-east-1", HOME_REGION="us-east-1"):
        path = f"/api/v1/repositories/{session.names['2021/06/demo']}"
        for home in ("eu-west-1", "us-east-1", None):
            session.admin("PATCH", path, {"home": home}, If_Match="*")
            session.clock.advance(61)
            session.admin("POST", RECORDS, {"prefix": "demo", "uri": HERE})
            session.change("PATCH", session.pids["plain"], {"ttl": 5})
            session.clock.advance(3_600)
            session.admin("POST", RECORDS, {"prefix": "demo", "uri": HERE})
