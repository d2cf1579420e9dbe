"""`coolid parse`: what a text is."""

from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer

from coolid.cli.output import NO, UNREACHABLE, USAGE, err, out, print_json
from coolid.cli.safely import printable


def parse(
    text: Annotated[str, typer.Argument(help="An identifier in any form: bare, with its prefix, or as a URL.")],
    url: Annotated[
        str | None, typer.Option(envvar="COOLID_URL", help="A resolver to ask, such as http://127.0.0.1:8080.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a text is, whether it is valid and why not; with --url also where it leads, step by step.

    Exits with 1 if no scheme finds it valid.
    """
    text = text.encode("utf-8", "replace").decode()  # what the terminal could not decode is no identifier anyway
    parsed = _asked(url, text) if url else _alone(text)
    if json:
        print_json(parsed)
    else:
        _print(parsed)
    if not any(candidate["valid"] for candidate in parsed["candidates"]):
        raise typer.Exit(NO)


def _alone(text: str) -> dict[str, Any]:
    from coolid.domain.detecting import detect
    from coolid.domain.errors import BadReference
    from coolid.domain.unwrapping import unwrap
    from coolid.web.representations.parsed import judgement

    try:
        inner = unwrap(text).text
    except BadReference as error:
        return {"text": text, "candidates": [], "steps": [{"step": "refused", "detail": str(error)}]}
    return {"text": text, "candidates": [judgement(each) for each in detect(inner)]}


def _asked(url: str, text: str) -> dict[str, Any]:
    from coolid.client.errors import BadAnswer, ClientError, Refused
    from coolid.client.http import get

    try:
        answer = get(f"{url.rstrip('/')}/api/v1/parse?{urlencode({'id': text}, quote_via=quote)}")
        parsed: Any = answer.json() if answer.status == 200 else None
        if not _is_parsed(parsed):
            raise BadAnswer(f"its status is {answer.status}, and it says nothing of the text")
    except Refused as error:
        _tell(f"coolid: {url} is not asked: {error}", to=err)
        raise typer.Exit(USAGE) from error
    except ClientError as error:
        _tell(f"coolid: {url} did not answer as a resolver does: {error}", to=err)
        raise typer.Exit(UNREACHABLE) from error
    return dict(parsed)


def _is_parsed(answer: Any) -> bool:
    candidates = answer.get("candidates") if isinstance(answer, dict) else None
    members = {"scheme", "valid", "canonical", "reason"}
    return isinstance(candidates, list) and all(
        isinstance(each, dict) and members <= each.keys() for each in candidates
    )


def _print(parsed: dict[str, Any]) -> None:
    for candidate in parsed["candidates"]:
        verdict = f"valid, {candidate['canonical']}" if candidate["valid"] else f"not valid: {candidate['reason']}"
        _tell(f"{candidate['scheme']:<12}{verdict}")
    if not parsed["candidates"]:
        _tell("no scheme has this form")
    for step in parsed.get("steps", ()):
        _tell(f"  {step['step']}: {step['detail']}")
    if parsed.get("suggestions"):
        _tell(f"  nearly alike, and registered: {', '.join(parsed['suggestions'])}")


def _tell(line: str, to: Any = out) -> None:
    to.print(printable(line), markup=False)
