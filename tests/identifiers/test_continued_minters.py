"""Rules that continue a minter: the recorded sequence of EZID's, and a simulation step by step as the reference.

`tests/vectors/ezid` has 20,003 names that follow the state of `77913_r7.bdb` (MIT, see LICENSE.md there).
"""

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import Exhausted, InvalidIdentifier
from coolid.identifiers.rules import perl_order
from coolid.identifiers.rules.base import is_valid
from coolid.identifiers.rules.catalog import rules_of
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.perl_order import PerlOrder, order_of
from coolid.identifiers.rules.perl_state import Counter, CounterState, format_state, initial_state, parse_state
from coolid.identifiers.schemes import noid
from coolid.identifiers.validation_schemas import json_schema
from tests.support.builders.noid_simulation import simulated_extensions, simulated_values
from tests.support.effort import examples

RECORDED = (Path(__file__).parents[1] / "vectors/ezid/77913_r7_first_20000.csv").read_text().split()
FIRST = 2191
EZID = NoidRules(".reedk", "77913", "00" * 16, "r7", sequence="perl", first=FIRST, grows=3)

_counters = st.lists(
    st.tuples(st.integers(0, 292), st.integers(0, 40), st.integers(0, 60)),
    min_size=1,
    max_size=40,
    unique_by=lambda counter: counter[0],
).map(lambda found: tuple(Counter(*each) for each in found))
states = st.builds(CounterState, st.integers(1, 60), st.integers(0, 2**34), st.just(2**40), _counters)


@pytest.fixture
def without_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute all but the last name, as for large templates."""
    monkeypatch.setattr(perl_order, "_TABLE", 1)


class TestRecordedSequence:
    def test_all_names_of_ezids_minter_are_continued(self) -> None:
        assert [EZID.key(number) for number in range(FIRST, FIRST + len(RECORDED))] == RECORDED

    @pytest.mark.parametrize("minted", [0, 1, 4000, 6218])
    def test_stored_counters_continue_it_at_any_point(self, minted: int) -> None:
        number = FIRST + minted
        counters = format_state(order_of(8410).state_at(number))
        rules = NoidRules(".reedk", "77913", "", "r7", "perl", number, counters, 3)
        assert rules.floor(0) == number
        assert rules_of("noid", rules.document()) == rules
        stop = 6300 if minted else 10_000
        assert [rules.key(FIRST + at) for at in range(minted, stop)] == RECORDED[minted:stop]

    def test_names_of_all_lengths_are_valid(self) -> None:
        for name in (RECORDED[0], RECORDED[6218], RECORDED[6219], EZID.key(8410 + 70_728_100), EZID.key(10**12)):
            assert EZID.validate(f"-{name[:3]}-{name[3:]}") == name
            assert not is_valid(EZID, name[:-1] + ("0" if name[-1] != "0" else "1"))
        assert EZID.describe().lengths == (4, 7, 10, 13)
        with pytest.raises(InvalidIdentifier, match="it has 5 symbols, not 4, 7, 10 or 13"):
            EZID.validate("2t0f0")

    def test_the_state_is_not_published(self) -> None:
        assert EZID.public_document() == {"template": ".reedk", "naan": "77913", "shoulder": "r7", "grows": 3}


class TestOrder:
    @pytest.mark.parametrize("total", [1, 2, 29, 290, 841])
    @pytest.mark.usefixtures("without_table")
    def test_a_whole_template_is_that_of_the_simulation(self, total: int) -> None:
        order = PerlOrder(initial_state(total))
        values = [order.value(number) for number in range(total)]
        assert values == list(simulated_values(initial_state(total)))
        assert sorted(value % total for value in values) == list(range(total))

    @given(states, st.data())
    @examples(40)
    def test_any_state_is_continued_as_in_the_simulation(self, state: CounterState, data: st.DataObject) -> None:
        expected = list(simulated_values(state))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(perl_order, "_TABLE", data.draw(st.sampled_from([1, 20, 1000])))
            order = PerlOrder(state)
            assert order.stop == state.drawn + len(expected)
            at = data.draw(st.integers(0, len(expected) - 1))
            assert [order.value(state.drawn + at)] == expected[at : at + 1]
            between = order.state_at(state.drawn + at)
            assert list(simulated_values(between)) == expected[at:]
            assert parse_state(format_state(between), between.drawn) == between

    def test_a_large_template_ends_in_the_same_way_in_any_order_of_calls(self) -> None:
        total = 29**6 * 1000
        order = PerlOrder(initial_state(total))
        last = {order.value(number) % total for number in range(total - 1000, total)}
        assert len(last) == 1000
        assert order.value(10**9) == PerlOrder(initial_state(total)).value(10**9)

    @pytest.mark.parametrize("number", [-1, 841])
    def test_a_number_outside_is_refused(self, number: int) -> None:
        with pytest.raises(ValueError, match="is not from 0 to 840"):
            order_of(841).value(number)


class TestExtension:
    @pytest.mark.parametrize(("template", "grows"), [(".rd", 1), (".rdd", 1), (".rek", 1), ("x.rd", 0)])
    def test_names_follow_in_the_order_of_a_minter_that_extends_its_template(self, template: str, grows: int) -> None:
        rules = NoidRules(template, "12345", "", sequence="perl", grows=grows)
        parsed = noid.extensions(noid.parse_template(template, "12345"), grows)
        expected = islice(simulated_extensions([each.mask for each in parsed]), 1500)
        by_mask = {each.mask: each for each in parsed}
        names = [noid.encode(value, by_mask[mask]) for mask, value in expected]
        assert [rules.key(number) for number in range(len(names))] == names
        assert len(set(names)) == len(names)

    def test_a_minter_that_does_not_grow_is_exhausted(self) -> None:
        with pytest.raises(Exhausted, match="all 10 identifiers"):
            NoidRules(".rd", sequence="perl").key(10)

    def test_counters_that_end_early_end_the_minter(self) -> None:
        rules = NoidRules(".rd", sequence="perl", first=3, counters="1/8 4:0 5:0 6:0 7:0 8:0 9:0", grows=1)
        assert len({rules.key(number) for number in range(3, 8)}) == 5
        for number in (8, 10, 200):
            with pytest.raises(Exhausted, match="all 8 identifiers"):
                rules.key(number)

    def test_a_sequential_minter_continues_at_its_number(self) -> None:
        rules = NoidRules("fk4.sdek", "13030", first=31)
        assert (rules.floor(0), rules.key(31)) == (31, NoidRules("fk4.sdek", "13030").key(31))

    def test_extensions_of_a_keyed_order_repeat_no_name(self) -> None:
        rules = NoidRules(".rd", order="07" * 16, grows=1)
        assert len({rules.key(number) for number in range(1110)}) == 1110


class TestOtherNames:
    RULES = NoidRules(".reedk", "77913", "", "r7", sequence="perl", grows=3, also="[a-z0-9./_]+|X")

    @pytest.mark.parametrize(
        ("text", "key"),
        [("2t0f", "2t0f"), ("2t0g", "2t0g"), ("my-own.name", "myown.name"), ("a/b", "a/b"), ("X", "X")],
    )
    def test_a_name_that_matches_is_accepted(self, text: str, key: str) -> None:
        assert self.RULES.validate(text) == self.RULES.validate(key) == key

    @pytest.mark.parametrize("text", ["", "-", "a/../b", "..", "XX", "a b", "a\n", "a" * 256, "é"])
    def test_another_name_is_refused(self, text: str) -> None:
        assert not is_valid(self.RULES, text)

    def test_nothing_is_promised_of_other_names(self) -> None:
        described = self.RULES.describe()
        assert (described.alphabet, described.check, described.length) == ("", None, (1, 255))
        assert json_schema(self.RULES, "ark:77913/r7")["pattern"].endswith("|[a-z0-9./_]+|X)$)$")
        assert self.RULES.public_document()["also"] == self.RULES.also


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"sequence": "python"}, "a sequence is 'perl'"),
        ({"sequence": "perl", "template": ".seedk"}, "a sequence is 'perl'"),
        ({"first": -1}, "the first number"),
        ({"grows": 4}, "it can grow by"),
        ({"grows": 1, "template": ".zeedk"}, "it can grow by"),
        ({"counters": "29/8410 0:1"}, "counters belong to the sequence"),
        ({"sequence": "perl", "counters": "29/8410 0:x"}, "counters are PERCOUNTER/STOP"),
        ({"sequence": "perl", "counters": "29/8410 0:1 0:2"}, "the counters repeat one"),
        ({"also": "("}, "the pattern of other names"),
    ],
)
def test_members_that_do_not_fit_are_refused(members: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        rules_of("noid", {"template": ".reedk", **members})
