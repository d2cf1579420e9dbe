"""Naming: new aliases, prefixes of others with their synonyms, and what repositories say, by several at once."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, field

from coolid.resolution.cache import PREFIX_TTL
from tests.drill.callers import Home
from tests.drill.overload import Overloader
from tests.support.fixtures.system import Answer

PREFIXES: Final = "/api/v1/prefixes/"
REPOSITORIES: Final = "/api/v1/repositories"
_PROVIDERS: Final = 6
_SYNONYMS: Final = 8
_MOST_NAMES: Final = 40
_MOST_HOMES: Final = 24


class Entry(Struct):
    """A state that a prefix or repository was to get: `said` names it, `fate` is "written", "refused" or "unknown"."""

    said: str
    synonyms: frozenset[str]
    begun: float
    ended: float = float("inf")
    fate: str = "unknown"


class Told(Struct):
    """The states that each prefix of others', and each repository, was to get."""

    prefixes: dict[str, list[Entry]] = field(default_factory=dict)
    titles: dict[str, list[Entry]] = field(default_factory=dict)


def may_be(tried: Sequence[Entry], said: str | None, since: float) -> bool:
    """Whether something may be in this state (None: as at first) for somebody who looked since that moment."""
    written = [each for each in tried if each.fate == "written" and each.ended < since]
    if said is None:
        return not written
    shown = [each for each in tried if each.said == said and each.fate != "refused"]
    return any(not any(later.begun > each.ended for later in written) for each in shown)


class Namer(Overloader):
    """Names things, too. `told` is shared by all who do."""

    def __init__(self, scene: Any, key: str, told: Told) -> None:
        super().__init__(scene, key)
        self.told = told

    def name(self) -> Home | None:
        """A further alias of a repository; the repository, if it got it."""
        home = self.dice.choice(self.scene.homes)
        if len(home.names) >= _MOST_NAMES:
            return None
        name = f"{self.dice.choice(('a', '2022/03', '2022/04/dept'))}/n{self.scene.next()}"
        document = {"kind": "namespace", "repository": home.id}
        for _ in range(4):
            answer = self.send("PUT", PREFIXES + name, document, doing="naming")
            if answer is not None and answer.status in (200, 201):
                self.oracle.names[name] = self.now
                home.names.append(name)
                return home
            self._demand(answer, (409, "contended"))
            self.pause()
        return None

    def put_provider(self) -> None:
        """A prefix of others, or a change of it; synonyms are few, and many want them."""
        name = f"{self.dice.choice(('px', 'px/deep'))}{self.dice.randrange(_PROVIDERS)}"
        number = self.scene.next()
        synonyms = sorted({f"sy{self.dice.randrange(_SYNONYMS)}" for _ in range(self.dice.randrange(3))})
        url = f"https://provider.example.org/{number}/{{$id}}"
        document: dict[str, Any] = {"kind": "provider", "title": f"Number {number}", "synonyms": synonyms}
        document["providers"] = [{"code": "one", "title": "One", "url": url}]
        entry = Entry(str(number), frozenset(synonyms), self.now)
        self.told.prefixes.setdefault(name, []).append(entry)
        answer = self.send("PUT", PREFIXES + name, document, doing="naming")
        entry.ended = self.now
        if answer is not None and answer.status in (200, 201):
            entry.fate = "written"
        else:
            self._demand(answer, (409, "contended"), (409, "prefix-taken"))
            if answer is not None and answer.status == 409 and self.scene.is_exact:
                entry.fate = "refused"

    def read_provider(self) -> None:
        """Where others' identifiers lead."""
        name = self.dice.choice(sorted(self.told.prefixes) or ["px0"])
        begun = self.now
        answer = self.send("GET", f"/{name}:0001", known=False)
        if answer is None:
            return
        self.oracle.checks += 1
        if answer.status == 503:
            self.oracle.demand_honest(answer)
            return
        stale = "cache-status" in answer.headers
        since = float("-inf") if stale else begun - PREFIX_TTL
        if answer.status == 302:
            said = answer.headers["location"].split("/")[3]
        else:
            self.oracle.demand(answer.status == 404 and not stale, f"/{name}:0001 answers {answer.status}")
            said = None
        self.oracle.demand(may_be(self.told.prefixes.get(name, ()), said, since), f"/{name}:0001 leads to {said}")

    def change_repository(self) -> None:
        """Another title, on condition of what there was."""
        home = self.dice.choice(self.scene.homes)
        path = f"{REPOSITORIES}/{home.id}"
        answer = self.send("GET", path)
        if answer is None or self._cannot_be_told(answer):
            return
        entry = Entry(f"Title {self.scene.next()}", frozenset(), self.now)
        self.told.titles.setdefault(home.id, []).append(entry)
        headers = [("If-Match", answer.headers["etag"]), ("Content-Type", "application/merge-patch+json")]
        answer = self.send("PATCH", path, {"title": entry.said}, doing="naming", headers=headers)
        entry.ended = self.now
        if answer is not None and answer.status == 200:
            entry.fate = "written"
        else:
            self._demand(answer, (409, "contended"), (412, "outdated"))

    def found(self) -> None:
        """A new repository with a name."""
        if len(self.scene.homes) >= _MOST_HOMES:
            return
        like = self.dice.choice(self.scene.homes[:4])
        document = {"title": "Another", "scheme": like.rules.scheme, "rules": like.rules.public_document()}
        answer = self.send("POST", REPOSITORIES, document, doing="naming")
        if answer is None or answer.status != 201:
            self._demand(answer)
            return
        name = f"2023/0{self.dice.randrange(1, 10)}/r{self.scene.next()}"
        owner = answer.json()["id"]
        for _ in range(4):
            answer = self.send("PUT", PREFIXES + name, {"kind": "namespace", "repository": owner}, doing="naming")
            if answer is not None and answer.status in (200, 201):
                self.oracle.names[name] = self.now
                self.scene.homes.append(Home(owner, like.rules, [name]))
                return
            self._demand(answer, (409, "contended"))
            self.pause()

    def _demand(self, answer: Answer | None, *known: tuple[int, str]) -> None:
        """That an answer which is none of success is one that there may be."""
        if answer is not None and answer.status != 503:
            problem = answer.status, answer.json()["type"].rpartition("/")[2]
            self.oracle.demand(problem in known, f"naming: {answer.status} {answer.body}")
