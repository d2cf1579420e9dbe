"""Changes under conditions: one that any version meets is carried out again after another client's, a few times."""

import pytest

from coolid.errors import Contended, CoolidError, Outdated
from coolid.http.management.record_access import MAX_ATTEMPTS, carry_out_change
from coolid.http.message import Request, Response


class Change:
    """A change that fails with an error a number of times."""

    def __init__(self, error: CoolidError, failures: int) -> None:
        self.error, self.failures, self.calls = error, failures, 0

    def __call__(self) -> Response:
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error
        return Response(200)


@pytest.mark.parametrize("error", [Outdated("x"), Contended("others")])
def test_any_version_will_do_until_the_last_attempt(error: CoolidError) -> None:
    request, change = Request("PUT", "/", headers={"if-match": " * "}), Change(error, MAX_ATTEMPTS - 1)
    assert carry_out_change(request, change).status == 200
    with pytest.raises(Contended, match="others have changed"):
        carry_out_change(request, Change(error, MAX_ATTEMPTS))


@pytest.mark.parametrize("condition", ['"a"', '"*"', '"a", "b"'])
def test_a_certain_version_is_tried_once(condition: str) -> None:
    change = Change(Outdated("x"), 1)
    with pytest.raises(Outdated):
        carry_out_change(Request("PUT", "/", headers={"if-match": condition}), change)
    assert change.calls == 1
