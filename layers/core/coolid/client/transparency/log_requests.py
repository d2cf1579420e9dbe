"""Requests to a transparency log, as flows: its advertisement, proofs, checkpoints and tiles.

Redirects are not followed, and each body has its own limit of bytes. What the flows return is unverified.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from coolid.client.discovery import WELL_KNOWN_PATH
from coolid.client.errors import ClientError, NotServed, RefusedByClient, ServiceUnavailable
from coolid.client.flows import Flow
from coolid.client.http_request import MAX_BYTES, TIMEOUT_SECONDS, HttpAnswer, HttpRequest, is_unavailable
from coolid.client.retries import DEFAULT_POLICY, RetryPolicy, is_final, with_retries
from coolid.client.url_policy import redirect_target
from coolid.log.entries import origin_of
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import MalformedData
from coolid.log.merkle_tree import HASH_BYTES
from coolid.log.policies import NO_QUORUM, Policy, PolicyKey
from coolid.log.signed_notes import MAX_NOTE_BYTES, VerifierKey
from coolid.log.tiles import CHECKPOINT, MAX_BUNDLE_BYTES, WIDTH, ReadFiles, Tile, TileReader, read_tiles
from coolid.proofs.verdicts import quoted
from coolid.strict_json import NotJson, load

MAX_PROOF_BYTES: Final = MAX_NOTE_BYTES + 10_000
MAX_SEARCHED_BUNDLES: Final = 64
"""How many bundles of 256 entries are searched for an entry without an index, newest first."""

_TEXT: Final = "text/plain"
_BYTES: Final = "application/octet-stream"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AdvertisedLog:
    """The log that a service names: where it is served, and the policy with its key, unverified."""

    origin: str
    url: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class LogRequests:
    """Requests to logs: the seconds that each exchange may take, and the retries.

    The flows of all methods raise `Unreachable`, `BadAnswer` and `RefusedByClient`, with the URL in their messages.
    """

    seconds: float = TIMEOUT_SECONDS
    retries: RetryPolicy = DEFAULT_POLICY

    def advertised(self, issuer: str) -> Flow[AdvertisedLog | None]:
        """Return the log that an issuer names in its discovery document, or None without one.

        Raises `MalformedData` unless it is the issuer's own, in the documented form.
        """
        try:
            document = load((yield from self._fetch(issuer + WELL_KNOWN_PATH, "application/json", MAX_BYTES)))
        except (NotServed, NotJson):
            return None  # another server, which may answer every path with a page
        named = document.get("log") if isinstance(document, dict) else None
        if named is None:
            return None
        return _advertised(issuer, named)

    def proof(self, pid: str, version: int) -> Flow[bytes]:
        """Return the proof of a version of a record, as tlog-proof. Raises `NotServed` if the service has none."""
        return self._fetch(f"{pid}?version={version}&format=tlog-proof", _TEXT, MAX_PROOF_BYTES)

    def checkpoint(self, log_url: str) -> Flow[bytes]:
        """Return the current checkpoint of a log. Raises `NotServed` if there is none."""
        return self._fetch(f"{log_url}/{CHECKPOINT}", _TEXT, MAX_NOTE_BYTES)

    def computed(self, log_url: str, compute: Callable[[ReadFiles], T]) -> Flow[T]:
        """Return what a function computes from files of a log. It is called again whenever it needs more of them.

        Raises the errors of the function, such as `MalformedData`.
        """
        files: dict[str, bytes | None] = {}

        def read(paths: Sequence[str]) -> Mapping[str, bytes]:
            missing = [path for path in paths if path not in files]
            if missing:
                raise _FilesNeeded(missing)
            return {path: content for path in paths if (content := files[path]) is not None}

        while True:
            try:
                return compute(read)
            except _FilesNeeded as needed:
                paths = needed.paths
            for path in paths:
                size = MAX_BUNDLE_BYTES if "/entries/" in path else WIDTH * HASH_BYTES
                try:
                    files[path] = yield from self._fetch(f"{log_url}/{path}", _BYTES, size)
                except NotServed:
                    files[path] = None

    def found_proof(self, log_url: str, entry: bytes, size: int, checkpoint: bytes) -> Flow[InclusionProof | None]:
        """Return a proof that a tree of `size` entries has one of them, which is searched among the newest ones.

        Return None if it is not there. Raises `MalformedData` if the log lacks files.
        """
        last = -(-size // WIDTH) - 1
        for number in range(last, max(-1, last - MAX_SEARCHED_BUNDLES), -1):
            [entries] = yield from self.computed(log_url, partial(read_tiles, [Tile.of_tree(size, None, number)]))
            if entry in entries:
                index = number * WIDTH + entries.index(entry)
                return (yield from self.computed(log_url, partial(_inclusion_proof, index, size, checkpoint)))
        return None

    def _fetch(self, url: str, accept: str, max_bytes: int) -> Flow[bytes]:
        """Return the body at a URL. Raises `NotServed` if the service does not have it there."""
        request = HttpRequest(
            "GET", url, {"Accept": accept}, reads_body=_is_read, max_bytes=max_bytes, seconds=self.seconds
        )
        try:
            answer = yield from with_retries(request, self.retries, accepted=is_final)
        except ServiceUnavailable:
            raise
        except ClientError as error:
            raise type(error)(f"{quoted(url)}: {error}") from error
        if answer.status == HTTPStatus.OK:
            return answer.body
        location = answer.headers.get("location")
        redirect = f", a redirect to {quoted(location)}, which is not followed" if location is not None else ""
        raise NotServed(f"{quoted(url)} answers {answer.status}{redirect}")


class _FilesNeeded(Exception):
    """A computation needs more files; it is repeated when they are there."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self.paths = paths


def _advertised(issuer: str, named: Any) -> AdvertisedLog:
    """Return the log in a discovery document. Raises `MalformedData` unless it is the issuer's own."""
    members = named if isinstance(named, dict) else {}
    origin, url, key, text = (members.get(name) for name in ("origin", "url", "verifier_key", "policy"))
    if not (isinstance(origin, str) and isinstance(url, str) and isinstance(key, str) and isinstance(text, str | None)):
        raise MalformedData("the description of the log lacks its origin, url or verifier_key")
    verifier = VerifierKey.parse(key)
    own = origin_of(issuer)
    if not origin == verifier.name == own:
        raise MalformedData(
            f"it names the log {quoted(origin)} with a key of {quoted(verifier.name)}, not {quoted(own)}"
        )
    policy = Policy.parse(text) if text else Policy(NO_QUORUM)
    others = tuple(log for log in policy.logs if log.key.name == own and log.key != verifier)
    try:
        target = redirect_target(issuer, url).rstrip("/")
    except RefusedByClient as error:
        raise MalformedData(f"the service names {quoted(url)} as the URL of its log: {error}") from error
    return AdvertisedLog(own, target, replace(policy, logs=(PolicyKey(verifier, target), *others)))


def _inclusion_proof(index: int, size: int, checkpoint: bytes, read: ReadFiles) -> InclusionProof:
    return InclusionProof.compute(index, TileReader(size, read), checkpoint)


def _is_read(answer: HttpAnswer) -> bool:
    return answer.status == HTTPStatus.OK or is_unavailable(answer.status)
