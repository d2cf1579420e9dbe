"""Cheap sessions share what is the same for all, and nothing else."""

from typing import Any

import pytest
from botocore import hooks, session
from botocore.hooks import EVENT_ALIASES, EventAliaser
from botocore.session import get_session

from coolid.local import botocore_sessions


def test_they_read_the_models_once() -> None:
    assert get_session().get_component("data_loader") is get_session().get_component("data_loader")


def test_what_one_is_told_another_does_not_know() -> None:
    one: Any = get_session()
    other: Any = get_session()
    one.set_credentials("one", "secret")
    one.set_config_variable("region", "eu-central-1")
    assert one.get_credentials().access_key == "one"
    assert other.get_credentials().access_key != "one"
    assert other.get_config_variable("region") != "eu-central-1"


def test_what_one_hears_of_another_does_not() -> None:
    heard: list[str] = []
    one, other = get_session(), get_session()
    one.register("told.to-one", lambda **_: heard.append("one"))
    other.get_component("event_emitter").emit("told.to-one")
    assert heard == []
    one.get_component("event_emitter").emit("told.to-one")
    assert heard == ["one"]


@pytest.mark.parametrize(
    "name", ["creating-client-class.iot-data", "before-call.s3.Put", "x", *list(EVENT_ALIASES)[:5]]
)
def test_names_of_events_are_what_they_are_in_others(name: str) -> None:
    emitter = hooks.HierarchicalEmitter()
    own: Any = EventAliaser(emitter)
    own._alias_name_cache = {}
    for _ in range(2):
        shared: Any = EventAliaser(emitter)
        assert shared._alias_event_name(name) == own._alias_event_name(name)


def test_whoever_has_other_names_for_events_keeps_them() -> None:
    one: Any = EventAliaser(hooks.HierarchicalEmitter(), {"x": "y"})
    other: Any = EventAliaser(hooks.HierarchicalEmitter())
    assert (one._alias_event_name("x"), other._alias_event_name("x")) == ("y", "x")


def test_whether_a_handler_takes_more_is_said_of_functions_and_of_methods() -> None:
    class Handler:
        def narrow(self) -> None: ...

        def wide(self, **_: object) -> None: ...

    for _ in range(2):
        assert not hooks.accepts_kwargs(Handler().narrow)
        assert hooks.accepts_kwargs(Handler().wide)
        assert hooks.accepts_kwargs(lambda **_: None)
        assert not hooks.accepts_kwargs(lambda: None)


def test_it_may_be_nested() -> None:
    assert session.create_loader is not botocore_sessions._CREATE_LOADER
    with botocore_sessions.shared_caches():
        pass
    assert session.create_loader is not botocore_sessions._CREATE_LOADER


def test_afterwards_all_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "create_loader", botocore_sessions._CREATE_LOADER)
    monkeypatch.setattr(EventAliaser, "__init__", botocore_sessions._MAKE_ALIASER)
    monkeypatch.setattr(hooks, "accepts_kwargs", botocore_sessions._ACCEPTS_KWARGS)
    with botocore_sessions.shared_caches():
        assert session.create_loader is not botocore_sessions._CREATE_LOADER
        assert hooks.accepts_kwargs is not botocore_sessions._ACCEPTS_KWARGS
    assert session.create_loader is botocore_sessions._CREATE_LOADER
    assert hooks.accepts_kwargs is botocore_sessions._ACCEPTS_KWARGS
    assert EventAliaser.__init__ is botocore_sessions._MAKE_ALIASER
