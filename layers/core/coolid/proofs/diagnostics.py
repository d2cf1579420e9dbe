"""Diagnostic checks of the signing key, the published keys and the clock.

A signature cannot be withdrawn, so the test message must never pass for a proof. The signing input of a JWS contains a
dot and only base64url before it (RFC 7515, section 5.1). `TEST_MESSAGE` contains spaces and no dot, is constant, and
its signature is never returned.

>>> b"." in TEST_MESSAGE, b" " in TEST_MESSAGE
(False, True)
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from coolid.errors import SignerUnavailable, Unavailable
from coolid.ports import Clock, Signer
from coolid.proofs.statements import is_signature
from coolid.store.public_keys import PublicKeyReader

TEST_MESSAGE: Final = b"coolid tries whether its key can sign; this text is no proof of anything"
MAX_CLOCK_DIFFERENCE: Final = timedelta(seconds=5)
"""The largest accepted difference between two clocks, one of which is read in whole seconds over a network."""


def check_signing(signer: Signer) -> str:
    """Sign `TEST_MESSAGE` and verify the signature; return an empty text. Raise `SignerUnavailable`."""
    public_key = signer.public_key()
    if not is_signature(TEST_MESSAGE, signer.sign(TEST_MESSAGE), public_key):
        raise SignerUnavailable("the signing key returned an invalid signature")
    return ""


def check_key_set(signer: Signer, keys: PublicKeyReader) -> str:
    """Return a sentence on whether the signing key is published; raise `SignerUnavailable` or `StoreUnavailable`.

    An empty key set passes, because the first key is published just before it signs.
    """
    key_id = signer.public_key()["kid"]
    published: Sequence[Mapping[str, Any]] = keys.public_keys()
    if not published:
        return "no key is published yet; the first is before it signs"
    if key_id not in [key["kid"] for key in published]:
        raise SignerUnavailable(f"the key {key_id} is not published in the key set")
    return f"published, one of {len(published)}"


def check_clock(server_time: datetime | None, clock: Clock) -> str:
    """Return an empty text if the server's time is within `MAX_CLOCK_DIFFERENCE` of ours. Raise `Unavailable`."""
    if server_time is None:
        return "no other clock to compare with"
    difference = abs(clock.now() - server_time)
    if difference > MAX_CLOCK_DIFFERENCE:
        raise Unavailable(f"the clocks here and at the store are {round(difference.total_seconds())} s apart")
    return ""
