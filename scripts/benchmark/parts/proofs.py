"""Proofs: signing a record with a key at hand, and judging one by its issuer's keys; beside jwcrypto, and bare ECDSA.

With KMS the signature itself is made there, and waited for. jwcrypto signs and verifies the same bytes of a JWS, but
neither digests the record nor compares it with what was signed; the floor is the arithmetic of P-256 alone.
"""

from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS
from msgspec.structs import replace

from coolid import verify
from coolid.aws import key_file
from coolid.aws.clock import SystemClock
from coolid.model.records import Record
from coolid.proofs.statements import Prover
from scripts.benchmark import canned, rows
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.results import Figure, figure

SIGN, VERIFY = "proofs: sign a record", "proofs: verify a record"
KEY = "key.pem"


class _Published:
    """Of a store, what a prover needs of it whose key is published."""

    def add_public_key(self, _key: object) -> None:
        """It is there."""


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    told = []
    for name, taken in measured(_cases(scratch), effort.rounds()).items():
        each = figure(name, "µs", taken)
        told.append(each if name in (SIGN, VERIFY) else each.beside(SIGN if ": sign" in name else VERIFY))
    return told


def _cases(scratch: Path) -> list[Case]:
    key_file.ensure(scratch / KEY)
    signer = key_file.KeyFileSigner(scratch / KEY)
    body = rows.read(scratch / canned.ROWS).pattern["body"]["S"]
    unsigned = replace(Record.from_document(msgspec.json.decode(body)), proof=None)
    prover = Prover(signer, _Published(), SystemClock())  # type: ignore[arg-type]  # it needs no more of a store
    document, keys = prover.prove(unsigned).to_document(), {"keys": [signer.public_key()]}
    assert verify(document, keys).ok
    protected, payload, _ = document["proof"].split(".")
    message = f"{protected}.{payload}".encode()
    peers_key, private = JWK.from_pem((scratch / KEY).read_bytes()), generate_private_key(SECP256R1())
    public, signature = private.public_key(), private.sign(message, ECDSA(SHA256()))

    def jwcrypto_sign() -> str:
        token = JWS(payload)
        token.add_signature(peers_key, protected='{"alg":"ES256"}')
        return str(token.serialize(compact=True))

    def jwcrypto_verify() -> None:
        JWS.from_jose_token(document["proof"]).verify(peers_key)

    return [
        Case(SIGN, lambda: prover.prove(unsigned)),
        Case("proofs: sign, jwcrypto", jwcrypto_sign),
        Case("proofs: sign, floor, ECDSA", lambda: private.sign(message, ECDSA(SHA256()))),
        Case(VERIFY, lambda: verify(document, keys)),
        Case("proofs: verify, jwcrypto", jwcrypto_verify),
        Case("proofs: verify, floor, ECDSA", lambda: public.verify(signature, message, ECDSA(SHA256()))),
    ]
