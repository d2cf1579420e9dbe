"""Registrations: aliases, provider prefixes with their synonyms, and changes of repositories, by several callers at
once.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, field

from coolid.resolution.cache import PREFIX_TTL
from tests.drill.callers import OwnedPrefixes
from tests.drill.overloading_caller import OverloadingCaller
from tests.support.fixtures.system import Answer

PREFIXES: Final = "/api/v1/prefixes/"
REPOSITORIES: Final = "/api/v1/repositories"
_PROVIDERS: Final = 6
_SYNONYMS: Final = 8
_MAX_NAMES: Final = 40
_MAX_REPOSITORIES: Final = 24


class TriedState(Struct):
    """An attempted state of a prefix or repository: `message` identifies it, `outcome` is "written", "refused" or
    "unknown".
    """

    message: str
    synonyms: frozenset[str]
    begun: float
    ended: float = float("inf")
    outcome: str = "unknown"


class RegistrationLog(Struct):
    """The attempted states of each provider prefix and each repository."""

    prefixes: dict[str, list[TriedState]] = field(default_factory=dict)
    titles: dict[str, list[TriedState]] = field(default_factory=dict)


def may_show(tried: Sequence[TriedState], message: str | None, since: float) -> bool:
    """Return whether this state (None: the initial one) may be read by a request that began at `since`."""
    written = [each for each in tried if each.outcome == "written" and each.ended < since]
    if message is None:
        return not written
    shown = [each for each in tried if each.message == message and each.outcome != "refused"]
    return any(not any(later.begun > each.ended for later in written) for each in shown)


class RegisteringCaller(OverloadingCaller):
    """A caller that also registers names. All of them share `registrations`."""

    def __init__(self, context: Any, key: str, registrations: RegistrationLog) -> None:
        super().__init__(context, key)
        self.registrations = registrations

    def add_alias(self) -> OwnedPrefixes | None:
        """Add an alias to a repository. Return the repository if this succeeded."""
        repository = self.rng.choice(self.context.repositories)
        if len(repository.names) >= _MAX_NAMES:
            return None
        name = f"{self.rng.choice(('a', '2022/03', '2022/04/dept'))}/n{self.context.next()}"
        document = {"kind": "namespace", "repository": repository.id}
        for _ in range(4):
            answer = self.send("PUT", PREFIXES + name, document, activity="registration")
            if answer is not None and answer.status in (200, 201):
                self.oracle.names[name] = self.now
                repository.names.append(name)
                return repository
            self._require(answer, (409, "contended"))
            self.pause()
        return None

    def put_provider(self) -> None:
        """Register or change a provider prefix; callers compete for a few synonyms."""
        name = f"{self.rng.choice(('px', 'px/deep'))}{self.rng.randrange(_PROVIDERS)}"
        number = self.context.next()
        synonyms = sorted({f"sy{self.rng.randrange(_SYNONYMS)}" for _ in range(self.rng.randrange(3))})
        url = f"https://provider.example.org/{number}/{{$id}}"
        document: dict[str, Any] = {"kind": "provider", "title": f"Number {number}", "synonyms": synonyms}
        document["providers"] = [{"code": "one", "title": "One", "url": url}]
        entry = TriedState(str(number), frozenset(synonyms), self.now)
        self.registrations.prefixes.setdefault(name, []).append(entry)
        answer = self.send("PUT", PREFIXES + name, document, activity="registration")
        entry.ended = self.now
        if answer is not None and answer.status in (200, 201):
            entry.outcome = "written"
        else:
            self._require(answer, (409, "contended"), (409, "prefix-taken"))
            if answer is not None and answer.status == 409 and self.context.is_exact:
                entry.outcome = "refused"

    def read_provider(self) -> None:
        """Resolve an identifier of a provider prefix."""
        name = self.rng.choice(sorted(self.registrations.prefixes) or ["px0"])
        begun = self.now
        answer = self.send("GET", f"/{name}:0001", known=False)
        if answer is None:
            return
        self.oracle.checks += 1
        if answer.status == 503:
            self.oracle.require_complete_503(answer)
            return
        stale = "cache-status" in answer.headers
        since = float("-inf") if stale else begun - PREFIX_TTL
        if answer.status == 302:
            message = answer.headers["location"].split("/")[3]
        else:
            self.oracle.require(answer.status == 404 and not stale, f"/{name}:0001 answers {answer.status}")
            message = None
        self.oracle.require(
            may_show(self.registrations.prefixes.get(name, ()), message, since), f"/{name}:0001 leads to {message}"
        )

    def change_repository(self) -> None:
        """Change the title of a repository, on condition of its current state."""
        repository = self.rng.choice(self.context.repositories)
        path = f"{REPOSITORIES}/{repository.id}"
        answer = self.send("GET", path)
        if answer is None or self._is_unavailable(answer):
            return
        entry = TriedState(f"Title {self.context.next()}", frozenset(), self.now)
        self.registrations.titles.setdefault(repository.id, []).append(entry)
        headers = [("If-Match", answer.headers["etag"]), ("Content-Type", "application/merge-patch+json")]
        answer = self.send("PATCH", path, {"title": entry.message}, activity="registration", headers=headers)
        entry.ended = self.now
        if answer is not None and answer.status == 200:
            entry.outcome = "written"
        else:
            self._require(answer, (409, "contended"), (412, "outdated"))

    def create_repository(self) -> None:
        """Create a repository with a prefix."""
        if len(self.context.repositories) >= _MAX_REPOSITORIES:
            return
        like = self.rng.choice(self.context.repositories[:4])
        document = {"title": "Another", "scheme": like.rules.scheme, "rules": like.rules.public_document()}
        answer = self.send("POST", REPOSITORIES, document, activity="registration")
        if answer is None or answer.status != 201:
            self._require(answer)
            return
        name = f"2023/0{self.rng.randrange(1, 10)}/r{self.context.next()}"
        owner = answer.json()["id"]
        for _ in range(4):
            document = {"kind": "namespace", "repository": owner}
            answer = self.send("PUT", PREFIXES + name, document, activity="registration")
            if answer is not None and answer.status in (200, 201):
                self.oracle.names[name] = self.now
                self.context.repositories.append(OwnedPrefixes(owner, like.rules, [name]))
                return
            self._require(answer, (409, "contended"))
            self.pause()

    def _require(self, answer: Answer | None, *known: tuple[int, str]) -> None:
        """Require that a response is a success, a 503 or one of these problems."""
        if answer is not None and answer.status != 503:
            problem = answer.status, answer.json()["type"].rpartition("/")[2]
            self.oracle.require(problem in known, f"a registration: {answer.status} {answer.body}")
