"""The key in a file: made once, for its owner's eyes, and nothing but a private key on P-256."""

import os
import stat
import subprocess
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from coolid.aws import key_file
from coolid.aws.key_file import BadSigningKey, KeyFileNoteSigner, KeyFileSigner, ensure, ensure_note_key
from coolid.aws.settings import Settings
from coolid.log.signed_notes import is_signature
from coolid.private_files import UnsuitableFile
from coolid.proofs.statements import Prover, public_jwk, signing_input
from coolid.proofs.statements import is_signature as is_es256
from coolid.proofs.verification import verify
from coolid.wiring.write_access import signer as wired_signer
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched, link
from tests.support.builders.samples import record
from tests.support.builders.signed_documents import Key
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import environment_for, table_names
from tests.support.stores.memory_store import MemoryStore

KEY = Key(5)


def pem(key: Any, encryption: KeySerializationEncryption | None = None, form: str = "PKCS8") -> bytes:
    encoded: bytes = key.private_bytes(Encoding.PEM, getattr(PrivateFormat, form), encryption or NoEncryption())
    return encoded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "signing-key.pem"


class TestSigning:
    @pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
    def test_it_signs_as_the_key_that_is_in_the_file(self, path: Path, form: str) -> None:
        path.write_bytes(pem(KEY.private, form=form))
        signer = KeyFileSigner(path)
        assert signer.public_key() == KEY.jwk
        for number in range(20):
            message = signing_input({"n": number}, KEY.jwk["kid"])
            signature = signer.sign(message)
            assert len(signature) == 64
            assert is_es256(message, signature, KEY.jwk)

    def test_nothing_private_is_in_the_public_key(self, path: Path) -> None:
        ensure(path)
        signer = KeyFileSigner(path)
        assert signer.public_key().keys() == {"kty", "crv", "x", "y", "kid", "alg", "use"}
        assert signer.public_key() == public_jwk(path.read_bytes())

    def test_a_record_is_proven_with_it_and_verifies_after_the_file_is_read_again(
        self, path: Path, store: MemoryStore
    ) -> None:
        ensure(path)
        for _ in range(2):
            proven = Prover(KeyFileSigner(path), store, FixedClock()).prove(record())
            assert verify(proven.to_document(), {"keys": store.keys}).complete
        assert len(store.keys) == 1

    def test_openssl_makes_such_files_too(self, path: Path) -> None:
        made = subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],  # noqa: S607
            capture_output=True,
            check=True,
        )
        path.write_bytes(made.stdout)
        signer = KeyFileSigner(path)
        message = signing_input({}, "k")
        assert is_es256(message, signer.sign(message), signer.public_key())

    def test_the_settings_can_name_it_instead_of_a_key_in_kms(self, path: Path) -> None:
        path.write_bytes(pem(KEY.private))
        returned = environment_for(table_names()) | {"SIGNING_KEY_ID": "", "SIGNING_KEY_FILE": str(path)}
        assert wired_signer(Settings.read(returned, writes=True)).public_key() == KEY.jwk


def unknown_algorithm() -> bytes:
    """A key in PKCS #8 whose algorithm nobody knows."""
    der = ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    changed = der.replace(b"\x06\x03\x2b\x65\x70", b"\x06\x03\x2b\x65\x7f")
    return b"-----BEGIN PRIVATE KEY-----\n" + b64encode(changed) + b"\n-----END PRIVATE KEY-----\n"


NO_KEYS: dict[str, bytes] = {
    "nothing": b"",
    "text": b"a key",
    "P-384": pem(ec.generate_private_key(ec.SECP384R1())),
    "secp256k1": pem(ec.generate_private_key(ec.SECP256K1())),
    "RSA": pem(rsa.generate_private_key(65_537, 2_048)),
    "Ed25519": pem(ed25519.Ed25519PrivateKey.generate()),
    "an algorithm that nobody knows": unknown_algorithm(),
    "a key behind a password": pem(KEY.private, BestAvailableEncryption(b"secret")),
    "the public half": KEY.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    "DER": KEY.private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()),
    "half of a file": pem(KEY.private)[:100],
    "a file of other octets": b"\xa5" * 300,
}


class TestFilesThatHoldNone:
    @pytest.mark.parametrize("what", NO_KEYS)
    def test_they_are_refused_with_their_name(self, path: Path, what: str) -> None:
        path.write_bytes(NO_KEYS[what])
        with pytest.raises(BadSigningKey, match=r"signing-key\.pem"):
            KeyFileSigner(path)

    def test_so_are_files_that_do_not_exist_and_folders(self, path: Path, tmp_path: Path) -> None:
        for missing in (path, tmp_path):
            with pytest.raises(BadSigningKey):
                KeyFileSigner(missing)

    def test_no_refusal_shows_the_content_of_the_file(self, path: Path) -> None:
        secret = pem(KEY.private)[:-60]
        path.write_bytes(secret)
        with pytest.raises(BadSigningKey) as raised:
            KeyFileSigner(path)
        assert secret.splitlines()[1].decode() not in str(raised.value)


class TestKeysOfNotes:
    def test_it_signs_as_the_key_that_is_in_the_file(self, path: Path) -> None:
        ensure_note_key(path)
        signer = KeyFileNoteSigner(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert is_signature(b"a note", signer.sign(b"a note"), signer.public_key())
        assert not is_signature(b"another", signer.sign(b"a note"), signer.public_key())

    @pytest.mark.parametrize("what", [each for each in NO_KEYS if each != "Ed25519"])
    def test_other_files_are_refused_with_their_name(self, path: Path, what: str) -> None:
        path.write_bytes(NO_KEYS[what])
        with pytest.raises(BadSigningKey, match=r"signing-key\.pem"):
            KeyFileNoteSigner(path)

    def test_a_key_of_proofs_is_refused(self, path: Path) -> None:
        ensure(path)
        with pytest.raises(BadSigningKey, match="not an Ed25519 key"):
            KeyFileNoteSigner(path)


class TestMaking:
    def test_only_its_owner_can_read_it_whatever_the_umask(self, path: Path) -> None:
        before = os.umask(0)
        try:
            ensure(path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_folders_on_the_way_are_made(self, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "key.pem"
        ensure(path)
        assert KeyFileSigner(path).public_key()["kid"]

    def test_one_that_is_there_stays_whatever_is_in_it(self, path: Path) -> None:
        ensure(path)
        first = path.read_bytes()
        ensure(path)
        assert path.read_bytes() == first
        path.write_bytes(b"mine")
        ensure(path)
        assert path.read_bytes() == b"mine"

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_only_a_regular_file_holds_it(self, path: Path, obstacle: str) -> None:
        OBSTACLES[obstacle](path)
        with pytest.raises(UnsuitableFile, match=r"signing-key\.pem"):
            ensure(path)
        assert is_untouched(obstacle, path)

    def test_a_link_that_appears_meanwhile_is_not_taken_for_it(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def generated(curve: ec.EllipticCurve) -> ec.EllipticCurvePrivateKey:
            link(path)
            return ec.generate_private_key(curve)

        monkeypatch.setattr(key_file, "generate_private_key", generated)
        with pytest.raises(UnsuitableFile, match=r"signing-key\.pem"):
            ensure(path)

    def test_no_two_are_alike(self, tmp_path: Path) -> None:
        paths = [tmp_path / str(number) for number in range(5)]
        for path in paths:
            ensure(path)
        assert len({KeyFileSigner(path).public_key()["kid"] for path in paths}) == 5

    def test_of_sixteen_who_make_it_at_once_all_use_the_same(self, path: Path) -> None:
        def made(_: int) -> str:
            ensure(path)
            return str(KeyFileSigner(path).public_key()["kid"])

        with ThreadPoolExecutor(16) as threads:
            assert len(set(threads.map(made, range(16)))) == 1
