"""The mint function: creates records with new identifiers, each by one conditional write."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring import mint

    handler = mint.handler()
