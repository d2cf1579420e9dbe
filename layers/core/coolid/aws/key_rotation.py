"""Rotation of the signing key in KMS. A new key is published before it signs anything.

It becomes current when the stack is deployed with it (parameter `SigningKeyArn`). Older proofs stay verifiable, because
every public key stays published. A retired KMS key may even be deleted.
"""

from typing import Any, Final

from coolid.aws.kms import KmsSigner
from coolid.store.public_keys import PublicKeyStore

# Equal to `SigningKey` in template.yaml.
_KEY: Final = {"KeySpec": "ECC_NIST_P256", "KeyUsage": "SIGN_VERIFY"}


def create_key(kms: Any) -> str:
    """Create a key in KMS and return its ARN. The account's policies control its use."""
    answer = kms.create_key(**_KEY, Description="Signs the proofs of coolid's records (ES256)")
    arn: str = answer["KeyMetadata"]["Arn"]
    return arn


def publish(kms: Any, key_id: str, keys: PublicKeyStore) -> str:
    """Publish the public key and return its thumbprint (`kid`).

    Raises `SignerUnavailable`, `StoreUnavailable`.
    """
    public_key = KmsSigner(kms, key_id).public_key()
    keys.add_public_key(public_key)
    return str(public_key["kid"])
