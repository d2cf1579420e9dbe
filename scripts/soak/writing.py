"""The writes of the mix: what clients do to records of their own."""

from typing import Any, Final

from scripts.soak import expecting
from scripts.soak.expecting import answered, document
from scripts.soak.kept import Edition, Kept
from scripts.soak.messages import Reply, ask
from scripts.soak.visitor import Visitor

RECORDS: Final = "/api/v1/records"
_LINES: Final = 6


def asked(visitor: Visitor) -> dict[str, Any]:
    """Return a unique mint request."""
    number = visitor.dice.getrandbits(64)
    return {
        "prefix": visitor.dice.choice((visitor.owner.short, visitor.owner.dated)),
        "uri": f"https://content.example.org/{number:x}",
        "metadata": {"what": f"Thing {number:x}", "who": "Soak", "when": "2026"},
    }


def mint(visitor: Visitor) -> None:
    """A new record, which is there at once."""
    kept = _minted(visitor, asked(visitor))
    if kept:
        visitor.tell("redirect", ask("GET", f"/{kept.path}"), expecting.redirects(kept))


def mint_again(visitor: Visitor) -> None:
    """The same request twice makes one record; with another body its Idempotency-Key is refused."""
    wanted, tag = asked(visitor), f"soak-{visitor.dice.getrandbits(64):x}"
    kept = _minted(visitor, wanted, tag)
    if kept is None:
        return
    same = document("another record", lambda told: (told["pid"], told["version"]) == (kept.pid, 1))
    again = ask("POST", RECORDS, key=visitor.owner.key, document=wanted, idempotency_key=tag)
    visitor.tell("mint again", again, answered(201, same))
    if visitor.dice.random() < 0.3:
        other = ask("POST", RECORDS, key=visitor.owner.key, document=asked(visitor), idempotency_key=tag)
        visitor.tell("refused write", other, expecting.refused(422))


def update(visitor: Visitor) -> None:
    """Read a record, change it, and expect the change at once."""
    kept = visitor.mine()
    tag = stored(visitor, kept)
    edition = Edition(kept.now.version + 1, f"https://moved.example.org/{visitor.dice.getrandbits(64):x}", 0)
    if visitor.dice.random() < 0.5:
        change = ask("PATCH", f"{RECORDS}/{kept.path}", document={"records": [{"uri": edition.target}]})
    else:
        whole = {"uri": edition.target, "metadata": {"what": kept.what, "who": "Soak"}}
        change = ask("PUT", f"{RECORDS}/{kept.path}", document=whole)
    _change(visitor, kept, edition, "update", ask_as(visitor, change, tag))
    if visitor.dice.random() < 0.5:
        visitor.tell("redirect", ask("GET", f"/{kept.path}"), expecting.redirects(kept))


def stale(visitor: Visitor) -> None:
    """A change that is made from what is no more is refused, as is one that does not say what it is made from."""
    kept = visitor.mine()
    change = ask("PATCH", f"{RECORDS}/{kept.path}", document={"records": [{"uri": "https://lost.example.org/"}]})
    if visitor.dice.random() < 0.7:
        visitor.tell("refused write", ask_as(visitor, change, '"of-another-version"'), expecting.refused(412))
    else:
        visitor.tell("refused write", ask_as(visitor, change), expecting.refused(428))


def withdraw(visitor: Visitor) -> None:
    """A record is withdrawn for good."""
    kept = visitor.mine()
    tag = stored(visitor, kept)
    request = ask("DELETE", f"{RECORDS}/{kept.path}", document={"reason": "It was for the soak."})
    _change(visitor, kept, Edition(kept.now.version + 1, None, 0), "withdrawal", ask_as(visitor, request, tag))
    visitor.tell("refused write", ask_as(visitor, request, tag), expecting.refused(409))


def batch(visitor: Visitor) -> None:
    """Some records at once, of which one is refused, alone."""
    lines = [asked(visitor) for _ in range(_LINES)]
    bad = visitor.dice.randrange(_LINES)
    lines[bad] = {**lines[bad], "uri": "ftp://content.example.org/"}
    begun = visitor.clock()

    def is_right(told: Any) -> bool:
        statuses = [each["status"] for each in told]
        targets = [each["record"]["records"][0]["uri"] for each in told if each["status"] == 201]
        good = [line["uri"] for at, line in enumerate(lines) if at != bad]
        return statuses == [422 if at == bad else 201 for at in range(_LINES)] and targets == good

    request = ask("POST", f"{RECORDS}/batch", key=visitor.owner.key, document=lines)
    reply = visitor.tell("batch", request, answered(200, document("a line is wrong", is_right)))
    if reply.status == 200:
        for each in reply.document:
            if each["status"] == 201:
                _keep(visitor, each["record"], begun)


def stored(visitor: Visitor, kept: Kept) -> str:
    """The tag of a record of one's own as it is stored."""
    wanted = kept.now.version
    request = ask("GET", f"{RECORDS}/{kept.path}", key=visitor.owner.key)
    is_it = document("another version", lambda told: (told["pid"], told["version"]) == (kept.pid, wanted))
    return visitor.tell("as stored", request, answered(200, is_it)).headers.get("etag", "")


def ask_as(visitor: Visitor, request: Any, tag: str = "") -> Any:
    """The same request with the client's key, and with If-Match if there is a tag."""
    headers = {**request.headers, "Authorization": f"Bearer {visitor.owner.key}"}
    return type(request)(request.method, request.path, headers | ({"If-Match": tag} if tag else {}), request.body)


def _minted(visitor: Visitor, wanted: dict[str, Any], tag: str = "") -> Kept | None:
    begun = visitor.clock()
    is_it = document(
        "another record",
        lambda told: (
            (told["records"][0]["uri"], told["metadata"], told["version"]) == (wanted["uri"], wanted["metadata"], 1)
        ),
    )
    located = (
        "no Location",
        lambda reply: reply.headers["location"] == reply.document["pid"] and reply.headers["etag"],
    )
    headers = {"idempotency_key": tag} if tag else {}
    request = ask("POST", RECORDS, key=visitor.owner.key, document=wanted, **headers)
    reply = visitor.tell("mint", request, answered(201, is_it, located))
    return _keep(visitor, reply.document, begun) if reply.status == 201 else None


def _keep(visitor: Visitor, record: dict[str, Any], begun: float) -> Kept:
    kept = Kept.read(record, visitor.owner.short, visitor.world.base_url, begun, visitor.clock())
    visitor.world.records.append(kept)
    visitor.own.append(kept)
    return kept


def _change(visitor: Visitor, kept: Kept, edition: Edition, kind: str, request: Any) -> Reply:
    """Send a change of a record; other clients may see it from now on, and must see it once it is acknowledged."""
    edition.begun = visitor.clock()
    kept.editions.append(edition)
    is_it = document("another version", lambda told: (told["pid"], told["version"]) == (kept.pid, edition.version))
    reply = visitor.tell(kind, request, answered(200, is_it))
    edition.acknowledged = visitor.clock()
    return reply
