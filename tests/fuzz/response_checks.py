"""Checks that hold for the response of every function to any event."""

import json
import re
from typing import Any

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System, answer_of

_HEADER = re.compile(r"[A-Za-z0-9-]+")
_VALUE = re.compile(r"[\x20-\x7e\t]*")


def answered(system: System, function: str, event: Any) -> Answer:
    """What a function answers to an event, which Lambda could send on, and which is no failure of ours."""
    handlers = system.invoke.__self__.handlers  # whatever the path says
    answer = handlers[function.removesuffix("Function").lower()](event, None)
    assert json.loads(json.dumps(answer, ensure_ascii=False).encode()) == answer
    assert type(answer["statusCode"]) is int
    assert isinstance(answer["body"], str)
    many = answer.get("multiValueHeaders") or {name: [value] for name, value in answer["headers"].items()}
    assert all(_HEADER.fullmatch(name) for name in many)
    assert all(_VALUE.fullmatch(value) for values in many.values() for value in values), many
    returned = answer_of(answer)
    assert_sound(returned)
    return returned


def assert_sound(answer: Answer) -> None:
    """It is no failure of ours; what is refused is refused with a problem, in JSON or as a page."""
    assert 200 <= answer.status < 500, (answer.status, answer.body)
    assert answer.headers["x-content-type-options"] == "nosniff"
    if answer.body and answer.headers.get("content-type", "").startswith("application/problem+json"):
        assert answer.is_problem(answer.status), answer.body
        assert answer.json()["type"].startswith(f"{BASE_URL}/problems/")
    if answer.status in (301, 302, 303, 307, 308):
        assert answer.headers["location"]
