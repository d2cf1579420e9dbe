"""Every accepted spelling of a PID reaches the same record, and the canonical link names the canonical one."""

import pytest

from tests.e2e.created_records import HERE, NEW_PREFIXES, Holding, ark_prefix, dated, doi_prefix, fresh_name, hold
from tests.e2e.service import Service
from tests.support.builders.samples import VECTORS

LUI = "tw0t-ywdj-94"
ONES = "0000-0001-95"


@pytest.fixture(scope="module")
def named(service: Service) -> Holding:
    """A repository of many names: date-qualified, short, a DOI prefix, an ARK's."""
    name = fresh_name()
    holding = hold(service, dated(name), name, doi_prefix(), ark_prefix())
    for identifier in (LUI, ONES):
        holding.mint(id=identifier)
    ark = f"/{holding.prefixes[3]}/{LUI}"
    assert service.seen_within(NEW_PREFIXES, lambda: service.get(ark).status, 302) == 302
    return holding


def leads_there(service: Service, named: Holding, path: str, identifier: str = LUI) -> None:
    """Once all environments of the function know the prefix, if it has several."""

    def look() -> tuple[int, str | None, bytes]:
        reply = service.get(path)
        return reply.status, reply.headers.get("location"), b"" if reply.status == 302 else reply.body

    there: tuple[int, str | None, bytes] = (302, HERE, b"")
    assert service.seen_within(NEW_PREFIXES, look, there) == there, path
    assert service.get(path).canonical == f"{service.issuer}/{named.prefix}/{identifier}"


@pytest.mark.parametrize("spelling", [LUI, *VECTORS["lui"]["same_integer_as_tw0t-ywdj-94"], "--TW0Ty-wdj94-"])
@pytest.mark.parametrize("prefix", [0, 1, 2, 3], ids=["date-qualified", "short", "DOI", "ARK"])
def test_case_hyphens_and_zeros_do_not_matter(service: Service, named: Holding, prefix: int, spelling: str) -> None:
    leads_there(service, named, f"/{named.prefixes[prefix]}/{spelling}")


@pytest.mark.parametrize("spelling", ["oooo-oooi-95", "OOOO-OOOL-95", "000000O195", "0-0-0-0-0-0-0-l-9-5"])
def test_neither_do_letters_that_look_like_ones(service: Service, named: Holding, spelling: str) -> None:
    leads_there(service, named, f"/{named.prefixes[1]}:{spelling}", ONES)


@pytest.mark.parametrize(
    "form",
    [
        "{short}:{id}",
        "{short}/{id}",
        "{SHORT}:{id}",
        "{short}%3A{id}",
        "{dated}/{id}",
        "{dated}:{id}",
        "{DATED}/{id}",
        "{short}:%74w0t%2Dywdj-94",
        "%65{short[1]}:{id}",
        "{short}:{id}?",
        "{short}:{id}?unknown=parameter",
        "{doi}/{id}",
        "{doi}%2F{id}",
        "doi:{doi}/{id}",
        "DOI:{doi}%2F{id}",
        "doi/{doi}/{id}",
        "hdl:{doi}/{id}",
        "hdl/{doi}/{id}",
        "https://doi.org/{doi}/{id}",
        "https:/dx.doi.org/{doi}/{id}",
        "{ark}/{id}",
        "ark:/{naan}/{id}",
        "ARK:/{naan}/{id}/",
        "ark:{naan}//{id}",
        "https://n2t.net/ark:/{naan}/{id}",
        "resolve/{short}:{id}",
        "resolve/{short}%3A{id}",
        "resolve/{dated}/{id}",
        "resolve/doi:{doi}/{id}",
        "resolve/ark:/{naan}/{id}",
        "{issuer}/{dated}/{id}",
        "{issuer}/resolve/{short}:{id}",
        "resolve/{issuer}/{short}/{id}",
    ],
)
def test_every_form_leads_there(service: Service, named: Holding, form: str) -> None:
    date_qualified, short, doi, ark = named.prefixes
    values = {
        "dated": date_qualified,
        "DATED": date_qualified.upper(),
        "short": short,
        "SHORT": short.upper(),
        "doi": doi,
        "ark": ark,
        "naan": ark.removeprefix("ark:"),
        "issuer": service.issuer,
        "id": LUI,
    }
    leads_there(service, named, "/" + form.replace("{short[1]}", short[1:]).format(**values))


@pytest.mark.parametrize("spelling", ["tw0t-ywdj-95", "tw0t-ywjd-94", "wt0t-ywdj-94", "tw0t-ywdj-9"])
def test_a_typing_error_is_400_and_what_was_meant_is_suggested(service: Service, named: Holding, spelling: str) -> None:
    reply = service.get(f"/{named.prefix}/{spelling}")
    status, kind = reply.refusal
    assert (status, kind) in ((400, "invalid-check"), (400, "invalid-length"))
    assert reply.json()["suggestions"] == [LUI]


@pytest.mark.parametrize(
    "spelling", ["tw0u-ywdj-94", "tw0t%20ywdj%2094", "tw0t+ywdj+94", "tw0t-ywdj-%EF%BC%99%EF%BC%94", "98"]
)
def test_what_breaks_the_rules_is_400_and_says_which(service: Service, named: Holding, spelling: str) -> None:
    reply = service.get(f"/{named.prefix}/{spelling}")
    assert reply.refusal[0] == 400
    assert reply.json()["rule"] in ("alphabet", "length", "check")


def test_the_canonical_form_is_canonical(service: Service, named: Holding) -> None:
    canonical = service.get(f"/{named.prefixes[1]}:{LUI.upper()}").canonical
    reply = service.get(service.path_of(canonical))
    assert (reply.status, reply.canonical) == (302, canonical)
