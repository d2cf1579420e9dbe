"""Examples of rules for every scheme, with strategies for their identifiers and for other spellings."""

import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from hypothesis import strategies as st

from coolid.identifiers.rules.base import RandomRules, Rules, SequentialRules, SuppliedRules, is_valid
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.rules.cooldoi import CoolDoiRules
from coolid.identifiers.rules.digest import DigestRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import ncda, noid, pilin
from tests.support.builders.samples import MOMENT, widths
from tests.support.fixtures.ports import FixedClock, SeededEntropy

ORCID: Final = "0000-0001-5699-994X"
ROR: Final = "05h2dda38"

modules = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=12)
noid_rules = st.builds(
    lambda prefix, generator, mask, check, naan, order, grows, perl: NoidRules(
        f"{prefix}.{generator}{mask}{check}",
        naan,
        order.hex(),
        sequence="perl" if perl and generator == "r" else "",
        grows=min(grows, len(mask)) if generator != "z" else 0,
    ),
    st.text(ncda.ALPHABET + "aeiouyABZ=~*+@_$", max_size=6),
    st.sampled_from("rsz"),
    st.text("de", min_size=1, max_size=8),
    st.sampled_from(["", "k"]),
    st.sampled_from(["", "13030", "b5060", "99999"]),
    st.binary(min_size=16, max_size=16),
    st.sampled_from([0, 0, 1, 3]),
    st.booleans(),
)
contextual_rules = st.builds(
    ContextualRules, prefix=modules, object_types=st.none() | st.lists(modules, min_size=1, max_size=3).map(tuple)
)
chosen_rules = st.sampled_from(
    [
        ChosenRules(),
        ChosenRules(pattern="[a-z]+-[0-9]{4}", example="abc-2021"),
        ChosenRules(pattern="[a-z]{2}|[0-9]{3}", folds_case=True, example="Ab"),
        ChosenRules(pattern=r"^(a+)+$", example="aaa"),
    ]
)


@dataclass(frozen=True)
class RuleExample:
    """The rules of a scheme, and strategies for other spellings of its identifiers."""

    rules: st.SearchStrategy[Any]
    respell: Callable[[Rules, str, random.Random], str]


def key_of(rules: Rules, rng: random.Random) -> str:
    """A strategy for keys that follow the rules, random, sequential or supplied."""
    entropy = SeededEntropy(rng.randrange(2**32))
    if isinstance(rules, RandomRules):
        moment = MOMENT + timedelta(milliseconds=rng.randrange(10**9))
        return rules.draw(entropy, FixedClock(moment))
    if isinstance(rules, SequentialRules):
        return rules.key(rng.randrange(capacity_of(rules)))
    assert isinstance(rules, SuppliedRules)
    if isinstance(rules, DigestRules):
        return rules.build_key({"sha256": entropy.token(32).hex()}, entropy)
    if isinstance(rules, ContextualRules):
        parts = {"objectType": rng.choice(rules.object_types)} if rules.object_types else {}
        parts |= rng.choice([{}, {"issued": "2018-11-12"}, {"issued": "2020-02-29", "registrant": ORCID}])
        return rules.build_key(parts | rng.choice([{}, {"objectId": "pp1255qv43"}]), entropy)
    assert isinstance(rules, ChosenRules)
    return rng.choice([each for each in ("abc-2021", "ab", "123", "aaaa", "x!~{}#?%") if is_valid(rules, each)])


def capacity_of(rules: SequentialRules) -> int:
    """Return the number of identifiers, or a large number if there is no limit."""
    if isinstance(rules, PilinRules):
        return pilin.CAPACITY
    assert isinstance(rules, NoidRules)
    templates = noid.extensions(noid.parse_template(rules.template, rules.naan, rules.shoulder), rules.grows)
    return sum(template.capacity or 29**10 for template in templates)


def any_case(text: str, rng: random.Random) -> str:
    """A strategy for the text in mixed case."""
    return "".join(rng.choice([symbol.lower(), symbol.upper()]) for symbol in text)


def hyphenated(text: str, rng: random.Random) -> str:
    """A strategy for the text with additional hyphens, also at the ends."""
    gaps = [rng.choice(["", "", "-", "--"]) for _ in range(len(text) + 1)]
    return gaps[0] + "".join(symbol + gap for symbol, gap in zip(text, gaps[1:], strict=True))


def confused(text: str, rng: random.Random) -> str:
    """A strategy for the text with letters in place of digits that look alike."""
    return "".join(rng.choice({"0": "0oO", "1": "1iIlL"}.get(symbol, symbol)) for symbol in text)


def _base32(_rules: Rules, key: str, rng: random.Random) -> str:
    return hyphenated(any_case(confused(key, rng), rng), rng)


def _uuid(_rules: Rules, key: str, rng: random.Random) -> str:
    written = rng.choice([key, "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))])
    return any_case(written, rng)


def _digest(_rules: Rules, key: str, rng: random.Random) -> str:
    return any_case(key, rng)


def _contextual(_rules: Rules, key: str, rng: random.Random) -> str:
    front, dot, last = key.rpartition(".")
    return front + dot + any_case(last, rng) if last == ORCID else key


def _chosen(rules: Rules, key: str, rng: random.Random) -> str:
    assert isinstance(rules, ChosenRules)
    return any_case(key, rng) if rules.folds_case else key


RULE_EXAMPLES: Final = {
    "lui": RuleExample(st.builds(LuiRules, widths), _base32),
    "cooldoi": RuleExample(st.just(CoolDoiRules()), _base32),
    "pilin": RuleExample(st.just(PilinRules()), lambda _, key, rng: any_case(key, rng)),
    "noid": RuleExample(noid_rules, lambda _, key, rng: hyphenated(key, rng)),
    "uuid": RuleExample(st.sampled_from([UuidRules(4), UuidRules(7), UuidRules(4, (7, 1))]), _uuid),
    "sha256": RuleExample(st.just(DigestRules()), _digest),
    "contextual": RuleExample(contextual_rules, _contextual),
    "chosen": RuleExample(chosen_rules, _chosen),
}

# One of each, for tests that need no variety.
PLAIN: Final[dict[str, Rules]] = {
    "lui": LuiRules(),
    "cooldoi": CoolDoiRules(),
    "pilin": PilinRules(),
    "noid": NoidRules("f5.reedeedk", "13030", "00" * 16),
    "uuid": UuidRules(),
    "sha256": DigestRules(),
    "contextual": ContextualRules("fabio", ("PositionPaper", "Image")),
    "chosen": ChosenRules("[a-z]+-[0-9]{4}", example="abc-2021"),
}
