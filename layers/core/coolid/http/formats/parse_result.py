"""What parsing found, as JSON."""

from typing import Any

from coolid.recognition.detection import SchemeMatch
from coolid.recognition.explanation import Explanation


def document(parsed: Explanation) -> dict[str, Any]:
    """The answer of the parse API for one text."""
    return {
        "text": parsed.text,
        "candidates": [judgement(each) for each in parsed.candidates],
        "prefix": parsed.prefix,
        "canonical": parsed.canonical,
        "location": parsed.location,
        "steps": [{"step": step.name, "detail": step.detail} for step in parsed.steps],
        "suggestions": list(parsed.suggestions),
        "curies": list(parsed.curies),
        "found": list(parsed.found),
    }


def judgement(each: SchemeMatch) -> dict[str, Any]:
    """What one scheme says of a text."""
    return {"scheme": each.scheme, "valid": each.valid, "canonical": each.canonical, "reason": each.reason}
