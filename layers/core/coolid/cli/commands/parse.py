"""`coolid parse`: the scheme and validity of an identifier."""

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer

from coolid.cli.next_steps import after_unreachable
from coolid.cli.output import NO, UNREACHABLE, USAGE, out, print_json, print_line, print_next_step
from coolid.cli.tables import QUIET, Cell, cell, for_people, mark, print_list, print_pairs


def parse(
    text: Annotated[str, typer.Argument(help="An identifier in any form: bare, with its prefix, or as a URL.")],
    url: Annotated[
        str | None, typer.Option(envvar="COOLID_URL", help="A resolver to ask, such as http://127.0.0.1:8080.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explain what a text is.

    Prints its scheme, whether it is valid, and why not; with --url also where it leads, step by step. Exits with 1 if
    it is valid in no scheme.

        $ coolid parse 0000-0002-1825-0098
        $ coolid parse demo:tw0t-ywjd-94 --url http://127.0.0.1:8080
    """
    text = text.encode("utf-8", "replace").decode()  # undecodable bytes are in no identifier
    parsed = _query_resolver(url, text) if url else _parse_offline(text)
    if json:
        print_json(parsed)
    else:
        _print(parsed)
    if not any(candidate["valid"] for candidate in parsed["candidates"]):
        raise typer.Exit(NO)


def _parse_offline(text: str) -> dict[str, Any]:
    from msgspec import to_builtins

    from coolid.errors import BadReference
    from coolid.recognition.detection import detect
    from coolid.recognition.unwrap import unwrap

    try:
        inner = unwrap(text).text
    except BadReference as error:
        return {"text": text, "candidates": [], "steps": [{"step": "refused", "detail": str(error)}]}
    return {"text": text, "candidates": to_builtins(detect(inner))}


def _query_resolver(url: str, text: str) -> dict[str, Any]:
    from coolid.client.errors import BadAnswer, ClientError, RefusedByClient, Unreachable
    from coolid.client.http_request import get, is_unavailable

    try:
        answer = get(f"{url.rstrip('/')}/api/v1/parse?{urlencode({'id': text}, quote_via=quote)}")
        if is_unavailable(answer.status):
            raise Unreachable(f"it cannot answer now (status {answer.status})")
        parsed: Any = answer.json() if answer.status == 200 else None
        if not _is_parsed(parsed):
            raise BadAnswer(f"its status is {answer.status}, and it says nothing of the text")
    except RefusedByClient as error:
        print_line(f"coolid: {url} is not asked: {error}")
        raise typer.Exit(USAGE) from error
    except ClientError as error:
        print_line(f"coolid: {url} did not answer as a resolver does: {error}")
        print_next_step(after_unreachable(error, url))
        raise typer.Exit(UNREACHABLE) from error
    return dict(parsed)


def _is_parsed(answer: Any) -> bool:
    """Return whether an answer has all members that are printed, with their types."""
    if not isinstance(answer, dict):
        return False
    members = {"scheme", "valid", "canonical", "reason"}
    return (
        _is_list(answer.get("candidates"), lambda each: isinstance(each, dict) and members <= each.keys())
        and _is_list(answer.get("steps", []), lambda each: isinstance(each, dict) and {"step", "detail"} <= each.keys())
        and _is_list(answer.get("suggestions", []), lambda each: isinstance(each, str))
    )


def _is_list(value: Any, is_fit: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_fit, value))


def _print(parsed: dict[str, Any]) -> None:
    if for_people():
        _show(parsed)
        return
    for candidate in parsed["candidates"]:
        verdict = f"valid, {candidate['canonical']}" if candidate["valid"] else f"not valid: {candidate['reason']}"
        print_line(f"{candidate['scheme']:<12}{verdict}", to=out)
    if not parsed["candidates"]:
        print_line("no scheme has this form", to=out)
    for step in parsed.get("steps", ()):
        print_line(f"  {step['step']}: {step['detail']}", to=out)
    if parsed.get("suggestions"):
        print_line(f"  nearly alike, and registered: {', '.join(parsed['suggestions'])}", to=out)


def _show(parsed: dict[str, Any]) -> None:
    candidates: list[tuple[Cell, ...]] = [
        (
            mark(good=bool(each["valid"])),
            str(each["scheme"]),
            str(each["canonical"] if each["valid"] else each["reason"]),
        )
        for each in parsed["candidates"]
    ]
    print_list(candidates or [(mark(good=False), "no scheme has this form")])
    steps = [(str(each["step"]), cell(str(each["detail"]), QUIET)) for each in parsed.get("steps", ())]
    if steps:
        out.print()
        print_pairs(steps)
    if parsed.get("suggestions"):
        out.print()
        print_line(f"Nearly alike, and registered: {', '.join(map(str, parsed['suggestions']))}", to=out)
