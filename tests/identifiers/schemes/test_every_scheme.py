"""Rules for every scheme: one key for all spellings, reasons for every refusal, only ASCII, linear cost."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import (
    ark,
    bibcode,
    contextual,
    cooldoi,
    crockford,
    curie,
    digest,
    doi,
    handle,
    igsn,
    isbn,
    isni,
    issn,
    lid,
    lui,
    noid,
    orcid,
    pilin,
    ror,
    urn,
    uuid,
)
from tests.support.builders.samples import SCHEME_VECTORS
from tests.support.effort import examples, size

TEMPLATE = noid.parse_template("fk4.reedeedk", naan="99999")
ENDLESS = noid.parse_template("x.zdek")


@dataclass(frozen=True)
class Scheme:
    """A module, `validate` with the rules that it needs, and valid identifiers that have no query."""

    module: ModuleType
    validate: Callable[[str], str]
    valid: tuple[str, ...]


SCHEMES = {
    "ark": Scheme(ark, ark.validate, ("ark:12345/x6np1wh8k/c3/s5.v7.xsl", "ark:/12148/bpt6k97497t", "ark:b5/x%7D")),
    "bibcode": Scheme(bibcode, bibcode.validate, tuple(SCHEME_VECTORS["bibcode"]["valid"])),
    "contextual": Scheme(contextual, contextual.validate, tuple(SCHEME_VECTORS["contextual"]["valid"])),
    "contextual, declared": Scheme(
        contextual,
        partial(
            contextual.validate,
            declaration=contextual.Declaration(
                object_id=SCHEME_VECTORS["contextual"]["its_rule"], object_types=frozenset({"NOT"})
            ),
        ),
        tuple(SCHEME_VECTORS["contextual"]["valid_where_the_namespace_declares_its_own_object_id_rule"]),
    ),
    "cooldoi": Scheme(cooldoi, cooldoi.validate, ("tw0t-ywdj", "55E5T5C0")),
    "crockford": Scheme(crockford, partial(crockford.validate, symbols=5), ("0123z",)),
    "curie": Scheme(curie, curie.validate, ("UniProt:A0A022YWF9", "[go:0006915]")),
    "digest": Scheme(digest, digest.validate, (SCHEME_VECTORS["digest"]["value"], "SHA256:" + "A" * 64)),
    "doi": Scheme(doi, doi.validate, (*SCHEME_VECTORS["doi"]["valid"], "https://doi.org/10.1002%2FASI.23256")),
    "handle": Scheme(handle, handle.validate, (*SCHEME_VECTORS["handle"]["valid"], "hdl:/102.100.272/Y35XYS0QH")),
    "igsn": Scheme(igsn, igsn.validate, ("igsn:IECUR0002", "AU124")),
    "isbn": Scheme(isbn, isbn.validate, ("0-14-029161-X", "9780140291612")),
    "isni": Scheme(isni, isni.validate, ("000000012281955X", "isni:00000001-2150-090x")),
    "issn": Scheme(issn, issn.validate, ("1865-0473", "2434-561x")),
    "lid": Scheme(lid, lid.validate, ("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", SCHEME_VECTORS["digest"]["value"])),
    "lui": Scheme(lui, lui.validate, ("tw0t-ywdj-94", "TWOTYWDJ94")),
    "noid": Scheme(noid, noid.validate, tuple(SCHEME_VECTORS["noid"]["valid_over_naan_and_name"])),
    "noid, of a template": Scheme(
        noid, partial(noid.validate, template=TEMPLATE), tuple(noid.encode(n, TEMPLATE) for n in (0, 70728099))
    ),
    "noid, endless": Scheme(
        noid, partial(noid.validate, template=ENDLESS), tuple(noid.encode(n, ENDLESS) for n in (5, 10**9))
    ),
    "orcid": Scheme(orcid, orcid.validate, ("0000-0001-5699-994X", "https://orcid.org/0000000218250097")),
    "pilin": Scheme(pilin, pilin.validate, ("Y35XYS0QH", "y35xys0qh")),
    "ror": Scheme(ror, ror.validate, ("03yrm5c26", "https://ror.org/05H2DDA38")),
    "urn": Scheme(urn, urn.validate, ("urn:example:a%2cb/c", "URN:LSID:Example.org:taxon:1:2")),
    "uuid": Scheme(uuid, uuid.validate, ("1BC2F359-47E4-5DA6-A748-74676B7C8C5D", "urn:uuid:" + "0" * 32)),
}
EVERY = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
PLAIN = {name: scheme for name, scheme in SCHEMES.items() if scheme.validate is scheme.module.validate}
PARSED = {name: scheme for name, scheme in PLAIN.items() if hasattr(scheme.module, "parse") and name != "noid"}

text = st.text(st.characters(), max_size=40)
NASTY = "0OIl1xX-/.:?#%[ \n\x00é９ſ\u212aı\u2010\U0001d7d8"


@st.composite
def edited(draw: st.DrawFn, valid: tuple[str, ...]) -> str:
    """A valid identifier after a few slips of the pen."""
    spelling = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(1, 3))):
        position = draw(st.integers(0, len(spelling)))
        dropped = draw(st.integers(0, 2))
        inserted = draw(st.sampled_from(["", *NASTY]))
        spelling = spelling[:position] + inserted + spelling[position + dropped :]
    return spelling


def judge(scheme: Scheme, spelling: str) -> str | None:
    """The key, or None after a look at the reason why there is none."""
    try:
        return scheme.validate(spelling)
    except InvalidIdentifier as error:
        refusal = error
    assert refusal.identifier == spelling
    assert 0 < len(str(refusal)) < 400
    assert refusal.rule
    return None


class TestEverySchemesKeys:
    @EVERY
    def test_what_is_valid_has_one_key_that_is_valid_itself(self, scheme: Scheme) -> None:
        for spelling in scheme.valid:
            key = scheme.validate(spelling)
            assert scheme.validate(key) == key
            assert scheme.module.compact(spelling) == scheme.module.compact(key) == key
            assert scheme.validate(scheme.module.format(spelling)) == key
            assert scheme.module.format(key) == scheme.module.format(spelling)

    @EVERY
    @given(st.data())
    @examples(60)
    def test_what_is_accepted_after_slips_of_the_pen_has_one_key_too(self, scheme: Scheme, data: st.DataObject) -> None:
        key = judge(scheme, data.draw(edited(scheme.valid)))
        if key is not None:
            assert scheme.validate(key) == key
            assert key.isascii()
            assert key.isprintable()
            assert " " not in key
            assert scheme.validate(scheme.module.format(key)) == key

    @pytest.mark.parametrize("scheme", PARSED.values(), ids=PARSED)
    def test_the_parts_are_those_of_the_form_for_people(self, scheme: Scheme) -> None:
        for spelling in scheme.valid:
            assert scheme.module.parse(scheme.module.format(spelling)) == scheme.module.parse(spelling)
            assert scheme.validate(str(scheme.module.parse(spelling))) == scheme.validate(spelling)


class TestEverySchemesRefusals:
    @EVERY
    @given(text)
    @examples(60)
    def test_any_text_has_a_key_or_a_reason(self, scheme: Scheme, spelling: str) -> None:
        key = judge(scheme, spelling)
        if scheme in PLAIN.values():
            assert scheme.module.is_valid(spelling) == (key is not None)
        scheme.module.compact(spelling)

    @EVERY
    @pytest.mark.parametrize("foreign", ["é", "９", "ſ", "\u212a", "ı", "\u00ad", "\u200b", "\U0001d7d8", "\ud800"])
    def test_symbols_of_other_scripts_are_refused_wherever_they_stand(self, scheme: Scheme, foreign: str) -> None:
        for spelling in scheme.valid:
            for position in range(len(spelling) + 1):
                assert judge(scheme, spelling[:position] + foreign + spelling[position:]) is None
                assert judge(scheme, spelling[:position] + foreign + spelling[position + 1 :]) is None

    @EVERY
    @pytest.mark.parametrize("foreign", [" ", "\n", "\t", "\x00", "\x7f", "\x85", "\u00a0"])
    def test_spaces_and_control_characters_are_refused_wherever_they_stand(self, scheme: Scheme, foreign: str) -> None:
        for spelling in scheme.valid:
            for position in range(len(spelling) + 1):
                assert judge(scheme, spelling[:position] + foreign + spelling[position:]) is None

    @EVERY
    def test_huge_texts_are_refused_or_accepted_like_small_ones(self, scheme: Scheme) -> None:
        length = size(drill=200_000, test=20_000)
        huge = [
            "a",
            "0",
            "-",
            "/",
            ".",
            ":",
            "%",
            "%2",
            "?",
            "#",
            "/ark:",
            "９",
            "\U0001d7d8",
            "ab.",
            "-0",
            "a/",
            "10.",
            "http://",
        ]
        for spelling in huge:
            judge(scheme, spelling * (length // len(spelling)))
        for beginning in (
            "ark:",
            "ark:12345/x",
            "doi:10.1000/",
            "https://doi.org/10.1000/",
            "lid:",
            "urn:a",
            "urn:lsid:",
        ):
            for end in ("a", "-", "//", "%41", "é", "é" + "a" * 9):
                judge(scheme, beginning + end * length)
        for spelling in scheme.valid:
            judge(scheme, spelling + "-" * length)
            judge(scheme, spelling * 2000)
