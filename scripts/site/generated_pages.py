"""The pages of the reference that are generated from the code and the template: python -m scripts.site.generated_pages

They are committed, so that they can be read without the site. `tests/docs/test_generated_pages.py` compares them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from coolid.http.problem_types import PROBLEM_TYPES
from coolid.local.stack import SafeLoader

ROOT: Final = Path(__file__).resolve().parents[2]
REFERENCE: Final = ROOT / "docs" / "reference"
PARAMETERS: Final = "<!-- parameters -->\n"


class _Loader(SafeLoader):
    """Reads a template without evaluating its functions."""


_Loader.add_multi_constructor("!", lambda *_: None)


def problems_page() -> str:
    """Return the page of all problem types."""
    return "\n".join(_problems()) + "\n"


def _problems() -> Iterator[str]:
    yield "# Problems\n"
    yield (
        "An error is a problem document (RFC 9457) for programs, and a page for browsers. Its `type` is\n"
        "`https://id.example.org/problems/SLUG`, which describes it. Type and status never change. `detail` says what\n"
        "is wrong in this case, and may change.\n"
    )
    yield "| status | slug | meaning | what to do |\n|---|---|---|---|"
    for each in sorted(PROBLEM_TYPES.values(), key=lambda problem: (problem.status, problem.slug)):
        yield f"| {each.status} | `{each.slug}` | {each.meaning} | {each.action} |"


def settings_page(written: str) -> str:
    """Return the page of settings with the current parameters of the stack."""
    before, _, _ = written.partition(PARAMETERS)
    return before + PARAMETERS + "\n".join(_parameters()) + "\n"


def _parameters() -> Iterator[str]:
    import yaml

    template = yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), _Loader)  # noqa: S506 - it is one
    yield "| parameter | default | meaning |\n|---|---|---|"
    for name, parameter in template["Parameters"].items():
        yield f"| `{name}` | {_default(parameter)} | {' '.join(parameter['Description'].split())} |"


def _default(parameter: Mapping[str, Any]) -> str:
    if "Default" not in parameter:
        return "required"
    return f"`{parameter['Default']}`" if parameter["Default"] != "" else "empty"


def main() -> None:
    """Write the pages."""
    (REFERENCE / "problems.md").write_text(problems_page(), encoding="utf-8")
    settings = REFERENCE / "settings.md"
    settings.write_text(settings_page(settings.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
