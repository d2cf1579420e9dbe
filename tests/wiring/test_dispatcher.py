"""The dispatcher: each request is answered by the application to which API Gateway would send it."""

from itertools import chain, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.wiring.dispatcher import Dispatcher, application_for
from tests.support.builders.samples import BASE_URL, ROOT
from tests.support.builders.stack import load

STACK = load(ROOT / "template.yaml")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
RESOURCES = sorted({route.path.removesuffix("/{proxy+}") or "/" for route in STACK.routes})
ENDINGS = ("", "/", "//", "/a", "/a/b", "/a/", "s", "%2Fa", "/\n", "?")

segments = st.sampled_from([*chain.from_iterable(each.split("/") for each in RESOURCES), "a", "%2F", "v2", "\n"])


def function_for(method: str, path: str) -> str:
    name = STACK.function_for(method, path).removesuffix("Function").lower()
    return "resolve" if name == "cite" else name  # the same application, with one more layer


@pytest.mark.parametrize("resource", RESOURCES)
def test_each_resource_of_the_template_is_served_by_its_function(resource: str) -> None:
    for method, ending in product(METHODS, ENDINGS):
        path = resource + ending
        assert application_for(method, path) == function_for(method, path), (method, path)


@given(st.sampled_from(METHODS), st.lists(segments, min_size=1, max_size=6).map(lambda each: "/" + "/".join(each)))
def test_every_path_is_served_by_the_function_of_the_template(method: str, path: str) -> None:
    assert application_for(method, path) == function_for(method, path)


def test_the_chosen_application_answers_and_the_listener_receives_its_response() -> None:
    heard: list[Any] = []

    def application(name: str) -> Application:
        def answer(_request: Request, _path: str) -> Response:
            return Response(200, {}, name)

        return Application((Route("/", dict.fromkeys(("GET", "POST"), answer), below=True),), BASE_URL, _fail)

    resolve, mint, manage = map(application, ("resolve", "mint", "manage"))
    dispatcher = Dispatcher(resolve, mint, manage, lambda *each: heard.append(each))
    requests = [Request("GET", "/go:1"), Request("POST", "/api/v1/records"), Request("GET", "/api/v1/records")]
    responses = [dispatcher(request) for request in requests]
    assert [response.body for response in responses] == ["resolve", "mint", "manage"]
    assert [each[:2] for each in heard] == list(zip(requests, responses, strict=True))
    assert all(seconds >= 0 for *_, seconds in heard)


def _fail(error: Exception, _request: Request) -> None:
    raise error
