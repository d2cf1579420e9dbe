"""Detection: every example of the seeds and specifications is recognised, and nothing else is."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.identifiers.schemes import lui, ror
from coolid.recognition import detection
from coolid.recognition.detection import MAX_CHARACTERS, SCHEMES, SchemeMatch, detect
from coolid.recognition.unwrap import unwrap
from tests.support.builders.rule_examples import any_case
from tests.support.builders.samples import SCHEME_VECTORS, VECTORS, widths
from tests.support.effort import examples
from tests.support.fixtures.ports import SeededEntropy

SHA = SCHEME_VECTORS["digest"]["value"]
DOIS = SCHEME_VECTORS["doi"]
ISBNS = SCHEME_VECTORS["isbn"]


GUESSED = {"cooldoi", "igsn", "lid", "pilin"}
"""Schemes whose bare form other texts have, too, and that have no check character."""


def returned(text: str) -> dict[str, SchemeMatch]:
    """The verdicts on what people paste, by scheme, whether they are guesses or not."""
    return {verdict.scheme: replace(verdict, guess=False) for verdict in detect(unwrap(text).text)}


def best(text: str) -> SchemeMatch:
    verdicts = detect(unwrap(text).text)
    assert verdicts, text
    return verdicts[0]


# The texts of the seeds: what is pasted, the scheme that comes first, and its canonical form.
KNOWN = [
    ("tw0t-ywdj-94", "lui", "tw0t-ywdj-94"),
    ("TWOT-YWDJ-94", "lui", "tw0t-ywdj-94"),
    ("tw0tywdj94", "lui", "tw0t-ywdj-94"),
    ("2021/06/mp/tw0t-ywdj-94", "lui", "tw0t-ywdj-94"),
    ("079j-xh42", "lui", "079j-xh42"),
    ("83bs-2615", "lui", "83bs-2615"),
    ("55e5-t5c0", "cooldoi", "55e5-t5c0"),
    ("tw0tywdj", "cooldoi", "tw0t-ywdj"),
    ("10.5438/55e5-t5c0", "doi", "doi:10.5438/55e5-t5c0"),
    ("Y35XYS0QH", "pilin", "Y35XYS0QH"),
    ("y35xys0qh", "pilin", "Y35XYS0QH"),
    ("102.100.272/Y35XYS0QH", "handle", "hdl:102.100.272/y35xys0qh"),
    ("hdl:/102.100.272/Y35XYS0QH", "handle", "hdl:102.100.272/y35xys0qh"),
    ("https://hdl.handle.net/102.100.272/Y35XYS0QH", "handle", "hdl:102.100.272/y35xys0qh"),
    ("13030/xf93gt2q", "noid", "13030/xf93gt2q"),
    ("99999/fk4rx9d523", "noid", "99999/fk4rx9d523"),
    ("ark:/12148/bpt6k97497t", "ark", "ark:12148/bpt6k97497t"),
    ("https://gallica.bnf.fr/ark:/12148/bpt6k97497t", "ark", "ark:12148/bpt6k97497t"),
    ("ark:12345/x5-4-xz-321", "ark", "ark:12345/x54xz321"),
    ("10.5281/zenodo.31780", "doi", "doi:10.5281/zenodo.31780"),
    ("doi:10.1002/ASI.23256", "doi", "doi:10.1002/asi.23256"),
    ("https://doi.org/10.1002/asi.23256", "doi", "doi:10.1002/asi.23256"),
    ("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", "lid", "lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"),
    ("b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", "uuid", "b2f6f0d7-c7d3-4e3e-8a4f-0a6b2a9c9f14"),
    ("urn:uuid:1bc2f359-47e4-5da6-a748-74676b7c8c5d", "uuid", "1bc2f359-47e4-5da6-a748-74676b7c8c5d"),
    (SHA, "sha256", f"sha256:{SHA}"),
    (f"SHA-256:{SHA.upper()}", "sha256", f"sha256:{SHA}"),
    ("uniprot:A0A022YWF9", "curie", "uniprot:A0A022YWF9"),
    ("GO:0006915", "curie", "go:0006915"),
    ("urn:lsid:ipni.org:names:77145066-1:1.4", "urn", "urn:lsid:ipni.org:names:77145066-1:1.4"),
    ("0-14-029161-X", "isbn", "978-0-14-029161-2"),
    ("urn:isbn:978-0-471-11709-4", "isbn", "978-0-471-11709-4"),
    ("ISSN:1865-0473", "issn", "1865-0473"),
    ("1865-0473", "issn", "1865-0473"),
    ("0000-0001-5699-994X", "orcid", "0000-0001-5699-994X"),
    ("https://orcid.org/0000-0001-5699-994X", "orcid", "0000-0001-5699-994X"),
    ("0000 0001 2281 955X", "isni", "0000 0001 2281 955X"),
    ("05h2dda38", "ror", "https://ror.org/05h2dda38"),
    ("https://ror.org/05h2dda38", "ror", "https://ror.org/05h2dda38"),
    ("IECUR0002", "igsn", "igsn:IECUR0002"),
    ("fabio.PositionPaper.pp1255qv43.2018-11-12", "contextual", "fabio.PositionPaper.pp1255qv43.2018-11-12"),
]

# A slip in each: the scheme that the text belongs to, and the beginning of the reason.
WRONG = [
    ("tw0t-ywdj-95", "lui", "its check digits are 95, but the other symbols call for 94"),
    ("wt0t-ywdj-94", "lui", "its check digits are 94, but"),
    ("tw0t-ywjd-94", "lui", "its check digits are 94, but"),
    ("2021/06/mp/tw0u-ywdj-94", "lui", "character 4, 'u', is not"),
    ("ark:12a45/x5", "ark", "character 7, 'a', is not"),
    ("ark:12345/", "ark", "it has no name"),
    ("doi:11.1/x", "doi", "it does not begin with 10."),
    ("10.1038", "doi", "it has no"),
    ("hdl:2077/", "handle", "it has no"),
    ("isbn:0-14-029161-1", "isbn", "its check digits are 1, but the other symbols call for X"),
    ("978-0-471-11709-5", "isbn", "its check digits are 5, but the other symbols call for 4"),
    ("1865-0474", "issn", "its check digits are 4, but the other symbols call for 3"),
    ("0000-0002-1825-0098", "orcid", "its check digits are 8, but the other symbols call for 7"),
    ("https://orcid.org/0000-0002-1825-0098", "orcid", "its check digits are 8, but"),
    ("0000 0001 1111 955X", "isni", "its check digits are X, but"),
    ("https://ror.org/03yrm5c27", "ror", "its check digits are 27, but the other symbols call for 26"),
    ("ror:13yrm5c26", "ror", "it begins with 1"),
    ("lid:tw0t-ywdj-94", "lid", "it has 12 characters; a LinkID has 32 to 64"),
    ("uuid:1bc2f359-47e4-5da6-a748-74676b7c8c5", "uuid", "it has 31 symbols, not 32"),
    ("uuid:1bc2f35-947e4-5da6-a748-74676b7c8c5d", "uuid", "its hyphens do not divide it"),
    ("sha256:a665a459", "sha256", "it has 8 symbols, not 64"),
    ("urn:x:1", "urn", ""),
    ("uniprot:A0 A0", "curie", "character 11, ' ', is not"),
    ("fabio.PositionPaper.pp1255qv43.2018-13-12", "contextual", "its date of issue, 2018-13-12, is not a day"),
    ("fabio.PositionPaper.pp1255qvl3", "contextual", "character 29, 'l', is not"),
    ("fabio.PositionPaper.pp1255qv43.2018-11-12.05h2dda39", "contextual", "its registrant, 05h2dda39, is mistyped"),
]


class TestKnownTexts:
    @pytest.mark.parametrize(("text", "scheme", "canonical"), KNOWN)
    def test_the_first_failed_check_is_reported(self, text: str, scheme: str, canonical: str) -> None:
        assert best(text) == SchemeMatch(scheme, True, canonical, None, guess=scheme in GUESSED and ":" not in text)

    @pytest.mark.parametrize("text", ["24/7", "10/b88j", "2077/36687", "1234567906", "4111111111111111", "1999-2002"])
    def test_a_number_that_is_valid_by_chance_is_a_guess(self, text: str) -> None:
        assert all(verdict.guess for verdict in detect(text) if verdict.valid)

    @pytest.mark.parametrize("text", ["P0DP23", "Q42", "NM_000546.6", "GSE12345", "rs7412", "50-00-0", "2101.00001v2"])
    def test_an_accession_number_is_a_guess_before_all_others(self, text: str) -> None:
        verdict = detect(text)[0]
        assert (verdict.scheme, verdict.valid, verdict.guess) == ("curie", True, True)
        assert str(verdict.canonical).endswith(f":{text}")

    @pytest.mark.parametrize(("text", "scheme", "reason"), WRONG)
    def test_what_is_wrong_in_each_is_said(self, text: str, scheme: str, reason: str) -> None:
        verdict = returned(text)[scheme]
        assert (verdict.valid, verdict.canonical) == (False, None)
        assert verdict.reason
        assert verdict.reason.startswith(reason)

    @pytest.mark.parametrize(
        "text",
        ["", " ", "-", ":", "::", "hello world", "https://example.org/", "http://", "urn", "?", "é", "<>", "a", "12",
         "https://example.org/?id=10.1000/182", "mailto", "1865 0473", "\n"],
    )  # fmt: skip
    def test_what_is_no_identifier_is_not_taken_for_a_valid_one(self, text: str) -> None:
        assert not [verdict for verdict in returned(text).values() if verdict.valid]

    @pytest.mark.parametrize(("text", "scheme", "canonical"), KNOWN)
    @pytest.mark.parametrize(
        "wrapping", [" {}", "{}\n", "<{}>", ' "{}" ', "\ufeff{}", "“{}”", "(<{}>)", "\t[ {} ]\r\n"]
    )
    def test_what_stands_around_it_does_not_matter(self, text: str, scheme: str, canonical: str, wrapping: str) -> None:
        assert best(wrapping.format(text)) == best(text)
        assert returned(wrapping.format(text))[scheme] == SchemeMatch(scheme, True, canonical, None)

    def test_what_stands_around_a_linkid_breaks_it(self) -> None:
        name = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
        assert best(name.upper()) == SchemeMatch("linkid", True, name)
        for wrapping in (" {}", "{}\n", "<{}>", "({})", "{}.", "see {}"):
            assert not [match for match in detect(unwrap(wrapping.format(name)).text) if match.valid]

    @pytest.mark.parametrize(
        ("text", "schemes"),
        [
            ("03yrm5c26", ["ror", "lui", "pilin"]),
            ("13030/xf93gt2q", ["noid", "handle"]),
            (SHA, ["sha256", "lid"]),
            ("b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", ["uuid", "lid"]),
            ("urn:isbn:0451450523", ["isbn", "urn"]),
            ("10.5281/zenodo.31780", ["doi", "handle"]),
        ],
    )
    def test_a_text_of_many_forms_has_a_verdict_for_each_best_first(self, text: str, schemes: list[str]) -> None:
        assert [verdict.scheme for verdict in detect(text)] == schemes

    def test_valid_verdicts_come_before_others(self) -> None:
        for text, _, _ in [*KNOWN, *WRONG]:
            validities = [verdict.valid for verdict in returned(text).values()]
            assert validities == sorted(validities, reverse=True)


class TestVectors:
    @pytest.mark.parametrize(
        ("text", "scheme", "canonical"),
        [
            *((text, "ark", canonical) for text, canonical in SCHEME_VECTORS["ark"]["pairs"] if text[:3] != "n2t"),
            *((text, "doi", f"doi:{text.lower()}") for text in DOIS["valid"]),
            *((text, "doi", "doi:10.1002/asi.23256") for text in DOIS["same_as_10.1002/asi.23256"][:2]),
            *((text, "doi", "doi:10.1002/asi.23256") for text in DOIS["same_as_10.1002/asi.23256"][4:7]),
            *((text, "handle", f"hdl:{text.lower()}") for text in SCHEME_VECTORS["handle"]["valid"] if text[0] in "12"),
            *((each["text"], "lid", f"lid:{each['id']}") for each in SCHEME_VECTORS["lid"]["valid"]),
            *((text, "contextual", text) for text in SCHEME_VECTORS["contextual"]["valid"]),
            *((each["suffix"], "pilin", each["suffix"]) for each in SCHEME_VECTORS["pilin"]["values"]),
            *((each["display"], "cooldoi", each["display"]) for each in SCHEME_VECTORS["cooldoi"]["values"]),
            *((text, "noid", text) for text in SCHEME_VECTORS["noid"]["valid_over_naan_and_name"]),
            *((text, "isbn", shown) for text, shown in ISBNS["pairs"] if text[:4] != "ISBN" or ":" in text),
            *((text, "issn", text) for text in SCHEME_VECTORS["issn"]["valid"]),
            *((text, "isni", text) for text in SCHEME_VECTORS["isni"]["valid"]),
            *((text, "orcid", text) for text in SCHEME_VECTORS["orcid"]["valid"]),
            *((text, "ror", f"https://ror.org/{text}") for text in SCHEME_VECTORS["ror"]["valid"]),
            *((group[0], "urn", group[0]) for group in SCHEME_VECTORS["urn"]["equivalent"] if "%" not in group[0]
              and "CatalogueOfLife" not in group[0]),
            *((each["display"], "lui", each["display"]) for each in VECTORS["lui"]["with_checksum"]),
        ],
    )  # fmt: skip
    def test_each_valid_one_is_found_valid_in_its_scheme(self, text: str, scheme: str, canonical: str) -> None:
        assert returned(text)[scheme] == SchemeMatch(scheme, True, canonical, None)

    @pytest.mark.parametrize(
        ("label", "scheme", "texts"),
        [
            (
                "doi:",
                "doi",
                [text for text in DOIS["invalid"] if not text.startswith(("http", "doi:"))],
            ),
            (
                "hdl:",
                "handle",
                [text for text in SCHEME_VECTORS["handle"]["invalid"] if not text.startswith(("http", "hdl:"))],
            ),
            ("isbn:", "isbn", ISBNS["invalid"]),
            ("issn:", "issn", SCHEME_VECTORS["issn"]["invalid"]),
            ("isni:", "isni", SCHEME_VECTORS["isni"]["invalid"]),
            ("orcid:", "orcid", SCHEME_VECTORS["orcid"]["invalid"]),
            ("ror:", "ror", [text for text in SCHEME_VECTORS["ror"]["invalid"] if ":" not in text]),
            ("uuid:", "uuid", SCHEME_VECTORS["uuid"]["invalid"]),
            ("igsn:", "igsn", [text for text in SCHEME_VECTORS["igsn"]["invalid"] if ":" not in text]),
            ("sha256:", "sha256", [text for text in SCHEME_VECTORS["digest"]["invalid"] if ":" not in text]),
            ("", "ark", [text for text in SCHEME_VECTORS["ark"]["invalid"] if text.startswith("ark:")]),
            ("", "lid", SCHEME_VECTORS["lid"]["invalid"][:-1]),
            ("", "urn", [text for text in SCHEME_VECTORS["urn"]["invalid"] if text.startswith("urn:")]),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_each_invalid_one_with_its_label_is_found_wrong_in_its_scheme(
        self, label: str, scheme: str, texts: list[str]
    ) -> None:
        assert texts
        for text in texts:
            verdict = {each.scheme: each for each in detect(label + text)}[scheme]
            assert not verdict.valid, text
            assert verdict.reason


class TestMoreExactThanItsPeers:
    """idutils takes any two digits at the end of a ROR id, and any digits for a LUI's."""

    @pytest.mark.parametrize("identifier", SCHEME_VECTORS["ror"]["valid"])
    def test_of_all_check_digits_of_a_ror_id_one_pair_is_right(self, identifier: str) -> None:
        stem = identifier[:-2]
        right = [
            f"{stem}{digits:02d}"
            for digits in range(100)
            if returned(f"https://ror.org/{stem}{digits:02d}")["ror"].valid
        ]
        bare = [f"{stem}{digits:02d}" for digits in range(100) if "ror" in returned(f"{stem}{digits:02d}")]
        assert right == bare == [identifier]

    def test_of_all_check_digits_of_a_lui_one_pair_is_right(self) -> None:
        right = [digits for digits in range(100) if returned(f"tw0t-ywdj-{digits:02d}")["lui"].valid]
        assert right == [94]

    @given(widths, st.integers(0, 2**32), st.randoms(use_true_random=False))
    @examples(100)
    def test_a_lui_of_any_width_is_found_however_it_is_written(self, width: int, seed: int, rng: Random) -> None:
        written = lui.format(lui.generate(SeededEntropy(seed), width))
        for text in (written, written.replace("-", ""), any_case(written, rng)):
            assert returned(text)["lui"] == SchemeMatch("lui", True, written, None)

    @given(st.integers(0, 2**32))
    @examples(50)
    def test_any_ror_id_comes_first(self, seed: int) -> None:
        identifier = ror.generate(SeededEntropy(seed))
        assert best(identifier) == SchemeMatch("ror", True, f"https://ror.org/{identifier}", None)


fragments = st.sampled_from(
    [text for text, _, _ in KNOWN] + list(detection._LABELS) + list(":/-.?#%[]<> \x00\n0") + ["https://", "10.", "é９𝟘"]
)
pasted = st.lists(fragments | st.text(st.characters(), max_size=8), max_size=6).map("".join)


class TestAnyText:
    @given(st.text(st.characters(), max_size=80) | pasted)
    @examples(400)
    def test_any_document_gets_a_consistent_verdict(self, text: str) -> None:
        verdicts = detect(text)
        assert len({verdict.scheme for verdict in verdicts}) == len(verdicts)
        for verdict in verdicts:
            assert verdict.scheme in SCHEMES
            assert (verdict.canonical is not None) == verdict.valid == (verdict.reason is None)

    @given(pasted)
    @examples(300)
    def test_a_canonical_form_is_a_valid_form_of_the_same_scheme_and_its_own(self, text: str) -> None:
        for verdict in detect(text):
            if verdict.valid:
                assert verdict.canonical is not None
                again = {each.scheme: replace(each, guess=False) for each in detect(verdict.canonical)}
                assert again[verdict.scheme] == replace(verdict, guess=False)

    @pytest.mark.parametrize(
        "text",
        [
            "a" * 1_000_000,
            "0" * 1_000_000,
            "-" * 10_000,
            "tw0t" + "-" * 10_000 + "ywdj94",
            "10.1000/" + "a" * 1_000_000,
            "ark:12345/" + "x" * 1_000_000,
            "doi:" + "10." * 300_000,
            "urn:" + "a:" * 500_000,
            "isbn:" + "9-" * 500_000,
            "https://doi.org/" + "%41" * 300_000,
            "𝟘" * 100_000,
            "tw0t-ywdj-９４",
            "０3yrm5c26",
            "\x00" * 1_000_000,
            "/" * 1_000_000,
            ":" * 1_000_000,
            "a." * 500_000,
            "1.1/" * 250_000,
        ],
        ids=lambda text: f"{text[:12]!a}x{len(text)}",
    )
    def test_a_huge_or_foreign_text_is_answered_and_no_valid_identifier(self, text: str) -> None:
        assert not [verdict for verdict in detect(text) if verdict.valid]

    @pytest.mark.parametrize(
        "text", ["tw0t" + "-" * 2_000 + "ywdj94", "10.1000/" + "a" * 2_040, "-" * 2_000, "1." * 1_024]
    )
    def test_the_largest_text_that_is_judged_is_judged_without_error(self, text: str) -> None:
        assert len(text) <= MAX_CHARACTERS
        assert isinstance(detect(text), tuple)

    def test_the_symbols_checked_grow_no_faster_than_the_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each scheme is asked at most once, and beyond the limit none is."""
        requested: list[str] = []

        def counting(scheme: str, text: str) -> SchemeMatch:
            requested.append(scheme)
            return SchemeMatch(scheme, False, None, "no")

        monkeypatch.setattr(detection, "judge", counting)
        for text in ("10.1000/" + "a" * 2_000, "0" * 64, "tw0t-ywdj-94", "a-" * 12, "1.1/" * 200):
            requested.clear()
            detect(text)
            assert len(requested) <= len(SCHEMES) + 3  # a LUI has four shapes
        requested.clear()
        detect("10.1000/" + "a" * MAX_CHARACTERS)
        assert requested == []
