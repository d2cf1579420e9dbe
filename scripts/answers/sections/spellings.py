"""Spellings: ways to write identifiers, in paths, in pasted URLs, for the parser and for bulk resolution."""

from collections.abc import Iterator
from itertools import product
from typing import Final
from urllib.parse import quote

from scripts.answers.sections.foundation import SCHEMES
from scripts.answers.sections.registry import list_examples
from scripts.answers.service import BASE_URL
from scripts.answers.session import MISSING, Session

TEXTS: Final = (
    "", " ", "é", "\x00", "demo:\x00", "%zz", ":", "//", "\u202e", "𝟘𝟘", "https://doi.org/%zz", "[" * 300,
    "a" * 5_000, "10.5281/zenodo.31780", "doi:10.5281/ZENODO.31780", "https://doi.org/10.5281/zenodo.31780",
    "DOI 10.1000/182.", "hdl:102.100.272/Y35XYS0QH", "hdl.handle.net/20.500.12345/abc", "urn:isbn:978-3-16-148410-0",
    "9783161484100", "978-3-16-148410-1", "isbn:0306406152", "ISSN 2049-3630", "issn:2049-3631",
    "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097", "orcid:0000-0002-1825-0098", "ror:02mhbdp94",
    "https://ror.org/02mhbdp94", "ror:02mhbdp95", "urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8",
    "{919108F7-52D1-4320-9BAC-F847DB4148A8}", "isni:0000000121032683", "igsn:AU1101", "10273/AU1101",
    "ark:/12345/x5-4xz-321", "ark:12345/x54xz321/s3/f8.05v.tiff", "https://n2t.net/ark:/12148/bpt6k97497t",
    "lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14",
    "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3", "GO:0006915", "go:GO:0006915",
    "GO/GO:0006915", "http://purl.obolibrary.org/obo/GO_0006915", "http://purl.example.org/obo/GO_0006915",
    "tw0t-ywdj-94", "TWOTYWDJ94", "tw0tywdj95", "2021/06/demo/tw0t-ywdj-94", "demo:tw0t-ywdj-94",
    "<demo:tw0t-ywdj-94>", "(demo:tw0t-ywdj-94).", "https://id.example.org/demo:TWOT-YWDJ-94",
    "http://id.example.org/demo/tw0t-ywdj-94?x=1#y", "fk4tw0t", "https://identifiers.org/gene:0006915",
    "https://bioregistry.io/gene:0006915", "https://n2t.net/gene:0006915", "https://example.org/",
    "https://old.example.org/What%3F", "https://old.example.org/100%25", "mailto:a@example.org",
    "urn:nbn:de:101:1-2020", "pmid:19008410", "arXiv:2005.14165", "Y35XYS0QH", "13030/f54x54g19", "1.2.3", "doi:",
    "see demo:tw0t-ywdj-94, and gene:0006915!", "uniprot:P12345", "UniProt:p12345", "javascript:alert(1)", "Q42",
)  # fmt: skip
PATHS: Final = (
    "/10.5281/zenodo.31780", "/doi:10.5281/ZENODO.31780", "/doi/10.5281/zenodo.31780", "/DOI:10.1000/182",
    "/hdl:102.100.272/Y35XYS0QH", "/hdl/102.100.272/Y35XYS0QH", "/102.100.272/Y35XYS0QH", "/handle:1/2",
    "/ark:/12345/x5-4xz", "/ark:12345/x54xz", "/ARK:/12345/X54XZ", "/ark%3A12345/x5", "/ark:/1-2148/b-p-t6k/f1.image",
    "/ark:99999/b5abc", "/ark:/99999/fk4", "/ark:99999", "/ark:", "/ark:/", "/lid:short", "/resolve/short",
    "/resolve/gene:0006915", "/resolve/10.5281/zenodo.31780", "/resolve/ark:/12345/x5", "/resolve/", "/resolve",
    "/https://n2t.net/ark:/12345/x5", "/http://doi.org/10.1000/182", "/https:/doi.org/10.1000/182",
    "/https://identifiers.org/gene:0006915", "/https://id.example.org/gene:0006915", "/https://example.org/x",
    "/https%3A%2F%2Fdoi.org%2F10.1000%2F182", "/gene:0006915", "/GENE:0006915", "/genes:0006915", "/gene/0006915",
    "/gene:gene:0006915", "/gene/gene:0006915", "/gene:GENE:0006915", "/ols/gene:0006915", "/p0/gene:0006915",
    "/p1/genes:0006915", "/p9/gene:0006915", "/gene:7", "/gene:", "/gene/", "/gene:%30006915", "/gene%3A0006915",
    "/oldgene:a%2Fb", "/oldgene:a/b", "/oldgene:a%3Fb", "/oldgene:a%23b", "/oldgene:a%20b", "/oldgene:a%25b",
    "/oldgene:%C3%A9", "/oldgene:a/../b", "/oldgene:..", "/oldgene:.", "/oldgene:a;b", "/oldgene:a+b", "/oldgene:a:b",
    "/oldgene:%E2%80%8B", "/oldgene:a%0Ab", "/oldgene:%2e%2e/x", "/oldgene:%252E", "/strict:A1", "/strict:a1",
    "/strict:1", "/2021/06/world:5", "/2021/06/world/5", "/2021/06", "/2021", "/2021/06/", "/2021/06/demo/", "/demo",
    "/demo/", "/demo:", "/DEMO", "/Demo:tw0t-ywdj-94", "/2021/06/DEMO/TW0TYWDJ94", "/demo/tw0t-ywdj-94/",
    "/demo/tw0t-ywdj-94/more", "/demo:tw0t--ywdj-94", "/demo:TWOT-YWDJ-94", "/demo:twot-ywdj-9A",
    "/demo:tw0t-ywdj-93", "/demo:tw0u-ywdj-94", "/demo:tw0t", "/demo:", "/mp/calculations:1",
    "/2021/06/mp/calculations/zzzz-zzzz-90", "/deep:shelf/book/page.1", "/deep:shelf/book", "/deep:shelf/other",
    "/deep:shelf.pdf", "/deep:shelfx", "/deep:no", "/2022/deep/shelf/a%2Fb", "/deep:shelf/../x",
    "/deep:shelf/book/..%2F", "/10.5072/FIRST.thing", "/10.5072/nothing", "/21.T11148/first.thing", "/21.t11148/bare",
    "/doi:10.5072/first.thing", "/hdl:10.5072/bare", "/10.5075/x/y", "/10.5072/gone", "/by301", "/offers:TEA",
    "/offers:tee", "/offers:tea", "/exact:a%2541b", "/exact:a%41b", "/exact:a%2Bb", "/exact:a+b", "/exact:a%2Fb",
    "/exact:a/b", "/exact:ab%3Ac", "/exact:a%3Fb", "/noidsmall:0", "/dashless:a-b-1",
)  # fmt: skip


def run(session: Session) -> None:
    """Read by every spelling."""
    with session.group("spellings: paths"):
        for path in session.thin(PATHS):
            session.get(path)
            session.get(path, accept="text/html")
            session.get(path, "format=json")
    with session.group("spellings: schemes"):
        for path in session.thin(_list_own_spellings(session)):
            session.get(path)
    with session.group("spellings: registry"):
        for name, example in session.thin(list_examples()):
            text = quote(example, safe="/:")
            for path in (f"{name}:{text}", f"{name.upper()}/{text}", f"{name}:{name.upper()}:{text}", name):
                session.get(f"/{path}")
            session.get(f"/{name}:{text}", accept="application/json")
            session.get(f"/{name}:{text}", "info", "text/html")
    texts = [*TEXTS, *(f"{name}:{example}" for name, example in list_examples()), *_list_pasted_texts(session)]
    with session.group("spellings: parse"):
        for text in session.thin(texts):
            session.get("/api/v1/parse", f"id={quote(text, safe='')}")
    with session.group("spellings: pasted"):
        for text in session.thin(texts):
            session.get("/" + quote(text, safe="/:?=&"))
            session.get("/", f"q={quote(text, safe='')}", "text/html")
    with session.group("spellings: bulk"):
        for start in session.thin(range(0, len(texts), 20)):
            session.send("POST", "/api/v1/resolve", {"ids": texts[start : start + 20]})
            session.send("POST", "/api/v1/parse", {"ids": texts[start : start + 20]})


def _list_own_spellings(session: Session) -> Iterator[str]:
    """Yield paths of the records of every scheme, written in other ways and with errors."""
    for (prefix, *_, mints), number in product(SCHEMES, range(12)):
        path = session.pids[f"{prefix} {number}"]
        if number >= len(mints) or path == MISSING:
            continue
        key = path[len(prefix) + 2 :]
        middle = len(key) // 2
        spelt = {key, key.upper(), key.lower(), key.swapcase(), key.replace("-", ""), "-".join(key)}
        wrong = {f"{key}/", f"{key}.x", key.replace("0", "O").replace("1", "l")}
        wrong |= {key[:-1], key[:-1] + ("0" if key[-1:] != "0" else "1"), key + "0", key[1:2] + key[:1] + key[2:]}
        wrong |= {key[:middle] + "u" + key[middle + 1 :], f"urn:uuid:{key}"}
        for text in sorted(spelt | wrong):
            yield f"/{prefix}:{text}"
        yield f"/{prefix}/{key}"


def _list_pasted_texts(session: Session) -> Iterator[str]:
    """Yield texts that people copy of records."""
    for path in list(session.pids.values())[::3]:
        yield f"{BASE_URL}{path}"
        yield f" <{BASE_URL}{path.upper()}>. "
        yield path.lstrip("/")
