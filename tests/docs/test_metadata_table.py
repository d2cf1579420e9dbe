"""The table of `docs/reference/metadata.md`: each member of a complete record is in each format that the table says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from coolid.http.formats.catalog import for_name
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.dublin_core import dublin_core
from coolid.model.records import Record
from tests.support.builders.complete_record import METADATA, complete_record
from tests.support.builders.samples import record

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metadata.md"
FORMATS: Final = (("jsonld", "ttl"), ("datacite", "datacite-xml"), ("dublin core",), ("bibtex",), ("ris",), ("csl",))
SPELLINGS: Final = {
    "0000 0001 2281 955X": ("000000012281955X",),
    "2024-05-06": ("2024/05/06/",),
    "Leaves of tea.\nAll measured.": ("Leaves of tea. All measured.", "Leaves of tea.\\nAll measured."),
    "Personal": ("Person",),
    "Organizational": ("Organization",),
    "Dataset": ("@misc", "TY  - DATA", '"dataset"'),
    "Cites": ("citation",),
    "IsPartOf": ("isPartOf",),
    "Editor": ("editor",),
    "RightsHolder": ("copyrightHolder",),
    "Abstract": ("abstract", "AB  - "),
}
"""Texts that formats write in their own way."""


def rows() -> list[tuple[list[str], list[str]]]:
    """Return the members and the cells of each row."""
    table = PAGE.read_text().partition("## Where it comes out")[2]
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| `")]
    return [(re.findall("`([^`]+)`", first), [cell.strip() for cell in cells]) for first, *cells in lines]


def written(name: str, of: Record) -> str:
    if name == "dublin core":
        return "\n".join(f"{each.name} {each.value} xml:lang={each.lang}" for each in dublin_core(of))
    representation = for_name(name)
    assert representation is not None
    return representation.write(of).replace("\\_", "_")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text with the names of the members that lead to it."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, path)
    else:
        yield path, str(value)


def texts_at(member: str) -> list[str]:
    found = [text for path, text in leaves(METADATA) if path == member or path.startswith(f"{member}.")]
    assert found, member
    return found


@pytest.mark.parametrize(("members", "cells"), rows(), ids=lambda each: each[0][:40])
def test_each_member_is_in_each_format_that_the_table_names(members: list[str], cells: list[str]) -> None:
    assert len(cells) == len(FORMATS)
    for names, cell in zip(FORMATS, cells, strict=True):
        if cell.startswith("no: "):
            continue
        for name in names:
            body = written(name, complete_record())
            missing = [
                text
                for member in members
                for text in texts_at(member)
                if not any(each in body for each in (text, *SPELLINGS.get(text, ())))
            ]
            assert not missing, name


def test_each_member_of_a_complete_record_is_in_the_table_or_explained_below_it() -> None:
    listed = [member for members, _ in rows() for member in members]
    below = {"who", "isAccessibleForFree"}
    explained = re.compile(r".*(Scheme|schemeUri|Type|TypeGeneral|\.lang|familyName|givenName)")
    for path, _ in leaves(METADATA):
        is_listed = any(path == member or path.startswith(f"{member}.") for member in listed)
        assert is_listed or path in below or explained.fullmatch(path), path


def test_the_example_is_read_completely() -> None:
    example = json.loads(PAGE.read_text().partition("```json\n")[2].partition("```")[0])
    found = describe(record(metadata=example))
    assert found.others == ()
    assert found.creators[0].orcid
    assert found.creators[0].affiliations[0].identifier
    assert (found.rights[0].identifier, found.funding[0].award_number) == ("CC-BY-4.0", "ERC-77")
