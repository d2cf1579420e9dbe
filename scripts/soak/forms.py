"""The forms of a record's metadata, by address or by `Accept`, and how to tell that one is of the right record."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Final

from scripts.soak.kept import Edition, Kept
from scripts.soak.messages import Reply


def _linkid(kept: Kept) -> Callable[[Reply, Edition], bool]:
    return lambda reply, edition: (
        reply.document["pid"] == kept.pid
        and reply.document["version"] == edition.version
        and reply.document["records"][0]["uri"] == edition.target
        and reply.document["proof"].count(".") == 2
    )


def _named(kept: Kept) -> Callable[[Reply, Edition], bool]:
    return lambda reply, _: kept.pid.encode() in reply.body


def _called(kept: Kept) -> Callable[[Reply, Edition], bool]:
    return lambda reply, _: reply.body.startswith(b"erc:") and kept.what.encode() in reply.body


def _signed(kept: Kept) -> Callable[[Reply, Edition], bool]:
    def is_of_it(reply: Reply, edition: Edition) -> bool:
        _, payload, _ = reply.body.decode().split(".")
        statement = json.loads(urlsafe_b64decode(payload + "=="))
        return (statement["pid"], statement["version"]) == (kept.pid, edition.version)

    return is_of_it


FORMS: Final[dict[str, Callable[[Kept], Callable[[Reply, Edition], bool]]]] = {
    "?format=linkid": _linkid,
    "application/linkid+json": _linkid,
    "application/json": _linkid,
    "?format=linkset": _named,
    "application/linkset+json": _named,
    "?format=jsonld": _named,
    "application/ld+json": _named,
    "?format=ttl": _named,
    "text/turtle": _named,
    "?format=jws": _signed,
    "?info": _called,
    "text/plain": _called,
}
"""The expected content of each form."""
