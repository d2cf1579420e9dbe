"""The witnesses of a log: requests for their cosignatures of a new checkpoint (C2SP tlog-witness).

Each witness of the policy that has a URL gets a request at the same time, within one time limit for all. What a witness
answers counts only if it is a valid cosignature by its key in the policy.
"""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import Final, Protocol

from coolid.deadlines import Deadline
from coolid.errors import StoreUnavailable
from coolid.log.checkpoints import cosigned_at
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.policies import PolicyKey
from coolid.log.signed_notes import NoteSignature, SignedNote, VerifierKey, signature_of_line
from coolid.log.submissions import ADD_CHECKPOINT, Submission
from coolid.log.tiles import TileReader
from coolid.ports import Seconds

TIME_LIMIT_SECONDS: Final = 10.0
RETRY_SECONDS: Final = 30.0
"""How long a witness is left out after a failure, so that one without an answer does not delay each checkpoint."""
_ATTEMPTS: Final = 3
"""The most requests to a witness. The second has the size from its answer, which another run may have overtaken."""
_SIZE: Final = re.compile(rb"(0|[1-9][0-9]{0,18})\n")

Report = Callable[[str, str], None]
"""Receives the name of a witness in the policy, and why it has not cosigned."""


class WitnessClient(Protocol):
    """A client for HTTP requests to witnesses. Thread-safe."""

    def post(self, url: str, body: bytes, deadline: Deadline) -> tuple[int, bytes]:
        """Return the status and the body of the response. Raises `OSError` with the reason if there is none in time."""


class Witnesses:
    """Implements `coolid.log.sequencer.Cosigner` with the witnesses of a policy, by name, that have a URL.

    The sizes that witnesses have cosigned are cached, so that most need one request. One thread calls it at a time.
    """

    def __init__(
        self,
        witnesses: Mapping[str, PolicyKey],
        client: WitnessClient,
        report: Report,
        clock: Seconds,
        seconds: float = TIME_LIMIT_SECONDS,
    ) -> None:
        self._witnesses = {name: each for name, each in witnesses.items() if each.url}
        self._client = client
        self._report = report
        self._clock = clock
        self._seconds = seconds
        self._sizes: dict[str, int] = {}
        self._failures: dict[str, float] = {}
        self._tree_lock = Lock()

    def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:
        """See `Cosigner`."""
        lacking = [
            name
            for name, each in self._witnesses.items()
            if not any(map(each.key.made, checkpoint.signatures)) and not self._has_failed(name)
        ]
        if not lacking:
            return checkpoint
        deadline = Deadline(self._seconds, self._clock)
        pool = ThreadPoolExecutor(len(lacking), "witness")
        futures = {name: pool.submit(self._cosignature, name, checkpoint, tree, deadline) for name in lacking}
        wait(futures.values(), self._seconds)
        pool.shutdown(wait=False, cancel_futures=True)
        signatures = []
        for name, future in futures.items():
            outcome = future.result() if future.done() and not future.cancelled() else "it did not answer in time"
            if isinstance(outcome, str):
                self._failures[name] = self._clock()
                self._report(name, outcome)
            else:
                signatures.append(outcome)
        return SignedNote(checkpoint.text, (*checkpoint.signatures, *signatures))

    def _has_failed(self, name: str) -> bool:
        failed = self._failures.get(name)
        return failed is not None and self._clock() - failed < RETRY_SECONDS

    def _cosignature(
        self, name: str, checkpoint: SignedNote, tree: TileReader, deadline: Deadline
    ) -> NoteSignature | str:
        """Return the cosignature of a witness, or the reason why there is none."""
        try:
            return self._request(name, checkpoint, tree, deadline)
        except (OSError, FailedProof, MalformedData, StoreUnavailable) as error:
            return str(error)

    def _request(self, name: str, checkpoint: SignedNote, tree: TileReader, deadline: Deadline) -> NoteSignature:
        witness = self._witnesses[name]
        url = f"{witness.url or ''}".rstrip("/") + ADD_CHECKPOINT
        for _ in range(_ATTEMPTS):
            old = self._sizes.get(name, 0)
            if old > tree.size:
                del self._sizes[name]  # it may have been wrong, and is is no reason to leave it out for ever
                raise FailedProof(
                    f"it has cosigned {old} entries already, more than the {tree.size} of this checkpoint"
                )
            with self._tree_lock:
                proof = tuple(tree.consistency_proof(old))
            status, answer = self._client.post(url, Submission(old, proof, checkpoint).to_bytes(), deadline)
            if status == 200:
                signature = _verified(answer, checkpoint.text, witness.key)
                self._sizes[name] = tree.size
                return signature
            size = _SIZE.fullmatch(answer)
            if status != 409 or size is None:
                self._sizes.pop(name, None)
                raise FailedProof(f"it answered with the status {status}")
            self._sizes[name] = int(size[1])
        raise FailedProof(f"it answered {_ATTEMPTS} times with another size")


def _verified(answer: bytes, text: str, key: VerifierKey) -> NoteSignature:
    """Return the cosignature by this key in an answer; lines of other keys are ignored.

    Raises `MalformedData` or `FailedProof`.
    """
    lines = answer.decode("utf-8", "replace").removesuffix("\n").split("\n")
    for signature in map(signature_of_line, lines):
        if key.made(signature):
            if not cosigned_at(SignedNote(text, (signature,)), key):
                raise FailedProof("its cosignature has no time")
            return signature
    raise FailedProof("its answer has no cosignature by its key in the policy")
