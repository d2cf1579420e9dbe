"""The modules that quick commands import, because imports are most of their time."""

import json
import subprocess
import sys
from typing import Final

import pytest

SLOW: Final = {
    "bioregistry", "boto3", "botocore", "can_ada", "cryptography", "dns", "httptools", "httpx", "jinja2", "joserfc",
    "markdown_it", "orjson", "publicsuffixlist", "pydantic", "pynamodb", "rfc8785", "rich", "segno", "uvicorn", "yaml",
}  # fmt: skip
"""Libraries that none of these commands needs."""

_PROGRAM: Final = """
import json, sys
from coolid.cli import main
sys.argv = ["coolid", *sys.argv[1:]]
try:
    main()
finally:
    json.dump(sorted(sys.modules), sys.stderr)
"""

LINES: Final = {
    "--help": SLOW | {"msgspec", "re2", "stdnum"},
    "--version": SLOW | {"msgspec", "re2", "stdnum"},
    "parse --help": SLOW | {"re2", "stdnum"},
    "parse demo:tw0t-ywdj-94": SLOW | {"re2", "stdnum"},
    "parse 0000-0002-1825-0097": SLOW | {"re2"},
    "generate lui -n 3 --symbols 9": SLOW | {"re2", "stdnum"},
}
"""Command lines, with the libraries that they must not import."""


@pytest.mark.parametrize("line", LINES)
def test_a_quick_command_imports_no_slow_library(line: str) -> None:
    command = [sys.executable, "-c", _PROGRAM, *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    loaded = json.loads(done.stderr)
    assert done.returncode == 0
    assert {each for each in loaded if each.partition(".")[0] in LINES[line]} == set()
    commands = {each for each in loaded if each.startswith("coolid.cli.commands.")}
    assert commands <= {f"coolid.cli.commands.{line.split(maxsplit=1)[0]}"}
