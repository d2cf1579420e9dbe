"""The state that must outlast every deployment: records of all kinds, listed in a JSON document.

The document contains only what is promised: statuses, locations and canonical links, signed documents, public keys, and
for a day the response to a repeated mint. Pages and other headers may change.
"""

import secrets
import time
from typing import Any

from tests.e2e.created_records import (
    HERE,
    NEW_PREFIXES,
    THERE,
    Holding,
    Minted,
    dated,
    fresh_name,
    hold,
    linkids,
    register,
)
from tests.e2e.proofs import KEYS
from tests.e2e.service import CUSTODY, RECORDS, Service
from tests.support.servers.responses import Reply

SUCCESSOR = "https://successor.example"
"""The operator to whom records are offered; it never answers."""

KEPT_FOR = 86_400  # seconds in which a mint that is sent again is answered the same (infra/openapi.yaml)


def write(service: Service) -> dict[str, Any]:
    """Write records of all kinds; all that is to be remembered of them."""
    name, other = fresh_name(), fresh_name()
    holding = hold(service, dated(name), name)
    register(service, other, providers=[{"code": "own", "url": "https://kept.example/{$id}"}])
    records, custody = list(_records(holding)), list(_linkids(service))
    return {
        "issuer": service.issuer,
        "answers": [
            *(answer(service, minted.path) for minted in records),
            *(answer(service, f"/{name}:{minted.id.upper()}") for minted in records),
            *(answer(service, f"/{other}:{each}") for each in ("a%2Fb", "1?provider=own")),
            *(answer(service, f"/{each}") for each in (*holding.prefixes, other)),
        ],
        "linkids": [destination(service, minted.path) for minted in custody],
        "records": [versions(service, minted.path) for minted in (*records, *custody)],
        "keys": service.get(KEYS).json()["keys"],
        "mint": _mint(service, name),
        "going_on": holding.mint(metadata={"n": 1}).path,
    }


def answer(service: Service, target: str) -> dict[str, Any]:
    """What stays the same of an answer."""
    reply = service.get(target)
    return _destination(target, reply) | {"canonical": reply.canonical if "link" in reply.headers else None}


def destination(service: Service, target: str) -> dict[str, Any]:
    """What stays the same of the answer about a LinkID: releases before revision 01 write its name without hyphens."""
    return _destination(target, service.get(target))


def _destination(target: str, reply: Reply) -> dict[str, Any]:
    return {"target": target, "status": reply.status, "location": reply.headers.get("location")}


def versions(service: Service, path: str) -> list[dict[str, Any]]:
    """All versions of a record, oldest first, as those have them who may see reserved ones."""
    newest = service.admin("GET", RECORDS + path).json()
    older = [service.admin("GET", f"{RECORDS}{path}?version={number}").json() for number in range(1, newest["version"])]
    return [*older, newest]


def repeated(service: Service, mint: dict[str, Any]) -> dict[str, Any]:
    """The answer to a mint that is sent, for the first time or again."""
    reply = service.admin("POST", RECORDS, mint["document"], Idempotency_Key=mint["again"])
    headers = {name: reply.headers.get(name) for name in ("location", "etag")}
    return {"status": reply.status, "body": reply.text, **headers}


def _mint(service: Service, prefix: str) -> dict[str, Any]:
    mint = {
        "again": f"e2e-{secrets.token_hex(12)}",
        "document": {"prefix": prefix, "uri": HERE},
        "at": int(time.time()),
    }
    return {**mint, "answer": repeated(service, mint)}


def _records(holding: Holding) -> tuple[Minted, ...]:
    """One of each kind, none asked for by the public yet."""
    plain = holding.mint(uri="https://content.example.org/a%2Fb/%2e?x=1+2&y=%20#part")
    rich = holding.mint(
        records=[
            {"uri": HERE, "mediaType": "application/pdf", "language": "en", "quality": 0.95, "size": 7},
            {"uri": THERE, "mediaType": "text/html", "validFrom": "2001-01-01T00:00:00Z"},
        ],
        metadata={"who": "Lee, Ann", "what": "é€𝄞", "how": {"numbers": [0.1, 1e21, -1], "flags": [True, None]}},
        alternates=[{"scheme": "doi", "identifier": "10.1000/182"}],
        ttl=60,
    )
    changed, gone, reserved = holding.mint(), holding.mint(), holding.mint(status="reserved")
    for number in (2, 3):
        holding.changed("PUT", changed, {"uri": f"{THERE}/{number}"})
    holding.changed("DELETE", gone, {"reason": "It was wrong", "successor": plain.pid})
    return plain, rich, changed, gone, reserved


def _linkids(service: Service) -> tuple[Minted, ...]:
    """One that is offered to another operator, one whose offer was revoked, and one that was revoked itself."""
    holding = linkids(service)
    first, offered, kept, gone = (holding.mint() for _ in range(4))
    assert service.seen_within(NEW_PREFIXES, lambda: service.get(first.path).status, 302) == 302
    for minted in (offered, kept):
        custody(holding, "PUT", minted, {"to": SUCCESSOR})
    custody(holding, "DELETE", kept)
    holding.changed("DELETE", gone, {"reason": "It was wrong", "state": "revoked"})
    return offered, kept, gone


def custody(holding: Holding, method: str, minted: Minted, document: Any = None) -> None:
    """Offer a record to another operator, or revoke the offer."""
    tag = holding.service.admin("GET", minted.stored).headers["etag"]
    reply = holding.service.admin(method, CUSTODY + minted.path, document, If_Match=tag)
    assert reply.status == 200, reply.body
