"""Management: prefixes, repositories, and records as they are stored."""

from coolid.aws.starting import starting

with starting():
    from coolid.aws.wiring import manage

    handler = manage.handler()
