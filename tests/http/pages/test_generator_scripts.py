"""Identifiers generated in the browser equal those of the schemes here, for the same random numbers."""

from collections.abc import Iterator
from datetime import date
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.cli.commands.generate import _formatter
from coolid.identifiers.generation import Scheme
from coolid.identifiers.schemes import contextual, cooldoi, crockford, digest, linkid, lui, noid, pilin, ror, uuid
from tests.http.pages.script_calls import Calls, Refused, calls_in
from tests.support.builders.samples import widths
from tests.support.effort import examples

LISTS = examples(15)  # each of them a list
NUMBER = 300
WISHES = {
    "symbols": 8.0, "version": 7.0, "template": ".reedeedk", "naan": "99999", "prefix": "ark:99999/fk4",
    "namespace": "fabio", "objectType": "PositionPaper", "issued": "2018-11-12",
}  # fmt: skip


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calls]:
    """Calls functions of the scripts, and of one that hands texts to them as octets."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "content.js").write_text(
        'import { sha256 } from "./schemes.js";\n'
        "export const digest = (text) => sha256(new TextEncoder().encode(text));\n",
        encoding="utf-8",
    )
    with calls_in(folder) as calls:
        yield calls


def lists(each: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(each, min_size=1, max_size=100)


def numbered(width: int) -> st.SearchStrategy[tuple[int, int]]:
    edges = st.sampled_from((0, 1, 31, 32, 96, 97, 32**width - 1)).filter(lambda number: number < 32**width)
    return st.tuples(edges | st.integers(0, 32**width - 1), st.just(width))


class TestFormatting:
    @LISTS
    @given(wanted=lists(widths.flatmap(numbered)))
    def test_a_lui_is_written_alike(self, wanted: list[tuple[int, int]], scripts: Calls) -> None:
        returned = scripts([("crockford.lui", number, float(width)) for number, width in wanted])
        assert returned == [crockford.group(lui.encode(number, width)) for number, width in wanted]

    def test_the_greatest_lui_is_written_alike(self, scripts: Calls) -> None:
        calls = [("crockford.lui", 32**width - 1, float(width)) for width in range(1, 13)]
        assert scripts(calls) == [crockford.group(lui.encode(32**width - 1, width)) for width in range(1, 13)]

    def test_what_does_not_fit_is_refused(self, scripts: Calls) -> None:
        returned = scripts([("crockford.lui", 32**8, 8.0), ("crockford.coolDoi", -1), ("schemes.pilin", 31**9)])
        assert [str(each) for each in returned] == ["RangeError"] * 3

    @LISTS
    @given(numbers=lists(st.integers(0, 32**8 - 1)))
    def test_a_cool_doi_is_written_alike(self, numbers: list[int], scripts: Calls) -> None:
        returned = scripts([("crockford.coolDoi", number) for number in numbers])
        assert returned == [cooldoi.format(cooldoi.encode(number)) for number in numbers]

    @LISTS
    @given(numbers=lists(st.sampled_from((0, ror.CAPACITY - 1)) | st.integers(0, ror.CAPACITY - 1)))
    def test_a_ror_id_is_written_alike(self, numbers: list[int], scripts: Calls) -> None:
        assert scripts([("crockford.ror", number) for number in numbers]) == [ror.encode(each) for each in numbers]

    @LISTS
    @given(numbers=lists(st.sampled_from((0, 30, 31, pilin.CAPACITY - 1)) | st.integers(0, pilin.CAPACITY - 1)))
    def test_a_moment_of_pilin_is_written_alike(self, numbers: list[int], scripts: Calls) -> None:
        assert scripts([("schemes.pilin", number) for number in numbers]) == [pilin.encode(each) for each in numbers]

    @LISTS
    @given(
        template=st.from_regex(r"[0-9A-Za-z=~*+@_$]{0,5}\.[rsz][de]{1,12}k?", fullmatch=True),
        naan=st.sampled_from(("", "99999", "13030", "b5072")),
        has_shoulder=st.booleans(),
        data=st.data(),
    )
    def test_a_noid_is_written_alike(
        self, template: str, naan: str, has_shoulder: bool, data: st.DataObject, scripts: Calls
    ) -> None:
        shoulder = "fk4" if naan and has_shoulder else ""
        parsed = noid.parse_template(template, naan, shoulder)
        most = (parsed.capacity or 29**20) - 1
        numbers = [0, most, *data.draw(lists(st.integers(0, most)))]
        (returned,) = scripts([("noid.parseTemplate", template, naan, shoulder)])
        assert returned["capacity"] == parsed.capacity
        written = scripts([("noid.encode", number, returned) for number in numbers])
        assert written == [noid.encode(number, parsed) for number in numbers]

    @LISTS
    @given(zones=lists(st.text("0123456789bcdfghjkmnpqrstvwxzayl/.-A", max_size=40)))
    def test_a_check_character_is_computed_alike(self, zones: list[str], scripts: Calls) -> None:
        returned = scripts([("noid.checkCharacter", zone) for zone in zones])
        assert returned == [noid.calc_check_digit(zone) for zone in zones]

    @LISTS
    @given(wanted=lists(st.tuples(st.integers(0, 2**128 - 1), st.sampled_from((4, 7)))))
    def test_a_uuid_is_stamped_alike(self, wanted: list[tuple[int, int]], scripts: Calls) -> None:
        returned = scripts([("schemes.stamped", bits, version) for bits, version in wanted])
        assert returned == [uuid._stamp(bits, version) for bits, version in wanted]

    @LISTS
    @given(prefix=st.sampled_from((
        "10.5072", "102.100.272", "ark:99999", "ark:99999/", "ark:99999/fk4", "ark:99999/fk", "99999", "2021/06/mp",
        "mp", "2021/06/mp/", "21.T11148", "10.5072/abc", "lid",
    )), scheme=st.sampled_from(get_args(Scheme)))  # fmt: skip
    def test_a_prefix_stands_in_front_alike(self, prefix: str, scheme: Scheme, scripts: Calls) -> None:
        (returned,) = scripts([("schemes.start", scheme, prefix)])
        if scheme != "contextual":
            assert returned + "x" == _formatter(scheme, prefix, proxy=False)("x")


class TestTemplates:
    @pytest.mark.parametrize(
        "text", ["", "reedeedk", ".xeek", ".r", ".rabc", ".rek k", "é.reek", ".re\n", f".r{'e' * 65}"]
    )
    def test_one_that_is_none_is_refused_here_and_there(self, text: str, scripts: Calls) -> None:
        (returned,) = scripts([("noid.parseTemplate", text, "")])
        assert isinstance(returned, Refused)
        with pytest.raises(ValueError, match="template"):
            noid.parse_template(text)

    def test_a_naan_that_is_none_is_refused(self, scripts: Calls) -> None:
        (returned,) = scripts([("noid.parseTemplate", ".reek", "ABC")])
        assert str(returned) == "unfit-naan"


def drawn(scripts: Calls, scheme: str, number: int = NUMBER, **wishes: Any) -> list[str]:
    (returned,) = scripts([("schemes.draw", scheme, WISHES | wishes, float(number))])
    assert isinstance(returned, list), returned
    assert len(set(returned)) == number
    return returned


class TestDraws:
    @pytest.mark.parametrize("symbols", [2, 8, 12])
    def test_luis_are_valid(self, symbols: int, scripts: Calls) -> None:
        for each in drawn(scripts, "lui", symbols=float(symbols)):
            assert lui.format(lui.validate(each, symbols)) == each

    def test_all_there_are_can_be_generated(self, scripts: Calls) -> None:
        found = drawn(scripts, "lui", number=32, symbols=1.0)
        assert {lui.decode(each, 1) for each in found} == {*range(32)}

    def test_more_than_there_are_cannot(self, scripts: Calls) -> None:
        calls = [
            ("schemes.draw", "lui", WISHES | {"symbols": 1.0}, 33.0),
            ("schemes.draw", "noid", WISHES | {"template": ".rd"}, 11.0),
            ("schemes.draw", "noid", WISHES | {"template": ".sd"}, 11.0),
        ]
        assert [str(each) for each in scripts(calls)] == ["unfit-capacity"] * 3

    def test_cool_dois_are_valid(self, scripts: Calls) -> None:
        for each in drawn(scripts, "cooldoi"):
            assert cooldoi.format(cooldoi.validate(each)) == each

    def test_pilins_are_of_the_milliseconds_until_now(self, scripts: Calls) -> None:
        moments = [pilin.to_milliseconds(each) for each in drawn(scripts, "pilin")]
        assert moments == [*range(moments[0], moments[0] + NUMBER)]

    @pytest.mark.parametrize("template", [".reedeedk", "f5.reek", ".seeek", ".zek", ".rdddd"])
    @pytest.mark.parametrize(("naan", "prefix", "shoulder"), [
        ("99999", "ark:99999/fk4", "fk4"), ("99999", "ark:99999", ""), ("", "ark:99999/fk4", ""),
    ])  # fmt: skip
    def test_noids_are_valid(self, template: str, naan: str, prefix: str, shoulder: str, scripts: Calls) -> None:
        parsed = noid.parse_template(template, naan, shoulder)
        found = drawn(scripts, "noid", template=template, naan=naan, prefix=prefix)
        numbers = [noid.decode(each, parsed) for each in found]
        assert (numbers == [*range(NUMBER)]) == (parsed.generator != "r")

    @pytest.mark.parametrize("version", [4, 7])
    def test_uuids_are_valid(self, version: int, scripts: Calls) -> None:
        for each in drawn(scripts, "uuid", version=float(version)):
            assert uuid.validate(each, (version,)) == each

    def test_linkids_are_valid_under_their_prefix(self, scripts: Calls) -> None:
        for each in drawn(scripts, "linkid"):
            assert linkid.format(linkid.validate(f"linkid:{each}")) == f"linkid:{each}"
            assert uuid.parse(each).version == linkid.VERSION

    def test_ror_ids_are_valid(self, scripts: Calls) -> None:
        for each in drawn(scripts, "ror"):
            assert ror.validate(each) == each

    @pytest.mark.parametrize("issued", ["", "2018-11-12"])
    def test_contextual_identifiers_are_valid(self, issued: str, scripts: Calls) -> None:
        for each in drawn(scripts, "contextual", issued=issued):
            parts = contextual.parse(each)
            assert (parts.namespace, parts.object_type) == ("fabio", "PositionPaper")
            assert parts.issued == (date.fromisoformat(issued) if issued else None)

    def test_modules_that_are_none_are_refused(self, scripts: Calls) -> None:
        (returned,) = scripts([("schemes.draw", "contextual", WISHES | {"objectType": "a.b"}, 1.0)])
        assert str(returned) == "unfit-module"

    @LISTS
    @given(numbers=lists(st.integers(0, 34**10 - 1)))
    def test_object_ids_have_ten_symbols(self, numbers: list[int], scripts: Calls) -> None:
        for each in scripts([("schemes.objectId", number) for number in numbers]):
            assert contextual.is_valid(f"a.b.{each}")

    @LISTS
    @given(text=st.text(st.characters(exclude_categories=["Cs"])))
    def test_digests_are_those_of_the_content(self, text: str, scripts: Calls) -> None:
        assert scripts([("content.digest", text)]) == [digest.calc_digest(text.encode())]


class TestDice:
    @pytest.mark.parametrize("limit", [1, 2, 3, 10, 29, 97])
    def test_every_number_below_the_limit_comes_and_no_other(self, limit: int, scripts: Calls) -> None:
        assert {*scripts([("dice.below", limit)] * 3000)} == {*range(limit)}

    def test_no_number_is_favoured(self, scripts: Calls) -> None:
        found = scripts([("dice.below", 192)] * 6_000)  # a remainder of a byte would give the first 64 twice as often
        few = sum(each < 64 for each in found)
        assert 1_700 < few < 2_300  # eight standard deviations from what is due; a remainder gives 3 000

    def test_great_numbers_use_all_their_bits(self, scripts: Calls) -> None:
        found = scripts([("dice.below", 32**12)] * 400)
        union, common = 0, 2**60 - 1
        for each in found:
            union |= each
            common &= each
        assert (union, common) == (2**60 - 1, 0)
