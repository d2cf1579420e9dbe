"""Management: prefixes, repositories, and records as they are stored."""

from coolid.aws.cold_start import starting

with starting():
    from coolid.aws.wiring import manage

    handler = manage.handler()
