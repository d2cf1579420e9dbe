"""The stack as the local server reads it: every request reaches the function that API Gateway would give it to."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.local.stack import NoTemplate, find_template
from coolid.local.table_setup import TABLES
from tests.support.builders.samples import ROOT
from tests.support.builders.stack import Stack, StackRoute, load

STACK = load(ROOT / "template.yaml")

parts = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="/"), min_size=1, max_size=8)
paths = st.lists(parts, min_size=1, max_size=4).map(lambda each: "/" + "/".join(each))


class TestRouting:
    @pytest.mark.parametrize(
        ("method", "path", "function"),
        [
            ("GET", "/", "ResolveFunction"),
            ("GET", "/uniprot:P0DP23", "ResolveFunction"),
            ("GET", "/2021/06/demo/tw0t-ywdj-94", "ResolveFunction"),
            ("DELETE", "/2021/06/demo", "ResolveFunction"),
            ("GET", "/%2Fapi%2Fv1", "ResolveFunction"),
            ("GET", "//api/v1/records", "ResolveFunction"),
            ("GET", "/api", "ResolveFunction"),
            ("GET", "/apix/v1/records", "ResolveFunction"),
            ("POST", "/api/v1/records", "MintFunction"),
            ("GET", "/api/v1/records", "ManageFunction"),
            ("PUT", "/api/v1/records", "ManageFunction"),
            ("OPTIONS", "/api/v1/records", "ManageFunction"),
            ("GET", "/api/v1/records/demo:tw0t-ywdj-94", "ManageFunction"),
            ("GET", "/api/v1/records/2021/06/demo/tw0t-ywdj-94", "ManageFunction"),
            ("PUT", "/api/v1/prefixes/2021/06/mp", "ManageFunction"),
            ("POST", "/api/v1/repositories", "ManageFunction"),
            ("GET", "/api/v1/nonsense", "ManageFunction"),
        ],
    )
    def test_a_request_reaches_its_function(self, method: str, path: str, function: str) -> None:
        assert STACK.function_for(method, path) == function

    @given(st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]), paths)
    def test_every_request_reaches_one(self, method: str, path: str) -> None:
        assert STACK.function_for(method, path) in {"ResolveFunction", "MintFunction", "ManageFunction"}

    @given(paths)
    def test_what_is_not_below_api_is_resolved(self, path: str) -> None:
        if path.split("/")[1] != "api":
            assert STACK.function_for("GET", path) == "ResolveFunction"

    @given(st.permutations(["/", "/{proxy+}", "/a", "/a/{proxy+}", "/a/{id}", "/a/b", "/a/{id}/c", "/a/b/{proxy+}"]))
    def test_the_most_specific_route_wins_whatever_the_order_in_the_template(self, order: list[str]) -> None:
        routes = [StackRoute(path, "ANY", path) for path in order]
        routes.append(StackRoute("/a/b", "POST", "POST /a/b"))
        stack = Stack({}, {}, tuple(sorted(routes, key=StackRoute.specificity)))
        for method, path, expected in (
            ("GET", "/", "/"),
            ("GET", "/x", "/{proxy+}"),
            ("GET", "/x/y", "/{proxy+}"),
            ("GET", "/a", "/a"),
            ("GET", "/a/b", "/a/b"),
            ("POST", "/a/b", "POST /a/b"),
            ("GET", "/a/x", "/a/{id}"),
            ("GET", "/a/x/c", "/a/{id}/c"),
            ("GET", "/a/x/d", "/a/{proxy+}"),
            ("GET", "/a/b/d", "/a/b/{proxy+}"),
        ):
            assert stack.function_for(method, path) == expected

    def test_characters_of_a_path_are_no_pattern(self) -> None:
        assert StackRoute("/a.b", "ANY", "x").matches("GET", "/a.b")
        assert not StackRoute("/a.b", "ANY", "x").matches("GET", "/axb")

    def test_a_parameter_is_one_part_and_a_greedy_one_at_least_one(self) -> None:
        assert not StackRoute("/a/{id}", "ANY", "x").matches("GET", "/a/b/c")
        assert not StackRoute("/a/{id}", "ANY", "x").matches("GET", "/a/")
        assert not StackRoute("/a/{proxy+}", "ANY", "x").matches("GET", "/a")
        assert StackRoute("/a/{proxy+}", "ANY", "x").matches("GET", "/a/b/c/")


class TestTheTemplate:
    def test_its_tables_are_those_that_the_system_makes(self) -> None:
        assert STACK.tables.keys() == TABLES.keys()

    def test_a_table_has_all_that_makes_one_and_no_name(self) -> None:
        for table in STACK.tables.values():
            assert {"AttributeDefinitions", "KeySchema", "BillingMode"} <= table.keys()
            assert "TableName" not in table

    def test_every_function_has_a_handler(self) -> None:
        for name in {route.function for route in STACK.routes}:
            assert (ROOT / "functions" / name.removesuffix("Function").lower() / "handler.py").is_file()

    def test_it_is_found_from_a_clone_and_beside_the_sources(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert find_template() == ROOT / "template.yaml"
        (tmp_path / "template.yaml").write_text("Resources: {}\n", encoding="utf-8")
        assert find_template() == ROOT / "template.yaml"
        (tmp_path / "functions").mkdir()
        assert find_template() == tmp_path / "template.yaml"

    def test_where_there_is_none_it_is_said_what_to_do(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("coolid.local.stack.__file__", str(tmp_path / "site-packages" / "stack.py"))
        with pytest.raises(NoTemplate, match="clone"):
            find_template()
