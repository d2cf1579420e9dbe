"""Validation schemas in third-party engines: they accept what we accept, and refuse what they can detect."""

import random
import re
from typing import Any
from xml.sax.saxutils import escape

import jsonschema
import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, isoschematron

from coolid.identifiers.rules.base import Rules, is_valid
from coolid.identifiers.rules.catalog import SCHEMES
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.rules.linkid import LinkidRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.validation_schemas import json_schema, pattern_schema, schematron
from tests.support.builders.rule_examples import ORCID, PLAIN, RULE_EXAMPLES, key_of
from tests.support.effort import examples

EVERY = pytest.mark.parametrize("scheme", SCHEMES)
FIXED = NoidRules("f5.reedeedk", "13030", "00" * 16)
BEHIND = NoidRules(".reedeedk", "99999", "00" * 16, "fk4")

EXTENDED = NoidRules(".reedk", "77913", shoulder="r7", sequence="perl", grows=3, label="ark:/")


class Judges:
    """The engines, with the schemas of some rules in them."""

    def __init__(self, rules: Rules) -> None:
        schema = json_schema(rules, "mp")
        jsonschema.Draft202012Validator.check_schema(schema)
        self._json = jsonschema.Draft202012Validator(schema)
        self._xml = isoschematron.Schematron(etree.fromstring(schematron(rules, "mp").encode()))

    def json(self, text: str) -> bool:
        """What the JSON Schema says."""
        return bool(self._json.is_valid(text))

    def xml(self, *texts: str) -> bool:
        """What the Schematron says of a document with these identifiers in it."""
        document = "".join(f"<pid>{escape(text)}</pid>" for text in texts)
        return bool(self._xml.validate(etree.fromstring(f"<things>{document}</things>".encode())))


@pytest.fixture(scope="module")
def plain() -> dict[str, Judges]:
    return {scheme: Judges(rules) for scheme, rules in PLAIN.items()}


def spellings(rules: Rules, count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    return [RULE_EXAMPLES[rules.scheme].respell(rules, key_of(rules, rng), rng) for _ in range(count)]


class TestWhatWeAccept:
    @EVERY
    def test_they_accept_of_the_usual_rules(self, scheme: str, plain: dict[str, Judges]) -> None:
        texts = [*spellings(PLAIN[scheme], 100), PLAIN[scheme].describe().example]
        assert [text for text in texts if not plain[scheme].json(text)] == []
        assert plain[scheme].xml(*texts), [text for text in texts if not plain[scheme].xml(text)]

    @EVERY
    @given(st.data())
    @examples(15)
    def test_they_accept_of_any_rules(self, scheme: str, data: st.DataObject) -> None:
        rules = data.draw(RULE_EXAMPLES[scheme].rules)
        judges = Judges(rules)
        texts = spellings(rules, 10, data.draw(st.integers(0, 99)))
        assert [text for text in texts if not judges.json(text)] == []
        assert judges.xml(*texts), [text for text in texts if not judges.xml(text)]

    @pytest.mark.parametrize(
        ("scheme", "label"), [("uuid", "urn:uuid:"), ("uuid", "UUID:"), ("sha256", "sha256:"), ("sha256", "SHA-256:")]
    )
    def test_they_accept_the_labels_that_we_do(self, scheme: str, label: str, plain: dict[str, Judges]) -> None:
        text = label + PLAIN[scheme].describe().example
        assert is_valid(PLAIN[scheme], text)
        assert plain[scheme].json(text)
        assert plain[scheme].xml(text)

    @pytest.mark.parametrize(
        ("pattern", "text"),
        [
            ("[[:digit:]]{4}", "2021"),
            (r"\pL+", "abc"),
            (r"(?P<year>[0-9]{4})", "2021"),
            (r"\A[a-z]+\z", "abc"),
            ("(?i)abc", "ABC"),
            ("(?i:abc)", "ABC"),
            (r"\Qa.b\E", "a.b"),
            (r"\x{61}", "a"),
            (r"a\Cb", "axb"),
            ("[a-z]+|[0-9]+", "12"),
        ],
    )
    def test_patterns_that_only_re2_understands_do_not_make_them_refuse_more(self, pattern: str, text: str) -> None:
        """JSON Schema's dialect is that of ECMA-262; jsonschema itself runs Python's."""
        rules = ChosenRules(pattern)
        assert is_valid(rules, text)
        judges = Judges(rules)
        assert judges.json(text)
        assert judges.xml(text)

    @pytest.mark.parametrize("text", ["IGSN.NOT.ABC", "IGSN.NOT.1234.2005-03-31", f"IGSN.NOT.1234.2005-03-31.{ORCID}"])
    def test_they_accept_object_ids_of_a_namespaces_own(self, text: str) -> None:
        rules = ContextualRules("IGSN", ("NOT",), "[A-Z]{3}|[0-9]{4}")
        assert is_valid(rules, text)
        judges = Judges(rules)
        assert judges.json(text)
        assert judges.xml(text)


def test_those_of_the_prefix_of_linkids_accept_uuids_with_their_hyphens_only() -> None:
    judges = Judges(LinkidRules())
    example = LinkidRules().describe().example
    for text in (example, example.upper()):
        assert judges.json(text)
        assert judges.xml(text)
    wrong = (
        example.replace("-", ""),
        f"{example}0",
        f"-{example[1:]}",
        f"{example[:8]}0{example[9:]}",
        f"linkid:{example}",
    )
    for text in wrong:
        assert not judges.json(text)
        assert not judges.xml(text)


class TestWhatIsWrong:
    """`both`: either engine finds it; `xml`: it takes arithmetic, which JSON Schema has none of."""

    @pytest.mark.parametrize(
        ("scheme", "text", "found_by"),
        [
            ("lui", "tw0t-ywdj-95", "xml"),
            ("lui", "wt0t-ywdj-94", "xml"),
            ("lui", "tw0t-ywjd-94", "xml"),
            ("lui", "tw0t-ywdj-9", "both"),
            ("lui", "tw0t-ywdj-944", "both"),
            ("lui", "tw0u-ywdj-94", "both"),
            ("lui", "tw0t ywdj 94", "both"),
            ("lui", "tw0t-ywdj-９４", "both"),
            ("lui", "tw0t-ywdj-9a", "both"),
            ("lui", "", "both"),
            ("cooldoi", "tw0t-ywd", "both"),
            ("cooldoi", "tw0t-ywdj-9", "both"),
            ("cooldoi", "tw0u-ywdj", "both"),
            ("pilin", "Y35XYS0QE", "both"),
            ("pilin", "Y35XYS0Q", "both"),
            ("pilin", "Y35X-YS0QH", "both"),
            ("noid", "f50g6s37j", "xml"),
            ("noid", "f50g63s7h", "xml"),
            ("noid", "f50g6s37", "both"),
            ("noid", "f5og6s37h", "both"),
            ("noid", "F50g6s37h", "both"),
            ("noid", "g50g6s37h", "both"),
            ("uuid", "919108f752d143209bacf847db4148a8", "both"),
            ("uuid", "017f22e279b07cc3c8c4dc0c0c07398f", "both"),
            ("uuid", "017f22e279b07cc398c4dc0c0c07398", "both"),
            ("uuid", "017f22e279b07cc398c4dc0c0c07398g", "both"),
            ("sha256", "a" * 63, "both"),
            ("sha256", "a" * 65, "both"),
            ("sha256", "g" * 64, "both"),
            ("contextual", "fabiola.Image.pp1255qv43", "both"),
            ("contextual", "fabio.Video.pp1255qv43", "both"),
            ("contextual", "fabio.Image.pp1255qvl3", "both"),
            ("contextual", "fabio.Image.pp1255qv4", "both"),
            ("contextual", "fabio.Image", "both"),
            ("contextual", "fabio.Image.pp1255qv43.2018-13-12", "json"),
            ("chosen", "abc", "json"),
            ("chosen", "abc-20211", "json"),
            ("chosen", "", "both"),
        ],
    )
    def test_is_found_by_whoever_can_know(
        self, scheme: str, text: str, found_by: str, plain: dict[str, Judges]
    ) -> None:
        assert not is_valid(PLAIN[scheme], text)
        if found_by in ("both", "json"):
            assert not plain[scheme].json(text)
        if found_by in ("both", "xml"):
            assert not plain[scheme].xml(text)

    @pytest.mark.parametrize(
        "text", ["fabio.Image.pp1255qv43.2019-02-29", f"fabio.Image.pp1255qv43.2018-11-12.{ORCID[:-1]}0"]
    )
    def test_what_takes_a_calendar_or_the_registrants_check_is_known_to_us_only(
        self, text: str, plain: dict[str, Judges]
    ) -> None:
        """Neither a pattern nor XPath 1.0 knows leap years; the registrant's check digits are left to us."""
        assert not is_valid(PLAIN["contextual"], text)
        assert plain["contextual"].json(text)

    @pytest.mark.parametrize(
        "rules",
        [
            *(LuiRules(symbols) for symbols in (1, 6, 8, 12)),
            *(FIXED, BEHIND, NoidRules(".seek"), NoidRules("x.rddk", "b5060"), EXTENDED),
        ],
        ids=lambda rules: f"{rules.scheme}-{rules.describe().example}",
    )
    def test_schematron_catches_every_wrong_symbol_and_every_swap_that_we_catch(self, rules: Any) -> None:
        judges = Judges(rules)
        key = rules.validate(rules.describe().example)
        alphabet = rules.describe().alphabet
        wrong = [key[:at] + other + key[at + 1 :] for at in range(len(key)) for other in alphabet]
        wrong += [key[:at] + key[at + 1] + key[at] + key[at + 2 :] for at in range(len(key) - 1)]
        missed = [text for text in wrong if not is_valid(rules, text) and judges.xml(text)]
        if isinstance(rules, NoidRules):  # which symbol stands where a mask says d is left to the pattern
            missed = [text for text in missed if judges.json(text)]
        assert missed == []

    @pytest.mark.parametrize("number", [0, 8410, 10**9, 10**12])
    def test_names_of_each_length_of_a_template_that_grows_are_judged(self, number: int) -> None:
        judges = Judges(EXTENDED)
        key = EXTENDED.key(number)
        assert judges.json(key)
        assert judges.xml(key)
        for wrong in (key[:-1] + ("0" if key[-1] != "0" else "1"), key + "0"):
            assert not judges.xml(wrong)
        assert not judges.json(key + "0")

    def test_the_check_of_an_endless_template_is_known_to_us_only(self) -> None:
        """XPath 1.0 has no loop for a name of any length; alphabet and prefix are still judged."""
        rules = NoidRules("f5.zeek", "13030")
        judges = Judges(rules)
        assert not is_valid(rules, "f5006")
        assert judges.json("f5006")
        assert judges.xml("f5006")
        assert not judges.xml("f5o06")
        assert not judges.xml("g5005")

    def test_one_wrong_identifier_among_many_is_found(self, plain: dict[str, Judges]) -> None:
        texts = spellings(PLAIN["lui"], 20)
        assert plain["lui"].xml(*texts)
        assert not plain["lui"].xml(*texts[:10], "tw0t-ywdj-95", *texts[10:])

    @pytest.mark.parametrize("version", [4, 7])
    def test_a_uuid_of_another_version_or_variant_is_found(self, version: Any) -> None:
        rules = UuidRules(version)
        judges = Judges(rules)
        example = rules.describe().example
        for at, allowed in ((12, str(version)), (16, "89ab")):
            for digit in "0123456789abcdef":
                text = example[:at] + digit + example[at + 1 :]
                assert judges.json(text) == judges.xml(text) == (digit in allowed) == is_valid(rules, text)

    @EVERY
    @given(st.data())
    @examples(15)
    def test_whatever_they_both_refuse_we_refuse(self, scheme: str, data: st.DataObject) -> None:
        """The same the other way round, over slips of the pen: no schema is stricter than we are."""
        rules = PLAIN[scheme]
        text = data.draw(st.sampled_from(spellings(rules, 20)))
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", *"0OIl1xX-/.:#%[é９"]))
            + text[at + data.draw(st.integers(0, 2)) :]
        )
        if is_valid(rules, text):
            judges = Judges(rules)
            assert judges.json(text)
            assert judges.xml(text)


class TestDocuments:
    @EVERY
    def test_each_says_what_it_is_for(self, scheme: str) -> None:
        rules = PLAIN[scheme]
        schema = json_schema(rules, "2021/06/mp")
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert "2021/06/mp" in schema["title"]
        assert scheme in schema["description"]
        assert schema["examples"] == [rules.describe().example]
        assert jsonschema.Draft202012Validator(schema).is_valid(schema["examples"][0])

    def test_a_prefix_with_markup_in_its_name_or_a_title_is_no_markup(self) -> None:
        text = schematron(LuiRules(), "<b>&\"'")
        assert etree.fromstring(text.encode()).findtext("{*}title") == "Identifiers under <b>&\"'"

    @pytest.mark.parametrize("pattern", [None, "", r"^\d{7}$"])
    def test_a_foreign_prefix_has_the_schema_of_its_pattern(self, pattern: str | None) -> None:
        schema = pattern_schema("go", "", pattern)
        validator = jsonschema.Draft202012Validator(schema)
        assert validator.is_valid("0006915")
        assert validator.is_valid("GO") is not bool(pattern)
        assert not validator.is_valid(5)

    @EVERY
    def test_the_pattern_means_the_same_to_re2_and_to_python(self, scheme: str) -> None:
        """Of what JSON Schema is given; `$` of Python's takes a line feed at the end, which XML and JSON show."""
        rules = PLAIN[scheme]
        pattern = rules.describe().pattern
        for text in [*spellings(rules, 30), "", "x", "tw0t-ywdj-94", "\n", "é"]:
            assert (re.fullmatch(pattern, text) is None) == (re2.fullmatch(pattern, text) is None)
