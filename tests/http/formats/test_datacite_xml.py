"""The XML of DataCite, validated by the rules of its schema for any metadata."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from lxml import etree

from coolid.http.formats.citations import datacite_xml
from coolid.http.formats.citations.datacite import properties
from coolid.model.records import Record
from tests.support.builders.any_metadata import any_records
from tests.support.builders.complete_record import complete_record
from tests.support.builders.samples import MOMENT, record

SCHEMA = Path(__file__).parents[2] / "support" / "schemas" / "datacite-4.6.xsd"
NAMESPACES = {"d": "http://datacite.org/schema/kernel-4"}


@cache
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(SCHEMA))


def read(any_record: Record) -> Any:
    """Return the root of the document, which is valid."""
    root = etree.fromstring(datacite_xml.write(any_record).encode())
    schema().assertValid(root)
    return root


def texts(value: Any) -> set[str]:
    """Return all texts of a document of JSON."""
    if isinstance(value, dict | list):
        return {text for each in (value.values() if isinstance(value, dict) else value) for text in texts(each)}
    return {str(value)}


def test_a_complete_record_is_valid_and_has_every_text_of_the_json() -> None:
    root = read(complete_record())
    written = {text for each in root.iter() for text in (each.text, *each.attrib.values()) if text}
    values = properties(complete_record())
    derived = {values["id"], values["url"], values["schemaVersion"], *(values["types"][name] for name in DERIVED)}
    own = texts({name: each for name, each in values.items() if name not in ("identifiers", "container")})
    assert own - derived <= written


DERIVED = ("schemaOrg", "citeproc", "bibtex", "ris")
"""The types that DataCite's API derives for other formats, which its schema has no elements for."""


def test_missing_mandatory_values_have_the_codes_of_the_standard() -> None:
    root = read(record())
    assert root.findtext("d:creators/d:creator/d:creatorName", namespaces=NAMESPACES) == ":unav"
    assert root.findtext("d:titles/d:title", namespaces=NAMESPACES) == ":unav"
    assert root.findtext("d:publisher", namespaces=NAMESPACES) == ":unav"
    assert root.findtext("d:publicationYear", namespaces=NAMESPACES) == str(MOMENT.year)
    assert root.find("d:identifier", namespaces=NAMESPACES).attrib == {"identifierType": "URL"}


@pytest.mark.parametrize(
    "metadata",
    [
        {"geoLocations": [{"geoLocationPoint": {"pointLatitude": 91, "pointLongitude": 7}}, {"geoLocationPlace": "x"}]},
        {
            "geoLocations": [
                {
                    "geoLocationPolygon": [
                        {"polygonPoint": {"pointLatitude": n, "pointLongitude": n * n}} for n in (1, 2, 3)
                    ]
                }
            ]
        },
        {
            "rightsList": [{"rightsUri": "https://a.example/ b[c]"}],
            "subjects": [{"subject": "x", "schemeUri": "a:b c"}],
        },
        {"titles": [{"title": "x", "lang": "no language", "titleType": "Running title"}]},
        {"contributors": [{"name": "X", "contributorType": "Narrator"}]},
        {"relatedIdentifiers": ["10.1000/182", "a thing", {"relatedIdentifier": "x", "relatedIdentifierType": "y"}]},
        {"publicationYear": "0000", "dates": [{"date": "x", "dateType": "y"}]},
        {"funder": ["ERC", {"name": "X", "identifier": {"propertyID": "y", "value": "1"}}]},
    ],
)
def test_values_that_the_schema_restricts_are_valid_or_absent(metadata: dict[str, Any]) -> None:
    read(record(metadata=metadata))


@given(any_records)
def test_it_is_valid_whatever_the_record_holds(any_record: Record) -> None:
    read(any_record)
