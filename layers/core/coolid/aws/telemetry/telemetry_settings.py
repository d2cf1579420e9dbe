"""Settings of request logs and metrics, read from the environment.

`LOG_REQUESTS` is `on` by default, or `off`. `POWERTOOLS_METRICS_DISABLED` is Powertools' own switch for metrics. Lambda
sets `AWS_LAMBDA_FUNCTION_NAME`, the dimension of metrics.

>>> TelemetrySettings.read({"AWS_LAMBDA_FUNCTION_NAME": "coolid-ResolveFunction-1X"}, "resolve")
TelemetrySettings(service='resolve', function='coolid-ResolveFunction-1X', logs=True, counts=True)
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from coolid.aws.settings import InvalidSettings

LOG_REQUESTS: Final = "LOG_REQUESTS"


class TelemetrySettings(Struct, frozen=True):
    """Whether a function writes `logs` and `counts`; `service` names it in logs (`resolve`), `function` in metrics."""

    service: str
    function: str
    logs: bool = True
    counts: bool = True

    @classmethod
    def read(cls, environment: Mapping[str, str], service: str) -> "TelemetrySettings":
        """Return the settings of the function of this name. Raises `InvalidSettings`."""
        logs = environment.get(LOG_REQUESTS) or "on"
        if logs not in ("on", "off"):
            raise InvalidSettings(f"{LOG_REQUESTS} must be on or off")
        off = environment.get("POWERTOOLS_METRICS_DISABLED", "").lower() in ("true", "1")
        return cls(service, environment.get("AWS_LAMBDA_FUNCTION_NAME") or service, logs == "on", not off)
