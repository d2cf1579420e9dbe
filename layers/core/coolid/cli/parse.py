"""`coolid parse`: what a text is."""

from typing import Annotated, Any

import typer

from coolid.cli.output import NO, UNREACHABLE, err, out, print_json


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
    from coolid.web.representations.parsed import verdict

    try:
        inner = unwrap(text).text
    except BadReference as error:
        return {"text": text, "candidates": [], "steps": [{"step": "refused", "detail": str(error)}]}
    return {"text": text, "candidates": [verdict(each) for each in detect(inner)]}


def _asked(url: str, text: str) -> dict[str, Any]:
    import httpx

    try:
        answer = httpx.get(f"{url.rstrip('/')}/api/v1/parse", params={"id": text}, timeout=10)
        answer.raise_for_status()
        parsed: Any = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        err.print(f"coolid: {url} did not answer as a resolver does: {error}", markup=False)
        raise typer.Exit(UNREACHABLE) from error
    if not _is_parsed(parsed):
        err.print(f"coolid: {url} did not answer as a resolver does", markup=False)
        raise typer.Exit(UNREACHABLE)
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
        out.print(f"{candidate['scheme']:<12}{verdict}", markup=False)
    if not parsed["candidates"]:
        out.print("no scheme has this form")
    for step in parsed.get("steps", ()):
        out.print(f"  {step['step']}: {step['detail']}", markup=False)
    if parsed.get("suggestions"):
        out.print(f"  nearly alike, and registered: {', '.join(parsed['suggestions'])}", markup=False)
