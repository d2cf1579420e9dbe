"""KMS keys on Edwards25519, which LocalStack lacks: key spec ECC_NIST_EDWARDS25519, algorithm ED25519_SHA_512.

Source: AWS KMS Developer Guide, "Key spec reference"; API reference, `Sign`. Messages are sent whole (`RAW`).
"""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from localstack.services.kms.exceptions import ValidationException
from localstack.services.kms.models import KmsCryptoKey, KmsKey

_SPEC = "ECC_NIST_EDWARDS25519"
_ALGORITHM = "ED25519_SHA_512"


def install() -> None:
    """Add these keys to LocalStack's KMS."""
    create, name_algorithms, sign = KmsCryptoKey.__init__, KmsKey._populate_signing_algorithms, KmsKey.sign

    def create_any(self: Any, key_spec: str, key_material: bytes | None = None) -> None:
        create(self, "SYMMETRIC_DEFAULT" if key_spec == _SPEC else key_spec, key_material)
        if key_spec == _SPEC:
            self.key_spec = key_spec
            self._serialize_key(Ed25519PrivateKey.generate())

    def name_any_algorithms(self: Any, key_usage: str, key_spec: str) -> None:
        name_algorithms(self, key_usage, key_spec)
        if key_spec == _SPEC:
            self.metadata["SigningAlgorithms"] = [_ALGORITHM]

    def sign_any(self: Any, data: bytes, message_type: str, signing_algorithm: str) -> bytes:
        if (self.crypto_key.key_spec == _SPEC) != (signing_algorithm == _ALGORITHM):
            raise ValidationException(f"The key does not sign with {signing_algorithm}")
        if signing_algorithm != _ALGORITHM:
            return bytes(sign(self, data, message_type, signing_algorithm))
        if message_type != "RAW":
            raise ValidationException(f"{_ALGORITHM} takes messages of type RAW")
        return bytes(self.crypto_key.key.sign(data))

    KmsCryptoKey.__init__ = create_any
    KmsKey._populate_signing_algorithms = name_any_algorithms
    KmsKey.sign = sign_any
