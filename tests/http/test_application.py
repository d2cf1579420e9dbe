"""The application always returns a response."""

import json
from unittest.mock import patch

from coolid.http import problem_responses
from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from tests.support.builders.samples import BASE_URL


def failing(_request: Request, _path: str) -> Response:
    raise ZeroDivisionError


def test_an_error_while_rendering_an_error_is_reported_and_answered_plainly() -> None:
    returned: list[str] = []
    routes = (Route("/", {"GET": failing}, below=True),)
    application = Application(routes, BASE_URL, lambda error, _: returned.append(type(error).__name__), public=True)
    with patch.object(problem_responses, "prefers_html", side_effect=lambda accept: accept is not None and 1 / 0):
        response = application(Request("GET", "/go:7", headers={"accept": "text/html"}))
    assert response.status == 500
    assert json.loads(response.body)["title"]
    assert returned == ["ZeroDivisionError", "ZeroDivisionError"]
