"""Resumption tokens: the state of a list, so that the service stores nothing between two requests (section 3.5).

A token contains only what a client may request anyway, and is checked like the arguments of a request. It never
expires.

>>> state = ListState("oai_dc", repository="r4k2-9m3x-62", after="x5", count=100)
>>> read_token(token_of(state)) == state
True
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from msgspec import MsgspecError, Struct, json

from coolid.http.dialects.oai.arguments import BAD_TOKEN, Arguments, ProtocolError, period

MAX_POSITION_BYTES: Final = 2_000


class ListState(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A list by its arguments, "" for those that were not sent, and how far it was returned.

    The next page begins in the `repository`, after the position `after`; `count` items were returned before.
    """

    metadata_prefix: str
    since: str = ""
    until: str = ""
    set_spec: str = ""
    repository: str = ""
    after: str = ""
    count: int = 0

    def is_begun(self) -> bool:
        """Return whether the state is not that of the first page."""
        return bool(self.repository)


_STATES: Final = json.Decoder(ListState)


def requested_state(arguments: Arguments) -> ListState:
    """Return the state of the list that a request continues or begins. Raises `ProtocolError`."""
    if arguments.token is not None:
        return read_token(arguments.token)
    sent = arguments.sent
    state = ListState(sent["metadataPrefix"], sent.get("from", ""), sent.get("until", ""), sent.get("set", ""))
    period(state.since, state.until)
    return state


def token_of(state: ListState) -> str:
    """Return the token of a state."""
    return urlsafe_b64encode(json.encode(state)).rstrip(b"=").decode()


def read_token(token: str) -> ListState:
    """Return the state in a token. Raises `ProtocolError` if this service cannot have issued it."""
    try:
        state = _STATES.decode(urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4)))
        period(state.since, state.until)
    except (ValueError, MsgspecError, ProtocolError) as error:
        raise ProtocolError(BAD_TOKEN, "the resumption token is malformed") from error
    is_position = state.is_begun() and state.count >= 0 and len(state.after.encode()) <= MAX_POSITION_BYTES
    if not is_position or token_of(state) != token:
        raise ProtocolError(BAD_TOKEN, "the resumption token was not issued by this service")
    return state
