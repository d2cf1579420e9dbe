"""The trusted resolvers that the settings of the service name.

`PEERS` is the text of a list of trusted resolvers (`coolid.linkid.trusted_resolvers`).

>>> configured_peers({"PEERS": '{"resolvers": [{"issuer": "https://a.example"}]}'}).issuers
('https://a.example',)
>>> configured_peers({"PEERS": "{}"})
Traceback (most recent call last):
...
coolid.aws.settings.InvalidSettings: PEERS: the list of resolvers must have the form {"resolvers": [{"issuer": "https://..."}]}
"""

from collections.abc import Mapping

from coolid.aws.settings import PEERS, InvalidSettings
from coolid.errors import UsageError
from coolid.linkid.trusted_resolvers import TrustedResolvers, parse_resolvers
from coolid.wiring.operator_settings import operator_environment


def configured_peers(environment: Mapping[str, str]) -> TrustedResolvers:
    """Return the peers that the environment or the operator's file names. Raises `InvalidSettings`."""
    text = operator_environment(environment).get(PEERS, "")
    if not text.strip():
        return TrustedResolvers()
    try:
        return parse_resolvers(text)
    except UsageError as error:
        raise InvalidSettings(f"{PEERS}: {error}") from error
