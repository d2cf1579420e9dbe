"""Batch downloads: which identifiers they contain, in which form, and what the previous release makes of them."""

import csv
from datetime import timedelta
from io import StringIO
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from coolid.http.dialects.ezid.download_formats import DownloadEntry, DownloadFormat
from coolid.http.dialects.ezid.download_parameters import download_of
from coolid.http.formats.xml_parser import parse_xml
from coolid.model.downloads import LIFETIME
from coolid.model.jobs import VALIDATING, Job
from coolid.model.records import Location, Withdrawal
from coolid.store.job_rows import job_body
from tests.jobs.bench import CLIENT, OWNER, JobBench
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, record

ROOT = '<resource xmlns="http://datacite.org/schema/kernel-4"><titles/></resource>'
BLOCK = f'<?xml version="1.0"?>\n{ROOT}'
RECORDS: dict[str, dict[str, Any]] = {
    "ark:99999/fk4a": {
        "metadata": {"what": "=1+1, a\r\nb", "who": "Lee", "ezid": {"note": "50%\n\x01", "_export": "no"}},
        "author": CLIENT.id,
    },
    "10.5072/fk2b": {"metadata": {"ezid": {"datacite": BLOCK}}, "updated": LATER},
    "ark:12345/c": {"status": "reserved", "records": ()},
    "10.1234/d": {"metadata": {"ezid": {"_crossref": "yes", "crossref": "<open"}}},
    "ark:12345/e": {"status": "withdrawn", "withdrawn": Withdrawal(MOMENT, "by | author"), "version": 2},
    "mp/f": {"created": LATER, "updated": LATER, "metadata": {"ezid": {"_profile": "dc"}}},
}


@pytest.fixture(scope="module")
def bench() -> JobBench:
    """A store with records of all kinds under `mp`, and one that the client may not update."""
    found = JobBench()
    for at, (path, members) in enumerate(RECORDS.items()):
        all_members = {"records": (Location(f"https://example.org/{at}"),), **members}
        found.store.create_record(record(f"tw0tywdj0{at}", OWNER, pid=f"{BASE_URL}/{path}", **all_members))
    found.store.create_record(record("tw0tywdj94", "tw0t-ywdj-94", pid=f"{BASE_URL}/other/x"))
    return found


def downloaded(bench: JobBench, query: str) -> str:
    name = f"d{len(bench.jobs.rows)}"
    bench.download(download_of(query.encode()), name)
    assert bench.run(job_id=name).state == "done"
    return bench.downloaded(name)


def letters(bench: JobBench, constraints: str) -> str:
    """Return the last letters of the identifiers in a download with these constraints."""
    rows = csv.reader(StringIO(downloaded(bench, f"format=csv&column=_id&{constraints}")))
    return "".join(row[0][-1].lower() for row in rows if row[0] != "_id")


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        ("", "abcdef"),
        ("type=ark", "ace"),
        ("type=doi&type=uuid", "bd"),
        ("status=public", "abdf"),
        ("status=reserved&status=unavailable", "ce"),
        ("permanence=test", "ab"),
        ("permanence=real&type=ark", "ce"),
        ("exported=no", "a"),
        ("crossref=yes", "d"),
        ("crossref=no&type=doi", "b"),
        ("datacite=yes", "b"),
        ("profile=dc&profile=datacite", "bdf"),
        ("owner=epyx6gxg", "a"),
        (f"owner=epyx6gxg&ownergroup={OWNER}", "abcdef"),
        ("owner=another", ""),
        ("updatedAfter=2026-01-02T03:04:05Z", "bf"),
        (f"updatedBefore={int(LATER.timestamp())}", "acde"),
        (f"createdAfter={int(LATER.timestamp())}", "f"),
        ("createdBefore=2025-07-10T14:22:30Z", ""),
        ("createdBefore=2025-07-10T14:22:31Z&type=ark&status=public", "a"),
        ("notify=a@example.org", "abcdef"),
    ],
)
def test_only_identifiers_that_satisfy_all_constraints(bench: JobBench, constraints: str, expected: str) -> None:
    assert letters(bench, constraints) == expected


def test_anvl_is_that_of_the_specification(bench: JobBench) -> None:
    first, second, *_ = downloaded(bench, "format=anvl&compression=zip").split("\n\n")
    assert first.split("\n") == [
        ":: ark:/99999/fk4a",
        f"_created: {int(MOMENT.timestamp())}",
        "_export: no",
        "_owner: epyx6gxg",
        f"_ownergroup: {OWNER}",
        "_profile: erc",
        "_status: public",
        "_target: https://example.org/0",
        f"_updated: {int(MOMENT.timestamp())}",
        "erc.what: =1+1, a%0D%0Ab",
        "erc.who: Lee",
        "note: 50%25%0A\x01",
    ]
    assert second.startswith(":: doi:10.5072/FK2B\n")


def test_csv_has_the_columns_in_their_order_and_no_line_ends(bench: JobBench) -> None:
    query = "format=csv&column=erc.what&column=_id&column=_mappedCreator&column=_created&column=x&convertTimestamps=yes"
    assert downloaded(bench, query + "&exported=no") == (
        "erc.what,_id,_mappedCreator,_created,x\r\n"
        '"=1+1, a  b",ark:/99999/fk4a,Lee,2025-07-10T14:22:30Z,\r\n'
    )  # fmt: skip


def test_xml_embeds_documents_and_escapes_all_else(bench: JobBench) -> None:
    root = parse_xml(downloaded(bench, "format=xml").partition("\n")[2])
    elements = {each.attrib["identifier"]: {element.attrib["name"]: element for element in each} for each in root}
    assert list(elements) == [
        "ark:/99999/fk4a", "doi:10.5072/FK2B", "ark:/12345/c", "doi:10.1234/D", "ark:/12345/e", "mp/f",
    ]  # fmt: skip
    assert elements["ark:/99999/fk4a"]["erc.what"].text == "=1+1, a\r\nb"
    assert elements["ark:/99999/fk4a"]["note"].text == "50%\n\ufffd"
    (resource,) = elements["doi:10.5072/FK2B"]["datacite"]
    assert resource.tag == "{http://datacite.org/schema/kernel-4}resource"
    assert elements["doi:10.1234/D"]["crossref"].text == "<open"
    assert elements["ark:/12345/e"]["_status"].text == "unavailable | by | author"


def test_an_empty_download_is_a_complete_file() -> None:
    assert downloaded(JobBench(), "format=xml").splitlines()[1:] == ["<records>", "</records>"]
    assert downloaded(JobBench(), "format=csv&column=_id") == "_id\r\n"
    assert downloaded(JobBench(), "format=anvl&compression=zip") == ""


def test_a_key_that_may_only_mint_downloads_nothing(bench: JobBench) -> None:
    bench.store.put_client(replace(CLIENT, scopes=("mint:mp", "update:absent")))
    assert letters(bench, "") == ""
    bench.store.put_client(CLIENT)


def test_it_ends_after_a_week_and_has_only_members_that_the_previous_release_can_read() -> None:
    job = JobBench().download(download_of(b"format=anvl"))
    assert job.expires - job.created == LIFETIME == timedelta(days=7)
    document = msgspec.json.decode(job_body(job))
    del document["request"]["download"], document["progress"]["parts"], document["progress"]["checksum"]
    former = msgspec.convert(document, Job)
    assert (former.state, former.request.operation) == (VALIDATING, "retarget")
    bench = JobBench()
    bench.jobs.create_job(former)
    assert bench.run().failure == "it does not begin with a prefix that is registered here"


@pytest.mark.parametrize(
    "before", ["", "\ufeff", BLOCK.removesuffix(ROOT), '\ufeff<?xml version="1.0" encoding="utf-16"?>']
)
def test_a_document_in_xml_has_no_declaration_and_may_be_long(before: str) -> None:
    document = f"<resource><!-- {'<?xml ' * 20_000} -->{' ' * 150_000}</resource>"
    entry = DownloadEntry("ark:/99999/fk4a", {"datacite": f"{before}{document}\n"})
    text = DownloadFormat.named("xml").entry(entry, is_first=True)
    assert f'<element name="datacite">{document}</element>' in text
    assert parse_xml(text)
