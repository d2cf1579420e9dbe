"""Where a PID leads if its repository prefers the record's page (`landing: page`), by what the client accepts."""

from typing import Any

import pytest

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.bulk_resolution import _PLAIN
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.model.records import INACTIVE, Location
from coolid.registry.references import parse_reference
from tests.support.builders.samples import BASE_URL, LATER, namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

PDF, CSV, PLAIN = (f"https://content.example.org/{name}" for name in ("a.pdf", "a.csv", "plain"))
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
FILES = (Location(PDF, media_type="application/pdf", size=7), Location(CSV, media_type="text/csv", language="de"))
PATH = "/2021/06/mp/tw0t-ywdj-94"
PID = BASE_URL + PATH


class Service:
    """One record of a repository whose PIDs lead to pages."""

    def __init__(self, *locations: Location, name: str = "2021/06/mp", **terms: Any) -> None:
        self.store = MemoryStore()
        owner = repository(**{"landing": "page", "canonical": name, **terms})
        self.store.repositories[owner.id] = owner
        self.store.put_prefix(namespace(name, owner), None)
        self.store.create_record(record(records=locations, metadata={"what": "A thing"}))
        self.endpoint = ResolutionEndpoint(self.store.uncached, FixedClock(), BASE_URL)
        self._application = Application(self.endpoint.routes(), BASE_URL, self._fail, public=True)

    def get(self, accept: str | None = None, path: str = PATH, **query: str) -> Response:
        headers = {} if accept is None else {"accept": accept}
        return self._application(Request("GET", path, tuple(query.items()), headers))

    @staticmethod
    def _fail(error: Exception, _: Request) -> None:
        raise AssertionError from error


def is_page(answer: Response) -> bool:
    """Whether the answer is the record's page."""
    return answer.status == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.fixture(scope="module")
def service() -> Service:
    return Service(*FILES)


class TestLanding:
    @pytest.mark.parametrize("accept", [None, "", "*/*", BROWSER, "text/html", "text/*", "application/rtf;q=0.1, */*"])
    def test_browsers_and_clients_that_accept_anything_get_the_page(self, service: Service, accept: str | None) -> None:
        answer = service.get(accept)
        assert is_page(answer)
        assert f'<a href="{PDF}" rel="noreferrer"' in answer.body
        assert f'<{PDF}>; rel="item"; type="application/pdf"' in answer.headers["Link"]
        assert f'<link rel="item" href="{PDF}" type="application/pdf">' in answer.body
        assert f'<a class="button" href="{PID}?format=target">' in answer.body
        assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"

    @pytest.mark.parametrize(
        ("accept", "target"),
        [
            ("application/pdf", PDF),
            ("text/csv", CSV),
            ("application/pdf, */*;q=0.1", PDF),
            ("text/csv, text/html;q=0.9", CSV),
            ("application/*", PDF),
            ("text/html;q=0, */*", PDF),
        ],
    )
    def test_clients_that_name_the_type_of_a_file_get_its_address(
        self, service: Service, accept: str, target: str
    ) -> None:
        answer = service.get(accept)
        assert (answer.status, answer.headers["Location"]) == (302, target)

    @pytest.mark.parametrize("accept", ["text/turtle", "text/turtle, */*", "text/turtle, text/html"])
    def test_clients_that_name_a_form_of_the_metadata_get_it(self, service: Service, accept: str) -> None:
        assert service.get(accept).headers["Content-Type"] == "text/turtle; charset=utf-8"

    def test_it_is_406_if_no_representation_is_acceptable(self, service: Service) -> None:
        assert service.get("image/png").status == 406

    @pytest.mark.parametrize(
        ("query", "target"),
        [
            ({"format": "target"}, PDF),
            ({"format": "csv"}, CSV),
            ({"format": "application/pdf"}, PDF),
            ({"lang": "de"}, CSV),
            ({"format": "csv", "lang": "de"}, CSV),
        ],
    )
    def test_parameters_that_select_a_location_lead_there(
        self, service: Service, query: dict[str, str], target: str
    ) -> None:
        answer = service.get(BROWSER, **query)
        assert (answer.status, answer.headers["Location"]) == (302, target)

    def test_other_parameters_have_no_effect(self, service: Service) -> None:
        assert is_page(service.get("*/*", utm_source="x"))

    def test_bulk_resolution_returns_targets(self, service: Service) -> None:
        with service.endpoint.reader.for_request() as reader:
            answer = service.endpoint.respond(_PLAIN, parse_reference(PATH[1:]), reader, suggestion_keys=0)
        assert answer.headers["Location"] == PDF

    def test_extensions_lead_into_the_target(self) -> None:
        service = Service(*FILES[:1], passthrough=True)
        assert service.get(path=f"{PATH}/page/2").headers["Location"] == f"{PDF}/page/2"

    def test_the_page_remains_if_no_location_is_valid(self) -> None:
        answer = Service(Location(PDF, INACTIVE)).get("*/*")
        assert is_page(answer)
        assert "format=target" not in answer.body

    def test_a_location_of_unknown_type_is_the_target_too(self) -> None:
        service = Service(Location(PLAIN))
        assert is_page(service.get("*/*"))
        assert service.get("application/pdf").headers["Location"] == PLAIN
        assert service.get("*/*", format="target").headers["Location"] == PLAIN

    def test_the_target_of_a_record_without_locations_is_the_record(self) -> None:
        answer = Service().get("*/*", format="target")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/linkid+json")

    def test_the_default_target_is_an_item_of_the_page(self) -> None:
        service = Service(target="https://a.example/{$id}")
        answer = service.get("*/*")
        assert is_page(answer)
        assert '<https://a.example/tw0t-ywdj-94>; rel="item"' in answer.headers["Link"]
        assert '"contentUrl":"https://a.example/tw0t-ywdj-94"' in answer.body
        assert "a.example" not in str(service.get("*/*", format="linkid").body)

    def test_parameters_of_handle_proxies_lead_to_the_target(self) -> None:
        service = Service(*FILES[:1], name="10.5072")
        path = "/10.5072/tw0t-ywdj-94"
        assert is_page(service.get("*/*", path))
        assert service.get("*/*", path, urlappend="?x=1").headers["Location"] == f"{PDF}?x=1"
        assert service.get("*/*", path, locatt="language:de").headers["Location"] == PDF

    def test_a_version_at_an_earlier_time_is_its_page(self, service: Service) -> None:
        answer = service.get("*/*", memento="1")
        assert is_page(answer)
        assert "Memento-Datetime" in answer.headers

    def test_a_change_of_the_setting_changes_tag_and_time(self) -> None:
        before = Service(*FILES, landing="target").get("*/*")
        after = Service(*FILES, updated=LATER).get("*/*")
        assert before.status == 302
        assert before.headers["ETag"] != after.headers["ETag"]
        assert before.headers["Last-Modified"] == "Thu, 10 Jul 2025 14:22:30 GMT"
        assert after.headers["Last-Modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"

    def test_without_the_setting_the_parameter_leads_to_the_target_too(self) -> None:
        service = Service(*FILES, landing="target")
        assert service.get("text/turtle", format="target").headers["Location"] == PDF
