"""The Python example of `docs/how-to/operator/localstack.md` works unchanged."""

import ast
import json
import re
import subprocess
import sys

from tests.deployed import localstack_session, sam
from tests.e2e.created_records import fresh_name, hold
from tests.e2e.service import connected


def snippet() -> str:
    """Return the Python of the page."""
    page = (sam.ROOT / "docs" / "how-to" / "operator" / "localstack.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(code)


def test_its_python_lists_the_tables_reads_a_record_and_invokes_a_function(stack: str) -> None:
    with connected(sam.api_url(stack), sam.admin_key(stack), lag=5) as service:
        issuer = service.issuer
        hold(service, fresh_name()).mint()
    command = [sys.executable, "-c", snippet().replace('"coolid-e2e"', repr(stack))]
    ended = subprocess.run(command, env=localstack_session.environment(), check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    names, records, answer = map(ast.literal_eval, ended.stdout.splitlines())
    resources = sam.resources(stack).values()
    assert {name for kind, name in resources if kind == "AWS::DynamoDB::Table"} <= set(names)
    (record,) = map(json.loads, records)
    assert record["pid"].startswith(issuer)
    assert answer["statusCode"] == 200
