"""Tests of reading the states of minters: EZID's recorded database, and states of Noid and arklet by hand."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import UsageError
from coolid.http.management.repositories import rules_from
from coolid.identifiers.rules.base import is_valid
from coolid.identifiers.rules.perl_order import order_of
from coolid.migration.dumps import berkeley_db
from coolid.migration.minter_states.minter_state import MinterState, UnreadableState
from coolid.migration.minter_states.noid_members import state_of
from coolid.migration.minter_states.state_files import read_states
from coolid.migration.minter_states.state_selection import reserved_identifiers, selected_state, states_by_prefix
from tests.support.effort import examples

_VECTORS = Path(__file__).parents[1] / "vectors" / "ezid"
DATABASE = _VECTORS / "77913_r7.bdb"
RECORDED = (_VECTORS / "77913_r7_first_20000.csv").read_text().split()
MEMBERS = {key.decode(): value.decode() for key, value in berkeley_db.entries(DATABASE)}
BARE = {name.removeprefix(":/"): value for name, value in MEMBERS.items()}


def noid(template: str = "fk4.reedk", **members: str) -> dict[str, str]:
    """The members of a new minter of Perl's Noid, with others in their place."""
    prefix, _, mask = template.partition(".")
    total = 29 ** mask.count("e") * 10 ** mask.count("d")
    per_counter = total // 293 + 1
    tops = [min(per_counter, total - start) for start in range(0, total, per_counter)] if mask[0] == "r" else []
    counters = {f"c{index}/top": str(top) for index, top in enumerate(tops)}
    values = {f"c{index}/value": "0" for index in range(len(tops))}
    return {
        "template": template,
        "prefix": prefix,
        "mask": mask,
        "naan": "13030",
        "firstpart": f"13030/{prefix}",
        "generator_type": "random" if mask[0] == "r" else "sequential",
        "addcheckchar": "1" if mask.endswith("k") else "",
        "longterm": "1",
        "wrap": "0",
        "total": str(total),
        "oatop": "-1" if mask[0] == "z" else str(total),
        "oacounter": "0",
        "percounter": str(per_counter),
        "saclist": " ".join(f"c{index}" for index in range(len(tops))),
        "siclist": "",
        "version": "Noid 0.424",
        **counters,
        **values,
        **members,
    }


def dump(path: Path, members: Mapping[str, str], others: Mapping[str, str] | None = None) -> Path:
    """A database as the text of db_dump."""
    entries = {f":/{name}": value for name, value in members.items()} | dict(others or {})
    lines = [f" {part}" for name in sorted(entries) for part in (name, entries[name])]
    escaped = [line.replace("\\", "\\\\").replace("\t", "\\09") for line in lines]
    path.write_text("\n".join(["VERSION=3", "format=print", "type=btree", "HEADER=END", *escaped, "DATA=END", ""]))
    return path


def states(path: Path, content: Any) -> list[Any]:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return list(read_states(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "minters"


class TestEzid:
    def test_a_database_continues_with_the_recorded_names(self) -> None:
        state = selected_state(DATABASE, None)
        assert (state.program, state.prefix, state.minted, state.warnings) == ("EZID", "ark:77913/r7", 2191, ())
        assert state.next_names(10_000) == tuple(RECORDED[:10_000])
        assert state.rules.counters == ""

    @pytest.mark.parametrize(
        "document",
        [
            MEMBERS,
            BARE,
            [BARE | {"germ": None, "oacounter": 2191}],
            {"prefix": "ark:/77913/r7", "minterState": BARE},
            {"prefix": "ark:/77913/r7", "minterState": json.dumps(BARE)},
            [{"model": "ezidapp.minter", "pk": 1, "fields": {"prefix": "ark:/77913/r7", "minterState": BARE}}],
        ],
    )
    def test_each_form_of_json_is_read(self, path: Path, document: Any) -> None:
        [state] = states(path, document)
        assert state == selected_state(DATABASE, None)

    def test_lines_have_many_minters(self, path: Path) -> None:
        doi = {**MEMBERS, ":/template": "doi:10.5072/FK2{eedk}", ":/shoulder": "doi:10.5072/FK2"}
        other = {**MEMBERS, ":/template": "99999/fk4{eedk}"}
        lines = "\n".join(map(json.dumps, (MEMBERS, doi, other, other, {**MEMBERS, ":/template": "99999/x{eedk}"})))
        path.write_text(lines)
        found, refusals = states_by_prefix(path)
        assert list(found) == ["ark:77913/r7", "ark:99999"]
        assert found["ark:99999"].rules.template == "x.reedk"
        assert [each.partition(":")[0] for each in refusals] == ["doi", "ark"]
        assert selected_state(path, "ark:77913/r7").prefix == "ark:77913/r7"
        with pytest.raises(UsageError, match="has 2 minters; name the prefix of one: ark:77913/r7, ark:99999"):
            selected_state(path, None)

    def test_a_table_is_read(self, path: Path) -> None:
        columns = "`id` int, `prefix` varchar(255), `minterState` json, `createTime` int, `updateTime` int"
        value = json.dumps(BARE).replace("\\", "\\\\").replace("'", "\\'")
        sql = (
            f"CREATE TABLE `ezidapp_minter` ({columns});\nINSERT INTO `ezidapp_minter` VALUES (1,'x','{value}',1,1);\n"
        )
        assert states(path, sql) == [selected_state(DATABASE, None)]

    def test_check_characters_may_cover_the_label(self, path: Path) -> None:
        [state] = states(path, {**BARE, "template": "ark:/77913/r7{eedk}"})
        assert (state.prefix, state.rules.label) == ("ark:77913/r7", "ark:/")
        assert [name[:-1] for name in state.next_names(99)] == [name[:-1] for name in RECORDED[:99]]
        assert state.next_names(99) != tuple(RECORDED[:99])
        strict = replace(state.rules, also="")
        assert all(is_valid(strict, name) for name in state.next_names(99))
        assert not is_valid(strict, RECORDED[0])
        assert is_valid(state.rules, "any.name-at_all")

    def test_a_minter_that_was_extended_continues_in_its_longer_template(self, path: Path) -> None:
        number = len(RECORDED) - 10 - (8410 - 2191)
        found = order_of(70_728_100).state_at(number)
        grown = noid(".reedeedk")
        counters = {f"c{each.index}/value": str(each.value) for each in found.active}
        extended = {name: grown[name] for name in grown if name not in ("template", "mask")} | counters
        members = {**BARE, **extended, "template": "77913/r7{eedeedk}", "mask": "eedeedk", "atlast": "add3"}
        [state] = states(path, members | {"oacounter": str(number), "basecount": "8410"})
        assert state.next_names(10) == tuple(RECORDED[-10:])
        assert (state.rules.template, state.rules.counters, state.minted) == (".reedk", "", 8410 + number)
        [alone] = states(path, members | {"oacounter": str(number), "origmask": "eedeedk"})
        assert alone.next_names(10) == tuple(RECORDED[-10:])
        assert alone.rules.template == ".reedeedk"

    def test_counters_that_do_not_follow_from_the_number_are_kept(self, path: Path) -> None:
        [state] = states(path, {**BARE, "c3/value": "0"})
        assert state.rules.counters.startswith("29/8410 0:")
        assert "do not follow from the number" in state.warnings[0]
        assert len(set(state.next_names(500))) == 500


class TestNoid:
    def test_a_new_random_minter_begins_with_the_names_of_the_original(self, path: Path) -> None:
        [state] = read_states(dump(path, noid()))
        assert isinstance(state, MinterState)
        assert (state.program, state.prefix, state.rules.template) == ("Noid", "ark:13030/fk4", ".reedk")
        assert state.next_names(3) == ("4w2s", "159p", "wc7r")

    @pytest.mark.parametrize("template", ["fk4.sdd", "fk4.zdek", ".sd", "x.seek"])
    def test_a_sequential_minter_continues_at_its_counter(self, path: Path, template: str) -> None:
        [state] = read_states(dump(path, noid(template, oacounter="7")))
        assert isinstance(state, MinterState)
        assert (state.rules.first, state.rules.sequence) == (7, "")
        assert len(state.next_names(3)) == 3

    def test_names_that_are_held_or_queued_are_left_out(self, path: Path) -> None:
        others = {
            "13030/fk44w2s\t:/h": "1",
            "13030/fk4159p\t:/c": "i|20200101|me|2",
            "13030/fk4159p\t:/h": "1",
            "13030/fk4wc7r\t:/c": "q|20200101|me|2",
            ":/q/00000000000000/000001/00000000000000000000wc7r": "13030/fk4wc7r",
            ":/:/a note": "text",
            "13030/other\t:/h": "1",
        }
        state = selected_state(dump(path, noid(), others), "ark:13030/fk4")
        assert state.reserved == ("4w2s", "wc7r")
        assert "159p" in state.next_names(3)
        assert not {"4w2s", "wc7r"} & set(state.next_names(50))
        assert [each.identifier for each in reserved_identifiers(state)] == ["ark:13030/fk44w2s", "ark:13030/fk4wc7r"]
        assert "not minted here" in state.warnings[-1]

    def test_a_minter_that_begins_again_ends_here(self, path: Path) -> None:
        [state] = read_states(dump(path, noid(longterm="0", wrap="1")))
        assert isinstance(state, MinterState)
        assert "no name is used twice" in state.warnings[0]

    def test_a_minter_without_a_naan_has_no_prefix(self, path: Path) -> None:
        state = selected_state(dump(path, noid(naan="", firstpart="fk4")), "mp")
        assert (state.prefix, state.rules.template) == ("", "fk4.reedk")

    @pytest.mark.parametrize(
        ("members", "reason"),
        [
            ({"template": "-"}, "it makes no names"),
            ({"template": "fk4.reeaak"}, "is not a prefix, a dot"),
            ({"template": "fk4{eefk}", "mask": "eefk"}, "are not a text and d, e"),
            ({"template": "fk4{eedk}", "mask": "eedk"}, "does not begin with a NAAN"),
            ({"template": "1/fk4{eedk}", "mask": "eedk", "type": "seq"}, "it is sequential"),
            ({"naan": "AEIOU"}, "is none"),
            ({"oacounter": ""}, "it has no oacounter"),
            ({"oacounter": "many"}, "its oacounter is 'many'"),
            ({"oacounter": "9000"}, "it has made 9000 of 8410 names"),
            ({"saclist": ""}, "has 0 counters left"),
            ({"saclist": "c0 c0"}, "names one twice"),
            ({"saclist": "d0"}, "its list of counters has 'd0'"),
            ({"saclist": "c300"}, "it has no c300/value"),
            ({"percounter": "0"}, "counters are PERCOUNTER/STOP"),
        ],
    )
    def test_what_cannot_be_continued_is_refused(self, path: Path, members: dict[str, str], reason: str) -> None:
        [state] = read_states(dump(path, noid() | members))
        assert isinstance(state, UnreadableState)
        assert reason in state.reason
        with pytest.raises(UsageError, match="has no minter that can be continued"):
            selected_state(path, None)


_NAMES = (
    "template", "mask", "naan", "origmask", "atlast", "type", "germ", "wrap", "oacounter", "oatop", "percounter",
    "saclist", "c0/top", "c0/value",
)  # fmt: skip
_VALUES = ("", "0", "7", "-1", "8410", "c0 c1", "add3", "add9", "eedk", "eedeedk", "k", "x/y{eek}", ".zd", "9" * 18)
_CHANGES = st.dictionaries(st.sampled_from(_NAMES), st.sampled_from(_VALUES) | st.text(max_size=5), max_size=4)


@given(st.booleans(), _CHANGES)
@examples(60)
def test_inconsistent_members_are_continued_or_refused(is_ezid: bool, changes: dict[str, str]) -> None:
    try:
        state = state_of((BARE if is_ezid else noid()) | changes)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
        return
    names = state.next_names(5)
    assert all(is_valid(state.rules, name) for name in names)
    assert rules_from("noid", json.loads(json.dumps(state.rules.request_document()))) == state.rules


class TestArklet:
    def test_shoulders_get_rules_without_a_state(self, path: Path) -> None:
        found = states(path, "id,shoulder,name,description,naan_id\n1,/s1,a,b,12345\n2,/x,c,d,12345\n")
        assert [(each.prefix, each.rules.template) for each in found] == [
            ("ark:12345/s1", ".reeeeeeeek"),
            ("ark:12345", "x.reeeeeeeek"),
        ]
        assert (found[0].minted, found[0].next_names(1)) == (None, ())

    def test_the_table_of_a_dump_is_read(self, path: Path) -> None:
        sql = "COPY public.ark_shoulder (id, shoulder, name, naan_id) FROM stdin;\n1\t/s1\ta\t12345\n\\.\n"
        assert [each.prefix for each in states(path, sql)] == ["ark:12345/s1"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [("a,b\n1,2\n", "has no minters"), ("", "the file is empty"), ('{"a": 1}', "has no minters")],
)
def test_a_file_without_minters_is_refused(path: Path, content: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        states(path, content)
    with pytest.raises(UsageError, match="No such file"):
        list(read_states(path.with_name("none")))
