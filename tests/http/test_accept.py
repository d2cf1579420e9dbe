"""The choice of a representation: the best available one for the client (RFC 9110, section 12.5.1)."""

import json
import mimetypes
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from coolid.http.accept import (
    HTML,
    JSON,
    MAX_RANGES,
    choose_format,
    client_preferences,
    media_type_of,
    parse_preferences,
    prefers_html,
)
from coolid.http.errors import UnknownFormat
from coolid.http.formats.catalog import forms
from coolid.http.message import Request
from coolid.http.parameters import format_names, format_of
from coolid.http.record_responses import takes_any_location
from coolid.model.records import Location
from coolid.resolution.content_negotiation import ClientPreferences
from coolid.resolution.content_negotiation import choose as choose_for

LINKID = "application/linkid+json"
TURTLE = "text/turtle"
OFFERS = (LINKID, JSON, HTML)
FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
CHROME = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
    "application/signed-exchange;v=b3;q=0.7"
)
SAFARI = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class TestChoosing:
    @pytest.mark.parametrize("accept", [None, "", " ", "*/*", " */* "])
    def test_without_preferences_the_first_form_is_chosen(self, accept: str | None) -> None:
        assert choose_format(accept, OFFERS) == LINKID

    @pytest.mark.parametrize(
        ("accept", "chosen"),
        [
            ("application/json", JSON),
            ("text/html", HTML),
            ("text/*", HTML),
            ("application/*", LINKID),
            ("text/html;q=0.2, application/json", JSON),
            ("text/html, application/json;q=0.9", HTML),
            ("application/json;q=0.5, application/linkid+json;q=0.6", LINKID),
            ("*/*;q=0.1, text/html", HTML),
            ("text/*;q=0.3, text/html;q=0.1, application/json;q=0.2", JSON),
            ("application/json;q=0, */*", LINKID),
            ("application/linkid+json;q=0, application/*", JSON),
            ("application/json, text/html", JSON),
            ("text/html, application/json", HTML),
            ("text/html;charset=utf-8;q=0.5, application/json;q=0.4", HTML),
            ("Application/JSON", JSON),
            ("TEXT/HTML;Q=1", HTML),
            ("application/json ; q=1 , text/html ; q=0.5", JSON),
        ],
    )
    def test_quality_specificity_and_order_decide(self, accept: str, chosen: str) -> None:
        assert choose_format(accept, OFFERS) == chosen

    @pytest.mark.parametrize(
        "accept", ["image/png", "*/*;q=0", "text/turtle", "application/json;q=0", "text/html;q=0, image/*", "nonsense"]
    )
    def test_excluding_everything_gives_nothing(self, accept: str) -> None:
        assert choose_format(accept, OFFERS) is None

    @given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
    def test_every_choice_is_an_offered_type_or_none(self, accept: str) -> None:
        assert choose_format(accept, OFFERS) in (*OFFERS, None)
        assert prefers_html(accept) in (True, False)

    @given(
        st.lists(st.tuples(st.sampled_from(OFFERS), st.integers(0, 1000)), min_size=1, unique_by=lambda pair: pair[0])
    )
    def test_the_greatest_quality_wins(self, wanted: list[tuple[str, int]]) -> None:
        accept = ", ".join(f"{offer};q={quality / 1000:.3f}" for offer, quality in wanted)
        best = max(quality for _, quality in wanted)
        if best == 0:
            assert choose_format(accept, OFFERS) is None
        else:
            assert choose_format(accept, OFFERS) == next(offer for offer, quality in wanted if quality == best)

    @given(st.permutations(OFFERS), st.sampled_from(OFFERS))
    def test_the_order_of_the_offers_does_not_matter_to_who_names_one(self, offers: list[str], wanted: str) -> None:
        assert choose_format(f"*/*;q=0.5, {wanted}", offers) == wanted


class TestBrowsers:
    @pytest.mark.parametrize("accept", [FIREFOX, CHROME, SAFARI, "text/html", "Text/HTML", "text/html;q=0.9,*/*;q=0.1"])
    def test_they_get_pages(self, accept: str) -> None:
        assert prefers_html(accept)

    @pytest.mark.parametrize(
        "accept", [None, "*/*", "application/json", "text/html;q=0.1, application/json", "image/png"]
    )
    def test_programs_do_not(self, accept: str | None) -> None:
        assert not prefers_html(accept)


def requested(**headers: str) -> Request:
    return Request("GET", "/lui:1", headers={name.replace("_", "-"): value for name, value in headers.items()})


def types_of(accept: str) -> tuple[tuple[str, float], ...] | None:
    return client_preferences(requested(accept=accept)).types


JAVA = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"


INTRICATE = ['a/b;c="d, e"', 'a/b;c="d;q=0.1"', 'a/b;c="\\"";e="f"']


class TestReadingWishes:
    def test_a_missing_header_means_no_preferences(self) -> None:
        assert client_preferences(Request("GET", "/lui:1")) == ClientPreferences()

    @pytest.mark.parametrize(
        ("accept", "types"),
        [
            ("*/*", (("*/*", 1.0),)),
            ("text/html;q=0.2, Application/JSON", (("text/html", 0.2), ("application/json", 1.0))),
            ("application/json;q=0, */*", (("application/json", 0.0), ("*/*", 1.0))),
            (JAVA, (("text/html", 1), ("image/gif", 1), ("image/jpeg", 1), ("*/*", 0.2), ("*/*", 0.2))),
            (
                'application/ld+json;profile="http://x/y,z", text/html;q=0.9',
                (('application/ld+json; profile="http://x/y,z"', 1.0), ("text/html", 0.9)),
            ),
            ('a/b;p="\\",";q=0.1,c/d', (('a/b; p="\\","', 0.1), ("c/d", 1.0))),
            ('a/b;p="c;q ";q=0.5', (('a/b; p="c;q "', 0.5),)),
            ("a/b;q=0.5;ext=1", (("a/b; ext=1", 0.5),)),
            ("a/b;Q=0.5", (("a/b", 0.5),)),
            ("a/b;q=0., c/d;q=1.000", (("a/b", 0.0), ("c/d", 1.0))),
            ("a/b;q=0.1;q=0.2", (("a/b", 0.2),)),  # the last counts
            (" , ,\ta/b ,, ", (("a/b", 1.0),)),
            ('a/b, c/d;p="e, f/g', (("a/b", 1.0),)),  # whatever comes after a quote that stays open is lost
        ],
    )
    def test_accept_is_read_in_the_clients_order(self, accept: str, types: tuple[tuple[str, float], ...]) -> None:
        assert types_of(accept) == types

    @pytest.mark.parametrize(
        "malformed",
        [
            "",
            ",",
            ";",
            "q=0.5",
            "nonsense",
            "a b/c",
            "a/b c/d",
            "*/json",
            "é/ü",
            "a/b;q=2",
            "a/b;q=-1",
            "a/b;q=nan",
            "a/b;q=1e-1",
            "a/b;q",
            "a/b;q=",
            "a/b;q = 0.1",
            "a/b;q=٠",
            '"a/b',
            '"a/b, c/d"',
            "a/b\x00;q=0.1",
        ],
    )
    def test_what_is_malformed_says_nothing(self, malformed: str) -> None:
        assert types_of(malformed) is None
        if not malformed.startswith('"a/b'):
            assert types_of(f"{malformed}, x/y;q=0.5") == (("x/y", 0.5),)
        assert types_of(f"x/y;q=0.5,{malformed}") == (("x/y", 0.5),)

    @pytest.mark.parametrize(
        ("accept_language", "languages"),
        [
            ("de-CH, en;q=0.7, *;q=0", (("de-ch", 1.0), ("en", 0.7), ("*", 0.0))),
            ("zh-Hant-TW", (("zh-hant-tw", 1.0),)),
            ("*", (("*", 1.0),)),
            ("en_US, -, en-, toolongasubtag, en;q=7, en/us", None),
            ("", None),
        ],
    )
    def test_accept_language_likewise(
        self, accept_language: str, languages: tuple[tuple[str, float], ...] | None
    ) -> None:
        assert client_preferences(requested(accept_language=accept_language)).languages == languages

    def test_parameters_are_demands(self) -> None:
        request = Request("GET", "/lui:1", query=(("format", "PDF"), ("lang", "de-CH"), ("version", "V2")))
        form = format_of(request)
        assert form is not None
        wishes = client_preferences(request, form.media_type)
        assert wishes == ClientPreferences(media_type="application/pdf", language="de-ch", version="V2")

    def test_empty_parameters_demand_nothing(self) -> None:
        assert (
            client_preferences(Request("GET", "/lui:1", query=(("lang", ""), ("version", "")))) == ClientPreferences()
        )

    @given(st.text(max_size=80), st.text(max_size=80))
    @example('"', "\\")
    def test_no_header_makes_it_fail(self, accept: str, accept_language: str) -> None:
        wishes = client_preferences(requested(accept=accept, accept_language=accept_language))
        assert wishes.types != ()
        assert wishes.languages != ()

    @given(st.text('abq/*;=,"\\. 015-', max_size=60))
    def test_weights_are_from_0_to_1(self, header: str) -> None:
        wishes = client_preferences(requested(accept=header, accept_language=header))
        for ranges in (wishes.types or (), wishes.languages or ()):
            assert all(0 <= weight <= 1 for _, weight in ranges)

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(
                    ["text/html", "*/*", "image/*", "application/ld+json", "a/b;c=d", "a/b ; c=d-1;e=f.g", *INTRICATE]
                ),
                st.sampled_from(["", ";q=0", ";q=1", "; q=0.5", " ;\tQ=0.123", ";q=1.000", ";q=0.0", ";q=5"]),
                st.sampled_from([",", ", ", " ,", ",,"]),
            ),
            max_size=MAX_RANGES,
        )
    )
    def test_what_is_read_is_what_werkzeug_reads(self, parts: list[tuple[str, str, str]]) -> None:
        """But for the quotes of values that need none."""
        accept = "".join(map("".join, parts))
        parsed = [(_bare(item), weight) for item, weight in parse_accept_header(accept, Accept)]
        assert sorted((_bare(item), weight) for item, weight in types_of(accept) or ()) == sorted(parsed)

    def test_only_a_limited_number_of_elements_is_read(self) -> None:
        many = ",".join(f"a/b{number};q=0.5" for number in range(10_000))
        types = types_of(many)
        assert types is not None
        assert len(types) == MAX_RANGES
        assert types_of("," * 100_000 + "a/b") == (("a/b", 1.0),)
        assert types_of('a/b;c="d",' * 10_000) == (('a/b; c="d"', 1.0),) * MAX_RANGES


class TestFormats:
    @pytest.mark.parametrize("name", format_names())
    def test_names_of_this_service_mean_forms_of_the_record_in_either_case(self, name: str) -> None:
        for written in (name, name.upper()):
            form = format_of(Request("GET", "/lui:1", query=(("format", written),)))
            assert form is not None
            assert (form.name, form.is_ours) == (name, True)

    @pytest.mark.parametrize("written", ["text/html", "htm", "PDF", "application/linkid+json", "image/svg xml"])
    def test_whatever_else_is_a_type_is_one_of_locations(self, written: str) -> None:
        form = format_of(Request("GET", "/lui:1", query=(("format", written),)))
        assert form is not None
        assert (form.media_type, form.is_ours) == (media_type_of(written), False)

    @pytest.mark.parametrize("written", ["", " ", "nonsense", "*/*", "a/b/c", "NONSENSE"])
    def test_what_is_neither_is_refused_with_those_that_there_are(self, written: str) -> None:
        with pytest.raises(UnknownFormat, match=f"there are: {', '.join(format_names())}"):
            format_of(Request("GET", "/lui:1", query=(("format", written),)))

    def test_without_a_request_there_is_no_warning(self) -> None:
        assert format_of(Request("GET", "/lui:1", query=(("info", ""),))) is None

    @pytest.mark.parametrize(
        ("format_", "media_type"),
        [
            ("pdf", "application/pdf"),
            ("PDF", "application/pdf"),
            ("application/pdf", "application/pdf"),
            ("Application/PDF", "application/pdf"),
            ("jpg", "image/jpeg"),
            ("jpeg", "image/jpeg"),
            ("csv", "text/csv"),
            ("txt", "text/plain"),
            ("epub", "application/epub+zip"),
            ("md", "text/markdown"),
            ("rdf", "application/rdf+xml"),
            ("image/svg+xml", "image/svg+xml"),
            ("image/svg xml", "image/svg+xml"),  # what is left of a + in a query
            ('application/ld+json;profile="https://a"', 'application/ld+json;profile="https://a"'),
            ("", None),
            ("nonsense", None),
            (".pdf", None),
            ("a.pdf", None),
            ("/", None),
            ("a/", None),
            ("a/b/c", None),
            ("*/*", None),
            ("image/*", None),
            ("é/x", None),
        ],
    )
    def test_are_media_types_or_file_extensions(self, format_: str, media_type: str | None) -> None:
        assert media_type_of(format_) == media_type

    def test_do_not_depend_on_the_machine(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for name in ("_db", "types_map", "common_types", "suffix_map", "encodings_map"):
            monkeypatch.setattr(mimetypes, name, getattr(mimetypes, name))  # to be put back
        (tmp_path / "mime.types").write_text("application/x-surprise pdf\n")
        monkeypatch.setattr(mimetypes, "knownfiles", [str(tmp_path / "mime.types")])
        monkeypatch.setattr(mimetypes, "inited", False)
        assert media_type_of("pdf") == "application/pdf"
        assert mimetypes.guess_type("a.pdf")[0] == "application/x-surprise"

    @given(st.text(max_size=40))
    def test_are_nothing_else(self, format_: str) -> None:
        media_type = media_type_of(format_)
        assert media_type is None or media_type_of(media_type) == media_type


class TestDeciding:
    PAPER = Location("https://a.example/a.pdf", media_type="application/pdf")
    OFFERS = (LINKID, JSON, "application/ld+json", TURTLE, "text/plain")

    @pytest.mark.parametrize(
        ("accept", "chosen"),
        [
            ("", PAPER),
            ("*/*", PAPER),
            (FIREFOX, PAPER),
            (CHROME, PAPER),
            (SAFARI, PAPER),
            (JAVA, PAPER),
            ("application/json;q=0, */*", PAPER),
            ("application/json, text/plain, */*", JSON),
            ("application/linkid+json, text/html, */*", LINKID),
            ('application/ld+json;profile="http://x/y,z", text/html;q=0.9', "application/ld+json"),
            ("text/html", HTML),
            ("*/*;q=0", None),
            ("application/json;q=0", None),
            ("nonsense", PAPER),
        ],
    )
    def test_what_clients_get(self, accept: str, chosen: Location | str | None) -> None:
        expected = (chosen,) if isinstance(chosen, Location) else chosen
        assert choose_for([self.PAPER], self.OFFERS, client_preferences(requested(accept=accept))) == expected


RANGES = st.sampled_from(
    ["*/*", "*", "text/*", "text/html", "image/png", "application/pdf", JSON, LINKID, TURTLE, "text/turtle;a=b", "a/b"]
)
WEIGHTS = st.sampled_from(["", ";q=1", ";q=0.8", ";q=0", ";q=0.001", ";q=x"])


def lists(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.builds(lambda value, weight: value + weight, values, WEIGHTS), max_size=4).map(", ".join)


class TestAnyLocation:
    @pytest.mark.parametrize("accept", ["", "*/*", FIREFOX, CHROME, SAFARI])
    def test_browsers_take_any_location(self, accept: str) -> None:
        assert takes_any_location(accept, "en-US,en;q=0.5")

    @given(
        lists(RANGES),
        lists(st.sampled_from(["*", "en", "de", "de-ch"])),
        st.builds(
            Location,
            st.just("https://c.example/"),
            media_type=st.sampled_from([None, "text/html", "application/pdf", "a/b", LINKID]),
            language=st.sampled_from([None, "en", "de", "de-CH", "fr"]),
            quality=st.sampled_from([None, 0, 0.5, 1]),
        ),
        st.booleans(),
    )
    def test_any_accepted_location_is_negotiated(
        self, accept: str, language: str, location: Location, signed: bool
    ) -> None:
        if takes_any_location(accept, language):
            preferences = parse_preferences(accept, language)
            assert choose_for([location], forms(is_signed=signed).offers, preferences) == (location,)


class TestColdStart:
    @pytest.mark.parametrize("accept", [None, "", "*/*", FIREFOX, CHROME, SAFARI, JAVA, "application/json;q=0, */*"])
    @pytest.mark.parametrize("accept_language", [None, "de-CH,de;q=0.9,en;q=0.8,*;q=0.5"])
    def test_usual_requests_are_read_without_importing_a_table_of_types(
        self, accept: str | None, accept_language: str | None
    ) -> None:
        headers = {"accept": accept, "accept-language": accept_language}
        loaded = modules_after({name: value for name, value in headers.items() if value is not None})
        assert "coolid.resolution.content_negotiation" in loaded
        assert "mimetypes" not in loaded

    def test_the_rows_of_metadata_are_read_without_importing_what_writes_them(self) -> None:
        program = "import json, sys, coolid.http.record_responses; print(json.dumps(sorted(sys.modules)))"
        loaded = set(
            json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
        )
        assert "coolid.http.formats.catalog" in loaded
        assert not loaded & {f"coolid.http.formats.{name}" for name in ("erc", "schemaorg", "linkset", "turtle")}


def _bare(item: str) -> str:
    return item.translate({ord(sign): None for sign in ' "'})


def modules_after(headers: dict[str, str]) -> set[str]:
    """What a new interpreter has imported when it has chosen for a request with these headers."""
    program = """
import json, sys
from coolid.resolution.content_negotiation import choose
from coolid.model.records import Location
from coolid.http.message import Request
from coolid.http.accept import client_preferences, prefers_html
request = Request("GET", "/", headers=json.loads(sys.argv[1]))
choose([Location("https://a.example/")], ["application/linkid+json", "application/json"], client_preferences(request))
prefers_html(request.headers.get("accept"))
print(json.dumps(sorted(sys.modules)))
"""
    command = [sys.executable, "-c", program, json.dumps(headers)]
    return set(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
