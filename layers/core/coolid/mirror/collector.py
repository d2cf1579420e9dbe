"""The collection of records from a source: their documents, versions, proofs and pages, and what they answer."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from msgspec.structs import replace

from coolid.client.errors import BadAnswer
from coolid.identifiers import percent_encoding
from coolid.migration.destinations.exported_identifiers import spellings
from coolid.mirror.layout import DOCUMENT, PAGE, PROOF, SIGNATURE, record_file, shard_of, version_suffix
from coolid.mirror.pages import MirrorState, record_page
from coolid.mirror.records import GONE, NO_TARGET, REDIRECTS, LossListener, MirroredRecord
from coolid.mirror.sources.record_proofs import RecordProofs
from coolid.mirror.sources.source import GET, HEAD, Answer, NamedRepository, RecordSource
from coolid.mirror.writer import MirrorWriter
from coolid.strict_json import NotJson, load

BLOCK: Final = 128
NOT_ANSWERED: Final = "the source does not answer for it"
NOT_LOGGED: Final = "its newest version is not in the checkpoint, so it has no proof of that"
OTHER_PROOF: Final = "its signature is not the one in the log"
UNFIT_TARGET: Final = "its target has a control character or is no http(s) URL, so it has only a page"
_PID: Final = re.compile("https?://[!-~]+")
_DOCUMENT_QUERY: Final = "?format=linkid"


class RecordCollector:
    """Collects records into a mirror. `on_loss` receives what the mirror lacks.

    With `rewrites`, unchanged records are written, too, because an interrupted run may have left files in no list.
    """

    def __init__(
        self,
        source: RecordSource,
        writer: MirrorWriter,
        namespaces: Iterable[NamedRepository],
        state: MirrorState,
        proofs: RecordProofs | None,
        on_loss: LossListener,
        *,
        rewrites: bool = False,
    ) -> None:
        self._source = source
        self._writer = writer
        self._inventory = writer.inventory
        self._namespaces: dict[str, list[NamedRepository]] = {}
        for each in sorted(namespaces, key=lambda each: (-len(each.name), each.name)):
            self._namespaces.setdefault(each.repository, []).append(each)
        self._state = state
        self._proofs = proofs
        self._lose = on_loss
        self._rewrites = rewrites
        self._updated = 0

    def collect(self, paths: Iterator[str], show: Callable[[int], None]) -> int:
        """Collect the records at paths, in blocks, and return how many changed. `show` receives how many are done."""
        done = 0
        while block := list(islice(paths, BLOCK)):
            requests = [each for path in block for each in ((HEAD, path), (GET, path + _DOCUMENT_QUERY))]
            answers = self._source.answers(requests)
            found = []
            for path, answer, described in zip(block, answers[::2], answers[1::2], strict=True):
                document = _document_of(described)
                if document is None:
                    self._lose(path, NOT_ANSWERED)
                    continue
                record = self._record(path, answer, document)
                found.append((path, record))
                self._write(record, document, described.body)
            self._collect_versions(found)
            done += len(block)
            show(done)
        return self._updated

    def _record(self, path: str, answer: Answer, document: dict[str, Any]) -> MirroredRecord:
        """Return the record of an identifier from the answers about it."""
        text = percent_encoding.decode(path.removeprefix("/")).decode()
        namespaces = self._namespaces.get(document["repository"], [])
        found: dict[str, int] = {}
        for each in namespaces:
            for spelling in spellings(each.name, document["id"], each.rules):
                found.setdefault(spelling, len(each.name))
        status, target = answer.status, answer.location
        if status in REDIRECTS and not is_fit_target(target):
            self._lose(text, UNFIT_TARGET)
            status, target = 200, ""
        if status not in (*REDIRECTS, 200, 300, NO_TARGET, GONE):
            self._lose(text, f"the source answers with status {status}, so it has only a page")
            status = NO_TARGET
        return MirroredRecord(
            text,
            str(document["pid"]),
            tuple(({text: found.get(text, len(text))} | found).items()),
            status,
            target if status in REDIRECTS else "",
            document["version"],
            bool(namespaces) and not any(each.rules.case_matters for each in namespaces),
            self._proofs.entry(document["pid"], document["version"]) if self._proofs else None,
            any(each.get("validFrom") or each.get("validUntil") for each in document.get("records") or ()),
        )

    def _write(self, record: MirroredRecord, document: dict[str, Any], body: bytes) -> None:
        """Write the files of a record if it changed."""
        name, shard = record.name, shard_of(record.name)
        before = self._inventory.record(record.path)
        if record.entry is None and before is not None and before.version == record.version:
            record = replace(record, entry=before.entry)
        if self._proofs is not None and record.entry is None:
            self._lose(record.path, NOT_LOGGED)
        page = record_file(name, PAGE)
        is_same = before == record and self._inventory.has_file(page) and not self._rewrites
        if is_same and self._writer.folder.read(record_file(name, DOCUMENT)) == body:
            return
        self._updated += 1
        self._inventory.add_record(record)
        self._writer.write(record_file(name, DOCUMENT), body, shard)
        proof = str(document.get("proof") or "")
        if proof:
            self._writer.write(record_file(name, SIGNATURE), proof.encode(), shard)
        has_proof = self._write_proof(record, proof)
        content = record_page(record, document, self._state, has_proof=has_proof)
        self._writer.write(page, content, shard)

    def _write_proof(self, record: MirroredRecord, signature: str) -> bool:
        """Write the proof that a version is in the log. Return whether it is."""
        if self._proofs is None or record.entry is None:
            return False
        content = self._proofs.proof(record.pid, record.version, signature.encode())
        if content is None:
            self._lose(record.path, OTHER_PROOF)
            return False
        self._writer.write(record_file(record.name, PROOF), content, shard_of(record.name))
        return True

    def _collect_versions(self, records: Sequence[tuple[str, MirroredRecord]]) -> None:
        """Write the earlier versions that the mirror lacks, as far as they are public."""
        wanted = [
            (path, record.name, version)
            for path, record in records
            for version in range(1, record.version)
            if self._rewrites or not self._inventory.has_file(record_file(record.name, version_suffix(version)))
        ]
        for start in range(0, len(wanted), BLOCK):
            block = wanted[start : start + BLOCK]
            requests = [(GET, f"{path}{_DOCUMENT_QUERY}&version={version}") for path, _, version in block]
            for (_, name, version), answer in zip(block, self._source.answers(requests), strict=True):
                if answer.status == 200:
                    self._writer.write(record_file(name, version_suffix(version)), answer.body, shard_of(name))


def is_fit_target(target: str) -> bool:
    """Return whether a target can be in a header and a page: an http(s) URL without control characters.

    >>> list(map(is_fit_target, ["https://a.example/", "javascript:1", "https://a.example/\\r\\nX: y"]))
    [True, False, False]
    """
    is_http = target.lower().startswith(("https://", "http://"))
    return is_http and not any(ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0 for each in target)


def _document_of(answer: Answer) -> dict[str, Any] | None:
    """Return the document of a record, or None if the answer has none. Raises `BadAnswer`."""
    if answer.status not in (200, GONE):
        return None
    try:
        document = load(answer.body)
    except NotJson as error:
        raise BadAnswer(f"the document of a record is not JSON: {error}") from error
    members = {"id": str, "pid": str, "repository": str, "version": int}
    if not isinstance(document, dict) or not all(
        isinstance(document.get(name), kind) for name, kind in members.items()
    ):
        raise BadAnswer("the document of a record lacks its id, pid, repository or version")
    if not _PID.fullmatch(document["pid"]):
        raise BadAnswer(f"the PID of a record is not an http(s) URL: {document['pid']!a}")
    return document
