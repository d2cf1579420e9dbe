"""Linked data: nothing is missing, other people's readers read it, and properties are where schema.org has them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec.structs import replace
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import DCAT, DCTERMS, FOAF, ORG, PROV, RDF, SDO, SKOS

from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.linked_data import dcat, schemaorg, turtle
from coolid.http.formats.linked_data.nodes import LINKS, NAMESPACES, SCHEMA
from coolid.http.formats.metadata_terms import TYPES
from tests.support.builders.complete_record import FILES, METADATA, ORCID, PID, ROR, complete_record
from tests.support.builders.samples import record

COMPLETE = complete_record()
CONTEXT = {"@vocab": SCHEMA, **NAMESPACES} | {name: {"@type": "@id"} for name in LINKS}

# Words of DataCite that other vocabularies express by a property, a type or a URI, or not at all.
ELSEWHERE = {
    *("Personal", "Organizational", "ORCID", "ISNI", "ROR", "SPDX", "Crossref Funder ID", "DOI", "URL", "ISSN", "XSD"),
    *(
        "Abstract",
        "AlternativeTitle",
        "Subtitle",
        "TranslatedTitle",
        "TechnicalInfo",
        "Issued",
        "Collected",
        "Coverage",
    ),
    *(
        "Editor",
        "RightsHolder",
        "Producer",
        "Cites",
        "HasMetadata",
        "IsPartOf",
        "IsPublishedIn",
        "Journal",
        "JournalArticle",
    ),
    *("Lee, Ann; Roe, Jo", "0000 0001 2281 955X", "0000-0002-1825-0097", "1900/1950", "en", "de", "True"),
    *("https://www.crossref.org/services/funder-registry/", "https://orcid.org", "https://ror.org"),
    *("https://spdx.org/licenses/", "26.5", "93.5", "Article"),
}
IN_PARTS = {"Roe, Jo", "https://isni.org/isni/000000012281955X", "https://orcid.org/0000-0002-1825-0097"}
"""How linked data has some of them."""

PUBLICATIONS = frozenset({"PublicationIssue", "PublicationVolume"})
CREATIVE_WORK = frozenset(TYPES.values()) | PUBLICATIONS | {"Grant", "MediaObject", "DataDownload"}
AGENTS = frozenset({"Person", "Organization"})
TERMS = frozenset({"PropertyValue", "DefinedTerm", "DefinedTermSet", "Role"})
PLACES = frozenset({"Place", "GeoShape", "GeoCoordinates"})

# The types that schema.org 29 has each property for (`domainIncludes`), with their subtypes, as far as they occur here.
_DOMAINS = (
    ("name alternateName description identifier sameAs subjectOf url", CREATIVE_WORK | AGENTS | TERMS | PLACES),
    ("about citation conditionsOfAccess contributor copyrightHolder copyrightYear creator", CREATIVE_WORK),
    ("dateCreated dateModified datePublished editor encoding encodingFormat funder funding genre", CREATIVE_WORK),
    ("hasPart inLanguage isAccessibleForFree isBasedOn isPartOf keywords license mentions", CREATIVE_WORK),
    ("position producer publisher schemaVersion size spatialCoverage temporalCoverage version", CREATIVE_WORK),
    ("contentSize contentUrl sha256", frozenset({"MediaObject", "DataDownload"})),
    ("distribution measurementTechnique", frozenset({"Dataset"})),
    ("givenName familyName affiliation", frozenset({"Person"})),
    ("propertyID value", frozenset({"PropertyValue"})),
    ("termCode inDefinedTermSet", frozenset({"DefinedTerm"})),
    ("pageStart pageEnd", PUBLICATIONS | {"Article", "Chapter", "ScholarlyArticle"}),
    ("geo", frozenset({"Place"})),
    ("box polygon", frozenset({"GeoShape"})),
    ("latitude longitude", frozenset({"GeoCoordinates"})),
    ("roleName", frozenset({"Role"})),
    ("issueNumber", frozenset({"PublicationIssue"})),
    ("volumeNumber", frozenset({"PublicationVolume"})),
)
DOMAINS = {name: types for names, types in _DOMAINS for name in names.split()}
NEWER = {
    *(f"{SCHEMA}{name}" for name in ("funding",)),
    *(f"{DCAT}{name}" for name in ("version", "hasVersion", "isVersionOf")),
}
"""Terms of later releases of schema.org and DCAT than rdflib has."""

GOOGLE: dict[str, Any] = {
    "name": str,
    "description": list,
    "alternateName": list,
    "citation": dict,
    "creator": list,
    "funder": dict,
    "identifier": list,
    "isAccessibleForFree": bool,
    "keywords": list,
    "license": str,
    "sameAs": list,
    "spatialCoverage": dict,
    "temporalCoverage": str,
    "version": str,
    "url": str,
    "distribution": dict,
}
"""What Google requires (the first two) and recommends for datasets, with the types of the values here."""


def leaves(value: Any) -> Iterator[Any]:
    """Yield the texts and numbers in a value."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the nodes in a document."""
    if isinstance(value, list):
        for each in value:
            yield from nodes(each)
    elif isinstance(value, dict):
        yield value
        for each in value.values():
            yield from nodes(each)


def graph_of(document: dict[str, Any]) -> Graph:
    return Graph().parse(data=json.dumps(document | {"@context": CONTEXT}), format="json-ld")


class TestCompleteness:
    @pytest.mark.parametrize("form", [schemaorg, dcat])
    def test_no_text_of_the_metadata_is_missing(self, form: Any) -> None:
        written = [str(leaf) for leaf in leaves(form.json_ld(COMPLETE))]
        unsaid = {"Both harvests"} | ({"3rd", "Article", "A12"} if form is dcat else set())
        for text in {str(leaf) for leaf in leaves(METADATA)} - ELSEWHERE - unsaid | IN_PARTS:
            assert any(text in each for each in written), text
        for text in unsaid:
            assert any(text in each for each in written), text

    def test_files_have_address_type_size_and_checksum(self) -> None:
        (file,) = FILES
        found = schemaorg.json_ld(COMPLETE)["distribution"]
        assert found["@type"] == "DataDownload"
        assert (found["contentUrl"], found["encodingFormat"]) == (file.uri, "text/csv")
        assert (found["contentSize"], found["sha256"]) == ("1234567", "ab" * 32)
        other = dcat.json_ld(COMPLETE)["dcat:distribution"]
        assert other["dcat:downloadURL"] == {"@id": file.uri}
        assert other["dcat:mediaType"] == {"@id": "https://www.iana.org/assignments/media-types/text/csv"}
        assert other["dcat:byteSize"] == {"@value": "1234567", "@type": "xsd:nonNegativeInteger"}

    def test_agents_have_their_identifiers_and_affiliations(self) -> None:
        ann = schemaorg.json_ld(COMPLETE)["creator"][0]
        assert (ann["@id"], ann["@type"], ann["givenName"], ann["familyName"]) == (ORCID, "Person", "Ann", "Lee")
        assert ORCID in ann["sameAs"]
        assert ann["affiliation"][0] == {"@id": ROR, "@type": "Organization", "name": "CERN", "sameAs": ROR}
        publisher = schemaorg.json_ld(COMPLETE)["publisher"]
        assert (publisher["@type"], publisher["@id"]) == ("Organization", "https://ror.org/04z8jg394")

    def test_access_is_stated_by_its_concept(self) -> None:
        concept = "http://purl.org/coar/access_right/c_f1cf"
        assert schemaorg.json_ld(COMPLETE)["conditionsOfAccess"][0] == concept
        assert {"@id": concept} in dcat.json_ld(COMPLETE)["dct:accessRights"]

    @pytest.mark.parametrize(("level", "free"), [("open", True), ("restricted", False), ("closed", False), ("", None)])
    def test_open_access_is_free(self, level: str, free: bool | None) -> None:
        assert schemaorg.json_ld(record(metadata={"accessRights": level})).get("isAccessibleForFree") is free

    def test_a_period_of_creation_is_an_activity(self) -> None:
        activity = schemaorg.json_ld(COMPLETE)["prov:wasGeneratedBy"]
        assert (activity["@type"], activity["dct:date"]) == ("prov:Activity", "2023-01-01/2023-06-30")

    def test_a_version_of_the_record_revises_the_one_before(self) -> None:
        described = schemaorg.json_ld(replace(COMPLETE, version=3, previous="sha-256=:x:"))["subjectOf"]
        (entity,) = (each for each in nodes(described) if "prov:generatedAtTime" in each)
        assert entity["@id"] == f"{PID}?format=linkid&version=3"
        assert entity["prov:wasRevisionOf"] == {"@id": f"{PID}?format=linkid&version=2"}


class TestRoundTrip:
    def test_the_json_ld_as_metadata_gives_the_same_description(self) -> None:
        again = describe(replace(COMPLETE, metadata=schemaorg.json_ld(COMPLETE)))
        first = describe(COMPLETE)
        for name in (
            "creators",
            "when",
            "version",
            "languages",
            "access",
            "alternates",
            "files",
            "sizes",
            "formats",
            "doi",
        ):
            assert getattr(again, name) == getattr(first, name), name
        assert [each.text for each in again.titles] == [each.text for each in first.titles]
        assert {each.text for each in again.descriptions} == {each.text for each in first.descriptions}
        assert [(each.text, each.uri, each.code) for each in again.subjects] == [
            (each.text, each.uri, each.code) for each in first.subjects
        ]
        assert {(each.name, each.role, each.orcid) for each in again.contributors} == {
            (each.name, each.role, each.orcid) for each in first.contributors
        }
        assert [replace(each, scheme_uri="") for each in again.funding] == [
            replace(each, scheme_uri="") for each in first.funding
        ]
        assert [each.uri for each in again.rights] == [each.uri for each in first.rights]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")  # rdflib's JSON-LD reader itself uses it
class TestReaders:
    def test_rdflib_reads_one_graph_from_all_forms(self) -> None:
        graph = Graph().parse(data=turtle.write(COMPLETE), format="turtle")
        pid, ann = URIRef(PID), URIRef(ORCID)
        assert {DCAT.Dataset, URIRef(SCHEMA + "Dataset")} == set(graph.objects(pid, RDF.type))
        assert str(graph.value(ann, FOAF.familyName)) == "Lee"
        assert URIRef(ROR) in graph.objects(ann, ORG.memberOf)
        assert ann in graph.objects(pid, PROV.wasAttributedTo)
        assert URIRef("http://aims.fao.org/aos/agrovoc/c_7601") in graph.subjects(RDF.type, SKOS.Concept)
        for form in (schemaorg, dcat):
            other = graph_of(form.json_ld(COMPLETE))
            assert set(other.predicates(pid)) <= set(graph.predicates(pid))
        titles = {(each.language, str(each)) for each in graph.objects(pid, DCTERMS.title)}  # type: ignore[attr-defined]
        assert titles == {("en", "Tea leaves of Asia")}

    def test_an_identifier_that_is_no_uri_is_a_text_in_turtle(self) -> None:
        text = "> ] . <x> <y> 'z\\"
        written = turtle.write(record(metadata={"what": "Tea", "rightsList": [{"rightsIdentifier": text}]}))
        assert Literal(text) in Graph().parse(data=written, format="turtle").objects(
            None, URIRef(f"{SCHEMA}identifier")
        )

    @pytest.mark.parametrize("form", [dcat, turtle])
    def test_every_term_of_a_common_vocabulary_exists(self, form: Any) -> None:
        written = form.write(COMPLETE)
        graph = Graph().parse(data=written, format="turtle" if form is turtle else "json-ld")
        terms = set(graph.predicates()) | set(graph.objects(None, RDF.type))
        for vocabulary in (DCAT, DCTERMS, FOAF, ORG, PROV, SKOS):
            for term in (str(each) for each in terms if str(each).startswith(str(vocabulary))):
                assert term in NEWER or URIRef(term) in vocabulary, term


class TestSchemaOrg:
    @pytest.mark.parametrize("kind", ["Dataset", "JournalArticle", "Software", "BookChapter", "Other"])
    def test_each_property_is_of_a_type_that_has_it(self, kind: str) -> None:
        document = schemaorg.json_ld(replace(COMPLETE, metadata={**METADATA, "types": {"resourceTypeGeneral": kind}}))
        for node in nodes({name: value for name, value in document.items() if name != "@context"}):
            types = {node.get("@type", "CreativeWork")}
            names = {name for name in node if not name.startswith("@") and ":" not in name}
            if types == {"Role"}:  # repeats the property that it qualifies
                names -= {"contributor", "mentions"}
            for name in names:
                assert SCHEMA + name in NEWER or SDO[name], name
                assert types & DOMAINS[name], (name, types)

    def test_google_finds_what_it_recommends_for_datasets(self) -> None:
        document = schemaorg.json_ld(COMPLETE)
        assert {name: type(document.get(name)) for name in GOOGLE} == GOOGLE
        assert 1 <= len(document["name"]) <= 5_000

    @pytest.mark.parametrize(
        "metadata",
        [
            {"doi": "10.1000/182"},
            {"identifiers": [{"identifier": "https://doi.org/10.1000/182", "identifierType": "DOI"}]},
            {"identifier": "https://doi.org/10.1000/182"},
        ],
    )
    def test_a_stated_doi_is_an_identifier_and_the_same_thing(self, metadata: dict[str, Any]) -> None:
        own = record(metadata=metadata)
        document = schemaorg.json_ld(own)
        assert document["sameAs"] == document["identifier"][1]["url"] == "https://doi.org/10.1000/182"
        assert dcat.json_ld(own)["adms:identifier"]["skos:notation"] == "10.1000/182"

    def test_variables_and_catalogs_of_datasets_stay_as_they_are(self) -> None:
        variable = {"@type": "PropertyValue", "name": "Height", "unitText": "m", "@id": "no uri", "<x>": 1}
        own = record(metadata={"type": "Dataset", "variableMeasured": [variable, "Mass"], "what": "Tea"})
        height = {"@type": "PropertyValue", "name": "Height", "unitText": "m"}
        assert schemaorg.json_ld(own)["variableMeasured"] == [height, "Mass"]
        graph = Graph().parse(data=turtle.write(own), format="turtle")
        assert len(list(graph.objects(None, URIRef(f"{SCHEMA}variableMeasured")))) == 2

    def test_works_other_than_datasets_have_encodings(self) -> None:
        document = schemaorg.json_ld(replace(COMPLETE, metadata={"type": "Article"}))
        assert document["encoding"]["@type"] == "MediaObject"
        assert "distribution" not in document

    def test_the_version_is_that_of_the_thing(self) -> None:
        assert schemaorg.json_ld(COMPLETE)["version"] == "2.1"
        assert "version" not in schemaorg.json_ld(record())
