"""Commands in the documentation are such as `coolid`, `make` and `aws` take, with parameters that templates have."""

import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.main
from botocore import xform_name
from botocore.session import Session

from coolid import metric_names
from coolid.cli import app
from tests.infra.cloudformation import load
from tests.support.builders.samples import ROOT

DOCUMENTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
TEMPLATES = {"deploy": "template.yaml", "deploy-global": "infra/global.yaml"}
NESTED = ("infra/edge.yaml", "infra/watch.yaml")
GUIDE = sorted((ROOT / "docs" / "how-to" / "operator").glob("*.md"))

# Options of every command of the AWS CLI, and commands that are no operation of an API.
GLOBAL = {"--cli-binary-format", "--query", "--output", "--region", "--profile", "--no-cli-pager"}
OWN_COMMANDS = {"configure", "s3"}

# Ours, and AWS's own that the guide names, with a dimension.
METRICS = {each for name, each in vars(metric_names).items() if name.isupper() and isinstance(each, str)}
METRICS |= {"ReplicationLatency", "ReceivingRegion"}

# What the units of systemd set.
UNITS = [*(ROOT / "infra" / "standalone").glob("*.service")]
UNIT_SETTINGS = {name for unit in UNITS for name in re.findall(r"^(\w+)=", unit.read_text("utf-8"), re.MULTILINE)}

_BLOCK = re.compile(r"^( *)```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^    (?:\$ )?(coolid .*)$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)
_NAME = re.compile(r"[A-Z][a-z]+([A-Z][a-z0-9]+)+")
_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
_FILE = re.compile(r"[\w-]+\.(csv|db|jsonl?|xml\.gz)")
_VARIABLE = re.compile(r"[A-Z_]+=.*")


def scripts(document: Path) -> Iterator[str]:
    """What of a document is for a shell: blocks that say so, and code in a line or indented that begins like one."""
    text = document.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        yield block[2]
    rest = _BLOCK.sub("", text)
    yield from (match[1] for match in _INDENTED.finditer(rest))
    for span in _SPAN.finditer(rest):
        code = " ".join(span[1].split())
        if re.match(r"(\(?umask|coolid|make|aws) ", code) and "…" not in code and "|" not in code:
            yield code


def commands(document: Path) -> Iterator[list[str]]:
    """The simple commands of a document, as words."""
    for script in scripts(document):
        plain = _COMMENT.sub(r"\1", script.replace("\\\n", " "))
        lexer = shlex.shlex(plain, posix=True, punctuation_chars="();<>|&\n")
        lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t", "", True
        words: list[str] = []
        for token in [*lexer, "\n"]:
            if token.strip("();|&\n"):
                words.append(token)
                continue
            while words and (_VARIABLE.fullmatch(words[0]) or words[0] in ("do", "$")):
                words.pop(0)
            if words[:2] == ["runuser", "-u"]:
                del words[:4]  # the user, and `--`
            if words:
                yield words[: words.index(">")] if ">" in words else words
            words = []


def commands_of(tool: str) -> list[Any]:
    """All commands of a tool with their documents, for a parametrized test."""
    found = [(document, words) for document in DOCUMENTS for words in commands(document)]
    return [
        pytest.param(words[1:], id=f"{document.relative_to(ROOT)}: {shlex.join(words)}")
        for document, words in found
        if words[0].rpartition("/")[2] == tool and len(words) > 1
    ]


@cache
def cli() -> Any:
    return typer.main.get_command(app)


@pytest.mark.parametrize("words", commands_of("coolid"))
def test_every_coolid_command_is_one_that_there_is(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in filter(_FILE.fullmatch, words):
        Path(file).touch()
    command, rest = cli(), list(words)
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        assert name in command.commands, f"{name} is no command of {command.name}"
        command = command.commands[name]
    if hasattr(command, "commands") or not rest:
        return  # the command is only named
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in rest if word.startswith("--")} <= options | {"--help"}
    with suppress(typer.Exit):  # --help
        command.make_context(command.name, rest)


def parameters(template: str) -> Mapping[str, Any]:
    """The parameters of a template."""
    declared: Mapping[str, Any] = load(ROOT / template)["Parameters"]
    return declared


@pytest.mark.parametrize("words", commands_of("make"))
def test_every_make_target_is_there_and_is_given_parameters_that_its_template_has(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    target, *given = words
    assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"there is no target {target}"
    for each in given:
        variable, _, value = each.partition("=")
        assert re.search(rf"\$\({variable}\)|^{variable} ?[?:]?=", makefile, re.MULTILINE), f"it has no {variable}"
        if variable == "ARGS" and target in TEMPLATES:
            for name, wanted in assignments(value):
                judge(name, wanted, parameters(TEMPLATES[target]))


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """`NAME=VALUE` among the arguments of `sam`, until its options begin."""
    for word in shlex.split(text):
        if word.startswith("--"):
            return
        name, equals, value = word.partition("=")
        assert equals, f"{word} sets nothing"
        yield name, value


def judge(name: str, value: str, known: Mapping[str, Any]) -> None:
    """Whether a parameter is there and takes the value, unless that only stands for one (`ARN`, `ID`)."""
    assert name in known, f"there is no parameter {name}"
    allowed = [str(each) for each in known[name].get("AllowedValues", ())]
    assert not allowed or value in allowed, f"{name} takes one of {allowed}"
    pattern = known[name].get("AllowedPattern")
    if pattern and not re.fullmatch(r"[A-Z-]+|.*…", value):
        assert re.fullmatch(pattern, value), f"{name} must match {pattern}"


@pytest.mark.parametrize("document", GUIDE, ids=lambda path: path.name)
def test_every_parameter_resource_output_and_metric_that_the_guide_names_is_there(document: Path) -> None:
    known = template_names() | METRICS | set(Session().get_service_model("dynamodb").operation_names) | UNIT_SETTINGS
    settable = {**parameters("infra/global.yaml"), **parameters("template.yaml")}
    for span in _SPAN.findall(_BLOCK.sub("", document.read_text(encoding="utf-8"))):
        name, equals, value = span.partition("=")
        if equals and _NAME.fullmatch(name) and " " not in span:
            judge(name, value, settable)
        elif _NAME.fullmatch(span):
            assert span in known, f"{span} is neither a parameter, a resource, an output nor a metric"


def template_names() -> set[str]:
    """What an operator meets of the templates; the outputs of nested stacks are not among it."""
    nested = {name for path in NESTED for section in ("Parameters", "Resources") for name in load(ROOT / path)[section]}
    deployed = [load(ROOT / path) for path in TEMPLATES.values()]
    indexes = {
        index["IndexName"]
        for each in deployed
        for resource in each["Resources"].values()
        for index in resource.get("Properties", {}).get("GlobalSecondaryIndexes", ())
    }
    return (
        nested
        | indexes
        | {name for each in deployed for section in ("Parameters", "Resources", "Outputs") for name in each[section]}
    )


@pytest.mark.parametrize("words", commands_of("aws"))
def test_every_aws_command_is_an_operation_with_these_options(words: list[str]) -> None:
    service, *rest = words
    if service in OWN_COMMANDS:
        return
    given = [word for word in rest if word.startswith("--")]
    if rest[0] == "wait":
        waiters = Session().get_waiter_model(service)
        (waiter,) = (name for name in waiters.waiter_names if xform_name(name, "-") == rest[1])
        name = waiters.get_waiter(waiter).operation
    else:
        names = Session().get_service_model(service).operation_names
        (name,) = (each for each in names if xform_name(each, "-") == rest[0])
    shape = Session().get_service_model(service).operation_model(name).input_shape
    members = dict(shape.members) if shape else {}
    options = {f"--{xform_name(member, '-')}" for member in members}
    options |= {f"--no-{xform_name(member, '-')}" for member, each in members.items() if each.type_name == "boolean"}
    assert set(given) <= options | GLOBAL
    if given:
        required = {f"--{xform_name(member, '-')}" for member in (shape.required_members if shape else ())}
        assert required <= set(given)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_to_another_page_leads_to_one(document: Path) -> None:
    for target, anchor in _LINK.findall(document.read_text(encoding="utf-8")):
        page = (document.parent / target).resolve() if target else document
        assert page.exists(), f"{target} is not there"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
