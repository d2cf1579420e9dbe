"""CloudFront's flat-rate plans: their prices, allowances and features, and whether the template fits.

Source: Amazon CloudFront Developer Guide, "CloudFront flat-rate pricing plans", in a copy of autumn 2026. A plan is for
one distribution and one apex domain. It covers the distribution's requests, transfer, functions, the reads of a
KeyValueStore, invalidations, the web ACL with its rules and requests, the hosted zone if it is attached, and the
ingestion of its logs. It also has a credit for S3. A web ACL is obligatory. The page does not say that KeyValueStore's
API requests are covered, so they are billed here, and the credit is left out.

An allowance is no limit, and more requests cost nothing. One excess of up to three times it has no effect. After months
of substantial excess AWS may serve the distribution from fewer and more distant locations.

>>> plan = plan_for(100 * MILLION, 200 * GB)
>>> plan.name, plan.dollars
('Business', 200)
"""

from dataclasses import dataclass

from scripts.cost.prices import GB, MILLION, TB

BEHAVIORS = 14  # cache behaviors of infra/edge.yaml, the default one included


@dataclass(frozen=True)
class Plan:
    """A plan with its dollars a month, its allowances of requests and bytes a month, and its features."""

    name: str
    dollars: int
    requests: int
    size: int
    behaviors: int
    rules: int
    """Rules of the web ACL."""
    policies: bool = False
    """Whether a distribution may have cache and response headers policies of its own."""
    tags: bool = True
    """Whether responses can be invalidated by tag."""
    store: bool = True
    """Whether functions may read a KeyValueStore."""

    @property
    def fits(self) -> bool:
        """Whether the distribution of `infra/edge.yaml` may have this plan."""
        return self.policies and self.tags and self.store and self.behaviors >= BEHAVIORS


PLANS = (
    Plan("Free", 0, MILLION, 100 * GB, 5, 5, tags=False, store=False),
    Plan("Pro", 15, 10 * MILLION, 50 * TB, 10, 25),
    Plan("Business", 200, 125 * MILLION, 50 * TB, 50, 50, policies=True),
    Plan("Premium", 1_000, 500 * MILLION, 50 * TB, 100, 75, policies=True),
    Plan("Premium", 1_450, 750 * MILLION, 75 * TB, 100, 75, policies=True),
    Plan("Premium", 2_250, 1_250 * MILLION, 125 * TB, 100, 75, policies=True),
    Plan("Premium", 3_500, 2_000 * MILLION, 200 * TB, 100, 75, policies=True),
    Plan("Premium", 6_000, 3_500 * MILLION, 350 * TB, 100, 75, policies=True),
    Plan("Premium", 10_000, 6_000 * MILLION, 600 * TB, 100, 75, policies=True),
)
"""All plans, the cheapest first; Premium has levels. For more than the last one AWS has prices on request."""


class NoPlanError(ValueError):
    """No plan with a published price covers the month."""


def plan_for(requests: int, size: int) -> Plan:
    """Return the cheapest plan that fits the template and whose allowances cover so many requests and bytes.

    Raises `NoPlanError` if there is none.
    """
    for plan in PLANS:
        if plan.fits and requests <= plan.requests and size <= plan.size:
            return plan
    raise NoPlanError(f"no flat-rate plan covers {requests:,} requests and {size:,} bytes")
