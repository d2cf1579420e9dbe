"""The report of an import: the numbers of identifiers, and each value or identifier that is not kept as it is.

`ImportReport` counts, and passes each `ImportFinding` on. It holds a bounded number of reasons with examples, so that
its memory does not grow with the dump.

>>> report = ImportReport()
>>> report.add(ImportFinding(2, "ark:/99999/fk4x", LOST, "_target", "it carries credentials", "https://a@b.example/"))
>>> [(reason.name, reason.count, reason.examples) for reason in report.reasons()]
[('_target', 1, ['ark:/99999/fk4x'])]
"""

from collections.abc import Callable, Iterable
from typing import Final, Literal

from msgspec import Struct, field

Kind = Literal["refused", "lost", "encoded"]
REFUSED: Final[Kind] = "refused"
LOST: Final[Kind] = "lost"
ENCODED: Final[Kind] = "encoded"
_ORDER: Final = (REFUSED, LOST, ENCODED)

_MAX_REASONS: Final = 1_000
_MAX_EXAMPLES: Final = 3
_OTHERS: Final = "other reasons, which are in the report"


class ImportFinding(Struct, frozen=True):
    """An identifier that is refused, or a value of it that is lost or encoded: its name, the reason, and the value.

    `position` is that of the entry in the dump. `name` is empty for a refused identifier.
    """

    position: int
    identifier: str
    kind: Kind
    name: str
    reason: str
    value: str = ""


class Reason(Struct):
    """A reason of findings: how many have it, and the identifiers of the first ones."""

    kind: Kind
    name: str
    reason: str
    count: int = 0
    examples: list[str] = field(default_factory=list)


class ImportReport(Struct):
    """The numbers of identifiers written, updated, already present and refused.

    `incomplete` counts those not refused with losses, and `encoded` those with encoded targets. In a preview,
    `written` and `updated` are those that an import would write. `on_finding` receives each finding.
    """

    on_finding: Callable[[ImportFinding], None] = lambda _: None
    written: int = 0
    updated: int = 0
    present: int = 0
    refused: int = 0
    incomplete: int = 0
    encoded: int = 0
    _reasons: dict[tuple[Kind, str, str], Reason] = field(default_factory=dict)

    @property
    def handled(self) -> int:
        """The number of identifiers handled so far."""
        return self.written + self.updated + self.present + self.refused

    def add(self, finding: ImportFinding) -> None:
        """Count a finding by its reason, and pass it on."""
        key = finding.kind, finding.name, finding.reason
        if key not in self._reasons and len(self._reasons) >= _MAX_REASONS:
            key = finding.kind, "", _OTHERS
        reason = self._reasons.setdefault(key, Reason(*key))
        reason.count += 1
        if len(reason.examples) < _MAX_EXAMPLES:
            reason.examples.append(finding.identifier)
        self.on_finding(finding)

    def refuse(self, position: int, identifier: str, *reasons: str) -> None:
        """Count an identifier as refused, for these reasons."""
        self.refused += 1
        for reason in reasons:
            self.add(ImportFinding(position, identifier, REFUSED, "", reason))

    def reasons(self) -> Iterable[Reason]:
        """Return the reasons of refusals, of losses, and of encoded targets, each kind by decreasing number."""
        return sorted(self._reasons.values(), key=lambda each: (_ORDER.index(each.kind), -each.count))
