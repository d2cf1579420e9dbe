"""Text around an identifier never reaches a provider; a clean identifier does, whatever its prefix's pattern says."""

import pytest

from coolid.errors import ExtraneousText
from coolid.model.prefixes import DATA, ProviderPrefix
from coolid.registry.references import Reference
from coolid.resolution.resolver import ProviderRedirect, resolve
from tests.support.builders.samples import provider_prefix
from tests.support.stores.memory_store import MemoryStore

URL = "https://x.example/{$id}"
PREFIXES = (
    provider_prefix("pubmed", URL, pattern=r"^\d+$", example="16333295", synonyms=("pmid", "pubmed id")),
    provider_prefix("go", URL, pattern=r"^\d{7}$", example="0006915", redundant=("GO:", "GO_")),
    provider_prefix("doi", URL, pattern=r"^10.\d{2,9}/.*$", example="10.1038/nature", encoding=DATA),
    provider_prefix("hdl", URL, pattern=r"^\d+/.+$", example="2381/12775", encoding=DATA),
    provider_prefix("ark", URL, pattern=r"^/*[0-9A-Za-z]+(?:/[\w/.=*+@\$-]*)?$", example="/53355/x", encoding=DATA),
    provider_prefix("isbn", URL, pattern=r"^(ISBN)?(-13|-10)?[:]?[ ]?([0-9]+[ -]?)*(\d|X)$", example="9789211613865"),
    provider_prefix("vipr", URL, pattern="^[A-Za-z 0-9]+$", example="BeAn 70563"),
    provider_prefix("mission", URL, pattern="^.+$", example="ARCBedrest"),
    provider_prefix("rrid", URL, pattern="^[a-zA-Z]+.+$", example="AB_262044"),
    provider_prefix("smiles", URL, pattern=r"^[A-Za-z0-9+\-\*=#$:().>/\\\[\]%]+$", example="CC"),
    provider_prefix("role", URL, example="Histidinol dehydrogenase"),
    provider_prefix("hgvs", URL, example="NP_003997.1:p.Trp24Cys"),
    provider_prefix("iconclass", URL, example="98C(ZENOBIA)2"),
    provider_prefix("reaction", URL, pattern="^.*?--%3E.*?$", example="A--%3EB"),
    provider_prefix("any", URL),
)
STORE = MemoryStore()
for each in PREFIXES:
    STORE.put_prefix(each, None)


def identifier(text: str) -> str:
    """The identifier that is sent to the provider."""
    decision = resolve(Reference.of(text), STORE)
    assert isinstance(decision, ProviderRedirect)
    return decision.identifier


CERTAINLY_WRONG = [
    "doi: 10.1000/182", "10.1000/182 .", "10.1000/182</p>", "10.1000/182&lt;/p&gt;", "10.1000/182%20.", "10.1000/1 82",
    "10.1000/182\u00a0", "10.1000/18\u00ad2", "10.1038/s41597\u2010022", "doi:https://doi.org/10.1000/182",
    "doi:pmid:123", "10.1000/<182", '"10.1000/182"'[1:], "10.1000/182}",
    "10.1000/182,", "10.1000/182.", "hdl:2381/12775.", "10.1000/182;", "10.1000/182)", "10.1000/182).",
    "10.1000/182†", "10.1000/182¹", "10.1000/ﬁ",
    "10.1000/a\\_5", "doi:10.1000%2F182", "pmid:123;go:0006915",
    "hdl: 2381/12775", "hdl:2381/12775 .", "hdl:2381/12775</b>",
    "ark:/12148/bp t", "isbn:978 0 14 029161 2", "isbn: 9780140291612",
    "pmid: 123", "pmid:Some 123", "pmid:doi:10.1000/182", "pmid:10.1000/182 ", "pmid:123\u2020", "pmid:\u2460",
    "go:0006915.", "go:0006915)", "go:(0006915)", "go:0006915;", "go:'0006915'", "go:“0006915”", "go:0006915%0A",
    "go:0006915<script>", "go:https://go.example/0006915", "go:doi/10.1000/182",
    "vipr: BeAn 1", "vipr:BeAn 1.", "vipr:BeAn <b>1</b>", "rrid:AB 262044", "smiles:CC O",
    "role:Histidinol <i>dehydrogenase</i>", "hgvs:NM_000546.5:c.215C>G</p>", "hgvs:NM_000546.5 x", "any:a ",
    "any:<b>a</b>", "go:0006915\\", "go:00%206915", "go:a|0006915|b", "pmid:/123", "pmid://123", "rrid:SCR_1;",
    "hdl:2381/12775 and 10.1000/182", "hdl:2381/12775 PMID: 1", "hdl:2381/12775\" [pii]", "hdl:2381/12775|",
]  # fmt: skip
REDIRECTED = [
    ("go:whatever", "whatever"), ("go:1", "1"), ("go:é", "é"), ("go:a_b-c", "a_b-c"), ("go:zz:1", "zz:1"),
    ("10.1016/S0140-6736(05)67889-4", "10.1016/S0140-6736(05)67889-4"),
    ("10.1002/(SICI)1097(199510)46:9<646::AID-A2>3.0.CO;2-1", "10.1002/(SICI)1097(199510)46:9<646::AID-A2>3.0.CO;2-1"),
    ("doi:10.1/..", "10.1/.."),
    ("10.1000/(x)", "10.1000/(x)"), ("10.1000/[x]", "10.1000/[x]"), ("go:1;nobody:2", "1;nobody:2"),
    ("10.1000/a:b", "10.1000/a:b"), ("10.1000/doi:x", "10.1000/doi:x"), ("10.1000/é", "10.1000/é"),
    ("hdl:2381/12 775", "2381/12 775"), ("vipr:BeAn 70563", "BeAn 70563"), ("mission:Bion 11", "Bion 11"),
    ("role:Xylan transporter, substrate-binding component", "Xylan transporter, substrate-binding component"),
    ("role:5’-nucleotidase", "5’-nucleotidase"), ("hgvs:NM_000546.5:c.215C>G", "NM_000546.5:c.215C>G"),
    ("smiles:CC>>O", "CC>>O"), ("iconclass:98C(ZENOBIA%20SEPTIMIA)2", "98C(ZENOBIA%20SEPTIMIA)2"),
    ("reaction:C--%3ED", "C--%3ED"), ("any:a b", "a b"), ('any:a"b', 'a"b'), ("rrid:go:1", "go:1"),
    # Labels of the prefix itself
    ("pmid:PMID 123", "123"), ("pmid:PMID123", "123"), ("pubmed/pmid/123", "123"), ("pmid:PubMed ID: 123", "123"),
    ("pmid:PMID-123", "123"), ("pmid:PMIDx", "PMIDx"), ("go/go/0006915", "0006915"), ("go:GO_0006915", "0006915"),
    ("go:GO 0006915", "0006915"), ("go:GO:GO:0006915", "0006915"), ("isbn:ISBN 978-0-14-029161-2", "978-0-14-029161-2"),
    ("isbn:ISBN9780140291612", "9780140291612"), ("doi:doi:10.1000/182", "10.1000/182"),
    ("doi/doi/10.1000/2", "10.1000/2"),
    ("rrid:RRID_AB", "RRID_AB"), ("any:any", "any"), ("any:anything", "anything"),
]  # fmt: skip


@pytest.mark.parametrize("text", CERTAINLY_WRONG, ids=ascii)
def test_text_around_an_identifier_is_refused(text: str) -> None:
    with pytest.raises(ExtraneousText) as raised:
        identifier(text)
    assert raised.value.prefix is not None
    assert str(raised.value)


@pytest.mark.parametrize(("text", "sent"), REDIRECTED, ids=ascii)
def test_everything_else_is_redirected_whether_the_pattern_matches_or_not(text: str, sent: str) -> None:
    assert identifier(text) == sent


def test_a_strict_request_keeps_the_punctuation_behind_a_handle() -> None:
    decision = resolve(Reference.of("10.1000/182."), STORE, strict=True)
    assert isinstance(decision, ProviderRedirect)
    assert decision.location.endswith("/10.1000/182.")


def test_a_prefix_that_is_not_registered_is_no_label() -> None:
    assert identifier("go:nobody:1") == "nobody:1"


@pytest.mark.parametrize("prefix", PREFIXES, ids=lambda prefix: prefix.name)
def test_every_example_is_redirected(prefix: ProviderPrefix) -> None:
    example = prefix.example or "x"
    assert identifier(f"{prefix.name}:{example}") == example
