"""Target warnings: suspicious properties of a record's targets, in a header."""

from hypothesis import given
from hypothesis import strategies as st

from coolid.http.json_bodies import MAX_WARNINGS, target_warning
from coolid.model.records import Location
from tests.support.builders.samples import record


def returned(*uris: str) -> str | None:
    return target_warning(record(records=tuple(Location(uri) for uri in uris)))


def test_usual_targets_have_no_warning() -> None:
    assert returned() is None
    assert returned("https://example.org/", "https://xn--bcher-kva.example/") is None


def test_each_suspicious_target_is_reported_with_its_position() -> None:
    assert returned("https://example.org/", "https://xn--pple-43d.com/", "http://localhost/") == (
        '"its host xn--pple-43d.com: xn--pple-43d mixes scripts: Cyrillic, Latin";at="/records/1/uri", '
        '"its host localhost is not on the public Internet";at="/records/2/uri"'
    )


def test_stored_targets_that_would_be_refused_now_have_a_warning() -> None:
    assert returned("http://0x7f000001/") == (
        '"its host is written 0x7f000001, but a browser would go to 127.0.0.1";at="/records/0/uri"'
    )


def test_a_header_holds_as_much_as_gateways_pass_on() -> None:
    header = returned(*["https://xn--pple-43d." + "a." * 115 + "example/"] * 100)
    assert header
    assert header.count("mixes scripts") == MAX_WARNINGS
    assert len(header) < 4_096
    longest = returned(*["http://" + "0x7f000001." * 180] * 100)
    assert longest
    assert len(longest) < 4_096


@given(st.text(max_size=40))
def test_whatever_a_target_is_the_header_can_be_sent(rest: str) -> None:
    assert all(" " <= symbol <= "~" for symbol in returned(f"https://{rest}") or "")
