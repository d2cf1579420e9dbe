"""The browser's verifier has the same result as the Python one, check by check."""

import json
import math
import shutil
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from coolid.proofs.canonical_json import canonical
from coolid.proofs.statements import compact, digest_of, signing_input, statement_of
from coolid.proofs.verification import verify
from coolid.strict_json import NotJson, load
from tests.functions.managed_records import amend, mint
from tests.http.pages.script_calls import Calls, Refused, calls_in
from tests.support.builders.custody_chains import KEYS as CUSTODY_KEYS
from tests.support.builders.custody_chains import A, B, CustodyChain
from tests.support.builders.samples import json_values
from tests.support.builders.signed_documents import (
    ISSUED_AT,
    ORDER,
    Key,
    b64,
    document,
    history,
    key_set,
    thumbprint,
    with_other_form,
)
from tests.support.effort import examples
from tests.support.fixtures.system import System

PROGRAM = Path(__file__).with_name("verdicts.js")

KEY = Key(1)
OTHER = Key(2)
KEYS = key_set(OTHER, KEY)
DOCUMENT = KEY.sign(document(metadata={"who": "É\U0001f600", "how": [1.5, None, {"a": True, "": 1e21}]}))
PROOF: str = DOCUMENT["proof"]
STATEMENT = statement_of(DOCUMENT, ISSUED_AT)
HEADER: dict[str, Any] = {"alg": "ES256", "kid": KEY.jwk["kid"]}
ODD: Final[tuple[Any, ...]] = (None, 5, "", "x", [], KEY.jwk["x"] + "=")

PAYLOADS: Final = [
    canonical(STATEMENT),
    json.dumps(STATEMENT).encode(),
    canonical(STATEMENT)[:-1] + b',"iat":1}',
    canonical(STATEMENT).replace(b'"version":1', b'"version":1.0'),
    canonical(STATEMENT).replace(b'"version":1', b'"version":1e0'),
    canonical(STATEMENT) + b"\n",
    *[canonical(STATEMENT | {"iat": iat}) for iat in ("now", 1.5, True, None, -1, 0, 1e21, 2**53 - 1, 1e300)],
    canonical(STATEMENT).replace(str(ISSUED_AT).encode(), b"9007199254740992"),
    canonical(STATEMENT).replace(str(ISSUED_AT).encode(), b"-0"),
    *[canonical(STATEMENT | {name: "x"}) for name in (*STATEMENT, "exp", "__proto__")],
    *[canonical(STATEMENT | {name: 2}) for name in STATEMENT],
    *[canonical({name: value for name, value in STATEMENT.items() if name != left}) for left in STATEMENT],
    b"{}",
    b"[]",
    b"null",
    b"",
    b"\xff",
    b"[" * 10_000,
]


@dataclass(frozen=True)
class Scripts:
    """What the scripts say of texts."""

    calls: Calls

    def canonical(self, text: bytes) -> bytes | None:
        """The RFC 8785 form of JSON; None for a text that is refused."""
        form = self._told("form", text)
        return None if form is None else form.encode()

    def verify(self, document: bytes, keys: bytes, older: Sequence[bytes], pid: str | None) -> dict[str, Any] | None:
        """The verdict, its checks included; None where one of the texts is refused."""
        verdict: dict[str, Any] | None = self._told("verdict", document, keys, older, pid)
        return verdict

    def _told(self, function: str, *given: Any) -> Any:
        (returned,) = self.calls([(f"verdicts.{function}", *map(_sent, given))])
        if isinstance(returned, Refused):
            assert str(returned) == "NotJson"
            return None
        return returned


def _sent(given: Any) -> Any:
    if isinstance(given, bytes):
        return b64encode(given).decode()
    return [_sent(each) for each in given] if isinstance(given, list) else given


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scripts]:
    folder = tmp_path_factory.mktemp("scripts")
    shutil.copy(PROGRAM, folder)
    with calls_in(folder) as calls:
        yield Scripts(calls)


def octets(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def agree(
    scripts: Scripts, given_document: Any, keys: Any = KEYS, older: Sequence[Any] = (), pid: str | None = None
) -> bool | None:
    """Both say the same of it, check by check: whether it is good; None where it is not even read."""
    texts = [octets(each) for each in (given_document, keys, *older)]
    returned = scripts.verify(texts[0], texts[1], texts[2:], pid)
    try:
        read, read_keys, *read_older = map(load, texts)
    except NotJson:
        assert returned is None
        return None
    verdict = verify(read, read_keys, read_older, pid=pid)
    assert returned is not None
    assert [(check["name"], check["passed"]) for check in returned["checks"]] == [
        (check.name, check.passed) for check in verdict.checks
    ]
    assert (returned["ok"], returned["complete"]) == (verdict.ok, verdict.complete)
    return verdict.ok


class TestForm:
    @given(json_values)
    def test_the_form_of_any_json_is_that_of_rfc_8785(self, scripts: Scripts, value: Any) -> None:
        assert scripts.canonical(octets(value)) == rfc8785.dumps(value)

    @examples(300)
    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
    def test_numbers_are_written_as_rfc_8785_writes_them(self, scripts: Scripts, values: list[float]) -> None:
        assert scripts.canonical(octets(values)) == rfc8785.dumps(values)

    @pytest.mark.parametrize(
        "number",
        [0.0, -0.0, 5e-324, 1.7976931348623157e308, 1e21, 1e20,
          999999999999999900000.0, 1e-6, 1e-7, 333333333.33333329, 2.0**53],
    )  # fmt: skip
    def test_numbers_at_the_edges_are(self, scripts: Scripts, number: float) -> None:
        assert scripts.canonical(octets([number])) == rfc8785.dumps([number])

    def test_names_are_ordered_by_code_units_of_utf_16(self, scripts: Scripts) -> None:
        # RFC 8785, section 3.2.3: a surrogate pair comes before U+FB33.
        names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\x80", "\xf6", "__proto__", "constructor", "10", "9", ""]
        value: dict[str, Any] = dict.fromkeys(names, 1)
        assert scripts.canonical(octets(value)) == rfc8785.dumps(value)

    @given(st.text(st.characters(exclude_categories=()), max_size=5))
    def test_half_a_surrogate_pair_has_no_form(self, scripts: Scripts, text: str) -> None:
        def form(value: Any) -> bytes | None:
            try:
                return canonical(load(octets(value)))
            except NotJson:
                return None

        for value in ([text], {text: 1}):
            assert scripts.canonical(octets(value)) == form(value)


class TestStrictness:
    @pytest.mark.parametrize(
        "text",
        [
            b'{"a":1,"a":1}', b'{"a":1,"\\u0061":2}', b'{"b":[{"a":{},"a":[]}]}', b'[{"a":1},{"a":1}]',
            b'{"a":{"a":{"a":1}}}', b'{"a":"a","b":"a"}', b'["a","a",{"a":["a"]}]', b'{"__proto__":1,"__proto__":2}',
            b'{"__proto__":{"a":1},"a":2}', b"9007199254740991", b"9007199254740992", b"-9007199254740992",
            b"9007199254740993.0", b"1e400", b"-1e400", b"1e-400", b"-0", b"-0.0", b"[0e1,1E5,1e+5]",
            b"12345678901234567890", b'"12345678901234567890"', b'{"12345678901234567890":1}', b"\xef\xbb\xbf1",
            b'"\xff"', b'"\\ud800"', b'"\\ud83d\\ude00"', b'"\\ude00\\ud83d"', b'{"\\ud800":1}', b"", b" 1 ", b"\x0b1",
            b"01", b"+1", b".5", b"1.", b"NaN", b"Infinity", b"[1,]", b"{,}", b"//\n1", b"'a'", b'"\t"', b'"\\u0000"',
            b"[" * 99 + b"1" + b"]" * 99, b"[" * 100 + b"1" + b"]" * 100, b"[" * 100 + b"]" * 100,
            b"[" * 101 + b"]" * 101, b'{"a":' * 99 + b"{}" + b"}" * 99, b'{"a":' * 100 + b"{}" + b"}" * 100,
            b'["\\"}","{\\\\",{"\\\\":"\\"","\\"":1}]', b"true", b"[true,false,null]", b'{"a":true,"b":false,"c":null}',
        ],
    )  # fmt: skip
    def test_what_is_refused_and_what_is_read_is_the_same(self, scripts: Scripts, text: bytes) -> None:
        try:
            expected = canonical(load(text))
        except NotJson:
            expected = None
        assert scripts.canonical(text) == expected

    def test_a_name_that_stands_twice_in_a_record_is_seen(self, scripts: Scripts) -> None:
        text = json.dumps(DOCUMENT).encode()
        assert agree(scripts, text)
        assert agree(scripts, text[:-1] + b',"status":"active"}') is None

    def test_a_version_that_is_written_as_a_fraction_is_none(self, scripts: Scripts) -> None:
        text = json.dumps(DOCUMENT).encode()
        assert agree(scripts, text.replace(b'"version": 1,', b'"version": 1.0,')) is False
        assert agree(scripts, text.replace(b'"version": 1,', b'"version": 1e0,')) is False
        assert agree(scripts, text.replace(b"1.5", b"15e-1"))

    def test_a_member_that_every_object_has_is_seen(self, scripts: Scripts) -> None:
        text = json.dumps(DOCUMENT).encode()
        assert agree(scripts, text[:-1] + b',"__proto__":{"status":"withdrawn"}}') is False
        assert agree(scripts, KEY.sign(DOCUMENT | {"__proto__": {"pid": "x"}, "constructor": 1}))


class TestRecords:
    def test_what_the_service_signs_is_good_and_so_is_its_tombstone(self, scripts: Scripts, light: System) -> None:
        def returned(**requested: str) -> bytes:
            return light.get(path, query=urlencode({"format": "linkid"} | requested)).body.encode()

        path = mint(light, "demo", metadata={"what": "Papiér \U0001f4dc", "how": [1e21, 0.1, {"__proto__": None}]})
        keys = light.get("/.well-known/jwks.json").body.encode()
        assert agree(scripts, returned(), keys, pid=load(returned())["pid"])
        amend(light, "DELETE", path, {"reason": "It was wrong"})
        assert agree(scripts, returned(), keys, [returned(version="1")])
        assert not agree(scripts, returned(), keys, [returned(version="1").replace(b"Pap", b"Pop")])

    @pytest.mark.parametrize("member", sorted(DOCUMENT))
    def test_a_changed_member_is_seen(self, scripts: Scripts, member: str) -> None:
        values: tuple[Any, ...] = ("x", None, 1, True, [], {}, "2025-07-10T14:22:31Z", 2**53 - 1, 1e300)
        for value in values:
            agree(scripts, DOCUMENT | {member: value})
        assert not agree(scripts, DOCUMENT | {member: ["x"]})
        assert not agree(scripts, DOCUMENT | {member: [DOCUMENT[member]]})
        assert not agree(scripts, {name: value for name, value in DOCUMENT.items() if name != member})

    @examples(200)
    @given(st.integers(0, len(PROOF) - 1), st.sampled_from("AQgw_-.=+/ é\n0"))
    def test_any_changed_symbol_of_the_proof_is_seen(self, scripts: Scripts, at: int, symbol: str) -> None:
        changed = PROOF[:at] + symbol + PROOF[at + 1 :]
        assert agree(scripts, DOCUMENT | {"proof": changed}) == (changed == PROOF)
        assert not agree(scripts, DOCUMENT | {"proof": PROOF[:at] + PROOF[at + 1 :]})
        assert not agree(scripts, DOCUMENT | {"proof": PROOF[:at] + symbol + PROOF[at:]})

    @examples(200)
    @given(st.sampled_from(sorted(DOCUMENT)), json_values)
    def test_any_value_of_any_member_is_judged_alike(self, scripts: Scripts, member: str, value: Any) -> None:
        agree(scripts, DOCUMENT | {member: value})
        if member in ("metadata", "records", "alternates", "status"):
            agree(scripts, KEY.sign(DOCUMENT | {member: value}))

    @given(json_values, json_values, st.lists(json_values, max_size=2))
    def test_any_json_is_judged_alike(self, scripts: Scripts, given_document: Any, keys: Any, older: list[Any]) -> None:
        assert not agree(scripts, given_document, keys, older)
        assert not agree(scripts, DOCUMENT, keys, older)
        agree(scripts, DOCUMENT, KEYS, older)

    def test_a_record_of_another_pid_is_not_the_one_that_was_wanted(self, scripts: Scripts) -> None:
        assert agree(scripts, DOCUMENT, pid=DOCUMENT["pid"])
        assert not agree(scripts, DOCUMENT, pid="https://id.example.org/x")
        assert not agree(scripts, DOCUMENT, pid="")

    @pytest.mark.parametrize(
        ("issuer", "pid"),
        [
            ("https://id.example.org", "https://id.example.org.evil.example/a"),
            ("https://id.example.org", "https://id.example.org"),
            ("https:/", "https://id.example.org/a"),
            ("https://id.example.org@evil.example", "https://id.example.org@evil.example/a"),
            ("https://a\\b", "https://a\\b/a"),
            ("https://a/b c", "https://a/b c/a"),
            *[(f"https://a{white}", f"https://a{white}/a") for white in "\x1c\x85\ufeff\xa0\u2028\u3000\u180e\n"],
            *[(f"https://a/{white}", f"https://a/{white}/a") for white in "\x1c\x85\ufeff\n\u200b"],
            ("ftp://a", "ftp://a/a"),
            ("http://a", "http://a/a"),
            ("https://a/b", "https://a/b/c"),
            ("", "/a"),
        ],
    )
    def test_an_issuer_speaks_for_what_is_below_its_url(self, scripts: Scripts, issuer: str, pid: str) -> None:
        agree(scripts, KEY.sign(document(issuer=issuer, pid=pid)))

    @pytest.mark.parametrize(
        "time",
        [
            "2025-07-10", "2025-07-10T14:22:30+00:00", "2025-13-10T14:22:30Z", "2025-02-29T14:22:30Z", "",
            "2024-02-29T23:59:59Z", "2025-07-10T24:00:00Z", "2025-07-10T23:59:60Z", "0001-01-01T00:00:00Z",
            "0999-01-01T00:00:00Z", "1000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2025-07-10t14:22:30Z",
            "2025-07-10T14:22:30.000Z", "20250710T142230Z", "+12025-07-10T14:22:30Z", "0000-01-01T00:00:00Z",
            "2025-07-10T14:22:30Z\n", "٢٠٢٥-07-10T14:22:30Z", "1970-01-01T00:00:00Z", "2025-00-10T14:22:30Z",
        ],
    )  # fmt: skip
    def test_times_are_read_alike(self, scripts: Scripts, time: str) -> None:
        agree(scripts, KEY.sign(document(updated=time, created="1000-01-01T00:00:00Z")))


class TestProofs:
    @pytest.mark.parametrize(
        "header",
        [
            HEADER,
            {"kid": KEY.jwk["kid"]},
            {"alg": "ES256"},
            *[HEADER | {"alg": alg} for alg in ("none", "HS256", "ES384", "es256", "RS256", None, 5, ["ES256"])],
            *[HEADER | {name: "x"} for name in ("crit", "b64", "jwk", "jku", "x5u", "x5c", "typ", "__proto__")],
            *[HEADER | {"kid": kid} for kid in (None, 5, ["a"], "", "x", OTHER.jwk["kid"])],
            b'{"alg":"none","alg":"ES256","kid":"%s"}',
            b'{"alg":"ES256", "kid":"%s"}',
            b'{"kid":"%s","alg":"ES256"}',
            b'{"alg":"ES25\\u0036","kid":"%s"}',
            b'["ES256","%s"]',
            b"",
            b"{",
            b"\xff",
            b"null",
        ],
        ids=str,
    )
    def test_headers_are_judged_alike(self, scripts: Scripts, header: bytes | Mapping[str, Any]) -> None:
        if isinstance(header, bytes):
            header = header.replace(b"%s", KEY.jwk["kid"].encode())
        proof = KEY.proof_of(header, canonical(STATEMENT))
        assert agree(scripts, DOCUMENT | {"proof": proof}) == (header == HEADER)

    @pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
    def test_statements_are_judged_alike(self, scripts: Scripts, payload: bytes) -> None:
        agree(scripts, DOCUMENT | {"proof": KEY.proof_of(HEADER, payload)})

    def test_either_of_the_two_signatures_of_a_number_is_one(self, scripts: Scripts) -> None:
        assert agree(scripts, with_other_form(DOCUMENT))

    @pytest.mark.parametrize(
        "signature",
        [bytes(64), b"\xff" * 64, b"\x30\x3e" + bytes(62), bytes(63), bytes(65), b"", ORDER.to_bytes(32) * 2,
         bytes(31) + b"\1" + bytes(32), bytes(32) + bytes(31) + b"\1"],
    )  # fmt: skip
    def test_numbers_that_no_signature_has_are_refused(self, scripts: Scripts, signature: bytes) -> None:
        signed = signing_input(STATEMENT, KEY.jwk["kid"])
        assert not agree(scripts, DOCUMENT | {"proof": compact(signed, signature)})
        assert not agree(scripts, DOCUMENT | {"proof": compact(signed, KEY.der(signed))})

    @pytest.mark.parametrize(
        "proof",
        [None, 5, {"payload": "x"}, "", "..", ".", PROOF + ".", PROOF + "=", PROOF + "AAA"],
        ids=range(9),  # a signature is another in each process, in which pytest-xdist wants the same names
    )
    def test_what_is_no_proof_is_refused(self, scripts: Scripts, proof: Any) -> None:
        assert not agree(scripts, DOCUMENT | {"proof": proof})


class TestKeys:
    @pytest.mark.parametrize(
        "change",
        [
            {},
            *[{name: value} for name in KEY.jwk for value in ODD],
            {"crv": "P-384"}, {"alg": "ES384"}, {"use": "enc"}, {"key_ops": ["sign"]}, {"key_ops": "verify"},
            {"key_ops": ["sign", "verify"]}, {"key_ops": None}, {"x": KEY.jwk["x"][:-2]}, {"ext": True},
            {"x": OTHER.jwk["x"], "y": OTHER.jwk["y"]}, {"d": b64(bytes(32))}, {"k": None}, {"__proto__": {"d": 1}},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_key_is_judged_alike(self, scripts: Scripts, change: dict[str, Any]) -> None:
        agree(scripts, DOCUMENT, key_set(OTHER, KEY.jwk | change))

    def test_a_point_beside_the_curve_is_refused(self, scripts: Scripts) -> None:
        beside = KEY.jwk | {"y": b64(bytes(32))}
        beside["kid"] = thumbprint(beside)
        signed = f"{b64(canonical(HEADER | {'kid': beside['kid']}))}.{b64(canonical(STATEMENT))}".encode()
        assert not agree(scripts, DOCUMENT | {"proof": compact(signed, bytes(64))}, key_set(beside))

    def test_another_key_is_not_taken(self, scripts: Scripts) -> None:
        forged = DOCUMENT | {"proof": OTHER.proof_of(HEADER, canonical(STATEMENT))}
        for keys in (KEYS, key_set(OTHER), key_set(OTHER.jwk | {"kid": KEY.jwk["kid"]}), key_set(KEY)):
            assert not agree(scripts, forged, keys)
        assert not agree(scripts, OTHER.sign(DOCUMENT), key_set(KEY))
        assert agree(scripts, OTHER.sign(DOCUMENT), KEYS)

    @pytest.mark.parametrize(
        "keys",
        [{}, [], None, "x", {"keys": None}, {"keys": {}}, {"keys": ["x"]},
         {"keys": [[]]}, KEY.jwk, key_set(KEY, KEY),
         key_set(KEY, OTHER, OTHER), key_set(KEY, OTHER.jwk | {"d": "AA"}),
         key_set({"kty": "new"}, {"kty": "new"}, KEY)],
    )  # fmt: skip
    def test_a_key_set_is_judged_alike(self, scripts: Scripts, keys: Any) -> None:
        agree(scripts, DOCUMENT, keys)


class TestHistories:
    def test_whole_and_partial_histories_are_judged_alike(self, scripts: Scripts) -> None:
        *older, newest = history(KEY, 5)
        assert agree(scripts, newest, older=older)
        assert agree(scripts, newest, older=older[::-1])
        assert agree(scripts, newest, older=[*older, newest, older[0]])
        for missing in range(4):
            assert agree(scripts, newest, older=[*older[:missing], *older[missing + 1 :]])
        assert not agree(scripts, older[1], older=[newest])

    @pytest.mark.parametrize(
        "change",
        [
            {"records": []},
            {"pid": "https://id.example.org/x"}, {"id": "x"}, {"repository": "x"}, {"status": "withdrawn"},
            {"created": "2025-07-10T14:22:31Z"}, {"updated": "2030-01-01T00:00:00Z"}, {"version": 1}, {"version": 3},
            {"version": 4}, {"previous": "sha-256=::"}, {"previous": digest_of({})},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_changed_version_is_seen_signed_again_or_not(self, scripts: Scripts, change: dict[str, Any]) -> None:
        first, second, third = history(KEY, 3)
        for changed in (second | change, KEY.sign(second | change)):
            assert not agree(scripts, third, older=[first, changed])
            agree(scripts, changed, older=[first])
        bare = {name: value for name, value in second.items() if name != "previous"}
        assert not agree(scripts, third, older=[first, KEY.sign(bare)])
        assert not agree(scripts, third, older=[KEY.sign(first | {"previous": digest_of({})})])

    def test_a_tombstone_can_be_offered_and_not_changed(self, scripts: Scripts) -> None:
        chain = CustodyChain(A)
        chain.mint()
        chain.withdraw()
        chain.offer(B)
        chain.revoke()
        assert agree(scripts, chain.newest, CUSTODY_KEYS[A.issuer], chain.versions[:-1])
        for change in ({"ttl": 5}, {"withdrawn": chain.newest["withdrawn"] | {"reason": "x"}}):
            changed = CustodyChain(A, list(chain.versions))
            changed.add(**change)
            assert not agree(scripts, changed.newest, CUSTODY_KEYS[A.issuer], chain.versions)
        chain.offer(B)
        chain.transfer(B)
        assert agree(scripts, chain.newest, CUSTODY_KEYS[A.issuer], chain.versions[:-1])

    def test_infinite_numbers_never_get_this_far(self, scripts: Scripts) -> None:
        assert agree(scripts, json.dumps(DOCUMENT | {"ttl": math.inf}).encode()) is None
