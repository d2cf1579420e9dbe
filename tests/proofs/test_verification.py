"""Verification: signed records verify, nothing else does, and every refusal has a reason."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import coolid
from coolid.http.caching import cache_tags_of
from coolid.model.differences import differences
from coolid.model.records import Record
from coolid.proofs.canonical_json import canonical
from coolid.proofs.statements import compact, digest_of, public_jwk, signing_input, statement_of
from coolid.proofs.verdicts import Verdict
from coolid.proofs.verification import verify
from tests.support.builders.samples import json_values, locations, namespace, records
from tests.support.builders.signed_documents import ISSUED_AT, Key, b64, document, key_set, thumbprint, with_other_form
from tests.support.builders.signed_documents import history as signed_history
from tests.support.effort import examples

KEY = Key(1)
OTHER = Key(2)
KEYS = key_set(OTHER, KEY)
DOCUMENT = KEY.sign(document(metadata={"who": "É", "how": [1.5, None, {"a": True}]}))
PROOF: str = DOCUMENT["proof"]
STATEMENT = statement_of(DOCUMENT, ISSUED_AT)
HEADER = {"alg": "ES256", "kid": KEY.jwk["kid"]}


def refused(verdict: Verdict, name: str, *words: str) -> None:
    """It fails at the check of that name, with a sentence that has the words in it."""
    failed = [check for check in verdict.checks if not check.passed]
    assert not verdict.ok
    assert not verdict.complete
    assert any(check.name == name and all(word in check.detail for word in words) for check in failed), failed
    assert all(check.detail.isprintable() for check in verdict.checks)


def altered(text: str, at: int, by: int) -> str:
    symbol = chr((ord(text[at]) + by) % 0x7F)
    return text[:at] + symbol + text[at + 1 :]


class TestWhatWasSigned:
    def test_it_verifies_and_every_check_says_so(self) -> None:
        verdict = verify(DOCUMENT, KEYS)
        assert verdict.ok
        assert verdict.complete
        names = ["proof", "algorithm", "key", "signature", "statement", "digest", "identity", "chain"]
        assert [check.name for check in verdict.checks] == names
        assert all(check.detail for check in verdict.checks)

    @pytest.mark.parametrize(
        ("issued_at", "said"),
        [(0, "1970-01-01T00:00:00Z"), (1_752_157_350, "2025-07-10T14:22:30Z"), (2**53 - 1, "1970")],
    )
    def test_the_time_of_the_signature_is_reported(self, issued_at: int, said: str) -> None:
        verdict = verify(KEY.sign(DOCUMENT, iat=issued_at), KEYS)
        assert verdict.ok
        assert any(check.name == "statement" and said in check.detail for check in verdict.checks)

    def test_it_is_a_function_of_the_package_that_costs_nothing_until_it_is_called(self) -> None:
        assert coolid.verify(DOCUMENT, KEYS) == verify(DOCUMENT, KEYS)
        assert coolid.verify(DOCUMENT, KEYS, pid=DOCUMENT["pid"], issuer=DOCUMENT["issuer"]).ok
        assert not coolid.verify(DOCUMENT, KEYS, pid="https://id.example.org/x").ok

    def test_the_order_and_spelling_of_the_json_do_not_matter(self) -> None:
        shuffled = json.loads(json.dumps(dict(reversed(DOCUMENT.items())), indent=3).replace("1.5", "15e-1"))
        assert verify(shuffled, KEYS).ok

    def test_a_record_of_300_kilobytes_verifies_and_one_changed_symbol_at_its_end_is_found(self) -> None:
        places = [{"uri": f"https://content.example.org/{number:0100d}", "status": "active"} for number in range(2000)]
        large = KEY.sign(document(records=places))
        assert len(json.dumps(large)) > 300_000
        assert verify(large, KEYS).ok
        assert len(large["proof"]) < 1000
        places[-1] = places[-1] | {"uri": places[-1]["uri"][:-1] + "8"}
        refused(verify(large, KEYS), "digest", "altered")

    def test_records_signed_before_a_rotation_verify_after_it(self) -> None:
        new = Key(3)
        assert verify(DOCUMENT, key_set(KEY, new)).ok
        assert verify(new.sign(DOCUMENT), key_set(KEY, new)).ok
        refused(verify(new.sign(DOCUMENT), key_set(KEY)), "key", new.jwk["kid"], "not in the issuer's key set")

    @examples(50)
    @given(records, st.lists(locations, max_size=3))
    def test_any_record_verifies_when_it_is_signed(self, made: Record, places: list[Any]) -> None:
        previous = "sha-256=:" + b64encode(bytes(32)).decode() + ":" if made.version > 1 else None
        pid = f"{made.issuer}/{made.id}"
        signed = KEY.sign(replace(made, pid=pid, records=tuple(places), previous=previous).to_document())
        verdict = verify(json.loads(json.dumps(signed)), KEYS, pid=pid, issuer=made.issuer)
        assert verdict.ok, verdict
        assert verdict.complete == (made.version == 1)


class TestAlteredRecords:
    @examples(200)
    @given(st.data())
    def test_any_changed_symbol_of_the_proof_is_found(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(PROOF) - 1))
        changed = altered(PROOF, at, data.draw(st.integers(1, 0x7E)))
        assert not verify(DOCUMENT | {"proof": changed}, KEYS).ok

    @examples(200)
    @given(st.data())
    def test_any_changed_symbol_of_any_member_is_found(self, data: st.DataObject) -> None:
        def renamed(value: dict[str, Any], name: str) -> dict[str, Any]:
            rest = {member: inner for member, inner in value.items() if member != name}
            return rest | {altered(name, 0, data.draw(st.integers(1, 0x7E))): value[name]}

        def changed(value: Any) -> Any:
            match value:
                case bool() | int() | float():
                    return not value if isinstance(value, bool) else value + 1
                case str() if value:
                    return altered(value, data.draw(st.integers(0, len(value) - 1)), data.draw(st.integers(1, 0x7E)))
                case [*_] if value:
                    at = data.draw(st.integers(0, len(value) - 1))
                    return [*value[:at], changed(value[at]), *value[at + 1 :]]
                case dict() if value:
                    name = data.draw(st.sampled_from(sorted(value)))
                    return renamed(value, name) if data.draw(st.booleans()) else value | {name: changed(value[name])}
                case _:
                    return "x"

        assert not verify(changed(DOCUMENT), KEYS).ok

    @pytest.mark.parametrize(
        "change",
        [{"status": "withdrawn"}, {"ttl": 1}, {"metadata": {}}, {"records": []}, {"alternates": None}, {"more": None}],
        ids=str,
    )
    def test_a_changed_or_added_member_is_found(self, change: dict[str, Any]) -> None:
        refused(verify(DOCUMENT | change, KEYS), "digest", "altered", digest_of(DOCUMENT))

    def test_a_member_that_is_missing_is_found(self) -> None:
        for member in DOCUMENT:
            verdict = verify({name: value for name, value in DOCUMENT.items() if name != member}, KEYS)
            assert not verdict.ok

    def test_what_one_sees_of_true_and_1_is_not_taken_for_the_same(self) -> None:
        refused(verify(DOCUMENT | {"version": True}, KEYS), "document", "version")
        refused(verify(DOCUMENT | {"version": 1.0}, KEYS), "document", "version")


class TestAlgorithms:
    """RFC 8725, section 3.1: the verifier decides, not the header."""

    @pytest.mark.parametrize(
        ("header", "words"),
        [
            (HEADER | {"alg": "none"}, ["'none'", "no signature"]),
            (HEADER | {"alg": "None"}, ["'None'", "only ES256"]),
            (HEADER | {"alg": "es256"}, ["'es256'", "only ES256"]),
            (HEADER | {"alg": "ES384"}, ["'ES384'", "only ES256"]),
            (HEADER | {"alg": "RS256"}, ["'RS256'", "only ES256"]),
            (HEADER | {"alg": "EdDSA"}, ["'EdDSA'", "only ES256"]),
            (HEADER | {"alg": ["ES256"]}, ["only ES256"]),
            (HEADER | {"alg": {}}, ["only ES256"]),
            (HEADER | {"alg": "ES\x1b256"}, ["'ES\\x1b256'"]),
            ({"kid": KEY.jwk["kid"]}, ["None", "only ES256"]),
            (HEADER | {"crit": ["exp"], "exp": 1}, ["crit"]),
            (HEADER | {"crit": []}, ["crit"]),
            (HEADER | {"crit": ["b64"], "b64": False}, ["crit"]),
            (HEADER | {"b64": True}, ["b64", "RFC 7797"]),
            (HEADER | {"jwk": KEY.jwk}, ["jwk", "signer's choice"]),
            (HEADER | {"jku": "https://evil.example/jwks.json"}, ["jku"]),
            (HEADER | {"x5u": "https://evil.example/a.pem"}, ["x5u"]),
            (HEADER | {"x5c": ["MII="]}, ["x5c"]),
            (HEADER | {"typ": "JWT"}, ["'typ'"]),
            (HEADER | {"a\x1b[2J": 1}, ["no proof has", "\\x1b"]),
        ],
        ids=str,
    )
    def test_other_headers_are_refused_though_the_signature_fits(
        self, header: Mapping[str, Any], words: list[str]
    ) -> None:
        proof = KEY.proof_of(header, canonical(STATEMENT))
        refused(verify(DOCUMENT | {"proof": proof}, KEYS), "algorithm", *words)

    def test_a_proof_without_signature_is_refused(self) -> None:
        bare = f"{b64(canonical(HEADER | {'alg': 'none'}))}.{b64(canonical(STATEMENT))}."
        refused(verify(DOCUMENT | {"proof": bare}, KEYS), "algorithm", "none")
        refused(verify(DOCUMENT | {"proof": PROOF.rpartition(".")[0] + "."}, KEYS), "signature", "0 bytes")

    def test_the_public_key_is_no_shared_secret(self) -> None:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        pem = KEY.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        for secret in (pem, canonical(KEY.jwk), KEY.jwk["x"].encode()):
            signed = f"{b64(canonical(HEADER | {'alg': 'HS256'}))}.{b64(canonical(STATEMENT))}".encode()
            mac = HMAC(secret, SHA256())
            mac.update(signed)
            refused(verify(DOCUMENT | {"proof": compact(signed, mac.finalize())}, KEYS), "algorithm", "shared secret")

    @pytest.mark.parametrize("key_id", [None, 5, ["a"], {}])
    def test_a_header_that_names_no_key_is_refused(self, key_id: Any) -> None:
        header = {"alg": "ES256"} | ({"kid": key_id} if key_id is not None else {})
        refused(verify(DOCUMENT | {"proof": KEY.proof_of(header, canonical(STATEMENT))}, KEYS), "key", "kid")

    @pytest.mark.parametrize(
        "header",
        [
            b'{"alg":"none","alg":"ES256","kid":"%s"}',
            b'{"alg":"ES256","kid":"%s","kid":"%s"}',
            b'{"alg":"ES256", "kid":"%s"}',
            b'{"kid":"%s","alg":"ES256"}',
            b'{"alg":"ES25\\u0036","kid":"%s"}',
            b'["ES256","%s"]',
            b'"%s"',
            b"",
            b"{",
            b"\xff",
        ],
    )
    def test_a_header_in_another_form_is_refused(self, header: bytes) -> None:
        proof = KEY.proof_of(header.replace(b"%s", KEY.jwk["kid"].encode()), canonical(STATEMENT))
        refused(verify(DOCUMENT | {"proof": proof}, KEYS), "algorithm")

    def test_a_key_on_another_curve_is_refused(self) -> None:
        large = Key(4, SECP384R1())
        signed = large.sign(DOCUMENT)
        refused(verify(signed, key_set(large)), "signature", "96 bytes")
        header, payload, _ = signed["proof"].split(".")
        cut = f"{header}.{payload}.{PROOF.rpartition('.')[2]}"
        refused(verify(DOCUMENT | {"proof": cut}, key_set(large)), "key", "P-384")


class TestForms:
    @pytest.mark.parametrize(
        ("changed", "name", "words"),
        [
            (lambda proof: None, "proof", "no proof"),
            (lambda proof: 5, "proof", "not a string"),
            (lambda proof: {"payload": "x"}, "proof", "not a string"),
            (lambda proof: "", "proof", "1 parts"),
            (lambda proof: "..", "algorithm", "header"),
            (lambda proof: proof + ".", "proof", "4 parts"),
            (lambda proof: proof.rpartition(".")[0], "proof", "2 parts"),
            (lambda proof: proof + "=", "proof", "padded"),
            (lambda proof: proof + "==", "proof", "padded"),
            (lambda proof: proof + "\n", "proof", "'\\n'"),
            (lambda proof: " " + proof, "proof", "' '"),
            (lambda proof: proof.replace(".", ".\x1b", 1), "proof", "'\\x1b'"),
            (lambda proof: proof + "é", "proof", "'é'"),
            (lambda proof: proof[:-1] + "+", "proof", "'+'"),
            (lambda proof: proof + "AAA", "proof", "left over"),
            (lambda proof: proof[:-3] + "A", "signature", "63 bytes"),
            (lambda proof: proof[:-1] + "AA", "signature", "65 bytes"),
        ],
    )
    def test_what_is_no_compact_jws_is_refused(self, changed: Callable[[str], Any], name: str, words: str) -> None:
        refused(verify(DOCUMENT | {"proof": changed(PROOF)}, KEYS), name, words)

    def test_bits_that_no_encoder_leaves_are_refused(self) -> None:
        symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        stray = symbols[symbols.index(PROOF[-1]) ^ 1]
        refused(verify(DOCUMENT | {"proof": PROOF[:-1] + stray}, KEYS), "proof", "left over")

    def test_a_signature_in_der_is_refused_and_called_so(self) -> None:
        signed = signing_input(STATEMENT, KEY.jwk["kid"])
        refused(verify(DOCUMENT | {"proof": compact(signed, KEY.der(signed))}, KEYS), "signature", "DER")

    @pytest.mark.parametrize("signature", [bytes(64), b"\xff" * 64, b"\x30\x3e" + bytes(62)])
    def test_numbers_that_no_signature_has_are_refused(self, signature: bytes) -> None:
        signed = signing_input(STATEMENT, KEY.jwk["kid"])
        refused(verify(DOCUMENT | {"proof": compact(signed, signature)}, KEYS), "signature", "does not fit")

    def test_the_signature_has_64_bytes(self) -> None:
        assert len(PROOF.rpartition(".")[2]) == 86

    @pytest.mark.parametrize(
        ("payload", "words"),
        [
            (json.dumps(STATEMENT).encode(), "RFC 8785"),
            (canonical(STATEMENT)[:-1] + b',"iat":1}', "twice"),
            (canonical(STATEMENT).replace(b'"version":1', b'"version":1.0'), "version"),
            (canonical(STATEMENT).replace(b'"version":1', b'"version":1e0'), "version"),
            (canonical(STATEMENT) + b"\n", "RFC 8785"),
            (canonical(STATEMENT | {"exp": 1}), "'exp'"),
            (canonical({name: value for name, value in STATEMENT.items() if name != "iss"}), "lacks iss"),
            (canonical({}), "lacks"),
            (canonical(STATEMENT | {"iat": "now"}), "iat"),
            (canonical(STATEMENT | {"iat": 1.5}), "iat"),
            (canonical(STATEMENT | {"iat": True}), "iat"),
            (canonical(STATEMENT | {"iat": None}), "iat"),
            (canonical(STATEMENT | {"iat": -1}), "1970"),
            (canonical(STATEMENT | {"version": "1"}), "version"),
            (canonical(STATEMENT | {"pid": None}), "pid"),
            (canonical(STATEMENT | {"digest": {}}), "digest"),
            (b'{"iat":10000000000000000000000}', "2^53"),
            (b"[]", "not a JSON object"),
            (b"null", "not a JSON object"),
            (b"NaN", "JSON"),
            (b"", "JSON"),
            (b"\xff", "JSON"),
            (b"[" * 10_000, "JSON"),
        ],
    )
    def test_another_statement_is_refused_though_the_signature_fits(self, payload: bytes, words: str) -> None:
        refused(verify(DOCUMENT | {"proof": KEY.proof_of(HEADER, payload)}, KEYS), "statement", words)


class TestKeySets:
    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"kty": "RSA"}, "kty"),
            ({"kty": None}, "kty"),
            ({"crv": "P-384"}, "crv"),
            ({"crv": "secp256k1"}, "crv"),
            ({"alg": "ES384"}, "'ES384'"),
            ({"alg": None}, "None"),
            ({"use": "enc"}, "'enc'"),
            ({"key_ops": ["sign"]}, "verify"),
            ({"key_ops": "verify"}, "verify"),
            ({"x": KEY.jwk["x"] + "="}, "base64url"),
            ({"x": KEY.jwk["x"][:-2]}, "base64url"),
            ({"y": 5}, "base64url"),
            ({"y": ""}, "base64url"),
            ({"x": OTHER.jwk["x"], "y": OTHER.jwk["y"]}, "thumbprint"),
            ({"d": b64(bytes(32))}, "private"),
            ({"k": "c2VjcmV0"}, "private"),
        ],
        ids=str,
    )
    def test_a_key_that_cannot_be_used_is_refused(self, change: dict[str, Any], words: str) -> None:
        refused(verify(DOCUMENT, key_set(OTHER, KEY.jwk | change)), "key", words)

    def test_a_point_beside_the_curve_is_refused(self) -> None:
        beside = KEY.jwk | {"y": b64(bytes(32))}
        beside["kid"] = thumbprint(beside)
        signed = f"{b64(canonical(HEADER | {'kid': beside['kid']}))}.{b64(canonical(STATEMENT))}".encode()
        refused(verify(DOCUMENT | {"proof": compact(signed, bytes(64))}, key_set(beside)), "key", "no point on P-256")

    def test_a_key_under_the_name_of_another_is_refused(self) -> None:
        refused(verify(OTHER.sign(DOCUMENT), key_set(KEY)), "key", "not in the issuer's key set")
        forged = OTHER.proof_of(HEADER, canonical(STATEMENT))
        refused(verify(DOCUMENT | {"proof": forged}, KEYS), "signature", "does not fit")
        renamed = key_set(OTHER.jwk | {"kid": KEY.jwk["kid"]})
        refused(verify(DOCUMENT | {"proof": forged}, renamed), "key", "thumbprint", OTHER.jwk["kid"])

    def test_a_set_with_a_name_twice_is_refused_even_beside_the_key(self) -> None:
        refused(verify(DOCUMENT, key_set(KEY, KEY)), "key", "two keys")
        refused(verify(DOCUMENT, key_set(KEY, OTHER, OTHER)), "key", "two keys")

    def test_a_set_with_a_private_key_is_refused_even_beside_the_key(self) -> None:
        refused(verify(DOCUMENT, key_set(KEY, OTHER.jwk | {"d": "AA"})), "key", "private")

    def test_keys_of_other_kinds_beside_it_do_no_harm(self) -> None:
        ed25519 = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "ed"}
        assert verify(DOCUMENT, key_set(ed25519, {"kty": "new"}, {"kty": "new"}, KEY)).ok

    def test_the_members_that_a_key_need_not_have_may_be_missing(self) -> None:
        bare = {member: value for member, value in KEY.jwk.items() if member not in ("alg", "use")}
        assert verify(DOCUMENT, key_set(bare | {"key_ops": ["verify"]})).ok

    @pytest.mark.parametrize("keys", [{}, [], None, "x", {"keys": None}, {"keys": {}}, {"keys": ["x"]}, KEY.jwk])
    def test_what_is_no_key_set_is_refused(self, keys: Any) -> None:
        refused(verify(DOCUMENT, keys), "key", "JWK Set")


class TestIdentity:
    @pytest.mark.parametrize(
        ("stated", "words"),
        [
            ({"pid": "https://id.example.org/2021/06/mp/0000-0000-98"}, "document's pid"),
            ({"version": 2}, "document's version"),
            ({"iss": "https://evil.example"}, "document's issuer"),
        ],
        ids=str,
    )
    def test_a_statement_about_another_record_is_refused(self, stated: Mapping[str, Any], words: str) -> None:
        refused(verify(KEY.sign(DOCUMENT, **stated), KEYS), "identity", words)

    def test_a_statement_of_another_digest_is_refused(self) -> None:
        refused(verify(KEY.sign(DOCUMENT, digest=digest_of({})), KEYS), "digest", digest_of({}))

    def test_a_genuine_record_of_another_pid_or_issuer_is_refused(self) -> None:
        refused(verify(DOCUMENT, KEYS, pid="https://id.example.org/2021/06/mp/x"), "identity", "'https", "/mp/x'")
        refused(verify(DOCUMENT, KEYS, issuer="https://evil.example"), "identity", "'https://evil.example'")
        refused(verify(DOCUMENT, KEYS, pid=""), "identity")

    @pytest.mark.parametrize(
        ("issuer", "pid"),
        [
            ("https://id.example.org", "https://id.example.org.evil.example/a"),
            ("https://id.example.org", "https://id.example.orga"),
            ("https://id.example.org", "https://id.example.org"),
            ("https://id.example.org", "http://id.example.org/a"),
            ("https://id.example.org", "https://user@id.example.org/a"),
            ("https:/", "https://id.example.org/a"),
            ("https:", "https://id.example.org/a"),
            ("https://id.example.org@evil.example", "https://id.example.org@evil.example/a"),
            ("https://id.example.org\\evil.example", "https://id.example.org\\evil.example/a"),
            ("ftp://id.example.org", "ftp://id.example.org/a"),
            ("", "/a"),
        ],
    )
    def test_an_issuer_speaks_only_for_what_is_below_its_url(self, issuer: str, pid: str) -> None:
        refused(verify(KEY.sign(document(issuer=issuer, pid=pid)), KEYS), "identity")


class TestWhateverIsGiven:
    @given(json_values, json_values, st.lists(json_values, max_size=2))
    def test_any_json_is_judged_and_never_good(self, given_document: Any, keys: Any, older: list[Any]) -> None:
        verdict = verify(given_document, keys, older)
        assert not verdict.ok
        assert not verify(DOCUMENT, keys, older).ok
        assert verify(DOCUMENT, KEYS, older).ok == (not older)

    @examples(300)
    @given(st.sampled_from(sorted(DOCUMENT)), json_values)
    def test_any_value_of_any_member_is_judged(self, member: str, value: Any) -> None:
        tampered = DOCUMENT | {member: value}
        same = canonical(tampered) == canonical(DOCUMENT) and type(value) is type(DOCUMENT[member])
        assert verify(tampered, KEYS).ok == same

    @examples(300)
    @given(st.sampled_from(sorted(KEY.jwk)), json_values)
    def test_any_value_of_any_member_of_a_key_is_judged(self, member: str, value: Any) -> None:
        verify(DOCUMENT, key_set(KEY.jwk | {member: value}))

    @pytest.mark.parametrize(
        "value",
        [2**53, 10**5000, float("nan"), float("inf"), "\ud800", b"bytes", {1: 2}, {"\ud800": 1}, object()],
        ids=range(9),
    )
    def test_values_that_are_no_json_that_all_read_alike_are_refused(self, value: Any) -> None:
        refused(verify(DOCUMENT | {"metadata": {"a": value}}, KEYS), "digest", "RFC 8785")
        assert not verify(DOCUMENT | {"version": value, "pid": value}, KEYS).ok

    def test_values_within_values_without_end_are_refused(self) -> None:
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        refused(verify(DOCUMENT | {"metadata": deep}, KEYS), "digest", "RFC 8785")
        refused(verify(DOCUMENT | {"version": deep}, KEYS), "document")
        while deep:  # taken apart by hand: Python would do it by recursion
            deep = deep.pop()

    @pytest.mark.parametrize("time", ["2025-07-10", "2025-07-10T14:22:30+00:00", "2025-13-10T14:22:30Z", "", "x\x1b"])
    def test_times_in_another_form_are_refused(self, time: str) -> None:
        refused(verify(KEY.sign(document(updated=time)), KEYS), "document", "updated")


class TestHistory:
    def test_a_whole_history_is_complete_in_any_order(self) -> None:
        *older, newest = signed_history(KEY, 5)
        for given_history in (older, older[::-1], [*older, older[0]], [*older, newest]):
            verdict = verify(newest, KEYS, given_history)
            assert verdict.ok
            assert verdict.complete
            assert "versions 1 to 5" in verdict.checks[-1].detail

    def test_versions_signed_with_keys_of_their_time_are_a_chain(self) -> None:
        first, second = signed_history(OTHER, 2)
        assert verify(KEY.sign(second), KEYS, [first]).complete

    def test_without_older_versions_it_is_good_but_not_complete(self) -> None:
        newest = signed_history(KEY, 3)[-1]
        verdict = verify(newest, KEYS)
        assert verdict.ok
        assert not verdict.complete
        assert "version 2 is missing" in verdict.checks[-1].detail

    @pytest.mark.parametrize(("missing", "reached"), [(1, 2), (2, 3), (3, 4), (4, 5)])
    def test_a_missing_version_is_reported_and_the_rest_still_verified(self, missing: int, reached: int) -> None:
        *older, newest = [each for each in signed_history(KEY, 5) if each["version"] != missing]
        verdict = verify(newest, KEYS, older)
        assert verdict.ok
        assert not verdict.complete
        assert f"version {missing} is missing" in verdict.checks[-1].detail
        assert f"{reached} " in verdict.checks[-1].detail

    def test_an_altered_older_version_is_found_by_its_own_proof_and_by_the_chain(self) -> None:
        first, second, third = signed_history(KEY, 3)
        verdict = verify(third, KEYS, [first | {"records": []}, second])
        refused(verdict, "digest", "version 1:")
        refused(verdict, "chain", "version 2 says that the digest of the version before")

    def test_an_older_version_rewritten_and_signed_again_is_found_by_the_chain(self) -> None:
        first, second, third = signed_history(KEY, 3)
        refused(verify(third, KEYS, [KEY.sign(first | {"records": []}), second]), "chain", "version 2 says")

    def test_an_older_version_without_proof_is_found_though_the_chain_holds(self) -> None:
        first, second = signed_history(KEY, 2)
        refused(verify(second, KEYS, [first | {"proof": "x"}]), "proof", "version 1:")
        assert verify(second, KEYS, [OTHER.sign(first)]).ok
        refused(verify(second, key_set(KEY), [OTHER.sign(first)]), "key", "version 1:")

    @pytest.mark.parametrize(
        ("member", "value"),
        [("id", "0000-0000-98"), ("repository", "other"), ("created", "2025-07-09T00:00:00Z")],
    )
    def test_what_never_changes_must_not(self, member: str, value: str) -> None:
        first, second = signed_history(KEY, 2, [{}, {member: value}])
        refused(verify(second, KEYS, [first]), "chain", f"the {member} is")

    def test_a_version_of_another_pid_is_found(self) -> None:
        second = signed_history(KEY, 2)[1]
        other = KEY.sign(document(pid="https://id.example.org/2021/06/mp/other"))
        refused(verify(second, KEYS, [other]), "chain", "the pid is")

    def test_time_does_not_run_backwards(self) -> None:
        first, second = signed_history(KEY, 2, [{"updated": "2025-07-12T00:00:00Z"}])
        refused(verify(second, KEYS, [first]), "chain", "before version 1")
        same = signed_history(KEY, 2, [{"updated": "2025-07-11T14:22:30Z"}])
        assert verify(same[1], KEYS, same[:1]).complete

    def test_nothing_but_a_return_to_the_public_follows_a_tombstone(self) -> None:
        withdrawn = {
            "status": "withdrawn",
            "withdrawn": {"at": "2025-07-11T14:22:30Z", "reason": "x", "successor": None},
        }
        for follower in (withdrawn, {"status": "reserved"}):
            versions = signed_history(KEY, 3, [{}, withdrawn, follower])
            assert verify(versions[1], KEYS, versions[:1]).complete
            refused(verify(versions[2], KEYS, versions[:2]), "chain", "tombstone", "version 3")
        versions = signed_history(KEY, 4, [{}, withdrawn, {}, withdrawn])
        assert verify(versions[2], KEYS, versions[:2]).complete
        assert verify(versions[3], KEYS, versions[:3]).complete
        assert verify(versions[3], KEYS, versions[:2]).ok  # version 3 is missing

    def test_two_different_versions_of_one_number_are_a_fork(self) -> None:
        first, second = signed_history(KEY, 2)
        refused(verify(second, KEYS, [first, KEY.sign(second | {"records": []})]), "chain", "forks")

    def test_a_newer_version_is_no_history(self) -> None:
        first, second, third = signed_history(KEY, 3)
        refused(verify(second, KEYS, [first, third]), "chain", "newer")

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"version": 1, "previous": digest_of({})}, "which cannot exist"),
            ({"version": 2}, "does not name"),
        ],
    )
    def test_a_first_version_names_none_before_it_and_every_other_does(
        self, change: dict[str, Any], words: str
    ) -> None:
        refused(verify(KEY.sign(document(**change)), KEYS), "chain", words)

    @pytest.mark.parametrize("older", [None, 5, "x", [], {}])
    def test_an_older_version_that_is_no_record_is_refused(self, older: Any) -> None:
        refused(verify(DOCUMENT, KEYS, [older]), "document", "number 1 of the older versions")


class TestBothForms:
    """Of each signature there are two, and anybody can make one of the other: so neither stands for what it signs."""

    def test_both_verify(self) -> None:
        for each in (DOCUMENT, with_other_form(DOCUMENT)):
            assert verify(each, KEYS).complete
        assert DOCUMENT["proof"] != with_other_form(DOCUMENT)["proof"]

    def test_they_are_one_version_of_one_record(self) -> None:
        other = with_other_form(DOCUMENT)
        assert digest_of(other) == digest_of(DOCUMENT)
        first, second = Record.from_document(DOCUMENT), Record.from_document(other)
        assert differences(first, second) == ()
        assert cache_tags_of(namespace("mp"), first) == cache_tags_of(namespace("mp"), second)

    def test_they_are_one_link_of_a_chain(self) -> None:
        first, second, third = signed_history(KEY, 3)
        twins = [with_other_form(each) for each in (first, second)]
        assert verify(third, KEYS, twins).complete
        assert verify(third, KEYS, [first, second, *twins]).complete
        assert verify(with_other_form(third), KEYS, [first, second]).complete


class TestWitnesses:
    """Others come to the same: what a proof is, is not this package's own word."""

    def test_jwcrypto_agrees(self) -> None:
        from jwcrypto.jwk import JWKSet
        from jwcrypto.jws import JWS, InvalidJWSSignature

        token = JWS()
        token.allowed_algs = ["ES256"]
        token.deserialize(PROOF)
        token.verify(JWKSet.from_json(json.dumps(KEYS)).get_key(KEY.jwk["kid"]))
        assert json.loads(token.payload) == STATEMENT
        with pytest.raises(InvalidJWSSignature):
            token.verify(JWKSet.from_json(json.dumps(KEYS)).get_key(OTHER.jwk["kid"]))

    def test_the_thumbprint_of_jwcrypto_is_the_name_of_the_key(self) -> None:
        from jwcrypto.jwk import JWK

        assert JWK(**KEY.jwk).thumbprint() == public_jwk(KEY.jwk)["kid"] == KEY.jwk["kid"]
