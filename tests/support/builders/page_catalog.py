"""Every kind of page with its address, for rich and for minimal records, in any system.

Tests that hold for all pages use them: `tests/browser` in a browser, `tests/functions` in process.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from coolid.http.pages.openapi import COMPONENT_PAGES
from coolid.identifiers.schemes import lui
from coolid.model.conditions import DEGRADED, DOWN, UP, Condition
from tests.support.builders.samples import BASE_URL, ROOT, provider_prefix
from tests.support.fixtures.system import System

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
VERSIONS = 25
MANY = 60
"""The number of prefixes: more than one page of them shows."""

Ask = Callable[..., Mapping[str, Any]]
"""`ask(method, path, document, tag)` sends a successful request of the administrator and returns the response."""

API = json.loads((ROOT / "layers/core/coolid/http/pages/openapi.json").read_text(encoding="utf-8"))
TAGS = [tag["name"] for tag in API["tags"]]

STATUSES: dict[str, int] = {
    "home": 200,
    "home, explaining a typing error": 200,
    "home, explaining nothing known": 200,
    "record": 200,
    "record, bare": 200,
    "record, dead": 200,
    "record, in another spelling": 200,
    "older version": 200,
    "memento": 200,
    "tombstone": 410,
    "tombstone, bare": 410,
    "older version of a tombstone": 200,
    "choice": 300,
    "wrong character": 400,
    "wrong length": 400,
    "wrong check character": 400,
    "wrong pattern": 400,
    "no reference": 400,
    "unknown prefix": 404,
    "prefix misspelt": 404,
    "unregistered": 404,
    "unregistered, like another": 404,
    "no location": 404,
    "no provider": 404,
    "unknown provider": 404,
    "unknown version": 404,
    "no such page": 404,
    "no key": 401,
    "no such format": 406,
    "too long": 414,
    "namespace": 200,
    "provider prefix": 200,
    "provider prefix, bare": 200,
    "provider prefix, failing": 200,
    "what is known of another's": 200,
    "what is known of another's, failing": 200,
    "prefixes": 200,
    "prefixes, searched": 200,
    "prefixes, none found": 200,
    "prefixes, second page": 200,
    "prefixes, no such page": 404,
    "mint": 200,
    "management": 200,
    "management, records": 200,
    "management, bulk": 200,
    "management, jobs": 200,
    "management, job": 200,
    "management, labels": 200,
    "management, record": 200,
    "management, links": 200,
    "management, changes": 200,
    "management, repositories": 200,
    "management, keys": 200,
    "health": 200,
    "problem type": 200,
    "API": 200,
    **{f"API, {name}": 200 for name in (*TAGS, *COMPONENT_PAGES)},
}
"""All kinds of pages by name, with their statuses."""


@dataclass(frozen=True)
class Kind:
    """A page: its address and its status."""

    name: str
    path: str
    status: int


@dataclass(frozen=True)
class Catalogue:
    """All kinds of pages by name."""

    kinds: Mapping[str, Kind]


IMPORTED = {
    "source": "EZID",
    "identifier": "ark:/99999/fk4<x>",
    "created": "2011-03-22T16:45:37Z",
    "updated": "2012-03-22T16:45:37Z",
}
RICH: dict[str, Any] = {
    "who": "Lovelace, Ada ; Babbage, Charles",
    "what": 'Observations of a <calculating> engine & its "programmes"',
    "when": "2025-07-10",
    "where": "https://archive.example.org/engines/1843",
    "how": "Dataset",
    "type": "Dataset",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "publisher": "The Analytical Society",
    "language": "en",
    "description": "Daily observations, in three parts.\nThe second part is of the night. "
    + "It goes on at length. " * 20,
    "creators": [
        {"name": "Lovelace, Ada", "nameIdentifiers": [{"nameIdentifier": "https://orcid.org/0000-0002-1825-0097"}]},
        {"name": "Babbage, Charles", "affiliation": ["Cambridge", "The Analytical Society"]},
    ],
    "subjects": ["engines", "mathematics", "weaving"],
    "rights": {"statement": "For everybody", "since": 1843, "free": True, "fee": None},
    "a name without any spaces in which a line could break".replace(" ", "_") * 3: "x" * 150,
}

LOCATIONS: list[dict[str, Any]] = [
    {
        "uri": "https://content.example.org/v3/document.pdf", "mediaType": "application/pdf", "language": "en",
        "quality": 0.95, "validFrom": "2025-07-10T00:00:00Z", "version": "3", "size": 2047583,
        "checksum": {"algorithm": "sha256", "value": "ab" * 32}, "lastModified": "2025-07-09T16:45:00Z",
    },
    {"uri": "https://content.example.org/v3/dokument.html", "mediaType": "text/html", "language": "de"},
    {"uri": "https://content.example.org/" + "a-long-path/" * 20, "mediaType": "text/csv"},
    {"uri": "https://content.example.org/v1", "status": "inactive"},
    {"uri": "https://content.example.org/v2", "validUntil": "2021-01-01T00:00:00Z"},
]  # fmt: skip

_SUPPORT = {
    "who": "The library",
    "what": "Kept as long as the library is",
    "when": "2021-06-01",
    "where": "https://library.example.org/policy",
}
_PROVIDERS = [
    {"code": "engines", "url": "https://engines.example.org/{$id}", "title": "The Museum of Engines"},
    {"code": "mirror", "url": "https://mirror.example.org/engines?id={$id}"},
]


SEEN = datetime(2025, 7, 12, 8, tzinfo=UTC)
MOVED = "https://new.example.org/a-long-path/"
AILING = {
    LOCATIONS[0]["uri"]: Condition(DOWN, SEEN, "it answered 404", SEEN, MOVED),
    LOCATIONS[1]["uri"]: Condition(DEGRADED, SEEN, "it answered 500"),
    LOCATIONS[2]["uri"]: Condition(UP, SEEN, moved=MOVED),
}
"""The conditions of the record with a dead location, for tests that can store them."""
_FAILING = [{"code": code, "url": f"https://{code}.example.org/{{$id}}"} for code in ("gears", "wheels", "cogs", "new")]
FAILING = {
    "gears": Condition(DOWN, SEEN, "it answered 500", SEEN),
    "wheels": Condition(DEGRADED, SEEN, "it took too long"),
    "cogs": Condition(UP, SEEN),
}
"""The conditions of the providers of the failing prefix."""


def make(ask: Ask, base_url: str, there: Collection[str] = ()) -> Catalogue:
    """Create the records of all pages, in a system that has only these prefixes."""
    _register(ask, there)
    paths = {**FIXED_PATHS, **_record_paths(_mint_records(ask, base_url))}
    return Catalogue({name: Kind(name, paths[name], status) for name, status in STATUSES.items()})


def _register(ask: Ask, there: Collection[str]) -> None:
    """Register repositories and prefixes."""
    terms = {"title": "An atlas of engines", "listed": True, "archive": "https://web.example.org/", "support": _SUPPORT}
    own = ask("POST", "/api/v1/repositories", terms)["id"]
    for name in ("2021/06/atlas", "atlas"):
        ask(
            "PUT", f"/api/v1/prefixes/{name}", {"kind": "namespace", "repository": own, "title": "Engines of the world"}
        )
    chosen = {
        "title": "Offers",
        "choices": True,
        "scheme": "chosen",
        "rules": {"pattern": "[a-z]{1,9}", "example": "tea"},
    }
    offering = ask("POST", "/api/v1/repositories", chosen)["id"]
    ask("PUT", "/api/v1/prefixes/offers", {"kind": "namespace", "repository": offering})
    rich = {
        "kind": "provider", "title": "Engines", "providers": _PROVIDERS, "pattern": "^\\d{4}$", "example": "1843",
        "description": "Engines that count.\nThose that only turn are elsewhere.", "strict": True,
        "homepage": "https://engines.example.org/", "synonyms": ["engine", "machines"], "deprecated": True,
    }  # fmt: skip
    ask("PUT", "/api/v1/prefixes/engines", rich)
    ask("PUT", "/api/v1/prefixes/nowhere", {"kind": "provider"})
    failing = {"kind": "provider", "title": "Parts of engines", "providers": _FAILING, "example": "12"}
    ask("PUT", "/api/v1/prefixes/parts", failing)
    for name in ("uniprot", "orcid", "go"):  # examples of the home page
        known = [{"code": name, "url": f"https://{name}.example.org/{{$id}}"}]
        if name not in there:
            ask("PUT", f"/api/v1/prefixes/{name}", {"kind": "provider", "providers": known})


class Records(NamedTuple):
    """Paths of the records that pages show."""

    full: str
    bare: str
    gone: str
    bare_gone: str
    dead: str
    nowhere: str


def _mint_records(ask: Ask, base_url: str) -> Records:
    def mint(**members: Any) -> str:
        pid: str = ask("POST", "/api/v1/records", {"prefix": "atlas", **members})["pid"]
        return pid.removeprefix(base_url)

    alternates = [{"scheme": "doi", "identifier": "10.1000/182"}, {"scheme": "odd", "identifier": "a <b> c"}]
    full = mint(metadata={"what": "A first draft"}, records=LOCATIONS[:1])
    for version in range(2, VERSIONS):
        ask("PATCH", f"/api/v1/records{full}", {"metadata": {"what": f"Draft {version}"}}, "*")
    ask("PUT", f"/api/v1/records{full}", {"metadata": RICH, "records": LOCATIONS, "alternates": alternates}, "*")
    bare = mint()
    gone = mint(metadata=RICH | {"imported": IMPORTED}, records=LOCATIONS, alternates=alternates)
    why = {"reason": "It was published by mistake: see the <new> edition", "successor": base_url + full}
    ask("DELETE", f"/api/v1/records{gone}", why, "*")
    bare_gone = mint()
    ask("DELETE", f"/api/v1/records{bare_gone}", {"reason": "A duplicate"}, "*")
    dead = mint(records=LOCATIONS[:3], metadata={"what": "An engine that is not there"})
    nowhere = mint(records=LOCATIONS[3:], metadata={"what": "An engine that moved"})
    two = [{"uri": f"https://content.example.org/{name}", "language": name} for name in ("de", "fr")]
    ask("POST", "/api/v1/records", {"prefix": "offers", "id": "tea", "records": two, "metadata": {"what": "Tea"}})
    return Records(full, bare, gone, bare_gone, dead, nowhere)


FIXED_PATHS = {
    "home": "/",
    "home, explaining nothing known": "/?q=%3Cwhat%3E%20is%20this",
    "choice": "/offers:tea",
    "wrong pattern": "/engines:18a3?strict=1",
    "no reference": "/atlas:%00",
    "unknown prefix": "/unheard-of:1",
    "prefix misspelt": "/engins:1843",
    "unregistered": "/atlas:0000-0000-98",
    "unregistered, like another": "/offers:tee",
    "no provider": "/nowhere:1",
    "unknown provider": "/engines:1843?provider=museum",
    "no such page": "/pages/of-a-book",
    "no key": "/api/v1/records",
    "too long": "/atlas:" + "0" * 3_000,
    "namespace": "/2021/06/atlas",
    "provider prefix": "/engines",
    "provider prefix, bare": "/nowhere",
    "provider prefix, failing": "/parts",
    "what is known of another's, failing": "/parts:12?info",
    "what is known of another's": "/engines:1843?info",
    "prefixes": "/pages/prefixes",
    "prefixes, searched": "/pages/prefixes?q=engine",
    "prefixes, none found": "/pages/prefixes?q=%3Cnone%3E",
    "prefixes, second page": "/pages/prefixes?page=2",
    "prefixes, no such page": "/pages/prefixes?page=x",
    "mint": "/pages/mint",
    "management": "/pages/manage",
    "management, records": "/pages/manage/records",
    "management, bulk": "/pages/manage/bulk",
    "management, jobs": "/pages/manage/jobs",
    "management, job": "/pages/manage/job",
    "management, labels": "/pages/manage/labels",
    "management, record": "/pages/manage/record",
    "management, links": "/pages/manage/links",
    "management, changes": "/pages/manage/changes",
    "management, repositories": "/pages/manage/repositories",
    "management, keys": "/pages/manage/keys",
    "health": "/health",
    "problem type": "/problems/invalid-check",
    "API": "/pages/api",
    **{f"API, {tag}": f"/pages/api/{tag}" for tag in (*TAGS, *COMPONENT_PAGES)},
}
"""Paths of pages without minted identifiers."""


def _record_paths(records: Records) -> dict[str, str]:
    full, bare, gone, bare_gone, dead, nowhere = records
    end = full[-2:]
    other_end = f"{int(end) % 97 + 2:02}"
    name = full.rpartition("/")[2]
    swapped = name[1] + name[0] + name[2:] if name[0] != name[1] else name[0] + name[2] + name[1] + name[3:]
    return {
        "home, explaining a typing error": f"/?q=https://id.example.net{full[:-2]}{other_end}",
        "record": f"{full}?format=html",
        "record, bare": f"{bare}?format=html",
        "record, dead": f"{dead}?format=html",
        "record, in another spelling": f"/ATLAS:{name.upper().replace('-', '')}?info",
        "older version": f"{full}?format=html&version=2",
        "memento": f"{full}?format=html&memento=3",
        "tombstone": gone,
        "tombstone, bare": bare_gone,
        "older version of a tombstone": f"{gone}?format=html&version=1",
        "wrong character": f"/atlas:{name[0]}u{name[2:]}",
        "wrong length": f"/atlas:{name}" + "0" * 300,
        "wrong check character": f"/atlas:{swapped}",
        "no location": nowhere,
        "unknown version": f"{full}?format=html&version=99",
        "no such format": f"{full}?format=nonsense",
    }


def in_process(system: System) -> Catalogue:
    """Create the catalogue in a system in this process, with more prefixes than one page shows."""
    store = system.store()
    store.prefixes.put_prefix(provider_prefix("doi", "https://doi.org/{$id}", encoding="data"), None)
    for number in range(MANY):
        store.prefixes.put_prefix(provider_prefix(f"sample{number:03}", "https://sample.example/{$id}"), None)

    def ask(method: str, path: str, document: Any, tag: str | None = None) -> Mapping[str, Any]:
        headers = [("If-Match", tag)] if tag else []
        answer = system.request(method, path, document=document, key=system.admin_key, headers=headers)
        assert answer.status in {200, 201}, (method, path, answer)
        returned: Mapping[str, Any] = answer.json()
        return returned

    made = make(ask, BASE_URL)
    dead = made.kinds["record, dead"].path.partition("?")[0]
    document = ask("GET", f"/api/v1/records{dead}", None)
    assert store.conditions.set_record_condition(
        document["repository"], lui.validate(document["id"]), document["version"], AILING
    )
    assert store.conditions.set_prefix_condition("parts", 1, FAILING)
    return made
