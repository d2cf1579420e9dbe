"""The manage function: changes prefixes, repositories and records, and returns records as they are stored."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring import manage

    handler = manage.handler()
