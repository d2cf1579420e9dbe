"""The comparison of two recordings: differences grouped by kind, those of wording apart from all others.

Wording is the text of pages, and the members of JSON that explain (`PROSE`). An entity tag that differs because the
wording of its answer does is wording, too, wherever else it occurs.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from scripts.answers.markup import read_outline

Line = Mapping[str, Any]

PROSE: Final = frozenset({"detail", "reason", "message", "errorMessage"})
"""Members of JSON whose texts are wording."""
PROBLEM_PROSE: Final = PROSE | {"title", "description", "summary", "example"}
"""The same in problems and in the description of the API, where these are no data."""
DATA: Final = frozenset({"metadata", "withdrawn"})
"""Members of JSON in which all texts are data."""
TAGS: Final = frozenset({"etag", "if-none-match", "if-match"})
_PROSE_HEADERS: Final = frozenset({"target-warning", "www-authenticate"})
_LONGEST: Final = 160
_ASSETS: Final = re.compile(r"/static/([0-9a-f]{16})/")
"""Addresses of assets contain a digest of all assets, which changes when any of them does."""


@dataclass(frozen=True)
class Difference:
    """Two values that differ: `kind` says where, `is_prose` whether only in wording."""

    kind: str
    old: Any
    new: Any
    is_prose: bool = False


@dataclass
class Report:
    """Differences by their kinds, each with the lines where it occurs."""

    requests: int = 0
    samples: int = 3
    found: dict[Difference | str, list[tuple[Line, Difference]]] = field(default_factory=lambda: defaultdict(list))
    prose: dict[Difference | str, list[tuple[Line, Difference]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def differs(self) -> bool:
        """Whether anything but wording differs."""
        return bool(self.found)

    def add(self, line: Line, difference: Difference) -> None:
        """Add a difference of an answer."""
        kinds = self.prose if difference.is_prose else self.found
        kinds[difference.kind].append((line, difference))

    def text(self) -> str:
        """Return the report."""
        parts = [f"{self.requests} requests compared"]
        for title, kinds in (("Differences", self.found), ("Differences of wording", self.prose)):
            total = sum(map(len, kinds.values()))
            parts.append(f"\n{title}: {total} in {len(kinds)} kinds" if total else f"\n{title}: none")
            for kind, occurrences in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
                parts.append(f"\n  {len(occurrences)} × {kind}")
                parts.extend(self._samples(occurrences))
        return "\n".join(parts)

    def _samples(self, occurrences: list[tuple[Line, Difference]]) -> Iterator[str]:
        seen: set[tuple[str, str]] = set()
        for line, difference in occurrences:
            values = _shorten(difference.old), _shorten(difference.new)
            if values in seen or len(seen) >= self.samples:
                continue
            seen.add(values)
            request = line["request"]
            yield f"    n={line['n']} [{line['group']}] {request.get('httpMethod')} {_shorten(request.get('path'))}"
            yield f"      - {values[0]}"
            yield f"      + {values[1]}"


def read(path: Path) -> Iterator[Line]:
    """Yield the lines of a recording. The digest in the addresses of assets is masked; `assets` holds it."""
    with gzip.open(path, "rb") as stream:
        for line in stream:
            text = line.decode("utf-8", "surrogatepass")
            yield json.loads(_ASSETS.sub("/static/*/", text)) | {"assets": sorted(set(_ASSETS.findall(text)))}


def compare(old: Path, new: Path, samples: int = 3) -> Report:
    """Compare two recordings."""
    report, tags = Report(samples=samples), _collect_tags(old, new)
    for before, after in _align(old, new):
        if before is None or after is None:
            old_request, new_request = (line and line["request"] for line in (before, after))
            report.add(before or after or {}, Difference("request of one recording only", old_request, new_request))
            continue
        report.requests += 1
        if before != after:
            for difference in (*_compare_heads(before, after, tags), *_compare_bodies(before, after)):
                report.add(before, difference)
    return report


def _collect_tags(old: Path, new: Path) -> set[tuple[str, str]]:
    """Return the entity tags, old and new, that differ because of wording or of the digest of all assets."""
    tags = set()
    for before, after in _align(old, new):
        if (
            before is None
            or after is None
            or before["status"] != after["status"]
            or _read_tag(before) == _read_tag(after)
        ):
            continue
        bodies = list(_compare_bodies(before, after))
        masked = not bodies and before["assets"] != after["assets"]
        if masked or (bodies and all(difference.is_prose for difference in bodies)):
            tags.add((_read_tag(before), _read_tag(after)))
    return tags


def _align(old: Path, new: Path) -> Iterator[tuple[Line | None, Line | None]]:
    """Yield the lines of two recordings side by side, group by group."""
    groups = (groupby(read(path), itemgetter("group")) for path in (old, new))
    for before, after in zip_longest(*groups, fillvalue=("", ())):
        if before[0] == after[0]:
            yield from _align_group(list(before[1]), list(after[1]))
        else:
            yield from ((line, None) for line in before[1])
            yield from ((None, line) for line in after[1])


def _align_group(old: list[Line], new: list[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    """Yield the lines of a group side by side, where requests were added or removed by what is the same."""
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    before, after = ([json.dumps(line["request"]) for line in lines] for lines in (old, new))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, start, stop, other_start, other_stop in matcher.get_opcodes():
        yield from zip_longest(old[start:stop], new[other_start:other_stop])


def _compare_heads(old: Line, new: Line, tags: set[tuple[str, str]]) -> Iterator[Difference]:
    """Yield the differences of requests, statuses and headers."""
    yield from _compare_requests(old["request"], new["request"], tags)
    if old["status"] != new["status"]:
        yield Difference(f"status {old['status']} → {new['status']}", old["body"], new["body"])
    for name in sorted({*old["headers"], *new["headers"]}):
        before, after = (", ".join(line["headers"][name]) if name in line["headers"] else None for line in (old, new))
        if before == after:
            continue
        if before is None or after is None:
            yield Difference(f"header {name} {'added' if before is None else 'removed'}", before, after)
            continue
        is_prose = name in _PROSE_HEADERS or (name in TAGS and (before, after) in tags)
        yield Difference(f"header {name}", before, after, is_prose)


def _compare_requests(
    old: Mapping[str, Any], new: Mapping[str, Any], tags: set[tuple[str, str]]
) -> Iterator[Difference]:
    """Yield a difference if a request depends on an earlier answer that differs."""
    if old == new:
        return
    rewritten = json.dumps(old)
    for before, after in tags:
        if before and before in str(old):
            rewritten = rewritten.replace(json.dumps(before)[1:-1], json.dumps(after)[1:-1])
    yield Difference("request, by an earlier answer", old, new, is_prose=rewritten == json.dumps(new))


def _compare_bodies(old: Line, new: Line) -> Iterator[Difference]:
    """Yield the differences of bodies of answers with the same status."""
    before, after = old["body"], new["body"]
    if before == after or old["status"] != new["status"]:
        return
    kind = _read_media_type(old)
    if kind != _read_media_type(new) or not isinstance(before, str) or not isinstance(after, str):
        yield Difference(f"body {kind}", before, after)
    elif kind == "application/x-ndjson":
        lines = ([json.loads(each) for each in text.splitlines()] for text in (before, after))
        yield from _compare_values(f"body {kind}", next(lines), next(lines))
    elif kind.endswith("json"):
        prose = PROBLEM_PROSE if kind == "application/problem+json" or "openapi" in before[:40] else PROSE
        yield from _compare_values(f"body {kind}", json.loads(before), json.loads(after), prose)
    elif kind in ("text/html", "application/xhtml+xml"):
        yield from _compare_pages(kind, before, after)
    else:
        yield Difference(f"body {kind}", *_cut(before, after))


def _compare_values(at: str, old: Any, new: Any, prose: frozenset[str] = PROSE) -> Iterator[Difference]:
    """Yield the differences of two JSON values."""
    if type(old) is not type(new):
        yield Difference(f"{at}: type", old, new)
    elif isinstance(old, dict):
        if list(old) != list(new) and old.keys() == new.keys():
            yield Difference(f"{at}: order of members", list(old), list(new))
        inner = PROBLEM_PROSE if prose and "type" in old and "status" in old and "title" in old else prose
        for name in {**old, **new}:
            if name not in old or name not in new:
                verb = "removed" if name in old else "added"
                yield Difference(f"{at}/{name}: {verb}", old.get(name), new.get(name))
            elif name in inner and isinstance(old[name], str) and isinstance(new[name], str):
                if old[name] != new[name]:
                    yield Difference(f"{at}/{name}", old[name], new[name], is_prose=True)
            else:
                yield from _compare_values(f"{at}/{name}", old[name], new[name], frozenset() if name in DATA else inner)
    elif isinstance(old, list):
        if len(old) != len(new):
            yield Difference(f"{at}: length", old, new)
        for before, after in zip(old, new, strict=False):
            yield from _compare_values(f"{at}/*", before, after, prose)
    elif old != new:
        yield Difference(at, old, new)


def _compare_pages(kind: str, old: str, new: str) -> Iterator[Difference]:
    """Yield the differences of two pages: of their elements, and else of their words."""
    before, after = read_outline(old), read_outline(new)
    if before.elements != after.elements:
        changed = next(pair for pair in zip_longest(before.elements, after.elements) if pair[0] != pair[1])
        yield Difference(f"body {kind}: elements", *changed)
    else:
        pairs = zip_longest(before.words, after.words)
        changed = next((pair for pair in pairs if pair[0] != pair[1]), (old, new))
        yield Difference(f"body {kind}: words", *changed, is_prose=True)


def _cut(old: str, new: str) -> tuple[str, str]:
    """Return two texts from a little before the place where they begin to differ."""
    common = min(len(old), len(new))
    place = next((at for at in range(common) if old[at] != new[at]), common)
    start = max(0, place - 40)
    return old[start : start + _LONGEST], new[start : start + _LONGEST]


def _read_media_type(line: Line) -> str:
    return ", ".join(line["headers"].get("content-type", ["unknown"])).partition(";")[0]


def _read_tag(line: Line) -> str:
    return ", ".join(line["headers"].get("etag", []))


def _shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
