"""Examining: what can be tried of the key that signs, without signing anything that could be held against it.

What a key signs stays signed, so what it is tried with must never be taken for a proof. What is signed of a JWS has a
dot, and nothing but base64url in front of it (RFC 7515, section 5.1). `HARMLESS` has no dot, but spaces; it is always
the same text, whoever asks, and its signature is told to nobody.

>>> b"." in HARMLESS, b" " in HARMLESS
(False, True)
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from coolid.errors import SignerUnavailable, Unavailable
from coolid.ports import Clock, Signer
from coolid.proofs.statements import signs
from coolid.store.reader import Reader

HARMLESS: Final = b"coolid tries whether its key can sign; this text is no proof of anything"
MOST_APART: Final = timedelta(seconds=5)
"""What two clocks may differ by, one of which told the time in whole seconds and over a network."""


def try_signing(signer: Signer) -> str:
    """Let the key sign `HARMLESS`, and verify that; there is no more to say. Raises `SignerUnavailable`."""
    public_key = signer.public_key()
    if not signs(HARMLESS, signer.sign(HARMLESS), public_key):
        raise SignerUnavailable("what the signing key gave back is not its signature")
    return ""


def try_key_set(signer: Signer, reader: Reader) -> str:
    """Whether the key that signs is among those that everybody can verify with.

    Before anything was signed no key is published, and that is well. Raises `SignerUnavailable`, `StoreUnavailable`.
    """
    key_id = signer.public_key()["kid"]
    published: Sequence[Mapping[str, Any]] = reader.public_keys()
    if not published:
        return "no key is published yet; the first is before it signs"
    if key_id not in [key["kid"] for key in published]:
        raise SignerUnavailable(f"the key {key_id} is not published in the key set")
    return f"published, one of {len(published)}"


def try_clock(told: datetime | None, clock: Clock) -> str:
    """Whether the time that another machine tells is ours, within `MOST_APART`. Raises `Unavailable`."""
    if told is None:
        return "nobody else tells the time"
    apart = abs(clock.now() - told)
    if apart > MOST_APART:
        raise Unavailable(f"the clocks here and at the store are {round(apart.total_seconds())} s apart")
    return ""
