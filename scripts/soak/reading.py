"""The reads of the mix, each with what may come of it."""

from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import quote

from scripts.soak import expecting, spellings
from scripts.soak.expecting import answered, document, has, of_record, whole_page
from scripts.soak.forms import FORMS
from scripts.soak.kept import Edition
from scripts.soak.messages import BROWSER, Expectation, Reply, ask
from scripts.soak.visitor import Visitor

_MANY: Final = 20


def redirect(visitor: Visitor) -> None:
    """A PID in some spelling leads where its record says."""
    kept = visitor.one()
    path = spellings.of_record(kept, visitor.world.base_url, visitor.dice)
    accept = visitor.dice.choice(("*/*", BROWSER))
    visitor.tell("redirect", ask("GET", path, accept=accept), expecting.redirects(kept))


def redirect_of_others(visitor: Visitor) -> None:
    """A CURIE in some spelling leads to its provider."""
    foreign = visitor.foreign()
    identifier = spellings.number(foreign, visitor.dice)
    path = spellings.of_foreign(foreign, identifier, visitor.dice)
    visitor.tell("redirect of others", ask("GET", path), expecting.leads_to(foreign, identifier))


def conditional(visitor: Visitor) -> None:
    """Send a conditional request, which gets 304 unless the record changed in between."""
    kept = visitor.one()
    path = spellings.of_record(kept, visitor.world.base_url, visitor.dice)
    had = visitor.tell("redirect", ask("GET", path), expecting.redirects(kept)).headers
    tag, target = had.get("etag", ""), had.get("location")
    same = answered(304, ("a body", lambda reply: not reply.body), ("another tag", _tagged(tag)))

    def expected(edition: Edition) -> Expectation:
        return same if target and edition.target == target else expecting.as_in(edition, kept)

    visitor.tell("conditional", ask("GET", path, if_none_match=tag), expecting.by_edition(kept, expected))


def head(visitor: Visitor) -> None:
    """Send `HEAD`, which gets the headers of `GET` without a body."""
    kept = visitor.one()

    def judge(reply: Reply, begun: float, ended: float) -> list[str]:
        return expecting.redirects(kept)(reply, begun, ended) + (["a body"] if reply.body else [])

    visitor.tell("head", ask("HEAD", f"/{kept.path}"), judge)


def metadata(visitor: Visitor) -> None:
    """Request the metadata of a record in one form."""
    kept = visitor.one()
    form = visitor.dice.choice(list(FORMS))
    path = f"/{kept.path}{form if form.startswith('?') else ''}"
    request = ask("GET", path) if form.startswith("?") else ask("GET", path, accept=form)
    visitor.tell("metadata", request, of_record(kept, 200, ("it is about something else", FORMS[form](kept))))


def page(visitor: Visitor) -> None:
    """A page for people."""
    kept, dice = visitor.one(), visitor.dice
    match dice.randrange(6):
        case 0:
            path, expected = "/", answered(200, whole_page())
        case 1:
            path, expected = (
                f"/pages/prefixes?page={dice.randrange(visitor.world.pages) + 1}",
                answered(200, whole_page()),
            )
        case 2:
            foreign = visitor.foreign()
            path, expected = f"/pages/prefixes?q={foreign.prefix}", answered(200, whole_page(), has(foreign.prefix))
        case 3:
            foreign = visitor.foreign()
            path, expected = f"/{foreign.prefix}", answered(200, whole_page(), has(foreign.prefix))
        case 4:
            path, expected = f"/{visitor.owner.short}", answered(200, whole_page(), has(visitor.owner.dated))
        case _:
            name, look = whole_page()
            path = f"/{kept.path}?format=html"
            expected = of_record(
                kept,
                200,
                (name, lambda reply, _: look(reply)),
                ("another page", lambda reply, _: kept.what.encode() in reply.body),
            )
    visitor.tell("page", ask("GET", path, accept=BROWSER), expected)


def parse(visitor: Visitor) -> None:
    """What a text is, and where it would lead."""
    foreign, kept = visitor.foreign(), visitor.one()
    identifier = spellings.number(foreign, visitor.dice)
    if visitor.dice.random() < 0.5:
        text = f"{foreign.prefix}:{identifier}"
        expected = answered(200, _located(text, foreign.target(identifier)))
    else:
        text = f"{kept.namespace}:{spellings.misread(kept.lui, visitor.dice)}"
        expected = expecting.by_edition(kept, lambda edition: answered(200, _located(kept.path, edition.target)))
    visitor.tell("parse", ask("GET", f"/api/v1/parse?id={quote(text, safe='')}"), expected)


def bulk(visitor: Visitor) -> None:
    """Many identifiers at once, good ones and bad ones, each answered in its place."""
    drawn = [_one_of_many(visitor) for _ in range(_MANY)]

    def judge(reply: Reply, begun: float, ended: float) -> list[str]:
        wanted = [possible(begun, ended) for _, possible in drawn]
        right = document("a result is wrong", lambda told: _are(told["results"], wanted))
        return answered(200, right)(reply, begun, ended)

    visitor.tell("bulk", ask("POST", "/api/v1/resolve", document={"ids": [text for text, _ in drawn]}), judge)


def prefix(visitor: Visitor) -> None:
    """A prefix as programs read it; a few of the list."""
    foreign = visitor.foreign()
    match visitor.dice.randrange(3):
        case 0:
            request = ask("GET", f"/{foreign.prefix}", accept="application/json")
        case 1:
            request = ask("GET", f"/api/v1/prefixes/{foreign.prefix}", key=visitor.owner.key)
        case _:
            request = ask("GET", "/api/v1/prefixes?limit=20", key=visitor.owner.key)
            visitor.tell(
                "prefix", request, answered(200, document("not twenty", lambda told: len(told["prefixes"]) == 20))
            )
            return
    is_it = document("another prefix", lambda told: _described(told) == (foreign.prefix, foreign.url))
    visitor.tell("prefix", request, answered(200, is_it))


def listing(visitor: Visitor) -> None:
    """One's own records, a page of them."""
    owner = visitor.owner
    own = document(
        "records of others",
        lambda told: (
            0 < len(told["records"]) <= 20 and all(each["repository"] == owner.repository for each in told["records"])
        ),
    )
    request = ask("GET", f"/api/v1/records?prefix={owner.short}&limit=20", key=owner.key)
    visitor.tell("listing", request, answered(200, own))


def history(visitor: Visitor) -> None:
    """All versions of a record of one's own, the newest first, each as it was."""
    kept = visitor.dice.choice(visitor.own)
    wanted = [(each.version, each.target) for each in reversed(kept.editions)]

    def told(versions: Any) -> list[tuple[int, str | None]]:
        records = [each["record"] for each in versions["versions"]]
        return [
            (each["version"], each["records"][0]["uri"] if each["status"] == "active" else None) for each in records
        ]

    request = ask("GET", f"/api/v1/history/{kept.path}", key=visitor.owner.key)
    visitor.tell("history", request, answered(200, document("another history", lambda each: told(each) == wanted)))


def memento(visitor: Visitor) -> None:
    """A record as it first was; text where it is withdrawn by now."""
    changed = [each for each in (visitor.one() for _ in range(10)) if len(each.editions) > 1]
    kept = changed[0] if changed else visitor.one()
    first = kept.editions[0].target

    def expected(edition: Edition) -> Expectation:
        if edition.target is None:
            return answered(200, has(str(first)))
        return answered(302, ("it was elsewhere", lambda reply: reply.headers.get("location") == first))

    visitor.tell("memento", ask("GET", f"/{kept.path}?memento=1"), expecting.by_edition(kept, expected))


Outcome = tuple[int, str | None]
"""Of one of many: its status, and where it leads."""


def _one_of_many(visitor: Visitor) -> tuple[str, Callable[[float, float], Sequence[Outcome]]]:
    """An identifier of some sort, and what may come of it between two moments."""
    foreign, kept = visitor.foreign(), visitor.one()
    match visitor.dice.randrange(5):
        case 0:
            return f"{visitor.owner.short}:{visitor.dice.choice(visitor.world.absent)}", lambda *_: [(404, None)]
        case 1 | 2:
            identifier = spellings.number(foreign, visitor.dice)
            return f"{foreign.prefix}:{identifier}", lambda *_: [(302, foreign.target(identifier))]
        case _:
            return f"{kept.namespace}:{kept.lui}", lambda begun, ended: [
                (302 if each.target else expecting.GONE, each.target) for each in kept.possible(begun, ended)
            ]


def _are(results: Sequence[Any], wanted: Sequence[Sequence[Outcome]]) -> bool:
    outcomes = [(each["status"], each.get("location")) for each in results]
    return len(outcomes) == len(wanted) and all(one in some for one, some in zip(outcomes, wanted, strict=True))


def _located(canonical: str, target: str | None) -> tuple[str, expecting.Look]:
    wanted = canonical, target
    return document("it leads elsewhere", lambda told: (told["canonical"], told["location"]) == wanted)


def _tagged(tag: str) -> Callable[[Reply], bool]:
    return lambda reply: bool(tag) and reply.headers.get("etag") == tag


def _described(told: Any) -> tuple[str, str]:
    return told["prefix"], told["providers"][0]["url"]
