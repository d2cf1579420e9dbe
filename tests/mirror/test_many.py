"""A mirror of many identifiers on nginx: each gets its service's answer in three spellings, and all proofs verify."""

from pathlib import Path

import pytest

from coolid.identifiers.rules.chosen import ChosenRules
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.verification import verify_mirror
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.mirrored_service import MirroredService, mirrored_service
from tests.support.servers.redirect_servers import nginx_of_mirror


def mint(service: MirroredService, number: int) -> list[tuple[str, str, str]]:
    """Mint identifiers under a LUI prefix and a NAAN, and withdraw each tenth. Return three spellings of each."""
    service.installation.add("2021/06/mp", redirect=303)
    service.installation.add("ark:12345", ChosenRules(pattern="[a-z0-9]+", ignores_hyphens=True))
    found = []
    for at in range(number):
        target = f"https://content.example.org/{at}?q={at % 7}&x=%2F#part-{at}"
        if at % 2:
            record = service.mint("ark:12345", f"x{at:06}", target)
            text = record.id
            found.append((f"ark:12345/{text}", f"ark:/12345/{text}", f"ark:/12345/{text[:3]}-{text[3:]}"))
        else:
            record = service.mint("2021/06/mp", None, target)
            text = record.id
            found.append((f"2021/06/mp/{text}", f"2021/06/mp/{text.replace('-', '')}", f"2021/06/MP/{text.upper()}"))
        if at % 10 in (3, 4):
            service.installation.amender.withdraw(record, "a mistake", None, author="another")
    return found


@pytest.mark.parametrize("number", [40, pytest.param(20_000, marks=pytest.mark.drill)])
def test_each_spelling_gets_the_answer_of_the_service(tmp_path: Path, number: int) -> None:
    site = tmp_path / "site"
    with mirrored_service(tmp_path) as service:
        spellings = mint(service, number)
        service.publish_log()
        report = service.mirror(site, plain=number < 1_000)
        expected = {path: service.request(f"/{path}") for paths in spellings for path in paths}
    assert report.losses.counts == {}
    assert {status for status, _ in expected.values()} == {302, 303, 410}
    with nginx_of_mirror(tmp_path, site) as request:
        answers = ((path, request(f"/{path}")) for path in expected)
        found = {path: (answer.status, answer.headers.get("location")) for path, answer in answers}
    assert found == expected
    with MirrorFolder(site, may_create=False) as folder:
        verdict = verify_mirror(folder, None, str(service.log_key), lambda _: None)
    assert (verdict.problems, verdict.records, verdict.proofs) == ([], number, number)
    folders = [len(list(each.iterdir())) for each in site.rglob("*") if each.is_dir()]
    assert max(folders) < 5_000
    assert BASE_URL.encode() in (site / "_mirror/manifest").read_bytes()
