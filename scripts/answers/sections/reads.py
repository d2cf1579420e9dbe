"""Reads: every kind of identifier with every kind of preference, and conditional requests."""

from collections.abc import Sequence
from itertools import product
from typing import Final

from scripts.answers.sections.preferences import ACCEPTS, BROWSER, FORMATS, LANGUAGES, QUERIES
from scripts.answers.session import Session

FOREIGN: Final = (
    "/gene:0006915",
    "/gene",
    "/p1/gene:0006915",
    "/oldgene:1",
    "/strict:A1",
    "/doi:10.1000/182",
    "/ark:/12148/bpt6k97497t",
    "/nobody:1",
    "/mp",
    "/2021/06/demo",
    "/2021/06",
    "/unknown:1",
    "/demo:zzzz-zzzz-90",
    "/demo:tw0t-ywdj-95",
)
OWN: Final = (
    "plain", "bare", "rich", "cited", "asleep", "reserved", "choice", "kinds", "ark", "handle", "linkid", "withdrawn",
    "withdrawn bare", "changed", "by301", "handle withdrawn", "spoken", "deeper",
)  # fmt: skip


def run(session: Session) -> None:
    """Read."""
    paths = [*(session.pids[name] for name in OWN), *FOREIGN]
    with session.group("reads: formats"):
        for path, name in session.thin(product(paths, FORMATS)):
            session.get(path, f"format={name}")
    with session.group("reads: parameters"):
        for path, query in session.sample(product(paths, QUERIES), 1_100):
            session.get(path, query, session.random.choice([None, BROWSER, "application/json"]))
    with session.group("reads: Accept"):
        for path, accept in session.thin(product(paths, ACCEPTS)):
            session.get(path, accept=accept)
    with session.group("reads: languages"):
        _languages(session)
    with session.group("reads: combinations"):
        for path, accept, query in session.sample(product(paths, ACCEPTS, QUERIES), 700):
            language = session.random.choice(LANGUAGES)
            headers = {"Accept_Language": language} if language else {}
            session.get(path, query, accept, **headers)
    with session.group("reads: conditions"):
        _conditions(session, paths)
    with session.group("reads: methods"):
        methods = ("HEAD", "OPTIONS", "POST", "PUT", "DELETE", "TRACE", "get")
        for path, method in session.thin(product(paths, methods)):
            session.send(method, path)


def _languages(session: Session) -> None:
    names = ("rich", "choice", "kinds", "linkid", "handle", "spoken", "withdrawn")
    accepts = (None, BROWSER, "application/pdf", "text/html", "*/*;q=0.1")
    for name, accept, language in session.thin(product(names, accepts, LANGUAGES)):
        headers = {"Accept_Language": language} if language is not None else {}
        session.get(session.pids[name], accept=accept, **headers)


def _conditions(session: Session, paths: Sequence[str]) -> None:
    queries = ("", "format=linkid", "format=html", "info", "format=qr")
    for path, query in session.thin(product(paths, queries)):
        tag = session.get(path, query).header("etag") or '"none"'
        for value in (tag, f"W/{tag}", f'"other", {tag}', "*", '"other"', tag.strip('"'), ""):
            session.get(path, query, If_None_Match=value)
        session.send("HEAD", path, query=query, headers={"If-None-Match": tag})
        session.get(path, query, If_Modified_Since="Thu, 10 Jul 2025 14:22:30 GMT")
        session.get(path, query, If_Match='"other"', Range="bytes=0-9")
