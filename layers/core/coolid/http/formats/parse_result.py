"""The JSON of the parse API."""

from typing import Any

from coolid.recognition.detection import SchemeMatch
from coolid.recognition.explanation import Explanation


def document(parsed: Explanation) -> dict[str, Any]:
    """Return the answer of the parse API for one text."""
    return {
        "text": parsed.text,
        "candidates": [scheme_match_document(each) for each in parsed.candidates],
        "prefix": parsed.prefix,
        "canonical": parsed.canonical,
        "location": parsed.location,
        "steps": [{"step": step.name, "detail": step.detail} for step in parsed.steps],
        "suggestions": list(parsed.suggestions),
        "curies": list(parsed.curies),
        "found": list(parsed.found),
    }


def scheme_match_document(match: SchemeMatch) -> dict[str, Any]:
    """Return the result of one scheme for a text."""
    return {"scheme": match.scheme, "valid": match.valid, "canonical": match.canonical, "reason": match.reason}
