"""The minter with every scheme: random, sequential and supplied identifiers, each minted once, by its rules."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from coolid.errors import Exhausted, IdentifierTaken, InvalidInput, StoreUnavailable
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.rules.cooldoi import CoolDoiRules
from coolid.identifiers.rules.digest import DigestRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import RUN, PilinRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import noid, pilin, uuid
from coolid.identifiers.schemes.digest import calc_digest
from coolid.model.prefixes import Namespace
from coolid.model.records import Content, Location, Record
from coolid.model.repositories import Repository
from coolid.records.minter import Minter, MintRequest
from coolid.registry.references import Reference
from coolid.registry.registration import create_repository, register_namespace
from coolid.resolution.resolver import FoundRecord, resolve
from tests.support.builders.rule_examples import ORCID, PLAIN, ROR
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.ports import FixedClock, ScriptedEntropy, SeededEntropy, StuckEntropy, prover
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

TARGET = (Location("https://content.example.org/v1"),)
PARTS: dict[str, dict[str, Any]] = {"sha256": {"sha256": calc_digest(b"123")}, "contextual": {"objectType": "Image"}}


def founded(store: MemoryStore, rules: Rules, name: str = "mp") -> Namespace:
    """A repository with these rules under a name of its own."""
    draft = Repository("", "A repository", MOMENT, MOMENT, rules)
    owner = create_repository(draft, store, SeededEntropy(hash_of(name)))
    return register_namespace(name, owner.id, "", prefixes=store, repositories=store, clock=FixedClock())


def hash_of(name: str) -> int:
    return int(calc_digest(name.encode())[:8], 16)


class MinterFixture:
    """A minter in a process of its own, and the namespace that it mints under."""

    def __init__(self, store: Any, clock: FixedClock, entropy: Any = None) -> None:
        self.minter = Minter(
            store,
            store,
            store,
            clock=clock,
            entropy=entropy or SeededEntropy(7),
            prover=prover(store),
            base_url=BASE_URL,
        )
        self.namespace = self.minter.namespace("mp")

    def mint(self, identifier: str | None = None, **parts: Any) -> Record:
        return self.minter.mint(MintRequest(Content(TARGET), id=identifier, parts=parts), self.namespace)

    def refusal(self, identifier: str | None = None, **parts: Any) -> list[str]:
        """Where the request is found wrong."""
        with pytest.raises(InvalidInput) as raised:
            self.mint(identifier, **parts)
        return [violation.pointer for violation in raised.value.violations]


class TestEveryScheme:
    @pytest.mark.parametrize("scheme", [scheme for scheme in PLAIN if scheme != "chosen"])
    def test_minted_identifiers_follow_the_rules_and_resolve(
        self, store: MemoryStore, clock: FixedClock, scheme: str
    ) -> None:
        owner = founded(store, PLAIN[scheme]).repository
        minted = MinterFixture(store, clock).mint(**PARTS.get(scheme, {}))
        assert owner.rules.display(owner.rules.validate(minted.id)) == minted.id
        assert minted.pid == f"{BASE_URL}/mp:{minted.id}"
        decision = resolve(Reference.of(f"mp:{minted.id}"), store)
        assert isinstance(decision, FoundRecord)
        assert decision.record == minted

    @pytest.mark.parametrize("scheme", PLAIN)
    def test_an_identifier_of_the_schemes_can_be_chosen_once(
        self, store: MemoryStore, clock: FixedClock, scheme: str
    ) -> None:
        rules = founded(store, PLAIN[scheme]).repository.rules
        example = rules.describe().example
        minted = MinterFixture(store, clock).mint(example)
        assert minted.id == rules.display(rules.validate(example))
        with pytest.raises(IdentifierTaken):
            MinterFixture(store, clock).mint(minted.id)
        assert MinterFixture(store, clock).refusal("é") == ["/id"]

    @pytest.mark.parametrize("scheme", ["lui", "cooldoi", "pilin", "noid", "uuid"])
    def test_parts_are_refused_where_nothing_is_built_of_them(
        self, store: MemoryStore, clock: FixedClock, scheme: str
    ) -> None:
        founded(store, PLAIN[scheme])
        assert MinterFixture(store, clock).refusal(sha256="0" * 64) == ["/parts"]
        assert store.records_by_key == {}

    @pytest.mark.parametrize("scheme", ["lui", "cooldoi", "pilin", "noid", "uuid"])
    def test_many_writers_at_once_share_none(self, store: MemoryStore, clock: FixedClock, scheme: str) -> None:
        founded(store, PLAIN[scheme])
        apps = [MinterFixture(store, clock, SeededEntropy(5)) for _ in range(2)]
        with ThreadPoolExecutor(16) as threads:
            minted = list(threads.map(lambda at: apps[at % 2].mint().id, range(300)))
        assert len(set(minted)) == len(store.records_by_key) == 300


class TestPilin:
    def test_there_is_one_a_millisecond_and_none_is_more_than_a_run_ahead(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        founded(store, PilinRules())
        apps = [MinterFixture(store, clock), MinterFixture(store, clock)]
        times = []
        for at in range(3 * RUN):
            times.append(pilin.to_milliseconds(apps[at % 2].mint().id))
            now = pilin.milliseconds_at(clock.moment)
            assert times[-1] <= now + RUN
        assert len(set(times)) == 3 * RUN
        assert min(times) >= pilin.milliseconds_at(MOMENT)

    def test_a_suffix_contains_the_time_of_its_request(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, PilinRules())
        minter_fixture = MinterFixture(store, clock)
        for _ in range(3):
            clock.moment += timedelta(hours=1)
            assert pilin.decode(minter_fixture.mint().id) == clock.moment

    def test_one_that_was_chosen_before_is_passed_over(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, PilinRules())
        now = pilin.milliseconds_at(clock.moment)
        MinterFixture(store, clock).mint(pilin.encode(now + 1).lower())
        minter_fixture = MinterFixture(store, clock)
        assert [pilin.to_milliseconds(minter_fixture.mint().id) - now for _ in range(3)] == [0, 2, 3]


class TestNoid:
    @pytest.mark.parametrize("template", [".rdek", "f5.re", ".rdd", ".rek", "x.rd"])
    def test_a_random_template_gives_every_name_once_and_then_says_that_there_are_no_more(
        self, store: MemoryStore, clock: FixedClock, template: str
    ) -> None:
        founded(store, NoidRules(template, "13030"))
        parsed = noid.parse_template(template, "13030")
        capacity = parsed.capacity or 0
        apps = [MinterFixture(store, clock) for _ in range(3)]
        minted = [apps[at % 3].mint().id for at in range(capacity)]
        assert sorted(minted) == sorted(noid.encode(number, parsed) for number in range(capacity))
        assert minted != sorted(minted)
        for minter_fixture in apps:
            with pytest.raises(Exhausted) as raised:
                minter_fixture.mint()
            assert raised.value.capacity == capacity
        assert len(store.records_by_key) == capacity

    def test_another_repository_with_the_same_template_has_another_order(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        orders = []
        for name in ("mp", "mq"):
            namespace = founded(store, NoidRules(".rdek"), name)
            minter = Minter(
                store, store, store, clock=clock, entropy=SeededEntropy(7), prover=prover(store), base_url=BASE_URL
            )
            orders.append([minter.mint(MintRequest(), namespace).id for _ in range(20)])
        assert orders[0] != orders[1]

    def test_a_sequential_template_counts_and_ends(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, NoidRules("f5.sde"))
        template = noid.parse_template("f5.sde")
        minted = [MinterFixture(store, clock).mint().id for _ in range(290)]
        assert minted == [noid.encode(number, template) for number in range(290)]
        with pytest.raises(Exhausted):
            MinterFixture(store, clock).mint()

    def test_an_endless_template_grows(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, NoidRules(".zdk"))
        minter_fixture = MinterFixture(store, clock)
        minted = [minter_fixture.mint().id for _ in range(101)]
        assert [len(each) for each in minted] == [2] * 10 + [3] * 90 + [4]
        assert len(set(minted)) == 101

    @pytest.mark.parametrize("template", [".sdek", ".rdek", ".zdek"])
    def test_progress_survives_a_new_process(self, store: MemoryStore, clock: FixedClock, template: str) -> None:
        owner = founded(store, NoidRules(template)).repository
        assert isinstance(owner.rules, NoidRules)
        minted = [MinterFixture(store, clock).mint().id for _ in range(50)]
        assert minted == [owner.rules.key(number) for number in range(50)]

    @pytest.mark.parametrize("template", [".sdek", ".rdek"])
    def test_one_that_was_chosen_before_is_passed_over(
        self, store: MemoryStore, clock: FixedClock, template: str
    ) -> None:
        owner = founded(store, NoidRules(template)).repository
        assert isinstance(owner.rules, NoidRules)
        chosen = [owner.rules.key(number) for number in (0, 3, 4)]
        for identifier in chosen:
            MinterFixture(store, clock).mint(identifier)
        minter_fixture = MinterFixture(store, clock)
        counted = [minter_fixture.mint().id for _ in range(4)]
        assert counted == [owner.rules.key(number) for number in (1, 2, 5, 6)]
        rest = [minter_fixture.mint().id for _ in range(290 - 7)]
        assert len({*chosen, *counted, *rest}) == 290
        with pytest.raises(Exhausted):
            minter_fixture.mint()

    def test_a_store_that_fails_after_counting_gives_no_name_twice(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, NoidRules(".rdek"))
        minter_fixture = MinterFixture(FailingStore(store, "after", "reserve", "create_record", times=4), clock)
        minted = []
        for _ in range(30):
            try:
                minted.append(minter_fixture.mint().id)
            except StoreUnavailable:
                continue
        assert len(minted) == len(set(minted)) == 26


class TestUuids:
    def test_those_of_version_7_have_the_moment_in_them_and_version_4_has_none(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        founded(store, UuidRules(7))
        parsed = uuid.parse(MinterFixture(store, clock).mint().id)
        assert (parsed.version, parsed.milliseconds) == (7, clock.milliseconds())

    def test_those_of_version_4_have_none(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, UuidRules(4))
        minted = MinterFixture(store, clock).mint().id
        assert uuid.parse(minted).version == 4
        assert len(minted) == 32

    def test_one_of_another_version_cannot_be_chosen(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, UuidRules(7))
        assert MinterFixture(store, clock).refusal(UuidRules(4).describe().example) == ["/id"]


class TestCoolDois:
    def test_a_draw_that_exists_is_generated_again(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, CoolDoiRules())
        minter_fixture = MinterFixture(store, clock, ScriptedEntropy(923446243762, 923446243762, 177643263360))
        assert [minter_fixture.mint().id for _ in range(2)] == ["tw0t-ywdj", "55e5-t5c0"]


class TestDigests:
    def test_the_caller_gives_it_in_any_spelling(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, DigestRules())
        minter_fixture = MinterFixture(store, clock, StuckEntropy())
        assert minter_fixture.mint(sha256="SHA256:" + calc_digest(b"123").upper()).id == calc_digest(b"123")
        assert minter_fixture.mint(calc_digest(b"124")).id == calc_digest(b"124")
        for given in ({"identifier": calc_digest(b"123")}, {"sha256": calc_digest(b"123")}):
            with pytest.raises(IdentifierTaken):
                minter_fixture.mint(**given)

    @pytest.mark.parametrize(
        ("parts", "pointer"),
        [
            ({}, "/parts"),
            ({"digest": "0" * 64}, "/parts"),
            ({"sha256": "0" * 64, "more": 1}, "/parts"),
            ({"sha256": 5}, "/parts"),
            ({"sha256": ["0" * 64]}, "/parts"),
            ({"sha256": "0" * 63}, "/parts/sha256"),
            ({"sha256": "g" * 64}, "/parts/sha256"),
            ({"sha256": "０" * 64}, "/parts/sha256"),
        ],
    )
    def test_parts_that_are_no_digest_are_refused_with_their_place(
        self, store: MemoryStore, clock: FixedClock, parts: dict[str, Any], pointer: str
    ) -> None:
        founded(store, DigestRules())
        assert MinterFixture(store, clock).refusal(**parts) == [pointer]
        assert store.records_by_key == {}


class TestContextual:
    RULES = ContextualRules("fabio", ("PositionPaper", "Image", "NOT"))

    def test_it_is_built_of_what_is_given(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, self.RULES)
        minted = MinterFixture(store, clock).mint(
            objectType="PositionPaper", objectId="pp1255qv43", issued="2018-11-12", registrant=ORCID.lower()
        )
        assert minted.id == f"fabio.PositionPaper.pp1255qv43.2018-11-12.{ORCID}"

    def test_an_object_id_that_is_left_out_is_generated(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, self.RULES)
        minter_fixture = MinterFixture(store, clock)
        minted = [minter_fixture.mint(objectType="Image", issued="2020-02-29", registrant=ROR).id for _ in range(20)]
        assert len(set(minted)) == 20
        for each in minted:
            assert each.startswith("fabio.Image.")
            assert each.endswith(f".2020-02-29.{ROR}")

    def test_one_that_is_generated_again_is_another(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, self.RULES)
        minter_fixture = MinterFixture(store, clock, ScriptedEntropy(5, 5, 6))
        assert minter_fixture.mint(objectType="Image").id != minter_fixture.mint(objectType="Image").id

    def test_one_that_is_given_whole_and_exists_is_taken(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, self.RULES)
        minter_fixture = MinterFixture(store, clock)
        minter_fixture.mint(objectType="Image", objectId="pp1255qv43")
        store.calls.clear()
        with pytest.raises(IdentifierTaken):
            minter_fixture.mint(objectType="Image", objectId="pp1255qv43")
        assert store.calls["create_record"] == 1

    @pytest.mark.parametrize(
        ("parts", "pointer"),
        [
            ({"colour": "red"}, "/parts/colour"),
            ({"objectType": 5}, "/parts/objectType"),
            ({"objectType": None}, "/parts/objectType"),
            ({"objectType": "Image", "registrant": ORCID}, "/parts"),
            ({"objectType": "Video"}, "/parts"),
            ({"objectType": ""}, "/parts"),
            ({"objectType": "Image", "objectId": "pp1255qvl3"}, "/parts"),
            ({"objectType": "Image", "objectId": "short"}, "/parts"),
            ({"objectType": "Image", "issued": "2018-13-12"}, "/parts"),
            ({"objectType": "Image", "issued": "2019-02-29"}, "/parts"),
            ({"objectType": "Image", "issued": ""}, "/parts"),
            ({"objectType": "Image", "issued": "2018-11-12", "registrant": ORCID[:-1] + "1"}, "/parts"),
            ({"objectType": "Image", "issued": "2018-11-12", "registrant": "05h2dda39"}, "/parts"),
            ({"objectType": "Image", "issued": "2018-11-12", "registrant": "somebody"}, "/parts"),
            ({"objectType": "Image", "objectId": "a b4567890"}, "/parts"),
        ],
    )
    def test_parts_that_break_the_model_are_refused_with_their_place(
        self, store: MemoryStore, clock: FixedClock, parts: dict[str, Any], pointer: str
    ) -> None:
        founded(store, self.RULES)
        assert MinterFixture(store, clock).refusal(**parts) == [pointer]
        assert store.records_by_key == {}

    @pytest.mark.parametrize(
        "parts",
        [
            {"objectType": "Image", "objectId": "pp1255qv43.2018-11-12"},
            {"objectType": "Image.pp1255qv43.2018-11-12", "objectId": ORCID},
            {"objectType": "Image", "issued": f"2018-11-12.{ORCID}"},
        ],
    )
    def test_no_part_smuggles_in_another(self, store: MemoryStore, clock: FixedClock, parts: dict[str, Any]) -> None:
        founded(store, self.RULES)
        MinterFixture(store, clock).refusal(**parts)

    def test_a_namespace_with_object_ids_of_its_own_generates_none(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, ContextualRules("IGSN", ("NOT",), "[A-Z0-9]{9}"))
        minter_fixture = MinterFixture(store, clock)
        assert minter_fixture.refusal(issued="2005-03-31") == ["/parts/objectId"]
        minted = minter_fixture.mint(objectId="IECUR0002", issued="2005-03-31", registrant="gswa-library")
        assert minted.id == "IGSN.NOT.IECUR0002.2005-03-31.gswa-library"


class TestChosen:
    RULES = ChosenRules("[a-z]+-[0-9]{4}")

    def test_the_caller_names_it_and_the_pattern_decides(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, self.RULES)
        minter_fixture = MinterFixture(store, clock, StuckEntropy())
        assert minter_fixture.mint("abc-2021").id == "abc-2021"
        assert minter_fixture.refusal("abc-21") == ["/id"]
        assert minter_fixture.refusal() == ["/id"]
        assert minter_fixture.refusal(name="abc-2022") == ["/id"]
        with pytest.raises(IdentifierTaken):
            minter_fixture.mint("abc-2021")

    def test_with_folded_case_there_is_one_of_all_cases(self, store: MemoryStore, clock: FixedClock) -> None:
        founded(store, ChosenRules("[a-z]+", folds_case=True))
        minter_fixture = MinterFixture(store, clock)
        assert minter_fixture.mint("ABC").id == "abc"
        with pytest.raises(IdentifierTaken):
            minter_fixture.mint("aBc")

    @pytest.mark.parametrize("identifier", ["mp:abc", "MP:abc", "mp:mp:abc", "abc/", "/abc", "a/b:c", ":", "a:"])
    def test_whatever_could_be_chosen_resolves_to_its_own_record(
        self, store: MemoryStore, clock: FixedClock, identifier: str
    ) -> None:
        """Either it is refused when it is chosen, or it is found under its own name and no other record is."""
        founded(store, ChosenRules())
        minter_fixture = MinterFixture(store, clock)
        decoy = minter_fixture.mint("abc")
        try:
            minted = minter_fixture.mint(identifier)
        except InvalidInput:
            return
        decision = resolve(Reference.of(f"mp:{identifier}"), store)
        assert isinstance(decision, FoundRecord)
        assert decision.record == minted != decoy


@pytest.mark.parametrize("identifier", ["a\nb", "a\x00", "\x7f", "\ud800"])
def test_nothing_is_minted_that_no_request_could_name(store: MemoryStore, clock: FixedClock, identifier: str) -> None:
    founded(store, ChosenRules("(?s).+"))
    with pytest.raises(InvalidInput):
        MinterFixture(store, clock).mint(identifier)
    assert store.records_by_key == {}
