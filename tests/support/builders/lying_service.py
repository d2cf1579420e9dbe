"""A service with a transparency log in memory, whose operator can lie in any way: what it serves is what it is given.

It has correct tiles and signatures for whatever entries it has, so that only the lie itself can be found.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson

from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.log.checkpoints import Checkpoint
from coolid.log.entries import change_statement, origin_of
from coolid.log.staged_trees import grow
from coolid.log.tiles import CHECKPOINT
from coolid.log.tree_edge import TreeEdge
from coolid.proofs.statements import digest_of, statement_of
from tests.support.builders.samples import BASE_URL
from tests.support.builders.signed_documents import Key, document, key_set
from tests.support.fixtures.note_keys import NoteKey

BEGAN = 1_790_000_000
"""When the log began, in seconds since 1970. Each entry states a time a minute after the one before."""
REPOSITORY = "r4k2-9m3x-62"


class LyingService:
    """Serves `documents`, by PID and in the order of versions, and a log of `entries`. It is honest until changed."""

    def __init__(self, base_url: str = BASE_URL) -> None:
        self.base_url = base_url
        self.key = Key(1)
        self.keys = [self.key]
        self.note_key = NoteKey(origin_of(base_url))
        self.documents: dict[str, list[dict[str, Any]]] = {}
        self.entries: list[bytes] = []
        self.files: dict[str, bytes] = {}
        self.listed: list[str] = []
        self.requests: list[str] = []
        self.aliases = {"mp": REPOSITORY}
        self.has_log = True
        self.time = BEGAN
        self.add_change("public_key", self.key.jwk["kid"], jwk=self.key.jwk)
        self.add_change("repository", REPOSITORY, revision=1)
        self.add_change("prefix", "mp", kind="namespace", target=REPOSITORY, revision=1)

    def pid(self, name: str) -> str:
        """Return a PID of this service, such as `mp:x`."""
        return f"{self.base_url}/{name}"

    def add_change(self, subject: str, name: str, key: Key | None = None, **members: Any) -> None:
        """Log a statement about something other than a version. Its state is its public members."""
        statement = change_statement(subject, name, {"name": name, **members}, **members)
        self.time += 60
        self.log((key or self.key).proof({**statement, "iss": self.base_url, "iat": self.time}))

    def log(self, entry: str) -> None:
        """Append an entry."""
        self.entries.append(entry.encode())

    def write(self, name: str, key: Key | None = None, *, logged: bool = True, **members: Any) -> dict[str, Any]:
        """Serve the next version of a PID, and log it. `iat` replaces the time of its statement."""
        versions = self.documents.setdefault(self.pid(name), [])
        self.time += 60
        issued_at = members.pop("iat", self.time)
        plain = document(
            id=name,
            pid=self.pid(name),
            issuer=self.base_url,
            version=len(versions) + 1,
            repository=REPOSITORY,
            records=[{"uri": f"https://content.example.org/{len(versions) + 1}", "status": "active"}],
            previous=digest_of(versions[-1]) if versions else None,
        )
        plain |= members
        proof = (key or self.key).proof(statement_of(plain, issued_at))
        versions.append({**plain, "proof": proof})
        if logged:
            self.log(proof)
        return versions[-1]

    def withdraw(self, name: str) -> dict[str, Any]:
        """Write the tombstone of a PID."""
        at = {"at": "2026-10-01T00:00:00Z", "reason": "obsolete", "successor": None}
        return self.write(name, status="withdrawn", records=[], withdrawn=at)

    def publish(self, entries: Iterable[bytes] | None = None) -> bytes:
        """Make the files of the log for its entries, or for others, and return the checkpoint."""
        leaves = list(self.entries if entries is None else entries)
        tree = grow(TreeEdge(), (), {str(index): leaf for index, leaf in enumerate(leaves)})
        self.files |= tree.files
        note = self.note_key.signed(Checkpoint(self.note_key.name, tree.size, tree.root))
        self.files[CHECKPOINT] = str(note).encode()
        return self.files[CHECKPOINT]

    def copy(self) -> "LyingService":
        """Return a service with the same past, which can become a fork."""
        other = LyingService(self.base_url)
        other.documents, other.entries = deepcopy(self.documents), list(self.entries)
        other.files, other.time, other.keys = dict(self.files), self.time, list(self.keys)
        other.listed, other.aliases = list(self.listed), dict(self.aliases)
        return other

    def send(self, request: HttpRequest) -> HttpAnswer:
        """Answer a request."""
        url = urlsplit(request.url)
        self.requests.append(request.url)
        path = url.path.removeprefix("/")
        if path.startswith("log/"):
            content = self.files.get(path.removeprefix("log/"))
            return HttpAnswer(request.url, 404) if content is None else HttpAnswer(request.url, 200, {}, content)
        if path in self.aliases:
            document = {"prefix": path, "kind": "namespace", "repository": self.aliases[path]}
            return HttpAnswer(request.url, 200, {}, orjson.dumps(document))
        if path in self._documents():
            return HttpAnswer(request.url, 200, {}, self._documents()[path])
        return self.answer(f"{self.base_url}/{path}", parse_qs(url.query), request.url)

    def answer(self, pid: str, query: Mapping[str, list[str]], url: str) -> HttpAnswer:
        """Answer for a PID: a version's document with `format`, or else a redirect."""
        versions = self.documents.get(pid, [])
        number = int(query.get("version", [str(len(versions))])[0])
        found = next((each for each in versions if each["version"] == number), None)
        if found is None or found["status"] == "reserved":
            return HttpAnswer(url, 404)
        is_gone = versions[-1]["status"] == "withdrawn"
        if "format" in query or is_gone or not found["records"]:
            return HttpAnswer(url, 410 if is_gone else 200, {}, orjson.dumps(found))
        return HttpAnswer(url, 302, {"location": found["records"][0]["uri"]})

    def _documents(self) -> dict[str, bytes]:
        sitemap = "".join(f"<url><loc>{url}</loc></url>" for url in self.listed)
        log = {"origin": self.note_key.name, "verifier_key": str(self.note_key.verifier())}
        description = {"issuer": self.base_url} | ({"log": log} if self.has_log else {})
        return {
            ".well-known/linkid-resolver": orjson.dumps(description),
            ".well-known/jwks.json": orjson.dumps(key_set(*self.keys)),
            "sitemap.xml": f"<urlset>{sitemap}</urlset>".encode(),
        }
