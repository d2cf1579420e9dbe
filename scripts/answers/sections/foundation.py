"""The foundation: the repositories, prefixes and records that the other sections read and change."""

from typing import Any, Final

from scripts.answers.sections.registry import read_prefixes
from scripts.answers.session import Session

HERE: Final = "https://content.example.org/here"
SHA: Final = "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3"
LINKID: Final = "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"
ORCID: Final = "0000-0002-1825-0097"
SUPPORT: Final = {
    "who": "Example Library",
    "what": "Permanent: Stable Content",
    "when": "2008-12-03",
    "where": "https://library.example.org/support",
}
METADATA: Final[dict[str, Any]] = {
    "who": "Lovelace, Ada ; Babbage, Charles",
    "what": 'Observations of a <calculating> engine & its "programmes"',
    "when": "2025-07-10",
    "where": "https://archive.example.org/engines/1843",
    "how": "Dataset",
    "type": "Dataset",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "publisher": "The Analytical Society",
    "publicationYear": 2025,
    "language": "en",
    "description": "Daily observations, in three parts.\nThe second part is of the night.",
    "creators": [
        {"name": "Lovelace, Ada", "nameIdentifiers": [{"nameIdentifier": f"https://orcid.org/{ORCID}"}]},
        {"name": "Babbage, Charles", "affiliation": ["Cambridge", "The Analytical Society"]},
    ],
    "subjects": ["engines", "mathematics", "weaving"],
    "rights": {"statement": "For everybody", "since": 1843, "free": True, "fee": None, "share": 0.25},
    "titel": "Beobachtungen über Maschinen — №1 \u202dabc\u202c 𝟙",
}
LOCATIONS: Final[list[dict[str, Any]]] = [
    {
        "uri": "https://content.example.org/v3/document.pdf", "mediaType": "application/pdf", "language": "en",
        "quality": 0.95, "validFrom": "2025-07-10T00:00:00Z", "validUntil": None, "version": "3", "size": 2047583,
        "checksum": {"algorithm": "sha256", "value": SHA}, "lastModified": "2025-07-09T16:45:00Z",
    },
    {"uri": "https://content.example.org/v3/dokument.html", "mediaType": "text/html", "language": "de"},
    {"uri": "https://content.example.org/v3/page.html", "mediaType": "text/html", "language": "en", "quality": 0.8},
    {"uri": "https://content.example.org/table.csv?x=1&y=%20", "mediaType": "text/csv", "quality": 0.3},
    {"uri": "https://content.example.org/v2/document.pdf", "mediaType": "application/pdf", "language": "en-GB",
     "version": "2"},
    {"uri": "https://content.example.org/data.json", "mediaType": "application/json"},
    {"uri": "https://content.example.org/v1", "status": "inactive"},
    {"uri": "https://content.example.org/v0", "validUntil": "2021-01-01T00:00:00Z"},
    {"uri": "https://content.example.org/later", "validFrom": "2099-01-01T00:00:00Z"},
]  # fmt: skip
ALTERNATES: Final = [{"scheme": "doi", "identifier": "10.1000/182"}, {"scheme": "odd", "identifier": "a <b> c"}]
SCHEMES: Final[list[tuple[str, str, dict[str, Any], list[dict[str, Any]]]]] = [
    ("lui6", "lui", {"symbols": 6}, [{}, {}, {}]),
    ("lui12", "lui", {"symbols": 12}, [{}, {}]),
    ("lui1", "lui", {"symbols": 1}, [{}] * 40),
    ("cool", "cooldoi", {}, [{}, {}, {"id": "10o1-i1L0"}]),
    ("pilin", "pilin", {}, [{}, {}, {}, {}]),
    ("noidf5", "noid", {"template": "f5.reedeedk", "naan": "13030"}, [{}, {}]),
    ("noidz", "noid", {"template": ".zdk"}, [{}, {}]),
    ("noids", "noid", {"template": ".sdk"}, [{}, {"id": "11"}, {"id": "2w"}, {}, {}, {}]),
    ("noidsmall", "noid", {"template": ".rd"}, [{}] * 11),
    ("uuid7", "uuid", {}, [{}, {}]),
    ("uuid4", "uuid", {"version": 4}, [{}, {}, {"id": "919108f7-52d1-4320-9bac-f847db4148a8"}]),
    ("digest", "sha256", {}, [{"parts": {"sha256": SHA.upper()}}, {"id": SHA[::-1]}, {}]),
    (
        "fabio",
        "contextual",
        {"prefix": "fabio", "object_types": ["Image", "Text"]},
        [
            {"parts": {"objectType": "Image", "issued": "2018-11-12", "registrant": ORCID}},
            {"parts": {"objectType": "Text"}},
            {"parts": {"objectType": "Film"}},
            {"parts": {"objectType": "Image", "registrant": ORCID}},
        ],
    ),
    ("folded", "chosen", {"pattern": "[a-z]+-[0-9]{4}", "folds_case": True}, [{"id": "Abc-2021"}, {"id": "abc-2021"}]),
    (
        "exact",
        "chosen",
        {"pattern": "[!-~]+"},
        [{"id": text} for text in ("a%41b", "a+b", "a/b", "ab:c", "a?b", "é", "x" * 500)],
    ),
    ("dashless", "chosen", {"pattern": "[a-z0-9]+", "ignores_hyphens": True}, [{"id": "a-b-1"}, {"id": "ab1"}]),
]


def run(session: Session) -> None:
    """Create everything."""
    with session.group("foundation: repositories"):
        _found(session)
    with session.group("foundation: providers"):
        _provide(session)
    with session.group("foundation: records"):
        _mint(session)
    with session.group("foundation: schemes"):
        for prefix, scheme, rules, mints in SCHEMES:
            session.create_repository(prefix, scheme=scheme, rules=rules)
            for number, members in enumerate(mints):
                session.mint(prefix, f"{prefix} {number}", uri=f"{HERE}/{prefix}/{number}", **members)


def _found(session: Session) -> None:
    session.create_repository("2021/06/demo", "demo", target="https://default.example.org/things/{$id}?x=1")
    session.create_repository("2021/06/mp", "mp", support=SUPPORT, archive="https://web.example.org/", ttl=600)
    session.create_repository("2021/06/mp/calculations")
    for status in (301, 303, 307, 308):
        session.create_repository(f"by{status}", redirect=status)
    chosen = {"scheme": "chosen", "rules": {"pattern": "[a-z]{1,9}", "example": "tea"}}
    session.create_repository("offers", choices=True, **chosen)
    deep = {"scheme": "chosen", "rules": {"pattern": "[a-z0-9./-]+"}}
    session.create_repository("2022/deep", "deep", passthrough=True, **deep)
    session.create_repository("domains", domains=["example.org", "content.example.org"])
    noid = {"scheme": "noid", "rules": {"template": ".reedeedk", "naan": "99999", "shoulder": "fk4"}}
    session.create_repository("ark:99999/fk4", passthrough=True, support=SUPPORT, **noid)
    session.create_repository(
        "ark:98989", scheme="noid", rules={"template": "x6.reedeedk", "naan": "98989"}, passthrough=True
    )
    handle = {"scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
    owner = session.create_repository("10.5072", **handle)
    session.admin("PUT", "/api/v1/prefixes/21.T11148", {"kind": "namespace", "repository": owner})
    session.create_repository("10.5073", domains=["example.org"], **handle)
    session.create_repository("10.5075", target="https://default.example.org/{$id}", **handle)
    session.create_repository("lid", scheme="chosen", rules={"pattern": "[A-Za-z0-9._~-]{32,64}", "example": LINKID})


def _provide(session: Session) -> None:
    genes = {"title": "Genes", "homepage": "https://genes.example.org/", "pattern": "^\\d{7}$", "example": "0006915"}
    urls = ("http://purl.example.org/obo/GO_{$id}", "https://ols.example.org/go?id=GO:{$id}")
    session.register_provider("gene", *urls, synonyms=["genes"], **genes)
    session.register_provider("oldgene", "https://old.example.org/{$id}", deprecated=True)
    session.register_provider("nobody")
    session.register_provider(
        "strict", "https://strict.example.org/{$id}", pattern="^[A-Z]\\d+$", strict=True, example="A1"
    )
    data = {"encoding": "data", "title": "Handles"}
    for name in ("doi", "hdl", "handle"):
        session.register_provider(name, f"https://{name}.example.org/{{$id}}", **data)
    session.register_provider("ark", "https://n2t.example.org/ark:{$id}")
    session.register_provider("ark:12148", "https://bnf.example.org/ark:/12148/{$id}")
    session.register_provider("ark:99999/b5", "https://their.example.org/b5{$id}")
    session.register_provider(
        "parts", *[f"https://{each}.example.org/{{$id}}" for each in ("gears", "wheels", "cogs", "new")]
    )
    session.register_provider("2021/06/world", "https://world.example.org/{$id}", ttl=7)
    for name, document in session.thin(read_prefixes()):
        session.admin("PUT", f"/api/v1/prefixes/{name}", document)


def _mint(session: Session) -> None:
    session.mint("demo", "plain", uri=HERE)
    session.mint("2021/06/demo", "given", id="tw0t-ywdj-94", uri=f"{HERE}/given", metadata={"what": "An example"})
    session.mint("demo", "bare")
    session.mint("mp", "rich", records=LOCATIONS, metadata=METADATA, alternates=ALTERNATES)
    session.mint("mp", "cited", records=LOCATIONS[:1], metadata=METADATA)
    session.mint("mp", "spoken", uri=HERE, metadata={"what": "Ein Gerät", "language": "de"}, ttl=60)
    session.mint("mp", "asleep", records=LOCATIONS[6:])
    session.mint("mp", "short", uri=HERE, ttl=0)
    session.mint("demo", "reserved", uri=HERE, status="reserved", metadata={"what": "A secret"})
    session.mint("2021/06/mp/calculations", "deeper", uri=f"{HERE}?a=b&c=%C3%A9#fragment")
    for status in (301, 303, 307, 308):
        session.mint(f"by{status}", f"by{status}", uri=f"{HERE}/{status}")
    two = [{"uri": f"https://content.example.org/{name}", "language": name} for name in ("de", "fr")]
    session.mint("offers", "choice", id="tea", records=two, metadata={"what": "Tea"})
    kinds = [{"uri": f"{HERE}.{kind[-3:]}", "mediaType": kind} for kind in ("text/html", "application/pdf", "text/csv")]
    session.mint("offers", "kinds", id="coffee", records=kinds)
    session.mint("deep", "shelf", id="shelf", uri="https://content.example.org/shelf/?q=1#top")
    session.mint("deep", "book", id="shelf/book", uri="https://content.example.org/book")
    session.mint("domains", "domain", uri="https://content.example.org/only")
    session.mint("ark:99999/fk4", "ark", uri=HERE, metadata={"what": "An ARK", "who": "Somebody", "when": "2021"})
    session.mint("ark:98989", "naan", records=LOCATIONS)
    session.mint("10.5072", "handle", id="First.Thing", records=LOCATIONS, metadata=METADATA)
    session.mint("10.5072", "handle bare", id="bare")
    session.mint("10.5075", "handle default", id="x/y")
    session.mint("lid", "linkid", id=LINKID, records=LOCATIONS, alternates=ALTERNATES, metadata={"what": "A paper"})
    successor = session.mint("demo", "successor", uri=HERE)
    for name, members in {"withdrawn": {"records": LOCATIONS, "metadata": METADATA}, "withdrawn bare": {}}.items():
        path = session.mint("demo", name, **members)
        reason: dict[str, Any] = {"reason": "Published by mistake: see the <new> edition"}
        session.change("DELETE", path, reason | ({"successor": absolute_url(successor)} if members else {}))
    session.change("DELETE", session.mint("10.5072", "handle withdrawn", id="gone", uri=HERE), {"reason": "Wrong"})
    path = session.mint("mp", "changed", uri=HERE, metadata={"what": "Draft 1"})
    for version in range(2, 8):
        session.clock.advance(3_600)
        session.change("PATCH", path, {"metadata": {"what": f"Draft {version}"}, "uri": f"{HERE}/v{version}"})


def absolute_url(path: str) -> str:
    """Return the absolute URL of the path of a PID."""
    return f"https://id.example.org{path}"
