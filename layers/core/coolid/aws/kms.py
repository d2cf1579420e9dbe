"""Signing keys in AWS KMS (key spec ECC_NIST_P256), and their rotation.

A new key is published before it signs anything. It becomes current when the stack is deployed with it (parameter
`SigningKeyArn`). Older proofs stay verifiable, because every public key stays published. A retired KMS key may even be
deleted.
"""

from collections.abc import Mapping
from typing import Any, Final

from coolid.aws.key_service_errors import translate_errors
from coolid.proofs.statements import public_jwk, raw_signature
from coolid.store.public_keys import PublicKeyStore

# Equal to `SigningKey` in template.yaml.
_KEY: Final = {"KeySpec": "ECC_NIST_P256", "KeyUsage": "SIGN_VERIFY"}


class KmsSigner:
    """Implements `coolid.ports.Signer` with a low-level boto3 client. Fetches the public key once."""

    def __init__(self, client: Any, key_id: str) -> None:
        self._client = client
        self._key_id = key_id
        self._public_key: Mapping[str, Any] | None = None

    def public_key(self) -> Mapping[str, Any]:
        if self._public_key is None:
            with translate_errors("public key on P-256"):
                answer = self._client.get_public_key(KeyId=self._key_id)
                self._public_key = public_jwk(answer["PublicKey"])
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        """See `Signer`. Sends the whole message (`RAW`), at most 4,096 bytes."""
        with translate_errors("signature"):
            answer = self._client.sign(
                KeyId=self._key_id, Message=message, MessageType="RAW", SigningAlgorithm="ECDSA_SHA_256"
            )
            return raw_signature(answer["Signature"])


def create_key(kms: Any) -> str:
    """Create a key in KMS and return its ARN. The account's policies control its use."""
    answer = kms.create_key(**_KEY, Description="Signs the proofs of coolid's records (ES256)")
    arn: str = answer["KeyMetadata"]["Arn"]
    return arn


def publish(kms: Any, key_id: str, keys: PublicKeyStore) -> str:
    """Publish the public key and return its thumbprint (`kid`). Raises `SignerUnavailable`, `StoreUnavailable`."""
    public_key = KmsSigner(kms, key_id).public_key()
    keys.add_public_key(public_key)
    return str(public_key["kid"])
