"""A harvest by OAI-PMH of a deployed service, with Sickle, unmodified."""

from urllib.parse import quote

from sickle import Sickle

from tests.e2e.created_records import hold
from tests.e2e.service import Service

HEADERS = {"metadataPrefix": "oai_dc"}


def test_a_repository_is_harvested_by_both_methods_with_withdrawn_records(service: Service) -> None:
    holding = hold(service)
    minted = [holding.mint(metadata={"what": f"Tea & <milk> {number}"}) for number in range(3)]
    holding.changed("DELETE", minted[1], {"reason": "It was wrong"})
    expected = {each.id.replace("-", ""): each is minted[1] for each in minted}
    address = f"{service.url}/oai/{quote(holding.prefix)}"

    def harvested(method: str, **period: str) -> dict[str, bool]:
        sickle = Sickle(address, http_method=method, timeout=60, max_retries=3, default_retry_after=1)
        found = sickle.ListRecords(**HEADERS, **period)
        return {each.header.identifier.rpartition("/")[2]: each.header.deleted for each in found}

    assert service.seen_within(0, lambda: harvested("GET"), expected) == expected
    assert harvested("POST") == expected
    assert service.seen_within(0, lambda: harvested("GET", **{"from": "2025-01-01"}), expected) == expected
    (listed,) = [
        each for each in Sickle(address, timeout=60).ListRecords(metadataPrefix="oai_datacite")
        if each.header.identifier.endswith(minted[0].id.replace("-", ""))
    ]  # fmt: skip
    assert "Tea &amp; &lt;milk&gt; 0" in listed.raw


def test_the_repository_is_a_set_of_all_records(service: Service) -> None:
    holding = hold(service)
    minted = holding.mint()
    sickle = Sickle(f"{service.url}/oai", timeout=60)
    assert sickle.Identify().baseURL == f"{service.issuer}/oai"
    specs = service.seen_within(
        0, lambda: holding.repository in {each.setSpec for each in sickle.ListSets()}, expected=True
    )
    assert specs
    (header,) = sickle.ListIdentifiers(set=holding.repository, **HEADERS)
    assert header.identifier.endswith(f":{holding.repository}/{minted.id.replace('-', '')}")
