"""The comparison of a mirror with a service: the answer for each identifier, and identifiers that the mirror lacks."""

from collections.abc import Callable
from itertools import islice
from typing import Final

from coolid.log.checkpoints import read_checkpoint
from coolid.log.entries import LOG_PATH
from coolid.log.malformed_data import MalformedData
from coolid.log.tiles import CHECKPOINT
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.sources.fetcher import ParallelFetcher
from coolid.mirror.sources.service import ServiceSource
from coolid.mirror.sources.source import HEAD
from coolid.mirror.verdict import MirrorVerdict
from coolid.mirror.verification import mirrored_records
from coolid.model.prefixes import as_path

_BLOCK: Final = 256


def compare(
    folder: MirrorFolder, url: str, parallel: int, verdict: MirrorVerdict, show: Callable[[int], None]
) -> MirrorVerdict:
    """Add the differences from the service at `url` to a verdict. Raises client errors if it cannot be reached."""
    with ParallelFetcher(parallel) as fetcher:
        service = ServiceSource(url, fetcher)
        records = mirrored_records(folder)
        while block := list(islice(records, _BLOCK)):
            answers = service.answers([(HEAD, f"/{as_path(record.path)}") for record in block])
            for record, answer in zip(block, answers, strict=True):
                found, expected = (answer.status, answer.location), (record.status, record.target)
                if found != expected:
                    verdict.add(f"{record.path}: the service answers {_text(*found)}, the mirror {_text(*expected)}")
            verdict.compared += len(block)
            show(verdict.compared)
        _compare_sizes(service, fetcher, verdict)
    return verdict


def _compare_sizes(service: ServiceSource, fetcher: ParallelFetcher, verdict: MirrorVerdict) -> None:
    """Note how many entries the log of the service has that the mirror lacks."""
    [content] = fetcher.files([f"{service.url}{LOG_PATH}/{CHECKPOINT}"])
    if content is None or verdict.checkpoint is None:
        return
    try:
        size = read_checkpoint(content)[0].size
    except MalformedData as error:
        verdict.add(f"the service's checkpoint is malformed: {error}")
        return
    if size > verdict.checkpoint:
        newer = size - verdict.checkpoint
        verdict.notes.append(f"the log of the service has {newer:,} newer entries: update the mirror by --update")
    elif size < verdict.checkpoint:
        verdict.add(f"the log of the service has {size:,} entries, fewer than the mirror's {verdict.checkpoint:,}")


def _text(status: int, target: str) -> str:
    return f"{status} {target!a}" if target else str(status)
