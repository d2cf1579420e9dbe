"""Signed notes and verifier keys (C2SP signed-note), with Ed25519 signatures.

>>> key = VerifierKey.parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
>>> key.name, key.kind, str(key)[:24]
('example.com/foo', 1, 'example.com/foo+530d903a')
"""

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Struct

from coolid.errors import SignerUnavailable
from coolid.log.malformed_data import FailedProof, MalformedData

ED25519: Final = 1
"""The signature type of a note signed with Ed25519."""
COSIGNATURE: Final = 4
"""The signature type of `cosignature/v1` (C2SP tlog-cosignature)."""
MAX_NOTE_BYTES: Final = 1_000_000
MAX_SIGNATURES: Final = 100
_PUBLIC_KEY_BYTES: Final = 32
_KEY_ID_BYTES: Final = 4
_DASH: Final = "\N{EM DASH} "
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
_BAD_NAME: Final = re.compile(r"[\x00-\x1f\s+\ud800-\udfff]")
_FIELD: Final = 2**255 - 19
_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_LOW_ORDER: Final = frozenset({0, 1, _FIELD - 1, _ORDER_8, _FIELD - _ORDER_8})
"""The second coordinates of the points of order 1, 2, 4 and 8. Anyone can sign for such a key."""


class NoteSignature(Struct, frozen=True):
    """A signature line: the `name` of a key, its id of 4 bytes, and the signature in the format of the key's type."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {b64encode(self.key_id + self.signature).decode()}\n"


class VerifierKey(Struct, frozen=True):
    """A public Ed25519 key of 32 bytes with its name, for signatures of type `kind`."""

    name: str
    kind: int
    public_key: bytes

    @property
    def key_id(self) -> bytes:
        """The first 4 bytes of the digest of name, type and key ("Signatures")."""
        return sha256(f"{self.name}\n".encode() + bytes([self.kind]) + self.public_key).digest()[:_KEY_ID_BYTES]

    def __str__(self) -> str:
        material = b64encode(bytes([self.kind]) + self.public_key).decode()
        return f"{self.name}+{self.key_id.hex()}+{material}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Return the key of a text ("Verifier keys"). Raises `MalformedData`."""
        name, key_id, material = (*text.split("+", 2), "", "")[:3]
        require_key_name(name)
        octets = from_base64(material, "the verifier key")
        if len(octets) != 1 + _PUBLIC_KEY_BYTES or octets[0] not in (ED25519, COSIGNATURE):
            raise MalformedData("the verifier key is not an Ed25519 key for notes or for cosignatures")
        coordinate = int.from_bytes(octets[1:], "little") % 2**255
        if coordinate >= _FIELD or coordinate in _LOW_ORDER:
            raise MalformedData("the verifier key is a point of low order, or is not in the only form of its point")
        key = cls(name, octets[0], octets[1:])
        if key_id != key.key_id.hex():
            raise MalformedData("the verifier key's id does not fit its name and key")
        return key

    def made(self, signature: NoteSignature) -> bool:
        """Return whether a signature line names this key. The signature is not checked."""
        return (signature.name, signature.key_id) == (self.name, self.key_id)


class SignedNote(Struct, frozen=True):
    """A `text`, which ends in a newline, and the signatures below it, in their order."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    @classmethod
    def parse(cls, octets: bytes) -> "SignedNote":
        """Return the note. Nothing is verified. Raises `MalformedData` with the reason."""
        if len(octets) > MAX_NOTE_BYTES:
            raise MalformedData(f"the note has more than {MAX_NOTE_BYTES} bytes")
        try:
            whole = octets.decode()
        except UnicodeDecodeError as error:
            raise MalformedData("the note is not UTF-8") from error
        if _CONTROL.search(whole):
            raise MalformedData("the note has a control character")
        text, blank, lines = whole.rpartition("\n\n")
        if not blank or not lines.endswith("\n"):
            raise MalformedData("the note has no signature lines below an empty line")
        signatures = lines[:-1].split("\n")
        if len(signatures) > MAX_SIGNATURES:
            raise MalformedData(f"the note has more than {MAX_SIGNATURES} signatures")
        return cls(f"{text}\n", tuple(map(signature_of_line, signatures)))


def signature_of_line(line: str) -> NoteSignature:
    """Return the signature of a line without its newline. Raises `MalformedData`."""
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space:
        raise MalformedData("a signature line does not have a dash, a name and a signature")
    require_key_name(name)
    octets = from_base64(encoded, "a signature")
    if len(octets) <= _KEY_ID_BYTES:
        raise MalformedData("a signature is too short")
    return NoteSignature(name, octets[:_KEY_ID_BYTES], octets[_KEY_ID_BYTES:])


def signed(text: str, key: VerifierKey, sign: Callable[[bytes], bytes]) -> SignedNote:
    """Return a note with an Ed25519 signature of this key.

    Raises what `sign` raises, `MalformedData` if a note cannot have the text, or `SignerUnavailable` if `sign` returned
    a wrong signature.
    """
    signature = NoteSignature(key.name, key.key_id, sign(text.encode()))
    note = SignedNote.parse(str(SignedNote(text, (signature,))).encode())
    try:
        verify(note, key)
    except FailedProof as error:
        raise SignerUnavailable("the signing key returned an invalid signature") from error
    return note


def verify(note: SignedNote, key: VerifierKey) -> None:
    """Raise `FailedProof` unless the note has a valid signature of a key of type `ED25519`, and no invalid one."""
    found = [signature for signature in note.signatures if key.made(signature)]
    if key.kind != ED25519 or not found:
        raise FailedProof(f"the note has no signature of {key.name}")
    if not all(is_signature(note.text.encode(), each.signature, key.public_key) for each in found):
        raise FailedProof(f"the note's signature of {key.name} is invalid")


def is_signature(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Return whether this is the Ed25519 signature (RFC 8032) of a message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def require_key_name(name: str) -> None:
    """Raise `MalformedData` unless this can be the name of a key ("Format")."""
    if not name or _BAD_NAME.search(name):
        raise MalformedData("a key's name is empty, or has a space, a plus sign or a character that is not allowed")


def from_base64(text: str, what: str, size: int | None = None) -> bytes:
    """Decode base64 (RFC 4648, section 4), of `size` bytes if given. Raises `MalformedData` that names `what`."""
    try:
        octets = b64decode(text, validate=True)
    except (Error, ValueError) as error:
        raise MalformedData(f"{what} is not base64") from error
    if b64encode(octets).decode() != text:
        raise MalformedData(f"{what} is not in the only form of its base64")
    if size is not None and len(octets) != size:
        raise MalformedData(f"{what} has {len(octets)} bytes; it must have {size}")
    return octets
