"""Scheduling: which worker of pytest-xdist runs what, and what comes first.

Tests of one module go together, as those of one `xdist_group` do: what a module makes once is made once, and no worker
waits for word after each of thousands of short tests. What takes long comes first, so that at the end nobody is busy
with it alone.
"""

from collections import OrderedDict
from typing import Any, Final

from xdist.scheduler import LoadGroupScheduling

LONGEST: Final = (
    "server",
    "crowd",
    "packaging",
    "tests/infra/test_openapi.py",
    "world",
    "tests/aws/transfer/test_export_and_import.py",
    "tests/contract/test_record_histories.py",
    "tests/infra/test_folding.py",
    "tests/contract/test_items.py",
    "tests/functions/test_crowds.py",
    "tests/resolution/test_cache_in_outages.py",
    "tests/functions/test_region_histories.py",
    "tests/http/formats/test_qr.py",
    "tests/model/test_differences.py",
    "tests/aws/dynamodb_client/test_signing.py",
    "tests/support/stores/test_moto_answers.py",
)
"""Groups and modules that take many seconds, or a few by a handful of tests: of the others those with the fewest tests
come last. The longest first; nothing is wrong if one is missing here."""


class ByModule(LoadGroupScheduling):  # type: ignore[misc] # a class without types
    """As `--dist loadgroup`, but the tests without a group are grouped by their modules."""

    workqueue: OrderedDict[str, Any]
    _is_ordered = False

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if scope == nodeid else scope

    def _assign_work_unit(self, node: Any) -> None:
        if not self._is_ordered:
            self.workqueue = OrderedDict(sorted(self.workqueue.items(), key=lambda unit: _place(unit[0])))
            self._is_ordered = True
        super()._assign_work_unit(node)


def _place(scope: str) -> int:
    return LONGEST.index(scope) if scope in LONGEST else len(LONGEST)
