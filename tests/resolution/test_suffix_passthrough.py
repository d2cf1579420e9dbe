"""Suffix pass-through: an extension continues its target's path, and leads nowhere else."""

from urllib.parse import unquote, urlsplit

import can_ada
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier, UnregisteredIdentifier
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.target_policy import objection, origin_of
from coolid.model.prefixes import as_path
from coolid.model.records import RESERVED, WITHDRAWN, Location
from coolid.registry.references import parse_reference
from coolid.resolution.resolver import FoundRecord, WithdrawnRecord, resolve
from coolid.resolution.suffix_passthrough import MAX_KEYS, extend, find_extended_record
from tests.support.builders.samples import namespace, record, repository
from tests.support.stores.memory_store import MemoryStore

RULES = ChosenRules(pattern="[a-z0-9./-]+", example="doc")
HERE = "https://a.example/doc"

targets = st.sampled_from(
    [
        "https://a.example",
        "https://a.example/",
        "https://a.example/doc",
        "https://a.example/doc/",
        "https://a.example/doc/.",
        "https://a.example/doc/%2e",
        "https://a.example//doc",
        "https://a.example:8443/doc.pdf?v=1&next=/x",
        "http://a.example?q=1",
        "https://a.example/doc#part/2?x",
        "https://a.example/a?b#c",
    ]
)
tricks = st.sampled_from(
    [
        "/",
        ".",
        "..",
        "%2e",
        "%2E",
        "%2f",
        "%252e",
        "\\",
        "@",
        ":",
        "//",
        "evil.example",
        "?",
        "#",
        ";",
        "a",
        "é",
        " ",
        "%",
    ]
)
extensions = st.builds(str.__add__, st.sampled_from("/."), st.lists(tricks, max_size=8).map("".join))


def store_with(*identifiers: str, passthrough: bool = True, **members: object) -> MemoryStore:
    """A store in which these are registered under `mp`, each leading to itself below `https://a.example/`."""
    store = MemoryStore()
    owner = repository(rules=RULES, passthrough=passthrough, canonical="mp")
    store.repositories[owner.id] = owner
    store.put_prefix(namespace("mp", owner), None)
    for identifier in identifiers:
        plain = replace(
            record(),
            id=identifier,
            key=identifier,
            pid=f"https://id.example.org/mp:{identifier}",
            records=(place(identifier),),
        )
        store.create_record(replace(plain, **members))
    return store


def place(identifier: str) -> Location:
    return Location(f"https://a.example/{identifier}")


def led(store: MemoryStore, path: str) -> tuple[str, str]:
    """The identifier that answers, and where it leads."""
    decision = resolve(parse_reference(path), store)
    assert isinstance(decision, FoundRecord)
    return decision.record.id, decision.locations[0].uri


class TestTargets:
    @pytest.mark.parametrize(
        ("target", "extension", "expected"),
        [
            (HERE, "/chapter", "https://a.example/doc/chapter"),
            (HERE, ".pdf", "https://a.example/doc.pdf"),
            (HERE + "/", "/chapter", "https://a.example/doc/chapter"),
            (HERE + "?v=1&w=2", "/chapter", "https://a.example/doc/chapter?v=1&w=2"),
            (HERE + "?v=1#part", ".en/2", "https://a.example/doc.en/2?v=1#part"),
            (HERE + "#part/1", "/2", "https://a.example/doc/2#part/1"),
            ("https://a.example", "/x", "https://a.example/x"),
            ("https://a.example?q", "/x", "https://a.example/x?q"),
            ("https://a.example/", ".well", "https://a.example/.well"),
            (HERE, "/a b?c#d%41é", "https://a.example/doc/a%20b%3Fc%23d%2541%C3%A9"),
            (HERE, "//evil.example", "https://a.example/doc//evil.example"),
            (HERE, "/@evil.example", "https://a.example/doc/@evil.example"),
            (HERE, "/...", "https://a.example/doc/..."),
            (HERE, "./x", "https://a.example/doc./x"),  # no step, behind the rest of the part
            (HERE, "/..a/.b", "https://a.example/doc/..a/.b"),
        ],
    )
    def test_the_rest_goes_to_the_end_of_the_path(self, target: str, extension: str, expected: str) -> None:
        assert extend(target, as_path(extension)) == expected

    @pytest.mark.parametrize(
        "extension",
        [
            "/..",
            "/../x",
            "/x/../..",
            "/.",
            "/./x",
            "..",
            "../x",
            "/x\\..\\..",
            "/\\..",
            "/%2e%2E/x",
            "/.%2e",
            "/..;x/y",
        ],
    )
    def test_nothing_climbs(self, extension: str) -> None:
        assert extend(HERE, as_path(extension)) is None

    @pytest.mark.parametrize("extension", ["..", "../x", "./x", "."])
    def test_nothing_climbs_behind_a_slash(self, extension: str) -> None:
        assert extend(HERE + "/", as_path(extension)) is None

    @pytest.mark.parametrize(
        ("target", "extension"),
        [
            ("https://a.example", ".evil.example"),
            ("https://a.example?q", ".evil.example/x"),
            ("https://a.example:8443", ".1"),
            (HERE, "/" + "x" * 2048),
        ],
    )
    def test_a_suffix_that_changes_the_host_is_refused(self, target: str, extension: str) -> None:
        assert extend(target, as_path(extension)) is None

    @given(targets, extensions)
    def test_a_browser_stays_at_the_origin_below_the_path_with_the_query_as_it_was(
        self, target: str, extension: str
    ) -> None:
        longer = extend(target, as_path(extension))
        if longer is None:
            return
        assert objection(longer) is None
        assert origin_of(longer) == origin_of(target)
        before, after = can_ada.parse(target), can_ada.parse(longer)
        assert str(after.pathname).startswith(str(before.pathname).removesuffix("/"))
        assert (str(after.search), str(after.hash)) == (str(before.search), str(before.hash))

    @given(targets, extensions)
    def test_what_is_passed_on_arrives_as_it_was(self, target: str, extension: str) -> None:
        longer = extend(target, as_path(extension))
        if longer is not None:
            assert longer.isascii()
            assert unquote(urlsplit(longer).path).endswith(extension)


class TestBases:
    def test_the_longest_registered_one_wins(self) -> None:
        store = store_with("doc", "doc/1", "doc/1/2")
        assert led(store, "mp:doc/1/3") == ("doc/1", "https://a.example/doc/1/3")
        assert led(store, "mp:doc/1/2.pdf") == ("doc/1/2", "https://a.example/doc/1/2.pdf")
        assert led(store, "mp:doc.pdf") == ("doc", "https://a.example/doc.pdf")

    @pytest.mark.parametrize("path", ["mp:docs", "mp:doc-1", "mp:doc:1", "mp:do", "mp:/doc", "mp:xdoc/1"])
    def test_only_slash_and_point_are_boundaries(self, path: str) -> None:
        with pytest.raises((UnregisteredIdentifier, InvalidIdentifier)):
            resolve(parse_reference(path), store_with("doc"))

    def test_only_repositories_that_want_it_pass_anything_on(self) -> None:
        with pytest.raises(UnregisteredIdentifier):
            resolve(parse_reference("mp:doc/1"), store_with("doc", passthrough=False))

    def test_what_is_registered_itself_is_not_passed_on(self) -> None:
        store = store_with("doc", "doc/1")
        decision = resolve(parse_reference("mp:doc/1"), store)
        assert isinstance(decision, FoundRecord)
        assert (decision.extension, decision.record.id) == ("", "doc/1")

    def test_a_reserved_one_is_no_base_but_a_shorter_one_behind_it_is(self) -> None:
        store = store_with("doc", status=RESERVED)
        with pytest.raises(UnregisteredIdentifier):
            resolve(parse_reference("mp:doc/1"), store)
        store = store_with("doc", "doc/1")
        hidden = store.records_by_key["r4k2-9m3x-62", "doc/1"]
        store.records_by_key["r4k2-9m3x-62", "doc/1"] = replace(hidden, status=RESERVED)
        assert led(store, "mp:doc/1/2") == ("doc", "https://a.example/doc/1/2")

    def test_what_extends_a_withdrawn_one_is_gone_with_it(self) -> None:
        decision = resolve(parse_reference("mp:doc/1"), store_with("doc", status=WITHDRAWN))
        assert isinstance(decision, WithdrawnRecord)
        assert decision.record.id == "doc"

    def test_a_record_that_has_no_target_has_no_extensions(self) -> None:
        with pytest.raises(UnregisteredIdentifier):
            resolve(parse_reference("mp:doc/1"), store_with("doc", records=()))

    def test_all_locations_are_extended_but_those_that_would_be_left(self) -> None:
        places = (Location(HERE), Location("https://b.example"), Location("https://c.example/x?y"))
        decision = resolve(parse_reference("mp:doc.evil"), store_with("doc", records=places))
        assert isinstance(decision, FoundRecord)
        assert [each.uri for each in decision.locations] == ["https://a.example/doc.evil", "https://c.example/x.evil?y"]

    def test_one_batch_reads_all_bases(self) -> None:
        store = store_with("doc")
        with pytest.raises(UnregisteredIdentifier):
            resolve(parse_reference("mp:doc" + "/x" * 90), store)
        assert store.calls["records"] == 1
        assert led(store, "mp:doc" + "/x" * MAX_KEYS)[0] == "doc"

    @given(st.text("ab./", max_size=8))
    def test_the_base_and_the_rest_are_what_was_written(self, rest: str) -> None:
        store = store_with("doc")
        match = find_extended_record(repository(rules=RULES), f"doc{rest}", RULES.validate, store)
        if rest[:1] in ("/", "."):
            assert match is not None
            assert (match[0].id, match[1]) == ("doc", rest)
        else:
            assert match is None


class TestEncodedSlashes:
    """They are no slashes (the contract, section 2): neither is there anything to extend behind one."""

    @pytest.mark.parametrize("rest", ["/a%2Fb", "/a%2fb/c%2F%2Fd", "/%2F"])
    def test_those_of_the_rest_arrive_encoded(self, rest: str) -> None:
        assert led(store_with("doc"), f"mp:doc{rest}") == ("doc", "https://a.example/doc" + rest.replace("%2f", "%2F"))

    @pytest.mark.parametrize("path", ["mp:doc%2Fa", "mp:doc%2Fa%2Fb"])
    def test_nothing_extends_behind_one(self, path: str) -> None:
        with pytest.raises((UnregisteredIdentifier, InvalidIdentifier)):
            resolve(parse_reference(path), store_with("doc"))

    @pytest.mark.parametrize("rest", ["/a%2F..%2F..", "/..%2Fx", "/%2F..%2F", "/a%2F.%2Fb"])
    def test_nothing_climbs_behind_one(self, rest: str) -> None:
        with pytest.raises((UnregisteredIdentifier, InvalidIdentifier)):
            resolve(parse_reference(f"mp:doc{rest}"), store_with("doc"))

    def test_a_doi_that_is_sent_encoded_as_a_whole_is_the_same(self) -> None:
        store = MemoryStore()
        owner = repository(passthrough=True, canonical="10.5072")
        store.repositories[owner.id] = owner
        store.put_prefix(namespace("10.5072", owner), None)
        store.create_record(record(records=(Location(HERE),)))
        assert led(store, "doi:10.5072%2Ftw0t-ywdj-94%2Fc")[1] == "https://a.example/doc/c"


class TestDois:
    def test_case_means_nothing_in_the_doi_but_may_at_the_target(self) -> None:
        store = MemoryStore()
        owner = repository(passthrough=True, canonical="10.5072")
        store.repositories[owner.id] = owner
        store.put_prefix(namespace("10.5072", owner), None)
        store.create_record(record(records=(Location(HERE),)))
        for path in ("10.5072/tw0t-ywdj-94", "doi:10.5072/TW0T-YWDJ-94", "hdl/10.5072/twot-ywdj-94"):
            assert led(store, f"{path}/Chapter.PDF")[1] == "https://a.example/doc/Chapter.PDF"
