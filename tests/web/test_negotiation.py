"""Choosing a representation: what the client likes best of what there is (RFC 9110, section 12.5.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.web.errors import NotAcceptable
from coolid.web.negotiation import HTML, JSON, choose, prefers, prefers_html

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
    def test_who_does_not_care_gets_the_first(self, accept: str | None) -> None:
        assert choose(accept, OFFERS) == LINKID

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
        assert choose(accept, OFFERS) == chosen

    @pytest.mark.parametrize(
        "accept", ["image/png", "*/*;q=0", "text/turtle", "application/json;q=0", "text/html;q=0, image/*", "nonsense"]
    )
    def test_who_excludes_everything_gets_nothing(self, accept: str) -> None:
        assert choose(accept, OFFERS) is None

    @given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
    def test_whatever_is_asked_for_the_answer_is_an_offer_or_none(self, accept: str) -> None:
        assert choose(accept, OFFERS) in (*OFFERS, None)
        assert prefers_html(accept) in (True, False)

    @given(
        st.lists(st.tuples(st.sampled_from(OFFERS), st.integers(0, 1000)), min_size=1, unique_by=lambda pair: pair[0])
    )
    def test_the_greatest_quality_wins(self, wanted: list[tuple[str, int]]) -> None:
        accept = ", ".join(f"{offer};q={quality / 1000:.3f}" for offer, quality in wanted)
        best = max(quality for _, quality in wanted)
        if best == 0:
            assert choose(accept, OFFERS) is None
        else:
            assert choose(accept, OFFERS) == next(offer for offer, quality in wanted if quality == best)

    @given(st.permutations(OFFERS), st.sampled_from(OFFERS))
    def test_the_order_of_the_offers_does_not_matter_to_who_names_one(self, offers: list[str], wanted: str) -> None:
        assert choose(f"*/*;q=0.5, {wanted}", offers) == wanted


class TestBrowsers:
    @pytest.mark.parametrize("accept", [FIREFOX, CHROME, SAFARI, "text/html", "Text/HTML", "text/html;q=0.9,*/*;q=0.1"])
    def test_they_get_pages(self, accept: str) -> None:
        assert prefers_html(accept)
        assert not prefers(accept, (LINKID, JSON), over=HTML)

    @pytest.mark.parametrize(
        "accept", [None, "*/*", "application/json", "text/html;q=0.1, application/json", "image/png"]
    )
    def test_programs_do_not(self, accept: str | None) -> None:
        assert not prefers_html(accept)


class TestPreferring:
    @pytest.mark.parametrize(
        "accept", [None, "*/*", "image/png", "application/pdf", "text/turtle", "*/*;q=0.1", "text/plain;q=0.3"]
    )
    def test_the_usual_answer_stays_where_nothing_else_is_named(self, accept: str | None) -> None:
        assert not prefers(accept, (LINKID, JSON), over=HTML)

    @pytest.mark.parametrize(
        "accept", [LINKID, JSON, "application/json, */*;q=0.1", "text/html;q=0.1, application/json"]
    )
    def test_who_names_metadata_gets_it(self, accept: str) -> None:
        assert prefers(accept, (LINKID, JSON), over=HTML)

    @pytest.mark.parametrize("accept", ["*/*;q=0", "text/html;q=0, application/json;q=0", "application/json;q=0"])
    def test_who_excludes_everything_is_told_so(self, accept: str) -> None:
        with pytest.raises(NotAcceptable):
            prefers(accept, (LINKID, JSON), over=HTML)
