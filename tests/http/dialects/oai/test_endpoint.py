"""The responses of OAI-PMH, each of which is valid XML by the grammar of the protocol."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from coolid.errors import StoreUnavailable
from coolid.http import pagination
from coolid.http.dialects.oai import record_pages
from coolid.http.dialects.oai.identifiers import item_key
from coolid.model.records import RESERVED
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.servers.oai_service import OAI, OTHER, OWNER, OaiService, document_of, form

HOST = "id.example.org"
DC = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


@pytest.fixture
def service() -> OaiService:
    return OaiService()


def identifiers(document: Any) -> list[str]:
    return [each.text for each in document.iter(f"{OAI}identifier")]


def code_of(document: Any) -> str:
    (error,) = document.iter(f"{OAI}error")
    assert error.text
    return str(error.get("code"))


def walk(service: OaiService, path: str = "/oai", **sent: str) -> list[Any]:
    """All pages of a list."""
    pages = [service.document(path, **sent)]
    while token := pages[-1].findtext(f".//{OAI}resumptionToken"):
        pages.append(service.document(path, verb=sent["verb"], resumptionToken=token))
    return pages


class TestErrors:
    @pytest.mark.parametrize(
        ("sent", "code"),
        [
            ({}, "badVerb"),
            ({"verb": "listrecords"}, "badVerb"),
            ({"verb": ""}, "badVerb"),
            ({"verb": "Identify", "from_": "2026-01-01"}, "badArgument"),
            ({"verb": "Identify", "resumptionToken": "x"}, "badArgument"),
            ({"verb": "Identify", "ä\x00": "x"}, "badArgument"),
            ({"verb": "ListRecords"}, "badArgument"),
            ({"verb": "ListIdentifiers", "metadataPrefix": ""}, "badArgument"),
            ({"verb": "GetRecord", "metadataPrefix": "oai_dc"}, "badArgument"),
            ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:x\x0b"}, "badArgument"),
            (DC | {"resumptionToken": "x"}, "badArgument"),
            (DC | {"from_": "2026-02-30"}, "badArgument"),
            (DC | {"from_": "2026-02-03T00:00Z"}, "badArgument"),
            (DC | {"from_": "2026-02-03T00:00:00+00:00"}, "badArgument"),
            (DC | {"from_": "0000-01-01"}, "badArgument"),
            (DC | {"from_": "2026-02-03", "until": "2026-02-03T00:00:00Z"}, "badArgument"),
            (DC | {"from_": "2026-02-03", "until": "2026-02-02"}, "badArgument"),
            (DC | {"from_": "2026-02-03"}, "noRecordsMatch"),
            (DC | {"until": "2001-01-01T00:00:00Z"}, "noRecordsMatch"),
            (DC | {"set_": "nowhere"}, "noRecordsMatch"),
            (DC | {"set_": OTHER}, "noRecordsMatch"),
            (DC | {"metadataPrefix": "marc"}, "cannotDisseminateFormat"),
            ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "x"}, "idDoesNotExist"),
            ({"verb": "ListMetadataFormats", "identifier": f"oai:{HOST}:{OWNER}/zzzz"}, "idDoesNotExist"),
            ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
            ({"verb": "ListRecords", "resumptionToken": "é"}, "badResumptionToken"),
            ({"verb": "ListSets", "resumptionToken": "WyJvYWlfZGMiXQ"}, "badResumptionToken"),
        ],
    )  # fmt: skip
    def test_each_has_its_code(self, service: OaiService, sent: dict[str, str], code: str) -> None:
        service.mint(1)
        document = service.document(**sent)
        assert code_of(document) == code
        echoed = dict(document.find(f"{OAI}request").attrib)
        silent = code in ("badVerb", "badArgument")
        assert echoed == ({} if silent else {name.rstrip("_"): value for name, value in sent.items()})

    def test_a_repeated_argument_is_an_error(self, service: OaiService) -> None:
        assert code_of(document_of(service.request(method="POST", body=b"verb=Identify&verb=Identify"))) == "badVerb"
        repeated = b"verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc"
        assert code_of(document_of(service.request(method="POST", body=repeated))) == "badArgument"

    @pytest.mark.parametrize("change", ["cut", "flip", "prefix", "other"])
    def test_no_token_but_those_of_this_service_is_accepted(
        self, service: OaiService, change: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(record_pages.RecordLists.page, "__defaults__", (1,))
        for number in range(3):
            service.mint(number)
        token = service.document(**DC).findtext(f".//{OAI}resumptionToken")
        path = f"/oai/{OTHER}" if change == "other" else "/oai"
        sent = {"cut": token[:-2], "flip": "A" + token[1:], "prefix": f"{token}==", "other": token}[change]
        assert code_of(service.document(path, verb="ListRecords", resumptionToken=sent)) == "badResumptionToken"


class TestDescriptions:
    def test_the_service_describes_itself(self, service: OaiService) -> None:
        document = service.document(verb="Identify")
        found = {each.tag.removeprefix(OAI): each.text for each in document.find(f"{OAI}Identify")}
        assert found["baseURL"] == f"{BASE_URL}/oai"
        assert found["adminEmail"] == "pids@example.org"
        assert found["earliestDatestamp"] == "2025-07-10T14:22:30Z"
        assert document.findtext(".//{*}repositoryIdentifier") == HOST
        assert document.findtext(f"{OAI}responseDate") == "2025-07-10T14:21:30Z"

    def test_an_address_that_is_no_domain_has_no_format_of_identifiers(self) -> None:
        document = OaiService("http://localhost:8080").document(verb="Identify")
        assert document.find(f".//{OAI}description") is None

    @pytest.mark.parametrize("path", [f"/oai/{OWNER}", "/oai/2021/06/MP", "/oai/2021%2F06%2Fmp"])
    def test_a_repository_has_an_address_of_its_own(self, service: OaiService, path: str) -> None:
        mine = service.mint(1)
        service.mint(2, OTHER)
        document = service.document(path, verb="Identify")
        assert document.findtext(f".//{OAI}baseURL") == f"{BASE_URL}/oai/{OWNER}"
        assert document.findtext(f".//{OAI}repositoryName") == "First & best"
        listed = service.document(path, **DC)
        assert identifiers(listed) == [f"oai:{HOST}:{OWNER}/{mine.key}"]
        assert listed.find(f".//{OAI}setSpec") is None
        assert code_of(service.document(path, verb="ListSets")) == "noSetHierarchy"
        assert code_of(service.document(path, **DC, set=OWNER)) == "noSetHierarchy"
        assert service.request("/oai/nobody", {"verb": "Identify"}).status == 404

    def test_the_repositories_and_their_namespaces_are_sets(self, service: OaiService) -> None:
        document = service.document(verb="ListSets")
        specs = [each.text for each in document.iter(f"{OAI}setSpec")]
        assert specs == [OWNER, "2021~06~mp", "ark!99999~fk4", OTHER, "other"]
        service.mint(1)
        service.mint(2, OTHER)
        for spec in specs:
            (header,) = service.document(verb="ListIdentifiers", metadataPrefix="oai_dc", set=spec).iter(f"{OAI}header")
            assert spec in [each.text for each in header.iter(f"{OAI}setSpec")]

    def test_the_formats_are_those_of_all_records(self, service: OaiService) -> None:
        mine = service.mint(1)
        for sent in ({}, {"identifier": f"oai:{HOST}:{OWNER}/{mine.key}"}):
            document = service.document(verb="ListMetadataFormats", **sent)
            assert [each.text for each in document.iter(f"{OAI}metadataPrefix")] == ["oai_dc", "oai_datacite"]


class TestRecords:
    @pytest.mark.parametrize("prefix", ["oai_dc", "oai_datacite"])
    def test_a_record_is_returned_by_its_identifier(self, service: OaiService, prefix: str) -> None:
        service.mint(1, metadata={"what": "Tea & <milk>\x00", "who": "Lee, Ann"})
        (name,) = identifiers(service.document(verb="ListIdentifiers", metadataPrefix=prefix))
        document = service.document(verb="GetRecord", metadataPrefix=prefix, identifier=name)
        assert identifiers(document) == [name]
        assert document.findtext(f".//{OAI}datestamp") == "2025-07-10T14:22:30Z"
        assert "Tea & <milk>" in [each.text.rstrip("\ufffd") for each in document.iter("{*}title")]
        assert item_key(HOST, name) == (OWNER, service.store.records.list_records(OWNER, 1, None)[0][0].key)

    def test_withdrawn_records_are_deleted_and_reserved_ones_unknown(self, service: OaiService) -> None:
        reserved = service.mint(1, status=RESERVED)
        hidden = service.mint(3, metadata={"ezid": {"_export": "no"}})
        gone = service.mint(2)
        service.clock.pause(5_000)
        service.withdraw(gone)
        for verb in ("ListRecords", "ListIdentifiers"):
            (header,) = service.document(verb=verb, metadataPrefix="oai_dc").iter(f"{OAI}header")
            assert (header.get("status"), header.findtext(f"{OAI}datestamp")) == ("deleted", "2025-07-10T14:22:35Z")
        for each in (reserved, hidden):
            name = f"oai:{HOST}:{OWNER}/{each.key}"
            found = service.document(verb="GetRecord", metadataPrefix="oai_dc", identifier=name)
            assert code_of(found) == "idDoesNotExist"

    @pytest.mark.parametrize(
        ("sent", "expected"),
        [
            ({"from_": "2025-07-10"}, [0, 1, 2]),
            ({"from_": "2025-07-11"}, [1, 2]),
            ({"until": "2025-07-11"}, [0, 1]),
            ({"from_": "2025-07-11", "until": "2025-07-11"}, [1]),
            ({"from_": "2025-07-11T14:22:30Z", "until": "2025-07-11T14:22:30Z"}, [1]),
            ({"from_": "2025-07-11T14:22:31Z"}, [2]),
            ({"until": "2025-07-11T14:22:29Z"}, [0]),
        ],
    )
    def test_a_period_includes_both_ends(self, service: OaiService, sent: dict[str, str], expected: list[int]) -> None:
        names = []
        for number in range(3):
            names.append(f"oai:{HOST}:{OWNER}/{service.mint(number).key}")
            service.clock.moment += timedelta(days=1)
        assert identifiers(service.document(**DC, **sent)) == [names[number] for number in expected]


class TestPages:
    def test_the_pages_of_a_list_together_are_the_list(self, service: OaiService) -> None:
        for number in range(150):
            service.mint(number, OTHER if number % 3 else OWNER, status=RESERVED if number % 7 == 0 else "active")
        expected = {
            f"oai:{HOST}:{owner}/{key}" for (owner, key), each in service.memory.records_by_key.items()
            if each.status != RESERVED
        }  # fmt: skip
        for sent in (DC, DC | {"from_": "2025-01-01"}):
            pages = walk(service, **sent)
            found = [each for page in pages for each in identifiers(page)]
            assert set(found) == expected
            assert len(found) == len(expected)
            assert [len(identifiers(page)) for page in pages] == [100, len(expected) - 100]
            tokens = [page.find(f".//{OAI}resumptionToken") for page in pages]
            assert [each.get("cursor") for each in tokens] == ["0", "100"]
            assert tokens[-1].text is None

    @pytest.mark.parametrize("status", [RESERVED, "active"])
    def test_no_page_is_empty(self, service: OaiService, status: str) -> None:
        for number in range(100):
            service.mint(number)
        for number in range(100, 105):
            service.mint(number, OTHER, status=status)
        assert [len(identifiers(page)) for page in walk(service, **DC)] == ([100] if status == RESERVED else [100, 5])

    def test_many_records_in_a_row_that_are_not_public_are_passed_by_a_redirect(
        self, service: OaiService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(record_pages, "_LIST_SIZE", 5)
        monkeypatch.setattr(record_pages, "_MAX_LISTS", 2)
        for number in range(200):
            service.mint(number, status=RESERVED)
        service.mint(1, OTHER)
        response = service.request(sent=DC)
        assert (response.status, response.headers["Cache-Control"]) == (302, "no-store")
        assert response.headers["Location"].startswith(f"{BASE_URL}/oai?verb=ListRecords&resumptionToken=")

    def test_a_page_fits_into_a_response(self, service: OaiService, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pagination, "MAX_PAGE_BYTES", 20_000)
        for number in range(12):
            service.mint(number, metadata={"what": "x" * 5_000})
        pages = walk(service, **DC)
        assert len(pages) > 3
        assert len({each for page in pages for each in identifiers(page)}) == 12

    def test_records_that_change_during_a_list_are_returned(self, service: OaiService) -> None:
        """Whatever is withdrawn or minted between two pages: a list of changes ends with it."""
        minted = [service.mint(number) for number in range(250)]
        seen: dict[str, bool] = {}
        token, sent = "", DC | {"from_": "2025-01-01"}
        for number in range(10):
            document = service.document(**({"verb": "ListRecords", "resumptionToken": token} if token else sent))
            seen |= {
                each.findtext(f"{OAI}identifier"): each.get("status") == "deleted"
                for each in document.iter(f"{OAI}header")
            }
            token = document.findtext(f".//{OAI}resumptionToken") or ""
            if not token:
                break
            service.clock.pause(1_000)
            for at in (number, 120 + number, 249 - number):
                service.withdraw(minted[at])
        stored = service.memory.records_by_key.values()
        assert seen == {f"oai:{HOST}:{OWNER}/{each.key}": each.status == "withdrawn" for each in stored}

    def test_a_later_harvest_finds_records_that_were_written_after_their_stamp(self, service: OaiService) -> None:
        """A write is stamped up to a minute before a harvest can see it."""
        service.mint(1)
        late = service.clock.now()
        service.clock.pause(50_000)
        date = service.document(**DC).findtext(f"{OAI}responseDate")
        service.mint(2, updated=late)
        service.clock.moment = datetime(2025, 8, 1, tzinfo=UTC)
        assert f"oai:{HOST}:{OWNER}/" + sorted(key for _, key in service.memory.records_by_key)[0] in identifiers(
            service.document(**DC, from_=date)
        )
        assert len(identifiers(service.document(**DC, from_=date))) == 2
        assert date < MOMENT.isoformat()


class TestMethods:
    def test_a_form_is_answered_like_a_query(self, service: OaiService) -> None:
        service.mint(1)
        assert service.request(method="POST", body=form(**DC)).body == service.request(sent=DC).body
        assert code_of(document_of(service.request(method="POST"))) == "badArgument"

    def test_head_has_the_headers_of_get(self, service: OaiService) -> None:
        service.mint(1)
        head, get = service.request(sent=DC, method="HEAD"), service.request(sent=DC)
        assert (head.status, head.body, head.headers) == (200, "", get.headers)
        assert get.headers["Cache-Control"] == "no-store"

    @pytest.mark.parametrize("path", ["/oai", f"/oai/{OWNER}"])
    def test_other_methods_are_refused(self, service: OaiService, path: str) -> None:
        response = service.request(path, method="PUT")
        assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD, POST, OPTIONS")

    def test_a_failing_store_is_no_empty_list(self, service: OaiService) -> None:
        with patch.object(service.memory, "list_records", side_effect=StoreUnavailable("down")):
            response = service.request(sent=DC)
        assert response.status == 503
        assert response.headers["Retry-After"]
