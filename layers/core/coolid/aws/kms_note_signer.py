"""The key of the transparency log's checkpoints in AWS KMS: key spec ECC_NIST_EDWARDS25519, pure Ed25519.

Source: AWS KMS Developer Guide, "Key spec reference"; API reference, `Sign`; RFC 8410, section 4, for the public key.
"""

from typing import Any, Final

from coolid.aws.key_service_errors import translate_errors

_DER_HEADER: Final = bytes.fromhex("302a300506032b6570032100")
_SIGNATURE_BYTES: Final = 64
_PUBLIC_KEY_BYTES: Final = 32


class KmsNoteSigner:
    """Implements `coolid.ports.NoteSigner` with a low-level boto3 client. Fetches the public key once."""

    def __init__(self, client: Any, key_id: str) -> None:
        self._client = client
        self._key_id = key_id
        self._public_key: bytes | None = None

    def public_key(self) -> bytes:
        """See `NoteSigner`."""
        if self._public_key is None:
            with translate_errors("public key on Edwards25519"):
                encoded = bytes(self._client.get_public_key(KeyId=self._key_id)["PublicKey"])
                if len(encoded) != len(_DER_HEADER) + _PUBLIC_KEY_BYTES or not encoded.startswith(_DER_HEADER):
                    raise ValueError("another kind of key")
                self._public_key = encoded.removeprefix(_DER_HEADER)
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        """See `NoteSigner`. Sends the whole message (`RAW`), at most 4,096 bytes."""
        with translate_errors("Ed25519 signature"):
            answer = self._client.sign(
                KeyId=self._key_id, Message=message, MessageType="RAW", SigningAlgorithm="ED25519_SHA_512"
            )
            signature = bytes(answer["Signature"])
            if len(signature) != _SIGNATURE_BYTES:
                raise ValueError("another kind of signature")
            return signature
