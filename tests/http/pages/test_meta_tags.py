"""The data in the head of a record's page, as other people's readers find it."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.linked_data import schemaorg
from coolid.http.pages import content_security_policy, meta_tags
from coolid.http.pages.meta_tags import MAX_LENGTH, MetaTag
from coolid.model.records import Location, Record
from tests.http.pages.test_record_page import Service
from tests.support.builders.complete_record import ORCID, PID, complete_record
from tests.support.builders.samples import BASE_URL, record

pytest.importorskip("extruct")
import extruct

COMPLETE = complete_record()
HOSTILE = '</script><script>alert(1)</script>"><img src=x>'


def tags(of: Record) -> dict[str, list[str]]:
    """The contents of the elements by their names."""
    found: dict[str, list[str]] = {}
    for each in meta_tags.meta_tags(describe(of), "A title", "A summary", "A repository"):
        found.setdefault(each.name, []).append(each.content)
    return found


class TestPage:
    def page(self, of: Record) -> Any:
        service = Service()
        service.store.create_record(of)
        return service.get()

    def test_extruct_finds_what_other_forms_say(self) -> None:
        answer = self.page(replace(COMPLETE, pid=record().pid))
        found = extruct.extract(answer.body, syntaxes=["json-ld", "opengraph", "dublincore"], uniform=False)
        (document,) = found["json-ld"]
        assert document == schemaorg.json_ld(replace(COMPLETE, pid=record().pid))
        graph = dict(found["opengraph"][0]["properties"])
        assert graph["og:title"] == "Tea leaves of Asia"
        assert graph["og:url"] == record().pid
        names = {each.get("name") for each in found["dublincore"][0]["elements"]}
        assert {"DC.title", "DC.creator", "DC.publisher", "DC.subject", "DC.identifier"} <= names
        policy = answer.headers["Content-Security-Policy"]
        assert policy == content_security_policy(BASE_URL, has_form=' action="' in answer.body)
        assert "unsafe" not in policy

    def test_no_text_ends_its_element(self) -> None:
        hostile = record(metadata={"what": HOSTILE, "who": HOSTILE, "description": HOSTILE, "type": HOSTILE})
        answer = self.page(hostile)
        assert "<script>alert" not in answer.body
        assert "<img src=x>" not in answer.body
        (document,) = extruct.extract(answer.body, syntaxes=["json-ld"])["json-ld"]
        assert document["name"] == HOSTILE


class TestCitation:
    def test_each_author_is_followed_by_affiliations_and_orcid(self) -> None:
        found = meta_tags.meta_tags(describe(COMPLETE), "", "", "")
        start = found.index(MetaTag("citation_author", "Lee, Ann"))
        assert found[start + 1 : start + 5] == [
            MetaTag("citation_author_institution", "CERN"),
            MetaTag("citation_author_institution", "Tea Institute"),
            MetaTag("citation_author_orcid", ORCID),
            MetaTag("citation_author", "Roe, Jo"),
        ]

    def test_it_has_what_google_scholar_and_zotero_read(self) -> None:
        found = tags(COMPLETE)
        assert {name: found["citation_" + name] for name in ("title", "publication_date", "doi", "publisher")} == {
            "title": ["Tea leaves of Asia"],
            "publication_date": ["2024/05/06"],
            "doi": ["10.5555/tw0t-ywdj-94"],
            "publisher": ["Tea Archive"],
        }
        assert found["citation_journal_title"] == ["Annals of Tea"]
        assert found["citation_issn"] == ["1234-5679"]
        assert [found["citation_" + name] for name in ("volume", "issue", "firstpage", "lastpage")] == [
            *(["7"], ["2"], ["11"], ["19"])
        ]
        assert found["citation_keywords"] == ["tea plants", "leaves"]
        assert found["citation_language"] == ["en"]

    def test_it_has_the_addresses_of_pdf_files(self) -> None:
        files = (Location("https://a.example/x.pdf", media_type="application/pdf"), Location("https://a.example/y"))
        assert tags(record(records=files, metadata={"what": "A"}))["citation_pdf_url"] == ["https://a.example/x.pdf"]

    def test_without_a_title_there_is_no_citation(self) -> None:
        assert not [name for name in tags(record()) if name.startswith("citation_")]

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("BookChapter", "citation_inbook_title"),
            ("ConferencePaper", "citation_conference_title"),
            ("JournalArticle", "citation_journal_title"),
        ],
    )
    def test_the_container_is_named_by_its_kind(self, kind: str, name: str) -> None:
        of = record(metadata={"what": "A", "types": {"resourceTypeGeneral": kind}, "container": {"title": "All of it"}})
        assert tags(of)[name] == ["All of it"]

    def test_the_institution_of_a_thesis_is_its_publisher(self) -> None:
        found = tags(record(metadata={"what": "A", "type": "Thesis", "publisher": "University of Tea"}))
        assert found["citation_dissertation_institution"] == ["University of Tea"]


class TestDublinCore:
    def test_it_has_licence_access_and_relations(self) -> None:
        found = tags(COMPLETE)
        assert found["DC.identifier"][0] == PID
        assert found["DCTERMS.license"] == ["https://creativecommons.org/licenses/by/4.0/legalcode"]
        assert found["DCTERMS.accessRights"][0] == "http://purl.org/coar/access_right/c_f1cf"
        assert "https://doi.org/10.1000/182" in found["DCTERMS.references"]
        assert found["DCTERMS.extent"] == ["1234567 bytes", "12 plates"]
        assert found["DC.format"] == ["text/csv", "application/x-herbarium"]

    def test_texts_are_on_one_line(self) -> None:
        assert "Leaves of tea. All measured." in tags(COMPLETE)["DC.description"]


def test_the_elements_of_a_large_record_end_at_the_limit() -> None:
    of = record(metadata={"what": "A", "creators": [{"name": f"Author {number}"} for number in range(5_000)]})
    found = meta_tags.meta_tags(describe(of), "A", "A", "A")
    assert 0 < sum(len(each.name) + len(each.content) for each in found) <= MAX_LENGTH
    assert json.dumps([each.name for each in found]).count("DC.creator") > 100
