"""Policies: the logs and witnesses that a verifier trusts, and the witnesses that must cosign (C2SP tlog-policy).

>>> policy = Policy.parse('''
... witness north north.example+83f317cb+BCHboRrOQ6zI7TFIicseJ5BCBKzNOXjbiNMbnuExbxzl
... witness south south.example+7bc93ce6+BOKDFuijolv78XZEdkyhG70Tdm5uydHZqKKt2gSiiihl
... group both all north south
... quorum both
... ''')
>>> policy.is_met({"north"}), policy.is_met({"north", "south"})
(False, True)
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

from msgspec import Struct

from coolid.log.checkpoints import Checkpoint, cosigned_at, read_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.signed_notes import COSIGNATURE, ED25519, SignedNote, VerifierKey, verify
from coolid.proofs.verdicts import quoted

MAX_CHARACTERS: Final = 100_000
NO_QUORUM: Final = "none"
"""The quorum of a policy that requires no cosignature."""
_REFUSED: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SEPARATORS: Final = re.compile(r"[ \t]+")
_THRESHOLD: Final = re.compile(r"[1-9][0-9]{0,8}")
_LINES: Final = {
    "log": ("log KEY [URL]", range(1, 3)),
    "witness": ("witness NAME KEY [URL]", range(2, 4)),
    "group": ("group NAME all|any|NUMBER MEMBER…", range(3, MAX_CHARACTERS)),
    "quorum": ("quorum NAME", range(1, 2)),
}
"""The form of each line, and how many words may follow the first one."""


class PolicyKey(Struct, frozen=True):
    """The key of a log, whose name is the log's origin, or of a witness; and the URL to reach it, if stated."""

    key: VerifierKey
    url: str | None = None

    def __str__(self) -> str:
        return f"{self.key} {self.url}" if self.url else str(self.key)


class WitnessGroup(Struct, frozen=True):
    """A group, which has witnessed a checkpoint if at least `threshold` of its `members` have."""

    threshold: int
    members: tuple[str, ...]


class Policy(Struct, frozen=True):
    """A policy. Names of witnesses and groups mean nothing outside of it. Octets that are no UTF-8 are surrogates.

    Members of a group are defined before it. `quorum` is the name of a witness or group, or `NO_QUORUM`.
    """

    quorum: str
    logs: tuple[PolicyKey, ...] = ()
    witnesses: Mapping[str, PolicyKey] = {}
    groups: Mapping[str, WitnessGroup] = {}

    @classmethod
    def parse(cls, text: bytes | str) -> "Policy":
        """Return the policy of a text. Raises `MalformedData`, which names the line."""
        lines = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
        if len(lines) > MAX_CHARACTERS:
            raise MalformedData(f"the policy has more than {MAX_CHARACTERS} characters")
        reader = _PolicyReader()
        for number, line in enumerate(lines.split("\n"), 1):
            try:
                reader.read_line(line)
            except MalformedData as error:
                raise MalformedData(f"line {number} of the policy: {error}") from error
        if reader.quorum is None:
            raise MalformedData("the policy has no quorum line; without witnesses it is: quorum none")
        return cls(reader.quorum, tuple(reader.logs), reader.witnesses, reader.groups)

    def __str__(self) -> str:
        return "".join(
            [f"log {log}\n" for log in self.logs]
            + [f"witness {name} {witness}\n" for name, witness in self.witnesses.items()]
            + [f"group {name} {group.threshold} {' '.join(group.members)}\n" for name, group in self.groups.items()]
            + [f"quorum {self.quorum}\n"]
        )

    def to_bytes(self) -> bytes:
        """Return the text of the policy, without comments. The inverse of `parse`."""
        return str(self).encode("utf-8", "surrogateescape")

    def is_met(self, witnesses: Collection[str]) -> bool:
        """Return whether cosignatures of the witnesses with these names make the quorum. Other names do not count."""
        met = {NO_QUORUM} | {name for name in self.witnesses if name in witnesses}
        for name, group in self.groups.items():
            if sum(member in met for member in group.members) >= group.threshold:
                met.add(name)
        return self.quorum in met

    def cosigners(self, note: SignedNote) -> dict[str, int]:
        """Return the names of the witnesses that cosigned a checkpoint, and the POSIX times at which they did.

        Raises `FailedProof` if the note has an invalid cosignature of one of them.
        """
        times = {name: cosigned_at(note, witness.key) for name, witness in self.witnesses.items()}
        return {name: time for name, time in times.items() if time is not None}

    def verified_checkpoint(self, octets: bytes, *keys: VerifierKey) -> tuple[Checkpoint, SignedNote]:
        """Return a checkpoint that one of the logs signed, and the quorum cosigned. `keys` are those of further logs.

        A log has several keys while it changes them; one signature suffices. Raises `MalformedData` or `FailedProof`.
        """
        checkpoint, note = read_checkpoint(octets)
        trusted = [key for key in (*(log.key for log in self.logs), *keys) if key.name == checkpoint.origin]
        signers = [key for key in trusted if any(map(key.made, note.signatures))]
        if not signers:
            problem = f"no signature of {quoted(checkpoint.origin)}" if trusted else "the origin of an unknown log"
            raise FailedProof(f"the checkpoint has {problem}, by the keys of the policy")
        for key in signers:
            verify(note, key)
        witnesses = self.cosigners(note)
        if not self.is_met(witnesses):
            names = ", ".join(map(quoted, witnesses)) or "no witness"
            raise FailedProof(f"the checkpoint is cosigned by {names}; the quorum {quoted(self.quorum)} needs more")
        return checkpoint, note


class _PolicyReader:
    """Collects the definitions of a policy, line by line."""

    def __init__(self) -> None:
        self.logs: list[PolicyKey] = []
        self.witnesses: dict[str, PolicyKey] = {}
        self.groups: dict[str, WitnessGroup] = {}
        self.quorum: str | None = None
        self._members: set[str] = set()
        self._readers: Mapping[str, Callable[..., None]] = {
            "log": self._read_log,
            "witness": self._read_witness,
            "group": self._read_group,
            "quorum": self._read_quorum,
        }

    def read_line(self, line: str) -> None:
        """Add the definition of a line. Raises `MalformedData`."""
        refused = _REFUSED.search(line)
        if refused:
            raise MalformedData(f"it has the control character 0x{ord(refused[0]):02x}")
        keyword, *words = _SEPARATORS.split(line.strip(" \t"))
        if not keyword or keyword.startswith("#"):
            return
        if keyword not in _LINES:
            raise MalformedData(f"{quoted(keyword)} is not one of {', '.join(_LINES)}")
        form, counts = _LINES[keyword]
        if len(words) not in counts:
            raise MalformedData(f"it does not have the form: {form}")
        self._readers[keyword](*words)

    def _read_log(self, key: str, url: str | None = None) -> None:
        self.logs.append(_policy_key(key, url, ED25519, "a log", self.logs))

    def _read_witness(self, name: str, key: str, url: str | None = None) -> None:
        self._require_new(name)
        self.witnesses[name] = _policy_key(key, url, COSIGNATURE, "a witness", self.witnesses.values())

    def _read_group(self, name: str, threshold: str, *members: str) -> None:
        self._require_new(name)
        for member in members:
            self._require_defined(member)
            if member in self._members:
                raise MalformedData(f"{quoted(member)} is already a member of a group, and counts only once")
            self._members.add(member)
        self.groups[name] = WitnessGroup(_threshold(threshold, len(members)), members)

    def _read_quorum(self, name: str) -> None:
        if self.quorum is not None:
            raise MalformedData("it is the second quorum line")
        if name != NO_QUORUM:
            self._require_defined(name)
        self.quorum = name

    def _require_new(self, name: str) -> None:
        if name == NO_QUORUM or name in self.witnesses or name in self.groups:
            raise MalformedData(f"the name {quoted(name)} is already defined")

    def _require_defined(self, name: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            raise MalformedData(f"{quoted(name)} is not a witness or group of a line before")


def _policy_key(text: str, url: str | None, kind: int, owner: str, others: Collection[PolicyKey]) -> PolicyKey:
    key = VerifierKey.parse(text)
    if key.kind != kind:
        raise MalformedData(f"the key has the type {key.kind}; the key of {owner} has the type {kind}")
    if any(other.key.public_key == key.public_key for other in others):
        raise MalformedData(f"another line has the same key, under the name {quoted(key.name)} or another one")
    return PolicyKey(key, url)


def _threshold(text: str, count: int) -> int:
    if text in ("all", "any"):
        return count if text == "all" else 1
    if not _THRESHOLD.fullmatch(text) or int(text) > count:
        raise MalformedData(f"{quoted(text)} is not all, any, or a number from 1 to {count}, the number of members")
    return int(text)
