"""`coolid parse`: the scheme and validity of an identifier."""

from collections.abc import Iterable
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import QUIET, cell, for_people, mark, out, print_json, print_line, print_list, print_pairs
from coolid.cli.service_connection import Json, Profile, Url, named_service


def parse(
    text: Annotated[str, typer.Argument(help="An identifier in any form: bare, with its prefix, or as a URL.")],
    url: Url = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Explain what a text is.

    Prints its scheme, whether it is valid, and why not; with --url or --profile also where it leads, step by
    step. Exits with 1 if it is valid in no scheme.

        $ coolid parse 0000-0002-1825-0098
        $ coolid parse demo:tw0t-ywjd-94 --url http://127.0.0.1:8080
    """
    text = text.encode("utf-8", "replace").decode()  # undecodable bytes are in no identifier
    service = named_service(url, profile)
    parsed = _query_resolver(service, text) if service else _parse_offline(text)
    if json:
        print_json(parsed)
    else:
        _print(parsed)
    if not any(candidate["valid"] for candidate in parsed["candidates"]):
        raise typer.Exit(NO)


def _parse_offline(text: str) -> dict[str, Any]:
    from coolid.recognition.parsed_text import parse as parse_text

    parsed = parse_text(text)
    steps = {} if parsed.refused is None else {"steps": [{"step": "refused", "detail": parsed.refused}]}
    return {"text": text, "candidates": [each.to_document() for each in parsed.candidates], **steps}


def _query_resolver(url: str, text: str) -> dict[str, Any]:
    from coolid.client.errors import BadAnswer, Unreachable
    from coolid.client.http_request import is_unavailable
    from coolid.client.single_request import get

    answer = get(f"{url.rstrip('/')}/api/v1/parse?{urlencode({'id': text}, quote_via=quote)}")
    if is_unavailable(answer.status):
        raise Unreachable(f"it cannot answer now (status {answer.status})")
    parsed: Any = answer.json() if answer.status == 200 else None
    if not _is_parsed(parsed):
        raise BadAnswer(f"{url} did not answer as a resolver does (status {answer.status})")
    return dict(parsed)


def _is_parsed(answer: Any) -> bool:
    """Return whether an answer has all members that are printed, with their types."""
    return (
        isinstance(answer, dict)
        and _are_objects(answer.get("candidates"), {"scheme", "valid", "canonical", "reason"})
        and _are_objects(answer.get("steps", []), {"step", "detail"})
        and isinstance(suggestions := answer.get("suggestions", []), list)
        and all(isinstance(each, str) for each in suggestions)
    )


def _are_objects(value: Any, members: Iterable[str]) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and {*members} <= each.keys() for each in value)


def _print(parsed: dict[str, Any]) -> None:
    suggestions = f"similar registered identifiers: {', '.join(parsed.get('suggestions', ()))}"
    if for_people():
        _print_tables(parsed)
        if parsed.get("suggestions"):
            out.print()
            print_line(f"S{suggestions[1:]}", to=out)
        return
    for candidate in parsed["candidates"]:
        certainty = "guess" if candidate.get("guess") else "valid"
        verdict = (
            f"{certainty}, {candidate['canonical']}" if candidate["valid"] else f"not valid: {candidate['reason']}"
        )
        print_line(f"{candidate['scheme']:<12}{verdict}", to=out)
    if not parsed["candidates"]:
        print_line("no scheme has this form", to=out)
    for step in parsed.get("steps", ()):
        print_line(f"  {step['step']}: {step['detail']}", to=out)
    if parsed.get("suggestions"):
        print_line(f"  {suggestions}", to=out)


def _print_tables(parsed: dict[str, Any]) -> None:
    candidates = [
        (mark(good=bool(each["valid"])), str(each["scheme"]), str(each["canonical" if each["valid"] else "reason"]))
        for each in parsed["candidates"]
    ]
    print_list(candidates or [(mark(good=False), "no scheme has this form")])
    if parsed.get("steps"):
        out.print()
        print_pairs((str(each["step"]), cell(str(each["detail"]), QUIET)) for each in parsed["steps"])
