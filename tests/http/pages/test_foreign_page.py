"""The page of an identifier of a provider prefix: each page elsewhere is offered once."""

from coolid.http.pages.foreign_page import other_rows
from coolid.http.pages.prefix_page import ProviderRow


def row(code: str, url: str) -> ProviderRow:
    return ProviderRow(code, "", "", url, None, None)


def test_pages_that_several_providers_lead_to_are_offered_once_and_the_chosen_one_not_again() -> None:
    chosen = row("first", "http://purl.example.org/1")
    rows = [
        chosen,
        row("same", "https://purl.example.org/1/"),
        row("other", "https://www.other.example.org/1"),
        row("again", "http://other.example.org/1"),
        row("third", "https://other.example.org/?id=1"),
    ]
    assert [each.code for each in other_rows(chosen, rows)] == ["other", "third"]
