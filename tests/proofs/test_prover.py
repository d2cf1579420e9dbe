"""The prover: signed records are complete and valid, and the key is published; else nothing is signed or written."""

import json
import subprocess
import sys
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st
from jwcrypto import jwk, jws
from msgspec.structs import replace

from coolid.errors import InvalidInput, SignerUnavailable, StoreUnavailable
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.proofs.statements import MAX_BYTES, ORDER, InconsistentRecord, Prover
from coolid.proofs.verification import verify
from coolid.records.minter import Minter, MintRequest
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, ROOT, json_values, namespace, record, repository
from tests.support.builders.signed_documents import other_form
from tests.support.fixtures.ports import FixedClock, KeySigner, SeededEntropy
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

PREVIOUS = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
TOMBSTONE = record(
    status=WITHDRAWN,
    records=(Location("https://content.example.org/v1", INACTIVE),),
    withdrawn=Withdrawal(LATER, "why"),
    version=2,
    previous=PREVIOUS,
    updated=LATER,
)


class LowSigner(KeySigner):
    """Returns the signature whose S is at most half of the order."""

    def sign(self, message: bytes) -> bytes:
        signature = super().sign(message)
        return min(signature, other_form(signature))


class HighSigner(KeySigner):
    """Returns the other one."""

    def sign(self, message: bytes) -> bytes:
        signature = super().sign(message)
        return max(signature, other_form(signature))


@pytest.fixture
def signer() -> KeySigner:
    return KeySigner()


@pytest.fixture
def prover(signer: KeySigner, store: MemoryStore, clock: FixedClock) -> Prover:
    return Prover(signer, store, clock)


def part(proof: str, position: int) -> bytes:
    """The octets of a part of a compact JWS."""
    text = proof.split(".")[position]
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verified(proof: str, keys: list[Mapping[str, Any]]) -> bytes:
    """The payload, checked by another library than ours, with the published keys and nothing else."""
    token = jws.JWS()
    token.allowed_algs = ["ES256"]
    token.deserialize(proof)
    key_set = jwk.JWKSet.from_json(json.dumps({"keys": keys}))
    token.verify(key_set.get_key(json.loads(part(proof, 0))["kid"]))
    payload: bytes = token.payload
    return payload


class TestWhatIsSigned:
    def test_the_statement_says_which_version_of_which_record_of_whom_and_when(
        self, prover: Prover, store: MemoryStore
    ) -> None:
        proven = prover.prove(record())
        assert proven.proof is not None
        bare = replace(proven, proof=None)
        assert bare == record()
        assert json.loads(verified(proven.proof, store.keys)) == {
            "pid": record().pid,
            "version": 1,
            "digest": json.loads(part(proven.proof, 1))["digest"],
            "iss": BASE_URL,
            "iat": round(MOMENT.timestamp()),
        }
        assert verify(proven.to_document(), {"keys": store.keys}).complete

    def test_header_and_statement_are_in_the_form_of_rfc_8785(self, prover: Prover, store: MemoryStore) -> None:
        proof = prover.prove(record()).proof
        assert proof is not None
        (key,) = store.keys
        assert part(proof, 0) == rfc8785.dumps({"alg": "ES256", "kid": key["kid"]})
        assert part(proof, 1) == rfc8785.dumps(json.loads(part(proof, 1)))
        assert b" " not in part(proof, 1)
        assert "=" not in proof

    def test_the_signature_is_the_two_numbers_in_sixty_four_bytes(self, prover: Prover) -> None:
        for _ in range(20):  # one in 128 begins with a zero that DER would leave out
            proof = prover.prove(record()).proof
            assert proof is not None
            assert len(part(proof, 2)) == 64

    def test_of_two_signatures_it_is_the_low_one_whichever_the_key_service_returns(self, store: MemoryStore) -> None:
        """AWS KMS returns either."""
        for signer in (LowSigner(), HighSigner()):
            proof = Prover(signer, store, FixedClock()).prove(record()).proof
            assert proof is not None
            assert int.from_bytes(part(proof, 2)[32:]) <= ORDER // 2
            assert verified(proof, store.keys)

    @given(st.dictionaries(st.text(max_size=10), json_values, max_size=4), st.integers(1, 9), st.booleans())
    def test_whatever_a_record_says_its_proof_verifies_from_what_is_stored_of_it(
        self, metadata: dict[str, Any], version: int, open_to_all: bool
    ) -> None:
        store = MemoryStore()
        unsigned = record(
            metadata=_encodable(metadata),
            version=version,
            previous=PREVIOUS if version > 1 else None,
            status=ACTIVE if open_to_all else RESERVED,
        )
        proven = Prover(KeySigner(), store, FixedClock()).prove(unsigned)
        stored = json.loads(json.dumps(proven.to_document()))
        assert verify(stored, {"keys": store.keys}).ok
        assert Record.from_document(stored) == proven

    def test_a_record_of_300_kilobytes_is_signed_and_verifies_from_the_key_set_alone(
        self, prover: Prover, store: MemoryStore
    ) -> None:
        places = tuple(Location(f"https://content.example.org/{number:0100d}") for number in range(2_000))
        proven = prover.prove(record(records=places, metadata={"what": "é" * 10_000}))
        document = proven.to_document()
        assert len(json.dumps(document)) > 300_000
        assert proven.proof is not None
        assert len(proven.proof) < 1_000
        payload = json.loads(verified(proven.proof, store.keys))
        assert verify(document, {"keys": store.keys}).ok
        document["records"][-1]["uri"] = document["records"][-1]["uri"][:-1] + "0"
        assert not verify(document, {"keys": store.keys}).ok
        assert payload["pid"] == proven.pid

    def test_reserved_records_are_signed_like_public_ones(self, prover: Prover, store: MemoryStore) -> None:
        assert verify(prover.prove(record(status=RESERVED)).to_document(), {"keys": store.keys}).ok

    def test_tombstones_are_signed_like_any_record(self, prover: Prover, store: MemoryStore) -> None:
        assert verify(prover.prove(TOMBSTONE).to_document(), {"keys": store.keys}).ok


def _encodable(metadata: dict[str, Any]) -> dict[str, Any]:
    """Without lone surrogates, which requests cannot have."""
    text = json.dumps(metadata, ensure_ascii=False).encode("utf-8", "ignore")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


UNSOUND: dict[str, Record] = {
    "signed already": record(proof="a.b.c"),
    "of another issuer": record(issuer="https://other.example.org"),
    "of an issuer that its PID only begins like": record(issuer=BASE_URL[:-1]),
    "of no issuer": record(issuer=""),
    "version 0": record(version=0),
    "a negative version": record(version=-1, previous=PREVIOUS),
    "a first version with one before": record(previous=PREVIOUS),
    "a second version with none before": record(version=2),
    "another digest": record(version=2, previous="sha-512=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"),
    "half a digest": record(version=2, previous="sha-256=:47DEQpj8HBSa:"),
    "more than a digest": record(version=2, previous=PREVIOUS + "\n"),
    "changed before it was created": record(created=LATER, updated=MOMENT),
    "withdrawn without saying why": replace(TOMBSTONE, withdrawn=None),
    "why it was withdrawn, but it was not": replace(TOMBSTONE, status=ACTIVE),
    "a tombstone that leads somewhere": replace(TOMBSTONE, records=record().records),
    "a status that nobody knows": record(status="deleted"),
    "times that the document cannot tell": record(updated=MOMENT.replace(microsecond=1)),
    "locations in a list that can still change": record(records=[Location("https://a.example/")]),
}


@pytest.mark.parametrize("unsound", UNSOUND)
def test_a_record_that_contradicts_itself_never_reaches_the_key(
    prover: Prover, signer: KeySigner, store: MemoryStore, unsound: str
) -> None:
    with pytest.raises(InconsistentRecord):
        prover.prove(UNSOUND[unsound])
    assert signer.signed == 0
    assert store.keys == []


def test_not_even_where_python_leaves_out_its_asserts() -> None:
    program = """
from coolid.proofs.statements import InconsistentRecord
from tests.support.fixtures.ports import KeySigner, prover
from tests.support.stores.memory_store import MemoryStore
from tests.support.builders.samples import record
assert False, "asserts are left out here"
signer = KeySigner()
try:
    prover(MemoryStore(), signer=signer).prove(record(version=2))
except InconsistentRecord:
    print("refused", signer.signed)
"""
    run = subprocess.run(
        [sys.executable, "-O", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "refused 0\n"


@pytest.mark.parametrize("value", [2**53, float("nan"), float("inf"), "\ud800", {1: "a"}, {"\ud800": 1}, {1, 2}])
def test_what_has_no_canonical_form_is_refused_as_the_callers_and_never_reaches_the_key(
    prover: Prover, signer: KeySigner, value: Any
) -> None:
    with pytest.raises(InvalidInput, match="cannot be signed"):
        prover.prove(record(metadata={"what": value}))
    assert signer.signed == 0


def test_a_pid_that_is_too_long_for_the_key_service_is_refused_as_the_callers(
    prover: Prover, signer: KeySigner, store: MemoryStore
) -> None:
    with pytest.raises(InvalidInput, match="too long"):
        prover.prove(record(pid=f"{BASE_URL}/{'x' * 3_000}"))
    assert signer.signed == 0


def test_the_longest_pid_that_can_be_requested_can_be_signed(prover: Prover, signer: KeySigner) -> None:
    proof = prover.prove(record(pid=f"{BASE_URL}/{'x' * 2_048}")).proof
    assert proof is not None
    assert len(proof.rpartition(".")[0]) < MAX_BYTES
    assert signer.signed == 1


class TestPublishing:
    def test_the_key_is_public_before_it_signs(self, signer: KeySigner, store: MemoryStore) -> None:
        seen: list[int] = []

        class Watching(KeySigner):
            def sign(self, message: bytes) -> bytes:
                seen.append(len(store.keys))
                return super().sign(message)

        watching = Watching()
        Prover(watching, store, FixedClock()).prove(record())
        assert seen == [1]
        assert store.keys == [watching.public_key()]

    def test_nothing_is_signed_while_it_cannot_be_published(self, signer: KeySigner, store: MemoryStore) -> None:
        broken = Prover(signer, FailingStore(store, "before", "add_public_key", times=2), FixedClock())
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                broken.prove(record())
        assert (signer.signed, store.keys) == (0, [])
        assert broken.prove(record()).proof
        assert store.keys == [signer.public_key()]

    def test_a_key_that_was_published_though_the_response_was_lost_is_published_once(
        self, signer: KeySigner, store: MemoryStore
    ) -> None:
        broken = Prover(signer, FailingStore(store, "after", "add_public_key", times=1), FixedClock())
        with pytest.raises(StoreUnavailable):
            broken.prove(record())
        assert signer.signed == 0
        broken.prove(record())
        assert store.keys == [signer.public_key()]

    def test_it_is_published_once_however_much_it_signs(self, prover: Prover, store: MemoryStore) -> None:
        for _ in range(5):
            prover.prove(record())
        assert store.calls["add_public_key"] == 1

    def test_a_new_key_joins_the_old_ones_and_what_they_signed_still_verifies(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        signers = [KeySigner() for _ in range(3)]
        proven = [Prover(each, store, clock).prove(record()) for each in signers]
        assert store.keys == [each.public_key() for each in signers]
        for each in proven:
            assert verify(each.to_document(), {"keys": store.keys}).ok
            assert each.proof is not None
            verified(each.proof, store.keys)

    def test_a_signer_may_change_its_key_and_the_new_one_is_published_too(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        changing = KeySigner()
        prover = Prover(changing, store, clock)
        prover.prove(record())
        changing._key = generate_private_key(SECP256R1())
        assert verify(prover.prove(record()).to_document(), {"keys": store.keys}).ok
        assert len(store.keys) == 2


class Odd(KeySigner):
    """Signs, but gives back something else."""

    def __init__(self, change: Callable[[bytes, bytes, Any], bytes]) -> None:
        super().__init__()
        self.change = change

    def sign(self, message: bytes) -> bytes:
        return self.change(super().sign(message), message, self._key)


ODDITIES: dict[str, Callable[[bytes, bytes, Any], bytes]] = {
    "nothing": lambda signature, message, key: b"",
    "garbage": lambda signature, message, key: b"\xa5" * 64,
    "zeros": lambda signature, message, key: bytes(64),
    "one byte less": lambda signature, message, key: signature[:-1],
    "one byte more": lambda signature, message, key: signature + b"\0",
    "one bit changed": lambda signature, message, key: signature[:-1] + bytes([signature[-1] ^ 1]),
    "the halves exchanged": lambda signature, message, key: signature[32:] + signature[:32],
    "its DER form": lambda signature, message, key: key.sign(message, ECDSA(SHA256())),
    "another key's": lambda signature, message, key: KeySigner().sign(message),
    "that of another message": lambda signature, message, key: KeySigner.sign(_with(key), message + b"."),
}


def _with(key: Any) -> KeySigner:
    signer = KeySigner()
    signer._key = key
    return signer


class TestSigners:
    @pytest.mark.parametrize("oddity", ODDITIES)
    def test_what_is_not_the_keys_signature_is_found_out(self, store: MemoryStore, oddity: str) -> None:
        with pytest.raises(SignerUnavailable):
            Prover(Odd(ODDITIES[oddity]), store, FixedClock()).prove(record())

    @pytest.mark.parametrize("oddity", ODDITIES)
    def test_nothing_is_minted_with_it(self, store: MemoryStore, oddity: str) -> None:
        store.create_repository(repository())
        store.put_prefix(namespace("demo"), None)
        prover = Prover(Odd(ODDITIES[oddity]), store, FixedClock())
        minter = Minter(
            store, store, store, clock=FixedClock(), entropy=SeededEntropy(), prover=prover, base_url=BASE_URL
        )
        with pytest.raises(SignerUnavailable):
            minter.mint(MintRequest(), minter.namespace("demo"))
        assert store.records_by_key == {}
        assert store.calls["create_record"] == 0

    def test_a_failing_signer_is_reported_and_nothing_is_published(
        self, prover: Prover, signer: KeySigner, store: MemoryStore
    ) -> None:
        signer.broken = True
        with pytest.raises(SignerUnavailable, match="did not answer"):
            prover.prove(record())
        assert store.keys == []
        signer.broken = False
        assert prover.prove(record()).proof
