"""The sources `arklet`, `shlink` and `yourls`: their names, targets and dates, and what is not kept."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from coolid.errors import UsageError
from coolid.migration.source_catalog import source
from coolid.migration.source_identifiers import Entry, SourceVersion
from coolid.model.records import Location
from tests.migration.dumps import VECTORS, identifiers, losses_of, unreadable


def entries_of(name: str) -> list[Entry]:
    return list(source(name.partition(".")[0].partition("_")[0])(VECTORS / name))


def test_a_dump_of_arklet_has_arks_with_metadata_and_dates() -> None:
    entries = entries_of("arklet.sql")

    first, second = identifiers(entries).values()
    assert first.identifier == "ark:/12345/x5t38sk8zs"
    assert first.created == datetime(2023, 2, 1, 10, 0, 0, 500_000, tzinfo=UTC)
    assert first.versions == (
        SourceVersion(
            locations=(Location("https://archive.example.org/items/1"),),
            metadata={"commitment": "Kept for ever", "arklet": {"metadata": {"title": "Harbour\nview"}}},
            since=datetime(2024, 3, 1, 10, 30, tzinfo=UTC),
        ),
    )
    assert (second.identifier, second.current) == ("ark:/12345/x5bc5r4m8k", SourceVersion())
    assert [each.position for each in unreadable(entries)] == [3]
    assert "secret" not in repr(entries)


def test_the_fork_of_arklet_has_elements_of_dublin_core() -> None:
    entries = entries_of("arklet_frick.csv")

    (first,) = identifiers(entries).values()
    assert first.current.metadata == {
        "what": "Portrait, seated",
        "type": "PhysicalObject",
        "identifier": "1937.1.2",
        "format": "oil",
        "relation": "https://archive.example.org/b",
        "source": "https://archive.example.org/c",
    }
    assert [each.position for each in unreadable(entries)] == [2, 3]


def test_an_export_of_django_has_only_arks(tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(
        """[{"model": "ark.naan", "pk": 12345, "fields": {"name": "Archive"}},
        {"model": "ark.ark", "pk": "12345/x5t38", "fields": {"naan": 12345, "shoulder": "/x5", "url": "https://a.example/",
        "metadata": "", "created_at": "2023-02-01T10:00:00.500Z"}}]"""
    )

    (entry,) = source("arklet")(path)

    assert identifiers([entry])["ark:/12345/x5t38"].current == SourceVersion(
        locations=(Location("https://a.example/"),)
    )


@pytest.mark.parametrize("name", ["yourls.sql", "yourls_stats.json", "yourls_phpmyadmin.json"])
def test_links_of_yourls_are_read_without_addresses_of_clients(name: str) -> None:
    entries = entries_of(name)

    first = next(iter(identifiers(entries).values()))
    assert first.identifier == "spring"
    assert first.created == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert first.current.locations[0].uri.startswith("https://archive.example.org/spring")
    assert not unreadable(entries)
    assert "203.0" not in repr(entries)
    assert "2001:" not in repr(entries)


def test_titles_of_yourls() -> None:
    first, second = identifiers(entries_of("yourls.sql")).values()

    assert first.current.metadata == {"what": 'Spring; "catalogue"'}
    assert first.current.locations[0].uri == "https://archive.example.org/spring?a=1&b='2'"
    assert second.current.metadata == {}


def test_short_urls_of_shlink_have_periods_languages_and_subjects() -> None:
    entries = entries_of("shlink.json")

    first, second = identifiers(entries).values()
    assert first.current == SourceVersion(
        locations=(Location("https://archive.example.org/store", valid_from="2017-01-20T22:00:00Z"),),
        metadata={"what": "Store", "subject": ["games", "tech"]},
    )
    assert first.created == datetime(2016, 8, 21, 18, 34, 16, tzinfo=UTC)
    assert losses_of(first) == {"maxVisits", "redirectRules"}
    assert second.identifier == "guides/start"
    assert [(each.uri, each.language) for each in second.current.locations] == [
        ("https://archive.example.org/start", None),
        ("https://archive.example.org/de", "de"),
    ]
    assert losses_of(second) == {"domain", "forwardQuery", "deviceLongUrls", "redirectRules", "validUntil"}
    assert [each.text for each in unreadable(entries)] == ["nowhere"]


def test_a_csv_of_shlink_is_read() -> None:
    first, second = identifiers(entries_of("shlink.csv")).values()

    assert first.current.metadata == {"what": "Store", "subject": ["games", "tech"]}
    assert (losses_of(first), losses_of(second)) == (set(), {"domain"})


@pytest.mark.parametrize("name", ["arklet", "yourls", "shlink"])
@pytest.mark.parametrize(
    ("content", "is_refused"),
    [
        ("", True),
        ("CREATE TABLE x (a int); INSERT INTO x VALUES (1);", True),
        ('a,b\n1,"2', True),
        ("\xff\xfe".encode("latin-1"), True),
        ("a,b\n1,2", True),
        ("ark,shortcode,longurl,keyword,url\n,,,,\n1\n\xff", False),
        ("[1, null, [], {}]", False),
    ],
)
def test_other_files_are_refused_or_unreadable(
    name: str, content: str | bytes, is_refused: bool, tmp_path: Path
) -> None:
    path = tmp_path / "dump"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("latin-1"))

    if is_refused:
        with pytest.raises(UsageError):
            list(source(name)(path))
    else:
        entries = list(source(name)(path))
        assert entries == unreadable(entries) != []
