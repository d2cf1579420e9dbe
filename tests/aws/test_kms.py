"""The key in KMS: signatures as JWS has them; and with the key gone, reads go on and writes are refused cleanly."""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from botocore.config import Config
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwcrypto import jwk

from coolid.aws.boto_time_limits import limit_calls
from coolid.aws.kms import KmsSigner
from coolid.aws.kms_note_signer import KmsNoteSigner
from coolid.aws.response_checks import check
from coolid.errors import SignerUnavailable
from coolid.local.stack import find_template
from coolid.proofs.statements import MAX_BYTES, Prover, is_signature, public_jwk
from coolid.proofs.verification import verify
from tests.support.builders.samples import ROOT, record
from tests.support.builders.signed_documents import Key
from tests.support.builders.stack import create_keys, load
from tests.support.fixtures.events import to_event
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.ports import FixedClock, KeySigner
from tests.support.fixtures.system import Answer, TablesSystem, answer_of, system_over_tables
from tests.support.servers.faulty_server import FAULTS, Fault, Hanging, answering, faulty_server
from tests.support.servers.loopback import nobody
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.moto_store import CREDENTIALS, REGION

PATIENT = Config(connect_timeout=30, read_timeout=30, retries={"total_max_attempts": 1})
IMPATIENT = Config(connect_timeout=0.05, read_timeout=0.05, retries={"total_max_attempts": 1})
"""For services that hang."""
RECORDS = "/api/v1/records"
MESSAGE = b"a message"


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """botocore's pauses between attempts are not what is tested."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))


@pytest.fixture(scope="module")
def key_id(moto_tables: dict[str, str]) -> str:
    """The key of the stack's template."""
    return create_keys(load(find_template()))["SigningKey"]


@pytest.fixture
def signer(key_id: str) -> KmsSigner:
    return KmsSigner(boto3.client("kms"), key_id)


class TestSigning:
    def test_a_signature_has_sixty_four_bytes_and_is_of_its_message(self, signer: KmsSigner) -> None:
        for number in range(20):
            message = bytes([number])
            signature = signer.sign(message)
            assert len(signature) == 64
            assert is_signature(message, signature, signer.public_key())
            assert not is_signature(b"another", signature, signer.public_key())

    def test_the_public_key_is_that_of_kms_named_by_its_thumbprint(self, signer: KmsSigner, key_id: str) -> None:
        returned = signer.public_key()
        der = boto3.client("kms").get_public_key(KeyId=key_id)["PublicKey"]
        assert returned == public_jwk(der)
        assert jwk.JWK(**returned).thumbprint() == returned["kid"]

    def test_it_is_read_once(self, key_id: str) -> None:
        client = boto3.client("kms")
        requested: list[str] = []
        client.meta.events.register("before-call.kms.*", lambda model, **_: requested.append(model.name))
        signer = KmsSigner(client, key_id)
        assert requested == []
        signer.public_key()
        signer.public_key()
        signer.sign(MESSAGE)
        assert requested == ["GetPublicKey", "Sign"]

    def test_it_signs_the_longest_message_that_is_ever_sent(self, signer: KmsSigner) -> None:
        assert len(signer.sign(b"x" * MAX_BYTES)) == 64

    def test_a_record_is_proven_with_it(self, signer: KmsSigner, store: MemoryStore) -> None:
        proven = Prover(signer, store, FixedClock()).prove(record())
        assert verify(proven.to_document(), {"keys": store.keys}).complete


@pytest.mark.parametrize("spec", ["ECC_NIST_P384", "ECC_NIST_P521", "ECC_SECG_P256K1", "RSA_2048"])
def test_a_key_of_another_kind_is_never_used(moto_tables: dict[str, str], store: MemoryStore, spec: Any) -> None:
    client = boto3.client("kms")
    key_id = client.create_key(KeySpec=spec, KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    requested: list[str] = []
    client.meta.events.register("before-call.kms.*", lambda model, **_: requested.append(model.name))
    with pytest.raises(SignerUnavailable, match="P-256"):
        Prover(KmsSigner(client, key_id), store, FixedClock()).prove(record())
    assert requested == ["GetPublicKey"]
    assert store.keys == []


@pytest.mark.parametrize("missing", ["00000000-0000-0000-0000-000000000000", "alias/nobody", "nonsense"])
def test_a_key_that_does_not_exist_is_unavailable(moto_tables: dict[str, str], missing: str) -> None:
    signer = KmsSigner(boto3.client("kms"), missing)
    for call in (signer.public_key, lambda: signer.sign(MESSAGE)):
        with pytest.raises(SignerUnavailable, match="NotFoundException"):
            call()


def test_without_credentials_it_is_unavailable(monkeypatch: pytest.MonkeyPatch, key_id: str) -> None:
    for name in CREDENTIALS:
        if name != "AWS_DEFAULT_REGION":
            monkeypatch.delenv(name)
    session = boto3.Session(region_name=REGION)
    assert session.get_credentials() is None
    with nobody() as url, pytest.raises(SignerUnavailable, match="did not answer"):
        KmsSigner(session.client("kms", endpoint_url=url), key_id).sign(MESSAGE)


def replying(**members: Any) -> Fault:
    """An answer of another content than KMS gives."""
    return answering(200, "", **members)


REFUSALS: dict[str, Fault] = {
    "is disabled": answering(400, "DisabledException"),
    "is to be deleted": answering(400, "KMSInvalidStateException"),
    "is gone": answering(400, "NotFoundException"),
    "denies access": answering(400, "AccessDeniedException"),
    "is of another use": answering(400, "InvalidKeyUsageException"),
    "finds the message too long": answering(400, "ValidationException"),
    "throttles": answering(400, "ThrottlingException"),
    "is out of reach of its store": answering(500, "KMSInternalException"),
    "times out inside": answering(500, "DependencyTimeoutException"),
    "answers nothing": replying(),
    "answers with an empty text": replying(Signature="", PublicKey=""),
    "answers what is no base64": replying(Signature="%%%", PublicKey="%%%"),
    "answers half of base64": replying(Signature="abc", PublicKey="abc"),
    "answers garbage": replying(Signature=b64encode(b"garbage").decode(), PublicKey=b64encode(b"garbage").decode()),
    "answers a number": replying(Signature=7, PublicKey=7),
    "closes the connection": FAULTS["closes the connection"],
    "breaks off": FAULTS["breaks off"],
    "talks nonsense": FAULTS["talks nonsense"],
    "answers null": FAULTS["answers null"],
    "answers a list": FAULTS["answers a list"],
}


def patience(how: str) -> Config:
    """The time limits for a key service that does so."""
    return IMPATIENT if how == "hangs" else PATIENT


@contextmanager
def out_of_order(how: str) -> Iterator[str]:
    """The URL of a key service that does so, or hangs, or is not there."""
    if how == "is not there":
        with nobody() as url:
            yield url
    else:
        with faulty_server(Hanging() if how == "hangs" else REFUSALS[how]) as url:
            yield url


@pytest.mark.parametrize("how", [*REFUSALS, "is not there", "hangs"])
def test_a_key_service_that_fails_is_unavailable_whatever_it_says(moto_tables: dict[str, str], how: str) -> None:
    with out_of_order(how) as url:
        client = boto3.client("kms", endpoint_url=url, config=patience(how))
        limited = limit_calls(client, check)
        signers: tuple[KmsSigner | KmsNoteSigner, ...] = KmsSigner(limited, "a-key"), KmsNoteSigner(limited, "a-key")
        for signer in signers:
            for call in (signer.public_key, partial(signer.sign, MESSAGE)):
                with pytest.raises(SignerUnavailable):
                    call()


def test_checkpoints_are_signed_with_an_ed25519_key_whose_public_half_is_read_once() -> None:
    key, requested = Ed25519PrivateKey.generate(), list[str]()
    raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requested.append(handler.headers["X-Amz-Target"].partition(".")[2])
        der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        content = {"PublicKey": der, "Signature": key.sign(MESSAGE)}
        replying(**{name: b64encode(value).decode() for name, value in content.items()})(handler)

    with faulty_server(answer) as url:
        signer = KmsNoteSigner(boto3.client("kms", endpoint_url=url, config=PATIENT), "a-key")
        assert signer.public_key() == signer.public_key() == raw
        key.public_key().verify(signer.sign(MESSAGE), MESSAGE)
    assert requested == ["GetPublicKey", "Sign"]


def test_a_key_of_another_kind_signs_no_checkpoint(key_id: str) -> None:
    signer = KmsNoteSigner(boto3.client("kms"), key_id)
    with pytest.raises(SignerUnavailable, match="Edwards25519"):
        signer.public_key()


def test_a_service_that_recovers_is_used_again(moto_tables: dict[str, str]) -> None:
    key, left = Key(1), [2]

    def recovering(handler: BaseHTTPRequestHandler) -> None:
        left[0] -= 1
        answering(400, "ThrottlingException")(handler) if left[0] >= 0 else keeping(key)(handler)

    with faulty_server(recovering) as url:
        signer = KmsSigner(limit_calls(boto3.client("kms", endpoint_url=url, config=PATIENT), check), "a-key")
        for _ in range(2):
            with pytest.raises(SignerUnavailable):
                signer.public_key()
        assert signer.public_key() == key.jwk


def keeping(key: Key, signing: Callable[[bytes], bytes] | Fault | None = None) -> Fault:
    """A key service with that key; its signatures are made, or its requests to sign answered, by `signing`."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if not handler.headers["X-Amz-Target"].endswith("GetPublicKey"):
            assert signing is not None
            signing(handler)  # type: ignore[arg-type]
            return
        returned = jwk.JWK(**key.jwk).export_to_pem().decode()
        der = "".join(returned.split("-----")[2].split())
        assert b64decode(der)
        replying(PublicKey=der)(handler)

    return answer


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TablesSystem]:
    with system_over_tables(tmp_path_factory.mktemp("signing")) as running:
        yield running


class Functions:
    """The mint and manage functions of a system, with a key service of their own."""

    def __init__(self, system: TablesSystem, url: str, key_id: str = "a-key", config: Config = PATIENT) -> None:
        self.system = system
        returned = dict(system.environment) | {"AWS_ENDPOINT_URL_KMS": url, "SIGNING_KEY_ID": key_id}
        with patch.dict(os.environ, returned), patch("coolid.wiring.boto_clients.SIGNING", config):
            self.handlers = {name: load_handler(ROOT / "functions" / name) for name in ("mint", "manage")}

    def request(self, method: str, path: str, document: Any, tag: str | None = None) -> Answer:
        headers = [("Authorization", f"Bearer {self.system.admin_key}")]
        headers += [("If-Match", tag)] if tag else []
        body = json.dumps(document).encode()
        event = to_event(method, path, "", headers=headers, body=body, request_id="1")
        return answer_of(self.handlers["mint" if method == "POST" else "manage"](event, None))

    def changes(self) -> Iterator[Answer]:
        """The answers to one of each kind of change, all of them sound, of a record that there is."""
        minted = self.system.mint({"prefix": "demo", "uri": "https://content.example.org/"})
        path, tag = f"{RECORDS}/demo:{minted.json()['id']}", minted.headers["etag"]
        before = self.system.contents()
        shown = self.system.get(f"/demo:{minted.json()['id']}", accept="application/linkid+json")
        assert shown.status == 200
        yield self.request("POST", RECORDS, {"prefix": "demo", "uri": "https://content.example.org/b"})
        yield self.request("POST", RECORDS, {"prefix": "demo", "id": "0000-0001-95"})
        yield self.request("PUT", path, {"uri": "https://content.example.org/c"}, tag)
        yield self.request("PATCH", path, {"metadata": {"what": "A thing"}}, tag)
        yield self.request("DELETE", path, {"reason": "why"}, tag)
        assert self.system.contents() == before
        assert self.system.get(f"/demo:{minted.json()['id']}", accept="application/linkid+json") == shown
        assert self.system.get(f"/demo:{minted.json()['id']}").status == 302
        assert self.system.get("/.well-known/jwks.json").status == 200
        assert self.system.admin("GET", path).json() == minted.json()


def demand_clean_refusals(functions: Functions) -> None:
    """503 for each change; nothing written; reads go on."""
    for answer in functions.changes():
        assert answer.is_problem(503, "signer-unavailable")
        assert int(answer.headers["retry-after"]) > 0
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "how", ["is disabled", "is gone", "throttles", "answers garbage", "answers null", "is not there", "hangs"]
)
def test_without_the_key_every_change_is_refused_and_reads_continue(running: TablesSystem, how: str) -> None:
    with out_of_order(how) as url:
        demand_clean_refusals(Functions(running, url, config=patience(how)))


def test_a_key_of_another_kind_refuses_every_change(running: TablesSystem) -> None:
    client = boto3.client("kms")
    key_id = client.create_key(KeySpec="ECC_NIST_P384", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    demand_clean_refusals(Functions(running, client.meta.endpoint_url, key_id))


SIGNINGS: dict[str, Fault] = {
    "refuses": answering(400, "DisabledException"),
    "closes the connection": FAULTS["closes the connection"],
    "answers with another key's": replying(Signature=b64encode(Key(2).der(MESSAGE)).decode()),
    "answers with that of another message": replying(Signature=b64encode(Key(1).der(MESSAGE)).decode()),
    "answers with the raw form": replying(Signature=b64encode(KeySigner().sign(MESSAGE)).decode()),
}


@pytest.mark.parametrize("how", SIGNINGS)
def test_a_key_that_is_known_but_does_not_sign_refuses_every_change(running: TablesSystem, how: str) -> None:
    running.store().public_keys.add_public_key(Key(1).jwk)  # it signed before
    with faulty_server(keeping(Key(1), SIGNINGS[how])) as url:
        demand_clean_refusals(Functions(running, url))


def test_all_attempts_to_sign_end_while_the_gateway_still_waits() -> None:
    """API Gateway waits 29 seconds, of which the store may need its own."""
    from coolid.wiring.boto_clients import SIGNING

    config: Any = SIGNING
    attempts = config.retries["total_max_attempts"]
    pauses = sum(2**attempt for attempt in range(attempts - 1))  # botocore's standard mode: at most 1 s, 2 s ...
    assert attempts * (2 * config.connect_timeout + config.read_timeout) + pauses < 20
