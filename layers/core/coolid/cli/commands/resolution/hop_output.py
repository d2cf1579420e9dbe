"""Output of a resolution: its hops, and what the last one answers."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from coolid.cli.error_report import AFTER_NO_RESOLVER, UNRESOLVED
from coolid.cli.output import BAD, GOOD, cell, for_people, out, print_line, print_list, printable, safe_json
from coolid.client import Resolution

if TYPE_CHECKING:
    from coolid.cli.output import Cell


def print_resolution(resolution: Resolution) -> None:
    """Print what became of an identifier: problems of resolvers on standard error, each hop, and what it ends with."""
    for attempt in resolution.attempts:
        print_line(f"{attempt.resolver}: {attempt.problem}")
    if resolution.resolver is None:
        print_line(f"coolid: no resolver answered for {resolution.id}")
        print_line(f"  {AFTER_NO_RESOLVER}")
    print_hops(resolution)
    if resolution.stopped:
        print_line(f"coolid: {resolution.stopped}")
    if resolution.final is None:
        return
    status = resolution.final.status
    if resolution.document is None:
        if resolution.text is not None:
            out.print(printable(resolution.text, lines=True), markup=False)
    elif status < 300:
        out.print(safe_json(resolution.document, indent=True), markup=False, emoji=False)
    else:
        for line in _describe(resolution.document, status):
            print_line(f"  {line}", to=out)
        if status == 404:
            print_line(f"  {UNRESOLVED}")


def print_hops(resolution: Resolution) -> None:
    """Print each request with its status, and where it redirects to."""
    if not for_people():
        for hop in resolution.hops:
            target = f" -> {hop.location}" if hop.location is not None else ""
            print_line(f"{hop.status} {hop.url}{target}", to=out)
        return
    rows: list[tuple[Cell, ...]] = []
    for hop in resolution.hops:
        rows.append((cell(str(hop.status), GOOD if hop.status < 400 else BAD), "request", hop.url))
        if hop.location is not None:
            rows.append(("", "redirect", hop.location))
    print_list(rows)


def _describe(document: Mapping[str, Any], status: int) -> Iterator[str]:
    """Yield lines that describe a list of alternatives, a tombstone or a problem."""
    if status == 300:
        for location in _objects(document.get("choices")) or _objects(document.get("records")):
            members = ("uri", "mediaType", "language", "version")
            yield "  ".join(str(location[member]) for member in members if location.get(member) is not None)
        return
    withdrawn = document.get("withdrawn")
    if isinstance(withdrawn, dict):
        yield f"withdrawn at {withdrawn.get('at')}: {withdrawn.get('reason')}"
        if withdrawn.get("successor"):
            yield f"its successor is {withdrawn['successor']}"
    detail = document.get("detail") or document.get("title")
    if detail:
        yield str(detail)
    suggestions = document.get("suggestions")
    if isinstance(suggestions, list) and suggestions:
        yield f"similar registered identifiers: {', '.join(map(str, suggestions))}"


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
