"""The Lambda handler of a function that writes: its application, with logs and metrics by Powertools."""

import os
from collections.abc import Callable, Sequence

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.settings import Settings, TelemetrySettings
from coolid.http.application import Application, ResponseListener
from coolid.wiring.powertools import listeners
from coolid.wiring.write_components import WriteComponents


def write_handler(
    name: str, build_application: Callable[[WriteComponents], Application], *, also: Sequence[str] = ()
) -> ApiGatewayHandler:
    """Return the handler of the function of this name; `also` lists more required settings. Raises `InvalidSettings`.

    `build_application` receives the components over the store and the key that the environment names.
    """
    components, on_response = open_components(name, also=also)
    return ApiGatewayHandler(build_application(components), on_response)


def open_components(name: str, *, also: Sequence[str] = ()) -> tuple[WriteComponents, ResponseListener]:
    """Return the components over the store and the key that the environment names, and the listener for responses."""
    settings = Settings.read(os.environ, writes=True, also=also)
    reported = listeners(TelemetrySettings.read(os.environ, name), settings.public_base_url)
    return WriteComponents(settings, reported), reported.on_response
