"""The checkpoints that witnesses cosigned last (C2SP tlog-witness), to compare with what the log publishes.

A log that shows an old tree or another one to an auditor has shown the latest tree to its witnesses.
"""

from msgspec import Struct

from coolid.audit.log_source import LogSource
from coolid.client.errors import ClientError
from coolid.log.checkpoints import cosigned_at, verified_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.policies import Policy, PolicyKey
from coolid.log.signed_notes import VerifierKey
from coolid.log.split_views import SignedTree
from coolid.log.submissions import origin_hash


class WitnessView(Struct, frozen=True):
    """The tree that the `witness` of this name cosigned last, and when, in seconds since 1970."""

    witness: str
    tree: SignedTree
    time: int


def witness_views(policy: Policy | None, key: VerifierKey, source: LogSource) -> list[WitnessView]:
    """Return the views of the policy's witnesses that have a URL, and answer with a checkpoint of this log.

    A witness need not serve any. Those that do not answer are left out.
    """
    if policy is None:
        return []
    futures = [source.submit(_view, name, each, key, source) for name, each in policy.witnesses.items() if each.url]
    return [view for future in futures if (view := future.result()) is not None]


def _view(name: str, witness: PolicyKey, key: VerifierKey, source: LogSource) -> WitnessView | None:
    url = f"{(witness.url or '').rstrip('/')}/{origin_hash(key.name)}/checkpoint"
    try:
        octets = source.file(url, fresh=True, max_tries=1)
        if octets is None:
            return None
        checkpoint, note = verified_checkpoint(octets, key)
        time = cosigned_at(note, witness.key)
    except (ClientError, FailedProof, MalformedData):
        return None
    return None if time is None else WitnessView(name, SignedTree(checkpoint, octets.decode()), time)
