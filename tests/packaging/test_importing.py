"""The imports of a cold start before its first redirect: the modules that a redirect needs; new ones must be listed
here.

Each module costs a tenth of a millisecond to several, for each function that starts (docs/explanation/decisions/0015).
The list excludes modules that Lambda's own client has imported before the handler.
"""

import re
from typing import Any

import pytest

from tests.packaging.layer_builds import CAN_RUN, Ask, Outcome
from tests.support.fixtures.events import to_event
from tests.support.fixtures.system import TablesSystem

pytestmark = [
    pytest.mark.skipif(not CAN_RUN, reason="the layers hold binaries for Linux with glibc on x86_64 and arm64"),
]

PACKAGES = {
    "coolid", "coolid.aws", "coolid.aws.dynamodb", "coolid.aws.dynamodb_client", "coolid.aws.telemetry",
    "coolid.http", "coolid.http.formats", "coolid.http.operator", "coolid.http.public", "coolid.identifiers",
    "coolid.model", "coolid.net", "coolid.registry", "coolid.resolution", "coolid.store",
    "httptools", "httptools.parser",
    "msgspec",
}  # fmt: skip
"""Packages, each with all modules that are directly in it."""

MODULES = {
    "handler", "coolid.wiring", "coolid.wiring.resolve", "coolid.wiring.read_access",
    # The rules of the repository that is asked for, and of no other: here LUIs.
    "coolid.identifiers.rules", "coolid.identifiers.rules.base", "coolid.identifiers.rules.lui",
    "coolid.identifiers.rules.catalog",
    "coolid.identifiers.schemes", "coolid.identifiers.schemes.crockford", "coolid.identifiers.schemes.lui",
    "_cython_3_3_0", "cython_runtime", # of httptools
    "_datetime", "_typing", "_uuid", "datetime", "typing", "uuid", # of msgspec, for the types that it knows
    "_blake2", "_hashlib", "binascii", "hashlib", "_struct", "struct",
    "_socket", "_ssl", "select",
    "gc",
}  # fmt: skip
"""Modules by their names."""

NEVER = {
    "aws_lambda_powertools", "boto3", "botocore", "can_ada", "cryptography", "dataclasses", "email", "http.client",
    "inspect", "jinja2", "markdown_it", "orjson", "pydantic", "pynamodb", "re2", "segno", "socket", "ssl", "stdnum",
    "werkzeug", "yaml",
}  # fmt: skip
"""What is known to be dear, and has no place in that list."""


def permitted(module: str) -> bool:
    """Whether the lists have it.

    >>> permitted("coolid.resolution.resolver"), permitted("coolid.identifiers.schemes.isbn")
    (True, False)
    """
    return bool({module, module.rpartition(".")[0]} & PACKAGES) or module in MODULES


def blamed(said: str, module: str) -> str:
    """What importing a module took, and who asked for it, out of what `-X importtime` said.

    It says what a module imports before the module itself.

    >>> blamed('''import time:       300 |        300 |       token
    ... import time:       900 |       1200 |     inspect
    ... import time:       100 |       1300 |   dataclasses
    ... ''', "token")
    'token (0.3 ms, with all that it imports 0.3 ms) for inspect for dataclasses'
    """
    lines = re.findall(r"import time: +(\d+) \| +(\d+) \|( +)(\S+)$", said, re.MULTILINE)
    at = next((at for at, line in enumerate(lines) if line[3] == module), None)
    if at is None:
        return f"{module} (put there by another module)"
    own, whole, deep, _ = lines[at]
    text = f"{module} ({int(own) / 1000:.1f} ms, with all that it imports {int(whole) / 1000:.1f} ms)"
    for _, _, indent, name in lines[at + 1 :]:
        if len(indent) < len(deep):
            text, deep = f"{text} for {name}", indent
    return text


@pytest.fixture(scope="module")
def redirects(light_tables: TablesSystem) -> dict[str, dict[str, Any]]:
    """A first request for an identifier of somebody else's, and for one of ours."""
    minted = light_tables.mint({"prefix": "demo", "uri": "https://content.example.org/a"}).json()
    foreign = {
        "kind": "provider",
        "pattern": "^[0-9]{7}$",
        "providers": [{"code": "a", "url": "https://foreign.example.org/{$id}"}],
    }
    assert light_tables.admin("PUT", "/api/v1/prefixes/foreign", {"title": "Others'", **foreign}).status in {200, 201}
    paths = {"somebody else's": "/foreign:0006915", "ours": "/" + minted["pid"].split("/", 3)[3]}
    headers = [("Accept", "*/*"), ("Host", "id.example.org"), ("User-Agent", "curl/8.7.1")]
    return {
        whose: to_event("GET", path, "", headers=headers, body=b"", request_id="a-request")
        for whose, path in paths.items()
    }


@pytest.fixture(scope="module")
def first(ask: Ask, redirects: dict[str, dict[str, Any]]) -> dict[str, Outcome]:
    """Functions that have given their first redirect, by whose identifier they were asked for."""
    outcomes = {whose: ask("Resolve", event, timing=True) for whose, event in redirects.items()}
    assert all(outcome.answers[0].status == 302 for outcome in outcomes.values()), outcomes
    return outcomes


@pytest.mark.parametrize("whose", ["somebody else's", "ours"])
def test_a_first_redirect_has_imported_what_it_needs_and_no_more(first: dict[str, Outcome], whose: str) -> None:
    unknown = [module for module in sorted(first[whose].loaded) if not permitted(module)]
    assert not unknown, "\n".join(blamed(first[whose].said, module) for module in unknown)


def test_nothing_is_permitted_that_is_known_to_be_dear() -> None:
    assert not {each for each in PACKAGES | MODULES if {each, each.partition(".")[0]} & NEVER}


def test_nothing_is_permitted_that_no_redirect_imports(first: dict[str, Outcome]) -> None:
    """Modules with an underscore apart, of which each build of Python has its own."""
    loaded = {module for outcome in first.values() for module in outcome.loaded}
    assert loaded >= {each for each in PACKAGES | MODULES if not each.startswith("_")}


@pytest.mark.parametrize("whose", ["somebody else's", "ours"])
def test_a_redirect_pays_nothing_for_pages(first: dict[str, Outcome], whose: str) -> None:
    """Packages of ours may have new modules; those of pages are no part of a redirect."""
    pages = {"jinja2", "markupsafe", "coolid.http.assets", "coolid.http.pages", "coolid.http.public.prefix_browser"}
    assert not [each for each in first[whose].loaded if pages & {each, each.rpartition(".")[0], each.partition(".")[0]}]


@pytest.mark.parametrize("path", ["/.well-known/jwks.json", "/api/v1/parse", "/robots.txt"])
def test_responses_for_programs_import_no_templates(ask: Ask, path: str) -> None:
    """It is served beside pages, whose routes are made with its own."""
    outcome = ask(
        "Resolve", to_event("GET", path, "id=demo", headers=[], body=b"", request_id="a-request"), timing=True
    )
    assert outcome.answers[0].status == 200
    assert not {"jinja2", "markupsafe", "coolid.http.pages"} & set(outcome.loaded)


@pytest.mark.parametrize(("path", "renders"), [("/", False), ("/pages/mint", False), ("/pages/api", True)])
def test_only_the_manual_imports_the_commonmark_renderer(ask: Ask, path: str, renders: bool) -> None:
    browser = [("Accept", "text/html")]
    outcome = ask("Resolve", to_event("GET", path, "", headers=browser, body=b"", request_id="a-request"))
    assert outcome.answers[0].status == 200
    assert "jinja2" in outcome.loaded
    assert ("markdown_it" in outcome.loaded) == renders
