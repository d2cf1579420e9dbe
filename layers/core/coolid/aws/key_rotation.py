"""Rotation: a new signing key in KMS, published before it signs anything.

It becomes current when the stack is deployed with it (parameter `SigningKeyArn`). What older keys signed stays
verifiable, since every public key ever used stays published; a retired KMS key may even be deleted.
"""

from typing import Any, Final

from coolid.aws.kms import KmsSigner
from coolid.store.store import Store

# As `SigningKey` in template.yaml.
_KEY: Final = {"KeySpec": "ECC_NIST_P256", "KeyUsage": "SIGN_VERIFY"}


def create_key(kms: Any) -> str:
    """Make a key in KMS; its ARN. Whoever may use it is decided by the account's policies."""
    answer = kms.create_key(**_KEY, Description="Signs the proofs of coolid's records (ES256)")
    arn: str = answer["KeyMetadata"]["Arn"]
    return arn


def publish(kms: Any, key_id: str, store: Store) -> str:
    """Add the key's public half to those that everybody can verify with; its thumbprint (`kid`).

    Raises `SignerUnavailable`, `StoreUnavailable`.
    """
    public_key = KmsSigner(kms, key_id).public_key()
    store.add_public_key(public_key)
    return str(public_key["kid"])
