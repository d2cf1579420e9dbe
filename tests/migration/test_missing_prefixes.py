"""The prefixes that an import lacks."""

import pytest

from coolid.identifiers.rules.base import is_valid
from coolid.migration.identifier_namespaces import possible_prefix
from coolid.migration.missing_prefixes import MissingPrefixes, PrefixPlan


def plans(*identifiers: str) -> dict[str, PrefixPlan]:
    missing = MissingPrefixes()
    for each in identifiers:
        missing.add(each)
    return {plan.name: plan for plan in missing.plans()}


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("ark:/99999/fk4gt78tq", ("ark:99999/fk4", "gt78tq")),
        ("ARK:/99999/fk4-gt", ("ark:99999/fk4", "-gt")),
        ("ark:12345/abc.v1", ("ark:12345", "abc.v1")),
        ("ark:/b5060/d8x", ("ark:b5060/d8", "x")),
        ("doi:10.5072/FK2/a", ("10.5072", "FK2/a")),
        ("10.5072/a", ("10.5072", "a")),
        ("hdl:2027/mdp.1", ("2027", "mdp.1")),
        ("20.500.12345/1", ("20.500.12345", "1")),
        ("2021/06/mp/x", ("2021/06/mp", "x")),
        ("mp:a/b", ("mp", "a/b")),
        ("bare", None),
        ("doi:x", None),
        ("ark:/", None),
        ("ark:/12345/", None),
        ("é:x", None),
        (f"{'a' * 200}:x", None),
    ],
)
def test_an_identifier_needs_a_prefix(identifier: str, expected: tuple[str, str] | None) -> None:
    assert possible_prefix(identifier) == expected


@pytest.mark.parametrize(
    "names",
    [
        ("x-y.z", "ab1=~*+@_$", "%2Fa"),
        ("a", "bc"),
        ("é", "\U0001f600b"),
        (" a", "]^-\\["),
        tuple(map(chr, range(0x100, 0x300))),
    ],
)
def test_the_rules_of_a_plan_admit_all_names(names: tuple[str, ...]) -> None:
    for prefix in ("ark:/12345/", "10.5072/", "mp:"):
        [plan] = plans(*(prefix + name for name in names)).values()
        assert plan.count == len(names)
        assert all(is_valid(plan.rules, name) for name in names)
        assert not is_valid(plan.rules, "\t")


def test_a_naan_with_names_without_shoulders_gets_one_prefix() -> None:
    assert list(plans("ark:/12345/x5abc", "ark:/12345/m5abc", "ark:/99999/fk4x")) == [
        "ark:12345/m5",
        "ark:12345/x5",
        "ark:99999/fk4",
    ]
    [plan] = plans("ark:/12345/x5abc", "ark:/12345/abc").values()
    assert (plan.name, plan.count, is_valid(plan.rules, "x5abc"), is_valid(plan.rules, "x5")) == (
        "ark:12345",
        2,
        True,
        False,
    )
    [plan] = plans(*(f"ark:/13030/tf{digit}abc" for digit in range(6)), "ark:/13030/m5abc").values()
    assert (plan.name, plan.count) == ("ark:13030", 7)
