"""NOIDs: templates, growth, check characters, and a pseudo-random order without repetition."""

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from noid import pynoid

from coolid.errors import InvalidCharacter, InvalidCheck, InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import ncda, noid, permutation
from coolid.identifiers.schemes.permutation import permute
from tests.support.builders.samples import SCHEME_VECTORS
from tests.support.effort import examples
from tests.support.fixtures.ports import ScriptedEntropy, SeededEntropy

vectors = SCHEME_VECTORS["noid_templates"]
masks = st.text("de", min_size=1, max_size=9)
prefixes = st.text(noid.ALPHABET + "aeiouyABZ=~*+@_$", max_size=6)
naans = st.sampled_from(["", "13030", "b5060", "99999"])
templates = st.builds(
    lambda prefix, generator, mask, check, naan: noid.parse_template(f"{prefix}.{generator}{mask}{check}", naan),
    prefixes, st.sampled_from("rsz"), masks, st.sampled_from(["", "k"]), naans,
)  # fmt: skip


def numbers_of(template: noid.Template) -> st.SearchStrategy[int]:
    """Numbers that the template has identifiers for."""
    return st.integers(0, 29**12 if template.capacity is None else template.capacity - 1)


def plainly_encoded(number: int, template: noid.Template) -> str:
    """The specification word for word, one digit at a time: what the fast way is held to."""
    body = ""
    for kind in reversed(template.mask):
        base = 10 if kind == "d" else 29
        body = noid.ALPHABET[number % base] + body
        number //= base
    while number and template.generator == "z":
        base = 10 if template.mask[0] == "d" else 29
        body = noid.ALPHABET[number % base] + body
        number //= base
    name = template.prefix + body
    if not template.check:
        return name
    zone = f"{template.naan}/{name}" if template.naan else name
    total = sum(position * max(noid.ALPHABET.find(symbol), 0) for position, symbol in enumerate(zone, 1))
    return name + noid.ALPHABET[total % 29]


class TestVectors:
    @pytest.mark.parametrize(
        "zone", SCHEME_VECTORS["noid"]["valid_over_naan_and_name"] + SCHEME_VECTORS["noid"]["valid_over_name_only"]
    )
    def test_known_check_characters_hold(self, zone: str) -> None:
        assert noid.validate(zone) == zone
        assert noid.calc_check_digit(zone[:-1]) == zone[-1]

    @pytest.mark.parametrize("zone", SCHEME_VECTORS["noid"]["invalid_over_naan_and_name"])
    def test_known_mistakes_are_refused(self, zone: str) -> None:
        assert not noid.is_valid(zone)

    def test_a_known_name_belongs_to_its_template_only_under_its_naan(self) -> None:
        for zone, template in (("99999/fk4rx9d523", "fk4.zeedeeek"), ("13030/xf93gt2q", "xf9.rdeedk")):
            naan, name = zone.split("/")
            assert noid.validate(name, noid.parse_template(template, naan)) == name
            assert not noid.is_valid(name, noid.parse_template(template, "12345"))
            assert not noid.is_valid(name, noid.parse_template(template))

    @pytest.mark.parametrize("vector", vectors["values"], ids=lambda vector: vector["template"])
    def test_known_templates_have_their_first_and_last_names(self, vector: dict[str, Any]) -> None:
        template = noid.parse_template(vector["template"], vector.get("naan", ""))
        assert template.capacity == vector["capacity"]
        assert str(template) == vector["template"]
        for number, name in enumerate(vector["first"]):
            assert noid.encode(number, template) == name
            assert noid.decode(name, template) == number
        if template.capacity is not None:
            assert noid.encode(template.capacity - 1, template) == vector["last"]
            with pytest.raises(ValueError, match="outside the template"):
                noid.encode(template.capacity, template)

    @pytest.mark.parametrize("vector", vectors["grown"], ids=lambda vector: vector["template"])
    def test_endless_templates_grow_by_their_first_mask_character(self, vector: dict[str, Any]) -> None:
        template = noid.parse_template(vector["template"])
        assert noid.encode(vector["number"], template) == vector["name"]
        assert noid.decode(vector["name"], template) == vector["number"]

    @pytest.mark.parametrize("text", vectors["invalid"])
    def test_what_is_no_template_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="a template is"):
            noid.parse_template(text)

    @pytest.mark.parametrize("text", vectors["short"])
    def test_one_place_is_enough_for_a_template(self, text: str) -> None:
        assert noid.is_valid(noid.encode(3, noid.parse_template(text)), noid.parse_template(text))

    def test_a_naan_must_be_one(self) -> None:
        with pytest.raises(ValueError, match="a NAAN is"):
            noid.parse_template(".zeek", naan="12a45")

    def test_a_template_says_what_its_check_covers(self) -> None:
        assert noid.parse_template(".zeek", "13030").zone == "naan"
        assert noid.parse_template(".zeek").zone == "name"
        assert noid.parse_template(".zee", "13030").zone is None


class TestEncoding:
    @given(templates.flatmap(lambda template: st.tuples(st.just(template), numbers_of(template))))
    def test_names_are_as_the_specification_says_and_come_back(self, case: tuple[noid.Template, int]) -> None:
        template, number = case
        name = noid.encode(number, template)
        assert name == plainly_encoded(number, template)
        assert noid.decode(name, template) == number
        assert str(noid.parse(name, template)) == name

    @pytest.mark.parametrize("text", [".sd", ".sdek", ".sedk", "a.sed", ".zdk", ".zek"])
    def test_no_two_numbers_share_a_name_and_no_other_name_is_valid(self, text: str) -> None:
        template = noid.parse_template(text, "13030")
        names = {noid.encode(number, template): number for number in range(template.capacity or 900)}
        assert len(names) == (template.capacity or 900)
        for symbols in range(1, 4):
            for letters in product(noid.ALPHABET, repeat=symbols):
                name = template.prefix + "".join(letters)
                if noid.is_valid(name, template):
                    number = noid.decode(name, template)
                    assert number >= 900 or names[name] == number
                else:
                    assert name not in names

    def test_the_parts_of_a_name_are_parsed(self) -> None:
        template = noid.parse_template("f5.reedeedk", naan="13030")
        assert noid.parse("f50-g6s3-7h", template) == noid.Noid("f5", "0g6s37", "h")


class TestShoulders:
    @given(st.integers(0, 70_728_099))
    def test_a_shoulder_in_front_of_the_template_is_checked_like_one_in_it(self, number: int) -> None:
        apart = noid.parse_template(".reedeedk", naan="99999", shoulder="fk4")
        within = noid.parse_template("fk4.reedeedk", naan="99999")
        name = noid.encode(number, apart)
        assert f"fk4{name}" == noid.encode(number, within)
        assert noid.decode(name, apart) == number
        assert pynoid.validate(f"99999/fk4{name}")

    def test_the_known_name_fk4rx9d523_is_valid_behind_its_own_shoulder_alone(self) -> None:
        for shoulder, expected in (("fk4", True), ("fk5", False), ("", False)):
            template = noid.parse_template(".seededdk", naan="99999", shoulder=shoulder)
            assert noid.is_valid("rx9d523", template) is expected


class TestRefusals:
    template = noid.parse_template("f5.reedeedk", naan="13030")

    def test_a_foreign_symbol_is_named_with_its_place_in_the_text_as_given(self) -> None:
        for spelling, position in (("f5-0g-ls37h", 6), ("f50g6S37h", 5), ("f50g6s3lh", 7), ("f50g6s37h ", 9)):
            with pytest.raises(InvalidCharacter) as raised:
                noid.validate(spelling, self.template)
            assert raised.value.position == position

    def test_a_letter_where_the_mask_has_a_digit_is_named(self) -> None:
        with pytest.raises(InvalidCharacter, match=r"character 6, 'g', .* 0-9 \(mask d\)"):
            noid.validate("f5-0ggs37h", self.template)

    def test_length_prefix_and_check_are_distinguished(self) -> None:
        with pytest.raises(InvalidLength) as short:
            noid.validate("f50g6s3h", self.template)
        assert (short.value.expected, short.value.found) == (9, 8)
        with pytest.raises(InvalidLength):
            noid.validate("f500g6s37h", self.template)
        with pytest.raises(InvalidIdentifier, match="does not begin with f5"):
            noid.validate("g50g6s37h", self.template)
        with pytest.raises(InvalidCheck) as raised:
            noid.validate("f50g6s37j", self.template)
        assert (raised.value.expected, raised.value.found) == ("h", "j")

    def test_an_endless_name_has_no_zeros_in_front_and_an_end_after_all(self) -> None:
        template = noid.parse_template(".zee")
        with pytest.raises(InvalidIdentifier, match="begins with 0"):
            noid.validate("0bc", template)
        assert noid.is_valid("b" * 255, template)
        with pytest.raises(InvalidIdentifier, match="more than the 255"):
            noid.validate("b" * 256, template)


class TestSlipsOfThePen:
    """What NCDA promises: for zones of up to 28 characters, about characters of its alphabet."""

    @given(st.text(noid.ALPHABET, min_size=1, max_size=21), naans, st.data())
    def test_any_one_wrong_character_is_caught(self, name: str, naan: str, data: st.DataObject) -> None:
        zone = f"{naan}/{name}" if naan else name
        zone += noid.calc_check_digit(zone)
        assert len(zone) <= ncda.MAX_SYMBOLS
        at = data.draw(st.sampled_from([at for at, symbol in enumerate(zone) if symbol != "/"]))
        wrong = data.draw(st.sampled_from(sorted(set(noid.ALPHABET) - {zone[at]})))
        assert not noid.is_valid(zone[:at] + wrong + zone[at + 1 :])

    @given(st.text(noid.ALPHABET, min_size=1, max_size=21), naans)
    def test_any_two_neighbours_swapped_are_caught(self, name: str, naan: str) -> None:
        zone = f"{naan}/{name}" if naan else name
        zone += noid.calc_check_digit(zone)
        for at in range(len(zone) - 1):
            if "/" not in zone[at : at + 2]:
                swapped = zone[:at] + zone[at + 1] + zone[at] + zone[at + 2 :]
                assert noid.is_valid(swapped) == (swapped == zone)

    @given(templates.flatmap(lambda template: st.tuples(st.just(template), numbers_of(template))), st.data())
    def test_a_template_catches_every_wrong_symbol_of_its_names(
        self, case: tuple[noid.Template, int], data: st.DataObject
    ) -> None:
        template, number = case
        name = noid.encode(number, template)
        assume(template.check)
        assume(len(template.naan) + 1 + len(name) <= ncda.MAX_SYMBOLS)
        at = data.draw(st.integers(0, len(name) - 1))
        wrong = data.draw(st.sampled_from(sorted(set(noid.ALPHABET) - {name[at]})))
        assert not noid.is_valid(name[:at] + wrong + name[at + 1 :], template)

    def test_it_promises_nothing_beyond_the_twenty_eighth_character(self) -> None:
        for symbol in noid.ALPHABET:  # the 29th weighs nothing
            assert noid.is_valid("0" * 28 + symbol + "0")


class TestDrawing:
    @given(st.integers(0, 70_728_099))
    def test_generated_identifiers_depend_on_the_random_source(self, number: int) -> None:
        template = noid.parse_template(".reedeedk", naan="13030")
        assert noid.decode(noid.generate(ScriptedEntropy(number), template), template) == number

    def test_endless_templates_are_counted_not_generated(self) -> None:
        with pytest.raises(ValueError, match="no end"):
            noid.generate(SeededEntropy(), noid.parse_template(".zeek"))

    def test_a_random_template_gives_each_of_its_names_once_in_an_order_of_its_own(self) -> None:
        template = noid.parse_template(".redk", naan="13030")
        names = [noid.nth(index, template, b"secret") for index in range(290)]
        assert len(set(names)) == 290
        assert all(noid.is_valid(name, template) for name in names)
        assert names != sorted(names)
        assert names != [noid.nth(index, template, b"another") for index in range(290)]
        with pytest.raises(ValueError, match="outside the template"):
            noid.nth(290, template, b"secret")

    @pytest.mark.parametrize("text", [".sedk", ".zedk"])
    def test_other_templates_give_their_names_in_order(self, text: str) -> None:
        template = noid.parse_template(text)
        assert [noid.nth(i, template, b"") for i in range(5)] == [noid.encode(i, template) for i in range(5)]


def unpermute(place: int, capacity: int, key: bytes) -> int:
    """Return the index that `permute` brings to this place: the same rounds backwards."""
    side = permutation._side(place, capacity)
    while True:
        left, right = divmod(place, side)
        for keyed in reversed(permutation._rounds(key)):
            digest = keyed.copy()
            digest.update(b"%x" % left)
            left, right = (right - int.from_bytes(digest.digest(), "big")) % side, left
        place = left * side + right
        if place < capacity:
            return place


class TestPermutation:
    @given(st.integers(1, 400), st.binary(min_size=1, max_size=64))
    @examples(50)
    def test_every_number_below_the_capacity_has_a_place_of_its_own(self, capacity: int, key: bytes) -> None:
        places = [permute(index, capacity, key) for index in range(capacity)]
        assert sorted(places) == list(range(capacity))
        assert [unpermute(place, capacity, key) for place in places] == list(range(capacity))

    @given(
        st.integers(1, 2**200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))), st.binary(min_size=1)
    )
    def test_places_lead_back_however_large_the_capacity(self, case: tuple[int, int], key: bytes) -> None:
        capacity, index = case
        place = permute(index, capacity, key[:64])
        assert 0 <= place < capacity
        assert unpermute(place, capacity, key[:64]) == index

    def test_neighbours_are_scattered(self) -> None:
        capacity = 70_728_100
        places = [permute(index, capacity, b"key") for index in range(2000)]
        halves = sum(place < capacity // 2 for place in places)
        assert 850 < halves < 1150
        rising = sum(one < other for one, other in pairwise(places))
        assert 850 < rising < 1150

    @pytest.mark.parametrize(("index", "capacity"), [(-1, 10), (10, 10), (0, 0), (0, -1)])
    def test_what_is_outside_the_capacity_is_refused(self, index: int, capacity: int) -> None:
        with pytest.raises(ValueError, match="is not from 0 to"):
            permute(index, capacity, b"key")

    @pytest.mark.parametrize("key", [b"", b"x" * 65])
    def test_the_key_has_one_to_sixty_four_bytes(self, key: bytes) -> None:
        with pytest.raises(ValueError, match="not 1 to 64"):
            permute(0, 10, key)
